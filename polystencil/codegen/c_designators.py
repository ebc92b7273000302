"""From designators (`s%tr(m)%q(i, j)`) to memory: which leaf array or scalar, and the subscripts inside of it.

The part of a designator that no iteration changes is evaluated on the host and becomes an argument.
"""

from __future__ import annotations

import re
from typing import Any

from polystencil.codegen.arguments import ArrayArgument, ScalarArgument
from polystencil.codegen.c_places import ArgumentArray, ScalarPlace
from polystencil.codegen.c_unit import HostRecord, PrivateRecord, Scope, Unit
from polystencil.codegen.declared_storage import constant_shape, has_unit_stride
from polystencil.codegen.dialect import storage_type, value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import type_of


class DesignatorPrinter:
    """Finds what designators stand for; base of the expression printers."""

    def __init__(self, unit: Unit, scope: Scope) -> None:
        self.unit, self.scope = unit, scope
        self.prelude: list[str] = []
        self.indexing = False

    def text(self, e: x.Expression) -> str:
        raise NotImplementedError

    def inside(self, e: x.Expression, level: int) -> str:
        raise NotImplementedError

    def intrinsic(self, e: x.Expression) -> Intrinsic:
        raise NotImplementedError

    def use_parameter(self, name: str, ctype: str) -> str:
        """Note that the text names a kernel parameter; a function then takes it from its callers."""
        if self.scope.captured is not None:
            self.scope.captured[name] = (ctype, name)
        return name

    def subscript(self, e: x.Expression) -> str:
        """C text of a subscript; its arithmetic stays in range in a valid program."""
        outer, self.indexing = self.indexing, True
        text = self.inside(e, 12)
        self.indexing = outer
        return text

    def designate(self, e: x.Expression) -> tuple[Any, tuple[str, ...]]:
        """The place of a designator and the subscripts inside of it, as C text."""
        steps: list[x.Expression] = []
        base = e
        while not isinstance(base, x.Ref):
            if not isinstance(base, (x.Element, x.Component)):
                raise NotLaunchable(f"{type(base).__name__} inside of a kernel")
            steps.append(base)
            base = base.base
        steps.reverse()
        place = self.scope.places.get(base.id)
        if isinstance(place, PrivateRecord):
            return self._private_leaf(place, steps)
        if isinstance(place, HostRecord):
            return self._host_leaf(place.prefix, list(place.subscripts), None, steps)
        if place is not None:
            subscripts: tuple[str, ...] = ()
            for step in steps:
                if not isinstance(step, x.Element):
                    raise NotLaunchable("a component of an object that is private to the kernel")
                subscripts = tuple(self.subscript(i) for i in step.indices)
            return place, subscripts
        if self.scope is not self.unit.kernel_scope and base.id in self.unit.kernel_scope.places:
            return self._captured(base.id, steps)
        return self._host_leaf(base, [], [], steps)

    def _captured(self, identifier: str, steps: list[x.Expression]) -> tuple[Any, tuple[str, ...]]:
        """A private scalar of the kernel that a function of it uses: passed on by address."""
        place = self.unit.kernel_scope.places[identifier]
        if not isinstance(place, ScalarPlace) or steps or identifier in self.unit.kernel_scope.indices:
            raise NotLaunchable("a procedure that uses a private array, record or loop index of its host")
        ctype = value_type(place.type, self.unit.dialect) + " *"
        assert self.scope.captured is not None
        self.scope.captured[place.text] = (ctype, place.address)
        return ScalarPlace(f"(*{place.text})", place.type, place.text), ()

    def _private_leaf(self, place: PrivateRecord, steps: list[x.Expression]) -> tuple[Any, tuple[str, ...]]:
        path: tuple[str, ...] = ()
        subscripts: tuple[str, ...] = ()
        for step in steps:
            if isinstance(step, x.Component):
                path += (step.field,)
            elif isinstance(step, x.Element):
                subscripts += tuple(self.subscript(i) for i in step.indices)
        leaf = place.leaves.get(path)
        if leaf is None:
            raise NotLaunchable("a whole record inside of a kernel")
        return leaf, subscripts

    def _host_leaf(
        self, prefix: x.Expression, texts: list[str], pending: list[x.Expression] | None, steps: list[x.Expression]
    ) -> tuple[Any, tuple[str, ...]]:
        """Walk from a host variable outwards; `pending` are the expressions of `texts` while the host knows them."""
        for step in steps:
            if isinstance(step, x.Element):
                texts += [self.subscript(i) for i in step.indices]
                if pending is not None:
                    pending = [*pending, *step.indices] if all(self._host_knows(i) for i in step.indices) else None
                continue
            assert isinstance(step, x.Component)
            symbol = self.component(step)
            if symbol.attributes & {"allocatable", "pointer"}:
                if texts:
                    if pending is None:
                        raise NotLaunchable(
                            f"the {'pointer' if 'pointer' in symbol.attributes else 'allocatable'} "
                            f"component {symbol.name} of an element that changes from iteration to iteration"
                        )
                    prefix = x.Element(prefix, tuple(pending))
                    texts, pending = [], []
            prefix = x.Component(prefix, step.field, step.type, step.rank)
        return self._argument(prefix, texts)

    def component(self, e: x.Component) -> Symbol:
        """The component's declaration."""
        t = type_of(e.base)
        if isinstance(t, Record) and t.id in self.unit.table.types:
            for symbol in self.unit.table.types[t.id].components:
                if symbol.name == e.field:
                    return symbol
        raise NotLaunchable(f"component {e.field} of a type that is known only at run time")

    def _host_knows(self, e: x.Expression) -> bool:
        for node in walk_expression(e):
            if isinstance(node, x.Ref) and (node.id in self.scope.places or node.id in self.unit.written):
                return False
            if isinstance(node, x.FunctionCall):
                return False
        return True

    def _argument(self, prefix: x.Expression, texts: list[str]) -> tuple[Any, tuple[str, ...]]:
        t = type_of(prefix)
        if not isinstance(t, Intrinsic):
            raise NotLaunchable("a whole object of derived type inside of a kernel")
        if t.base == "character":
            raise NotLaunchable("character values inside of a kernel")
        rank = leaf_rank(prefix)
        base = prefix
        while not isinstance(base, x.Ref):
            base = base.base  # type: ignore[attr-defined]  # prefixes are made of Ref, Element and Component
        if base.id in self.scope.absent:
            raise NotLaunchable("an absent optional argument is used")
        written = base.id in self.unit.written
        if rank == 0 and not written:
            return self._scalar_argument(prefix, t), ()
        known = self.unit.arguments.arrays.get(prefix)
        if known is None:
            known = self._new_array(prefix, base, t, rank)
            self.unit.arguments.arrays[prefix] = known
        if written:
            known.written = True
        known.read = True
        return self.array_place(known), tuple(texts)

    def array_place(self, argument: ArrayArgument) -> ArgumentArray:
        """A leaf argument as this scope sees it."""
        ctype = f"{self.unit.dialect.global_space}{storage_type(argument.type, self.unit.dialect)} *"

        def use(name: str, kind: str) -> str:
            return self.use_parameter(name, ctype if kind == "pointer" else "index_t ")

        return ArgumentArray(argument, "global", use, self.unit.arguments.figure)

    def _scalar_argument(self, prefix: x.Expression, t: Intrinsic) -> ScalarPlace:
        arguments = self.unit.arguments
        if prefix not in arguments.scalars:
            wish = prefix.field if isinstance(prefix, x.Component) else prefix.id.rsplit(".", 1)[-1]  # type: ignore[attr-defined]  # Ref or Component
            arguments.scalars[prefix] = ScalarArgument(arguments.names.fresh(wish), prefix, t)
        name = arguments.scalars[prefix].name
        self.use_parameter(name, value_type(t, self.unit.dialect) + " ")
        return ScalarPlace(name, t, f"&{name}")

    def _has_unit_stride(self, prefix: x.Expression, symbol: Symbol) -> bool:
        """Whether the first stride of a leaf array is 1 whatever happens at run time.

        The components of all records of an array lie together, record by record in the first dimension: a record that is an
        element of one, which any dummy may be, has components with another stride. Allocatable ones have their own storage.
        """
        e = prefix
        while isinstance(e, x.Component):
            attributes = self.component(e).attributes
            if "allocatable" in attributes or {"pointer", "contiguous"} <= attributes:
                return True
            if "pointer" in attributes:
                return False
            e = e.base
        if isinstance(e, x.Element) or (e is not prefix and "dummy" in symbol.attributes):
            return False
        return has_unit_stride(symbol)

    def _new_array(self, prefix: x.Expression, base: x.Ref, t: Intrinsic, rank: int) -> ArrayArgument:
        symbol = self.unit.table.symbols.get(base.id)
        wish = prefix.field if isinstance(prefix, x.Component) else base.id.rsplit(".", 1)[-1]
        if symbol is None:
            raise NotLaunchable(f"the variable {wish} is not known here")
        if "volatile" in symbol.attributes:
            raise NotLaunchable(f"{wish} is volatile")
        unit = self._has_unit_stride(prefix, symbol)
        aliased = bool(symbol.attributes & {"pointer", "target"}) or symbol.block is not None
        e = prefix
        while isinstance(e, (x.Component, x.Element)):
            if isinstance(e, x.Element):
                aliased = True
            else:
                aliased = aliased or "pointer" in self.component(e).attributes
            e = e.base
        shape = constant_shape(symbol) if isinstance(prefix, x.Ref) else None
        owned = isinstance(prefix, x.Ref) and symbol.block is None and not symbol.attributes & {"dummy", "pointer"}
        return ArrayArgument(self.unit.arguments.names.fresh(wish), prefix, t, rank, unit, shape, aliased, owned)

    def load(self, e: x.Expression) -> str:
        """C text of a scalar value in memory."""
        place, subscripts = self.designate(e)
        self.intrinsic(e)
        if isinstance(place, ScalarPlace):
            return place.text
        if isinstance(place, (HostRecord, PrivateRecord)):
            raise NotLaunchable("a whole record inside of a kernel")
        return self.element(place, subscripts)

    def element(self, place: Any, subscripts: tuple[str, ...]) -> str:
        """C text of an array element."""
        rank = place.rank
        if len(subscripts) != rank:
            raise NotLaunchable("a whole array inside of a scalar expression")
        if rank == 0:
            return f"{place.pointer()}[{place.offset()}]"
        return f"{place.pointer()}[{self.address(place, subscripts)}]"

    def address(self, place: Any, subscripts: tuple[str, ...]) -> str:
        """The position of an element from the pointer, in elements."""
        terms: list[str] = []
        start = 0
        for d, subscript in enumerate(subscripts):
            stride = place.stride(d)
            if stride.isdigit():
                subscript, constant = _constant_part(subscript)
                start += constant * int(stride)
            plain = subscript.replace("_", "").isalnum()
            if not subscript:
                continue
            if stride == "1":
                terms.append(subscript)
            else:
                terms.append(f"{stride} * {subscript if plain else f'({subscript})'}")
        offset = place.offset()
        text = " + ".join(terms)
        if offset.lstrip("-").isdigit():
            start += int(offset)
            if start or not text:
                text = f"{text} - {-start}" if start < 0 and text else (f"{text} + {start}" if text else str(start))
            return text
        if start:
            text = f"{text} + {start}" if text else str(start)
        return f"{offset} + {text}" if text else offset


def _constant_part(text: str) -> tuple[str, int]:
    """`i - 2` as (i, -2); an integer has no other part. The text is a sum or binds tighter."""
    if text.lstrip("-").isdigit():
        return "", int(text)
    found = re.fullmatch(r"(.*) ([+-]) (\d+)", text)
    if found is None or found.group(1).count("(") != found.group(1).count(")"):
        return text, 0
    inner, more = _constant_part(found.group(1))
    return inner, more + int(found.group(2) + found.group(3))


def leaf_rank(prefix: x.Expression) -> int:
    """The rank of a whole leaf: of the component plus those of the arrays of records around it."""
    if isinstance(prefix, x.Component):
        inner = 0 if isinstance(prefix.base, x.Element) else leaf_rank(prefix.base)
        return inner + prefix.rank
    if isinstance(prefix, x.Element):
        return 0
    return prefix.rank if isinstance(prefix, x.Ref) else 0
