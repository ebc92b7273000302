"""From the arguments of a call to what each dummy stands for, as a call by reference has it.

    call s(n + 1, a(i), f(x), q)    -->    n + 1 and a(i) where nothing changes them, a variable that starts as f(x), q

A value that may change while the body runs is copied before it; what cannot be told apart from a change is refused.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from polystencil.analysis.definitions import Definitions, Invariance, base_id, designated_path
from polystencil.analysis.effects import named_in_calls
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_children, walk_body_expressions
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.argument_shapes import array_argument
from polystencil.transforms.array_argument import ArrayArgument
from polystencil.transforms.call_names import free_name
from polystencil.transforms.callable_inline import definitions_of, own_ids
from polystencil.transforms.inline_refusal import NotInlined

_INQUIRY = ("size", "lbound", "ubound")


@dataclass(eq=False)
class Arguments:
    """What the dummies of one call are: `scalars` and `arrays` by id, optional ones `present` or not.

    `copies` run before the body, into the variables `declared`.
    """

    scalars: dict[str, x.Expression] = field(default_factory=dict)
    arrays: dict[str, ArrayArgument] = field(default_factory=dict)
    present: dict[str, bool] = field(default_factory=dict)
    copies: list[s.Assign] = field(default_factory=list)
    declared: list[Symbol] = field(default_factory=list)


def arguments_of(
    call: s.Call, procedure: Procedure, body: s.Body, caller: Procedure, table: SymbolTable, prefix: str
) -> Arguments:
    """What the dummies of a call stand for; `prefix` begins the ids of new variables."""
    if len(call.arguments) != len(procedure.dummies):
        raise NotInlined(f"{procedure.name} is called with another number of arguments")
    found = definitions_of(procedure, body, table)
    _check_names_apart(call, procedure, body, found, table)
    return _Matching(call, procedure, body, found, caller, table, prefix).all()


def _by_reference(a: x.Expression | None) -> bool:
    return isinstance(a, (x.Ref, x.Element, x.Section, x.Component))


def _check_names_apart(
    call: s.Call, procedure: Procedure, body: s.Body, found: Definitions, table: SymbolTable
) -> None:
    """Refuse calls in which what is assigned under one name may be read under another."""
    given = {d: path for d, a in zip(procedure.dummies, call.arguments, strict=True)
             if a is not None and _by_reference(a) and (path := designated_path(a)) is not None}  # fmt: skip
    for d1, p1 in given.items():
        assigned = [p1 + p[len(d1) :] for p in found.paths if p == d1 or p.startswith(d1 + "%")]
        for d2, p2 in given.items():
            if d1 != d2 and any(_overlap(p, p2, table) for p in assigned):
                raise NotInlined(f"{p2.rsplit('.', 1)[-1]} is passed twice, and {procedure.name} assigns it")
    own = own_ids(procedure, body)
    outside = {e.id for e in walk_body_expressions(body) if isinstance(e, x.Ref)} | named_in_calls(body, table)
    for d, path in given.items():
        for id in outside - own:
            if _overlap(path.split("%", 1)[0], id, table) and found.ids & {d, id}:
                name = id.rsplit(".", 1)[-1]
                raise NotInlined(f"{procedure.name} names {name}, which is passed to it as well, and assigns it")


def _overlap(p: str, q: str, table: SymbolTable) -> bool:
    if p == q or p.startswith(q + "%") or q.startswith(p + "%"):
        return True
    a, b = (table.symbols.get(i.split("%", 1)[0]) for i in (p, q))
    return a is not None and b is not None and a.block is not None and a.block == b.block


class _Matching:
    def __init__(
        self, call: s.Call, procedure: Procedure, body: s.Body, found: Definitions, caller: Procedure,
        table: SymbolTable, prefix: str,
    ) -> None:  # fmt: skip
        self.call, self.procedure, self.body, self.found = call, procedure, body, found
        self.table, self.prefix = table, prefix
        self.inside = Invariance(table, found, procedure.id)
        self.actual = dict(zip(procedure.dummies, call.arguments, strict=True))
        self.invariant = Invariance(table, self.defined_in_caller(), caller.id)
        self.out = Arguments()

    def defined_in_caller(self) -> Definitions:
        """What the call defines, in the caller's names."""

        def moved(path: str) -> str | None:
            root, *fields = path.split("%", 1)
            if root not in self.actual:
                return path
            a = self.actual[root]
            place = designated_path(a) if a is not None and _by_reference(a) else None
            return None if place is None else "%".join([place, *fields])

        paths = frozenset(p for d in self.found.paths if (p := moved(d)) is not None)
        roots = frozenset(p.split("%", 1)[0] for p in paths)
        reshaped = frozenset(p.split("%", 1)[0] for d in self.found.reshaped if (p := moved(d)) is not None)
        return Definitions(roots, self.found.unknown, paths, reshaped)

    def all(self) -> Arguments:
        """Scalars first: bounds of arrays are made of them."""
        symbols = {v.id: v for v in self.procedure.symbols}
        for id, a in self.actual.items():
            dummy = symbols[id]
            if "optional" in dummy.attributes:
                self.out.present[id] = a is not None
                root = self.table.symbols.get(base_id(a) or "") if a is not None else None
                if isinstance(a, x.Ref) and root is not None and "optional" in root.attributes:
                    raise NotInlined(f"the argument for {dummy.name} is optional itself, so it may be absent")
            if a is None:
                if "optional" not in dummy.attributes:
                    raise NotInlined(f"the argument {dummy.name} is absent")
                continue
            self.check_type(a, dummy)
            if dummy.shape is None:
                self.scalar(a, dummy)
        waiting = [symbols[id] for id, a in self.actual.items() if a is not None and symbols[id].shape is not None]
        for dummy in sorted(waiting, key=lambda d: any(not w.assumed for w in d.shape or ())):
            self.array(dummy)
        return self.out

    def check_type(self, a: x.Expression, dummy: Symbol) -> None:
        given, wanted = type_of(a), dummy.type
        if isinstance(given, Record) and isinstance(wanted, Record):
            open_type = wanted.polymorphic or given.polymorphic
            if given.id != wanted.id or given.id == "*" or (open_type and not self.only_components(dummy.id)):
                raise NotInlined(f"the argument {dummy.name} is polymorphic, or of an extended type")
        elif not (isinstance(given, Intrinsic) and isinstance(wanted, Intrinsic)) or (
            (given.base, given.kind) != (wanted.base, wanted.kind)
        ):
            raise NotInlined(f"the argument for {dummy.name} has another type or kind")

    def only_components(self, id: str) -> bool:
        """Whether the body names a dummy only to reach its components, which are there whatever its dynamic type."""
        nodes = list(walk_body_expressions(self.body))
        inside = sum(isinstance(n, x.Component) and isinstance(n.base, x.Ref) and n.base.id == id for n in nodes)
        return inside == sum(isinstance(n, x.Ref) and n.id == id for n in nodes)

    def scalar(self, a: x.Expression, dummy: Symbol) -> None:
        if rank_of(a):
            raise NotInlined(f"the argument for {dummy.name} is an array")
        assigned = dummy.id in self.found.ids
        if "allocatable" in dummy.attributes:
            self.out.scalars[dummy.id] = self.allocatable(a, dummy)
        elif "value" in dummy.attributes and assigned:
            self.out.scalars[dummy.id] = self.copied(a, dummy.name, dummy.type)
        elif isinstance(dummy.type, Record) or assigned:
            if not isinstance(a, (x.Ref, x.Element, x.Component)):
                raise NotInlined(f"the argument for {dummy.name} is no variable")
            self.out.scalars[dummy.id] = self.fixed_path(a)
        else:
            self.out.scalars[dummy.id] = a if self.stays(a) else self.copied(a, dummy.name, dummy.type)

    def array(self, dummy: Symbol) -> None:
        a = self.actual[dummy.id]
        if a is None:
            return
        if "allocatable" in dummy.attributes:
            self.out.scalars[dummy.id] = self.allocatable(a, dummy)
            return
        if isinstance(a, (x.Ref, x.Component)):
            a = self.fixed_path(a)
        elif isinstance(a, x.Section):
            a = dataclasses.replace(a, base=self.fixed_path(a.base))
        self.out.arrays[dummy.id] = array_argument(a, dummy, self.bound, self.at_call, self.fixed, self.table)

    def allocatable(self, a: x.Expression, dummy: Symbol) -> x.Expression:
        """An allocatable dummy is the allocatable actual itself."""
        if not isinstance(a, (x.Ref, x.Component)):
            raise NotInlined(f"the argument for {dummy.name} is no allocatable variable")
        return self.fixed_path(a)

    def fixed_path(self, a: x.Expression) -> x.Expression:
        """A designator with subscripts that keep their values, reached through no pointer."""
        root = self.table.symbols.get(base_id(a) or "")
        if root is None or "pointer" in root.attributes or self.through_pointer(a):
            raise NotInlined("an argument is a pointer or reached through one")
        if isinstance(a, x.Element):
            return x.Element(self.fixed_path(a.base), tuple(self.fixed(i) for i in a.indices))
        if isinstance(a, x.Component):
            return dataclasses.replace(a, base=self.fixed_path(a.base))
        if not isinstance(a, x.Ref):
            raise NotInlined("an argument is a part of a section")
        return a

    def through_pointer(self, e: x.Expression) -> bool:
        while isinstance(e, (x.Component, x.Element, x.Section)):
            if isinstance(e, x.Component):
                kind = type_of(e.base)
                definition = self.table.types.get(kind.id) if isinstance(kind, Record) else None
                component = next((c for c in definition.components if c.name == e.field), None) if definition else None
                if component is None or "pointer" in component.attributes:
                    return True
            e = e.base
        return False

    def stays(self, e: x.Expression) -> bool:
        """Whether an argument may stand wherever the dummy is read: constants, what nothing changes, sums of integers."""
        integer = isinstance(t := type_of(e), Intrinsic) and t.base == "integer"
        match e:
            case x.Literal() | x.NamedConstant():
                return True
            case x.Ref() | x.Element() | x.Component():
                return self.invariant(e) and all(self.stays(i) for i in _subscripts(e))
            case x.Unary(operator="-", operand=x.Literal()):
                return True
            case x.Binary() if integer:
                return e.operator in "+-*" and self.stays(e.left) and self.stays(e.right)
            case x.Unary() | x.Paren() | x.Convert() if integer:
                return isinstance(type_of(e.operand), Intrinsic) and self.stays(e.operand)
            case x.IntrinsicCall() if e.name in _INQUIRY:
                return self.invariant(e)
            case _:
                return False

    def fixed(self, e: x.Expression) -> x.Expression:
        """An integer of the caller that keeps its value: itself or a copy."""
        return e if self.stays(e) else self.copied(e, "at", type_of(e))

    def copied(self, e: x.Expression, name: str, type: object) -> x.Expression:
        if not isinstance(type, Intrinsic):
            raise NotInlined(f"the argument for {name} is copied, but is of derived type")
        taken = {v.name for v in self.out.declared}
        name = free_name(name)
        new, n = name, 1
        while new in taken:
            n += 1
            new = f"{name}{n}"
        symbol = Symbol(f"{self.prefix}.arg.{new}", new, type, span=self.call.span)
        self.out.declared.append(symbol)
        ref = x.Ref(symbol.id, type)
        self.out.copies.append(s.Assign(ref, e, span=self.call.span))
        return ref

    def bound(self, e: x.Expression) -> x.Expression:
        """A bound of a dummy's declaration, in the caller's terms; it is evaluated once, when the call begins."""
        if not self.inside(e):
            raise NotInlined(f"{self.procedure.name} changes what the bounds of an argument are made of")
        return self.substituted(e, self.out.scalars)

    def at_call(self, e: x.Expression) -> x.Expression:
        """The value of a bound when the call begins."""
        return self.substituted(e, {id: a for id, a in self.actual.items() if a is not None and not rank_of(a)})

    def substituted(self, e: x.Expression, scalars: dict[str, x.Expression]) -> x.Expression:
        def go(e: x.Expression) -> x.Expression:
            if isinstance(e, x.IntrinsicCall) and e.name in _INQUIRY and isinstance(e.arguments[0], x.Ref):
                if e.arguments[0].id in self.out.arrays:
                    return self.out.arrays[e.arguments[0].id].inquiry(e)
            if isinstance(e, x.Ref) and e.id in self.actual:
                if e.id not in scalars:
                    raise NotInlined(f"the bounds of an argument are made of the argument {e.id.rsplit('.', 1)[-1]}")
                return scalars[e.id]
            if isinstance(e, x.FunctionCall):
                raise NotInlined("the bounds of an argument call a function")
            return map_children(e, go)

        return go(e)


def _subscripts(e: x.Expression) -> list[x.Expression]:
    out: list[x.Expression] = []
    while isinstance(e, (x.Component, x.Element)):
        if isinstance(e, x.Element):
            out += e.indices
        e = e.base
    return out


__all__ = ["Arguments", "arguments_of"]
