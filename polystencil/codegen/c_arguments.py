"""Actual arguments of C functions: values, addresses, descriptors of arrays, records by their leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from polystencil.codegen.c_places import ArgumentArray, ScalarPlace, TextArray
from polystencil.codegen.c_statements import StatementPrinter
from polystencil.codegen.c_unit import HostRecord, PrivateRecord
from polystencil.codegen.dialect import storage_type, value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.ir.typing import rank_of


@dataclass
class Passed:
    """How the arguments of one call are passed: C texts, and the key and places of the parameters."""

    texts: list[str] = field(default_factory=list)
    key: list[object] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    bind: list[tuple[str, str, object]] = field(default_factory=list)


class ArgumentPrinter(StatementPrinter):
    """Passes arguments to procedures that are printed as C functions."""

    def _pass(self, procedure: Procedure, dummy: str, actual: x.Expression | None, passed: Passed) -> None:
        symbol = self.unit.table.symbols.get(dummy)
        if symbol is None:
            raise NotLaunchable("an alternate return inside of a kernel")
        if actual is None or (isinstance(actual, x.Ref) and actual.id in self.scope.absent):
            passed.absent.add(dummy)
            return
        if "optional" in symbol.attributes:
            passed.present.add(dummy)
        if symbol.attributes & {"allocatable", "pointer"}:
            raise NotLaunchable(f"an allocatable or pointer argument of {procedure.name} inside of a kernel")
        if isinstance(symbol.type, ProcedureType) or isinstance(actual, x.ProcedureRef):
            bound = self.scope.places.get(actual.id) if isinstance(actual, (x.Ref, x.ProcedureRef)) else None
            target = bound if isinstance(bound, x.ProcedureRef) else actual
            passed.key.append(("procedure", target))
            passed.bind.append((dummy, "procedure", target))
        elif isinstance(symbol.type, Record):
            self._pass_record(symbol, actual, passed)
        elif symbol.shape is not None:
            self._pass_array(procedure, symbol, actual, passed)
        else:
            self._pass_scalar(procedure, symbol, actual, passed)

    def _pass_scalar(self, procedure: Procedure, symbol: Symbol, actual: x.Expression, passed: Passed) -> None:
        t = symbol.type
        assert isinstance(t, Intrinsic)
        name = self.scope.names.fresh(symbol.name)
        changed = symbol.id in self.unit.effects.of_procedure(procedure.id).writes and "value" not in symbol.attributes
        if rank_of(actual):
            raise NotLaunchable("an elemental call with an array as argument inside of a kernel")
        if not changed:
            passed.texts.append(self.text(actual))
            passed.key.append("value")
            passed.parameters.append(f"{value_type(t, self.unit.dialect)} {name}")
            passed.bind.append((symbol.id, "scalar", ScalarPlace(name, t, f"&{name}")))
            return
        if not isinstance(actual, (x.Ref, x.Element, x.Component)):
            raise NotLaunchable(f"{procedure.name} changes an argument that is an expression")
        place, subscripts = self.designate(actual)
        if isinstance(place, ScalarPlace):
            self.store(actual)
            passed.texts.append(place.address)
            ctype = f"{value_type(t, self.unit.dialect)} *"
        else:
            passed.texts.append("&" + self.element(place, subscripts))
            space = self.unit.dialect.global_space if place.space == "global" else ""
            kind = (
                storage_type(t, self.unit.dialect)
                if space or place.space == "global"
                else value_type(t, self.unit.dialect)
            )
            ctype = f"{space}{kind} *"
        passed.key.append(ctype)
        passed.parameters.append(f"{ctype}{name}")
        passed.bind.append((symbol.id, "scalar", ScalarPlace(f"(*{name})", t, name)))

    def _pass_record(self, symbol: Symbol, actual: x.Expression, passed: Passed) -> None:
        if symbol.shape is not None:
            if not isinstance(actual, x.Ref) or actual.id in self.scope.places:
                raise NotLaunchable("an array of records as argument inside of a kernel")
            assumed = all(d.assumed and d.lower is None for d in symbol.shape)
            declared = self.unit.table.symbols.get(actual.id)
            ones = declared is not None and declared.shape is not None and all(d.lower is None for d in declared.shape)
            if not (assumed and ones) or (declared is not None and declared.attributes & {"allocatable", "pointer"}):
                raise NotLaunchable("an array of records with other bounds as argument inside of a kernel")
        if not isinstance(actual, (x.Ref, x.Element, x.Component)):
            raise NotLaunchable("an expression of derived type as argument inside of a kernel")
        place, indices = self._record_place(actual)
        if isinstance(place, PrivateRecord):
            leaves: dict[tuple[str, ...], ScalarPlace | TextArray] = {}
            for path, leaf in place.leaves.items():
                name = self.scope.names.fresh("_".join((symbol.name, *path)))
                if isinstance(leaf, ScalarPlace):
                    passed.texts.append(leaf.address)
                    passed.parameters.append(f"{value_type(leaf.type, self.unit.dialect)} *{name}")
                    leaves[path] = ScalarPlace(f"(*{name})", leaf.type, name)
                else:
                    assert isinstance(leaf, TextArray)
                    passed.texts.append(leaf.name)
                    passed.parameters.append(f"{value_type(leaf.type, self.unit.dialect)} *{name}")
                    leaves[path] = TextArray(
                        name, leaf.type, leaf.rank, leaf.space, leaf.lowers, leaf.extents, leaf.strides, leaf.start
                    )
            passed.key.append("private record")
            passed.bind.append((symbol.id, "record", PrivateRecord(leaves, place.type)))  # type: ignore[arg-type]  # places
            return
        assert isinstance(place, HostRecord)
        names = []
        for text in indices:
            name = self.scope.names.fresh(f"{symbol.name}_at")
            passed.texts.append(text)
            passed.parameters.append(f"index_t {name}")
            names.append(name)
        passed.key.append(("record", place.prefix, len(names)))
        passed.bind.append((symbol.id, "record", HostRecord(place.prefix, tuple(names))))

    def _record_place(self, e: x.Expression) -> tuple[HostRecord | PrivateRecord, tuple[str, ...]]:
        if isinstance(e, x.Ref):
            place = self.scope.places.get(e.id)
            if isinstance(place, PrivateRecord):
                return place, ()
            if isinstance(place, HostRecord):
                return place, place.subscripts
            if place is not None:
                raise NotLaunchable("a record that is private to the kernel as argument")
            return HostRecord(e, ()), ()
        if isinstance(e, x.Element):
            place, indices = self._record_place(e.base)
            if isinstance(place, PrivateRecord):
                raise NotLaunchable("an element of a private record array")
            return place, (*indices, *(self.subscript(i) for i in e.indices))
        assert isinstance(e, x.Component)
        place, indices = self._record_place(e.base)
        if isinstance(place, PrivateRecord):
            path = (e.field,)
            leaves = {p[1:]: leaf for p, leaf in place.leaves.items() if p[:1] == path}
            assert isinstance(e.type, Record)
            return PrivateRecord(leaves, e.type), ()
        if self.component(e).attributes & {"allocatable", "pointer"} and indices:
            raise NotLaunchable("an allocatable component of an element as argument inside of a kernel")
        return HostRecord(x.Component(place.prefix, e.field, e.type, e.rank), indices), indices

    def _pass_array(self, procedure: Procedure, symbol: Symbol, actual: x.Expression, passed: Passed) -> None:
        assert symbol.shape is not None
        t = symbol.type
        assert isinstance(t, Intrinsic)
        if t.base == "character":
            raise NotLaunchable("character values inside of a kernel")
        name = self.scope.names.fresh(symbol.name)
        assumed = any(d.assumed for d in symbol.shape)
        base = actual.base if isinstance(actual, (x.Element, x.Section)) else actual
        if not isinstance(base, (x.Ref, x.Component)) or (isinstance(actual, x.Section) and not assumed):
            if symbol.id in self.unit.effects.of_procedure(procedure.id).writes:
                raise NotLaunchable("a section or expression that the procedure changes, as argument inside of a kernel")
            actual = base = self.array_value(actual, self.prelude)
        place, outer = self.designate(base)
        if not hasattr(place, "pointer") or len(outer) + rank_of(base) != place.rank:
            raise NotLaunchable("this array as argument inside of a kernel")
        space = self.unit.dialect.global_space if place.space == "global" else ""
        element = storage_type(t, self.unit.dialect) if place.space == "global" else value_type(t, self.unit.dialect)
        ctype = f"{space}{element} *"
        passed.texts.append(place.pointer())
        passed.parameters.append(f"{ctype}{name}")
        if not assumed:
            self._pass_sequence(symbol, actual, place, outer, name, ctype, passed)
            return
        starts, extents, strides = self._descriptor(actual, place, outer)
        rank = len(symbol.shape)
        if len(extents) != rank:
            raise NotLaunchable("an array argument of another rank")
        passed.texts.append(self.address(place, starts))
        passed.parameters.append(f"index_t {name}_at")
        for d in range(rank):
            passed.texts += [extents[d], strides[d]]
            passed.parameters += [f"index_t {name}_n{d}", f"index_t {name}_t{d}"]
        unit = strides[0] == "1"
        contiguous = _is_contiguous(place) and (not isinstance(actual, x.Section) or (rank == place.rank == 1 and unit))
        passed.key.append((ctype, "assumed", unit, contiguous))
        passed.bind.append((symbol.id, "assumed", (name, t, place.space, unit, contiguous)))

    def _pass_sequence(
        self,
        symbol: Symbol,
        actual: x.Expression,
        place: Any,
        outer: tuple[str, ...],
        name: str,
        ctype: str,
        passed: Passed,
    ) -> None:
        """Explicit shape: the address of the first element; the actual must be contiguous."""
        if outer:
            raise NotLaunchable("a component array of an element as argument inside of a kernel")
        if not _is_contiguous(place):
            raise NotLaunchable(
                "an array that may not be contiguous passed to an explicit-shape argument inside of a kernel"
            )
        if isinstance(actual, x.Element):
            starts = tuple(self.subscript(i) for i in actual.indices)
        else:
            starts = tuple(place.lower(d) for d in range(place.rank))
        passed.texts[-1] = f"{passed.texts[-1]} + ({self.address(place, starts)})"
        passed.key.append((ctype, "explicit"))
        passed.bind.append((symbol.id, "explicit", (name, symbol.type, place.space)))

    def _descriptor(
        self, actual: x.Expression, place: Any, outer: tuple[str, ...]
    ) -> tuple[tuple[str, ...], list[str], list[str]]:
        """First element, extents and strides of a whole array or a section."""
        skip = len(outer)

        def lower(d: int) -> str:
            return str(place.lower(d + skip))

        def extent(d: int) -> str:
            return str(place.extent(d + skip))

        def stride(d: int) -> str:
            return str(place.stride(d + skip))

        rank = place.rank - skip
        if not isinstance(actual, x.Section):
            return (
                (*outer, *(lower(d) for d in range(rank))),
                [extent(d) for d in range(rank)],
                [stride(d) for d in range(rank)],
            )
        starts, extents, strides = list(outer), [], []
        for d, s in enumerate(actual.subscripts):
            if not isinstance(s, x.Range):
                if rank_of(s):
                    raise NotLaunchable("a vector subscript in an argument inside of a kernel")
                starts.append(self.subscript(s))
                continue
            low = lower(d) if s.lower is None else self.subscript(s.lower)
            high = f"{lower(d)} + {extent(d)} - 1" if s.upper is None else self.subscript(s.upper)
            starts.append(low)
            if s.step is None:
                extents.append(f"({high}) - ({low}) + 1")
                strides.append(stride(d))
            else:
                step = self.subscript(s.step)
                extents.append(f"(({high}) - ({low}) + ({step})) / ({step})")
                strides.append(f"({step}) * {stride(d)}")
        return tuple(starts), extents, strides


def _is_contiguous(place: Any) -> bool:
    """Whether the elements of an array surely lie one after the other."""
    return place.argument.unit if isinstance(place, ArgumentArray) else place.contiguous
