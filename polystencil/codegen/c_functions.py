"""Pure procedures that kernels call, printed as C functions.

A procedure is printed once for each way of calling it: by the memory its array arguments live in, by absent optional
arguments, by the records and procedures that are passed. What it uses of its host or of modules comes as further
parameters (`captured`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polystencil.codegen.c_places import ScalarPlace, TextArray
from polystencil.codegen.c_statements import StatementPrinter
from polystencil.codegen.c_unit import HostRecord, PrivateRecord, Scope
from polystencil.codegen.dialect import storage_type, value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.ir.typing import rank_of


@dataclass
class Instance:
    """One printed C function; `captured` is None while it is being printed."""

    name: str
    captured: dict[str, tuple[str, str]] | None = None


@dataclass
class Passed:
    """How the arguments of one call are passed: C texts, and the key and places of the parameters."""

    texts: list[str] = field(default_factory=list)
    key: list[object] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    bind: list[tuple[str, str, object]] = field(default_factory=list)


class FunctionPrinter(StatementPrinter):
    """Prints calls of the program's own procedures, and those procedures."""

    def function_call(self, e: x.FunctionCall) -> str:
        if e.rank or not isinstance(e.type, Intrinsic):
            raise NotLaunchable("a function with an array or a record as result inside of a kernel")
        return self._call(e.target, e.arguments)

    def subroutine_call(self, s: st.Call) -> str:
        return self._call(s.target, s.arguments)

    def _procedure(self, target: x.Expression) -> Procedure:
        if isinstance(target, x.Ref):
            bound = self.scope.places.get(target.id)
            if isinstance(bound, x.ProcedureRef):
                target = bound
        if not isinstance(target, x.ProcedureRef):
            raise NotLaunchable("a call whose procedure is known only at run time")
        bound = self.scope.places.get(target.id)
        if isinstance(bound, x.ProcedureRef):
            target = bound
        procedure = self.unit.table.procedures.get(target.id)
        if procedure is None or procedure.interface_only:
            raise NotLaunchable(f"a call of {target.id}, whose source is not here")
        return procedure

    def _call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> str:
        procedure = self._procedure(target)
        passed = Passed()
        actuals = list(arguments) + [None] * (len(procedure.dummies) - len(arguments))
        for dummy, actual in zip(procedure.dummies, actuals, strict=False):
            self._pass(procedure, dummy, actual, passed)
        key = (procedure.id, tuple(passed.key), frozenset(passed.absent))
        instance = self.unit.functions.get(key)
        if instance is None:
            instance = Instance(self.scope.names.fresh(procedure.name))
            self.unit.functions[key] = instance
            self._print(procedure, passed, instance)
        if instance.captured is None:
            raise NotLaunchable(f"{procedure.name} is recursive")
        texts = list(passed.texts)
        for name, (ctype, text) in instance.captured.items():
            if ctype.endswith("*") and text.startswith("&") and self.scope.captured is not None:
                self.scope.captured[name] = (ctype, text)
                texts.append(name)
                continue
            if self.scope.captured is not None:
                self.scope.captured[name] = (ctype, text)
            texts.append(text)
        return f"{instance.name}({', '.join(texts)})"

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
            space = self.unit.dialect.global_space if place.space == "global" else ""  # type: ignore[attr-defined]  # an ArrayPlace
            kind = storage_type(t, self.unit.dialect) if space or place.space == "global" else value_type(t, self.unit.dialect)  # type: ignore[attr-defined]  # an ArrayPlace
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
                    leaves[path] = TextArray(name, leaf.type, leaf.rank, leaf.space, leaf.lowers, leaf.extents, leaf.strides, leaf.start)
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
        base = actual.base if isinstance(actual, (x.Element, x.Section)) else actual
        if not isinstance(base, (x.Ref, x.Component)):
            raise NotLaunchable("an array expression as argument inside of a kernel")
        place, outer = self.designate(base)
        if not hasattr(place, "pointer") or len(outer) + rank_of(base) != place.rank:
            raise NotLaunchable("this array as argument inside of a kernel")
        space = self.unit.dialect.global_space if place.space == "global" else ""
        ctype = f"{space}{storage_type(t, self.unit.dialect) if place.space == 'global' else value_type(t, self.unit.dialect)} *"
        passed.texts.append(place.pointer())
        passed.parameters.append(f"{ctype}{name}")
        assumed = any(d.assumed for d in symbol.shape)
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
        passed.key.append((ctype, "assumed", unit))
        passed.bind.append((symbol.id, "assumed", (name, t, place.space, unit)))

    def _pass_sequence(
        self, symbol: Symbol, actual: x.Expression, place: object, outer: tuple[str, ...], name: str, ctype: str, passed: Passed
    ) -> None:
        """Explicit shape: the address of the first element; the actual must be contiguous."""
        argument = getattr(place, "argument", None)
        if isinstance(actual, x.Section):
            raise NotLaunchable("a section passed to an explicit-shape argument inside of a kernel")
        if outer:
            raise NotLaunchable("a component array of an element as argument inside of a kernel")
        if argument is not None and not argument.unit:
            raise NotLaunchable("an array that may not be contiguous passed to an explicit-shape argument inside of a kernel")
        if isinstance(actual, x.Element):
            starts = tuple(self.subscript(i) for i in actual.indices)
        else:
            starts = tuple(place.lower(d) for d in range(place.rank))  # type: ignore[attr-defined]  # an ArrayPlace
        passed.texts[-1] = f"{passed.texts[-1]} + ({self.address(place, starts)})"
        passed.key.append((ctype, "explicit"))
        passed.bind.append((symbol.id, "explicit", (name, symbol.type, place.space)))  # type: ignore[attr-defined]  # an ArrayPlace

    def _descriptor(self, actual: x.Expression, place: object, outer: tuple[str, ...]) -> tuple[tuple[str, ...], list[str], list[str]]:
        """First element, extents and strides of a whole array or a section."""
        skip = len(outer)
        lower = lambda d: place.lower(d + skip)  # type: ignore[attr-defined]  # noqa: E731  # an ArrayPlace
        extent = lambda d: place.extent(d + skip)  # type: ignore[attr-defined]  # noqa: E731  # an ArrayPlace
        stride = lambda d: place.stride(d + skip)  # type: ignore[attr-defined]  # noqa: E731  # an ArrayPlace
        rank = place.rank - skip  # type: ignore[attr-defined]  # an ArrayPlace
        if not isinstance(actual, x.Section):
            return (*outer, *(lower(d) for d in range(rank))), [extent(d) for d in range(rank)], [stride(d) for d in range(rank)]
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

    def _print(self, procedure: Procedure, passed: Passed, instance: Instance) -> None:
        """Print the procedure for this way of calling it."""
        unit = self.unit
        outer_scope, outer_prelude, outer_innermost, outer_indexing = self.scope, self.prelude, self._innermost, self.indexing
        scope = Scope(outer_scope.names, captured={}, absent=frozenset(passed.absent), present=frozenset(passed.present))
        self.scope, self.prelude, self._innermost, self.indexing = scope, [], None, False
        lines: list[str] = []
        dummies = set(procedure.dummies)
        for dummy, how, what in passed.bind:
            if how in ("scalar", "record", "procedure"):
                scope.places[dummy] = what
        own = [s for s in procedure.symbols if s.id not in dummies and "parameter" not in s.attributes]
        result_type: Intrinsic | None = None
        for symbol in own:
            if symbol.id == procedure.result and not isinstance(symbol.type, Intrinsic):
                raise NotLaunchable("a function with a record as result inside of a kernel")
            if isinstance(symbol.type, ProcedureType) or "external" in symbol.attributes or "intrinsic" in symbol.attributes:
                continue
            self.declare(symbol, lines)
        for dummy, how, what in passed.bind:
            if how in ("assumed", "explicit"):
                scope.places[dummy] = self._dummy_array(unit.table.symbols[dummy], how, what, lines)
        end = ""
        if procedure.result is not None:
            place = scope.places[procedure.result]
            if not isinstance(place, ScalarPlace):
                raise NotLaunchable("a function with an array as result inside of a kernel")
            result_type = place.type
            end = f"return {place.text};"
        scope.returns = end or "return;"
        self.body(procedure.body, lines)
        if end:
            lines.append(end)
        assert scope.captured is not None
        instance.captured = scope.captured
        parameters = passed.parameters + [f"{ctype}{name}" for name, (ctype, _) in scope.captured.items()]
        head = value_type(result_type, unit.dialect) if result_type is not None else "void"
        unit.function_texts.append(f"PS_FN {head} {instance.name}({', '.join(parameters) or 'void'})\n{{\n" + "\n".join(lines) + "\n}")
        self.scope, self.prelude, self._innermost, self.indexing = outer_scope, outer_prelude, outer_innermost, outer_indexing

    def _dummy_array(self, symbol: Symbol, how: str, what: object, lines: list[str]) -> TextArray:
        assert symbol.shape is not None
        rank = len(symbol.shape)
        if how == "assumed":
            name, t, space, unit = what  # type: ignore[misc]  # made by _pass_array
            lowers = [self._bound(d.lower, f"{name}_l{k}", lines) for k, d in enumerate(symbol.shape)]
            extents = [f"{name}_n{d}" for d in range(rank)]
            strides = ["1" if unit and d == 0 else f"{name}_t{d}" for d in range(rank)]
            first = f"{name}_at"
        else:
            name, t, space = what  # type: ignore[misc]  # made by _pass_sequence
            lowers = [self._bound(d.lower, f"{name}_l{k}", lines) for k, d in enumerate(symbol.shape)]
            extents, strides, step = [], [], "1"
            for k, d in enumerate(symbol.shape):
                strides.append(step)
                if isinstance(d.upper, str) or d.upper is None:
                    extents.append("0")
                    continue
                high = self._bound(d.upper, f"{name}_u{k}", lines)
                if lowers[k].lstrip("-").isdigit() and high.lstrip("-").isdigit():
                    extents.append(str(max(0, int(high) - int(lowers[k]) + 1)))
                else:
                    extents.append(high if lowers[k] == "1" else f"({high} - {lowers[k]} + 1)")
                if k + 1 < rank:
                    if step == "1":
                        step = extents[k]
                    elif step.isdigit() and extents[k].isdigit():
                        step = str(int(step) * int(extents[k]))
                    else:
                        size = self.scope.names.fresh(f"{name}_t{k + 1}")
                        lines.append(f"const index_t {size} = (index_t){step} * {extents[k]};")
                        step = size
            first = "0"
        terms = [f"{low} * {stride}" if stride != "1" else low for low, stride in zip(lowers, strides, strict=True) if low != "0"]
        if all(t.lstrip("-").isdigit() for t in terms) and first.isdigit():
            start = str(int(first) - sum(int(t) for t in terms))
        else:
            start = self.scope.names.fresh(f"{name}_start")
            lines.append(f"const index_t {start} = {first}{''.join(f' - ({t})' for t in terms)};")
        return TextArray(name, t, rank, space, tuple(lowers), tuple(extents), tuple(strides), start)

    def _bound(self, e: x.Expression | None, wish: str, lines: list[str]) -> str:
        """A bound of a dummy array as a number or a fresh constant."""
        if e is None:
            return "1"
        text = self.scalar_with_prelude(e, lines)
        if text.lstrip("-").isdigit():
            return text
        name = self.scope.names.fresh(wish)
        lines.append(f"const index_t {name} = {text};")
        return name
