"""Pure procedures that kernels call, printed as C functions.

A procedure is printed once for each way of calling it: by the memory its array arguments live in, by absent optional
arguments, by the records and procedures that are passed. What it uses of its host or of modules comes as further
parameters (`captured`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from polystencil.codegen.c_arguments import ArgumentPrinter, Passed
from polystencil.codegen.c_places import ScalarPlace, TextArray
from polystencil.codegen.c_unit import Scope
from polystencil.codegen.declared_storage import constant_shape
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.codegen.unused import without_unused
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType


@dataclass
class Instance:
    """One printed C function; `captured` is None while it is being printed."""

    name: str
    captured: dict[str, tuple[str, str]] | None = None


class FunctionPrinter(ArgumentPrinter):
    """Prints calls of the program's own procedures, and those procedures."""

    def function_call(self, e: x.FunctionCall) -> str:
        if e.rank or not isinstance(e.type, Intrinsic):
            raise NotLaunchable("a function with an array or a record as result inside of a kernel")
        return self._call(e.target, e.arguments)

    def array_call(self, e: x.FunctionCall, lines: list[str]) -> x.Ref:
        """Call a function whose result is an array of constant shape; the private array that holds the result."""
        procedure = self._procedure(e.target)
        symbol = None if procedure.result is None else self.unit.table.symbols.get(procedure.result)
        shape = None if symbol is None else constant_shape(symbol)
        if symbol is None or shape is None or not isinstance(symbol.type, Intrinsic):
            raise NotLaunchable("a function whose array result has no constant shape inside of a kernel")
        ref = self.private_array(procedure.name, self.intrinsic(e), [extent for _, extent in shape], lines)
        name = self.scope.places[ref.id].name
        text = self.with_prelude(lines, lambda: self._call(e.target, e.arguments, name))
        lines.append(text + ";")
        return ref

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

    def _call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...], result: str = "") -> str:
        procedure = self._procedure(target)
        passed = Passed()
        actuals = list(arguments) + [None] * (len(procedure.dummies) - len(arguments))
        for dummy, actual in zip(procedure.dummies, actuals, strict=False):
            self._pass(procedure, dummy, actual, passed)
        if result and procedure.result is not None:
            self._pass_result(self.unit.table.symbols[procedure.result], result, passed)
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

    def _pass_result(self, symbol: Symbol, result: str, passed: Passed) -> None:
        """An array result as one more argument: the function fills the caller's private array."""
        shape = constant_shape(symbol)
        t = symbol.type
        assert shape is not None
        assert isinstance(t, Intrinsic)
        name = self.scope.names.fresh(symbol.name)
        strides, step = [], 1
        for _, extent in shape:
            strides.append(step)
            step *= extent
        start = -sum(low * step for (low, _), step in zip(shape, strides, strict=True))
        passed.texts.append(result)
        passed.parameters.append(f"{value_type(t, self.unit.dialect)} *{name}")
        passed.key.append("array result")
        place = TextArray(
            name, t, len(shape), "private", tuple(str(low) for low, _ in shape), tuple(str(n) for _, n in shape),
            tuple(map(str, strides)), str(start),
        )  # fmt: skip
        passed.bind.append((symbol.id, "result", place))

    def _print(self, procedure: Procedure, passed: Passed, instance: Instance) -> None:
        """Print the procedure for this way of calling it."""
        unit = self.unit
        outer_scope, outer_prelude, outer_innermost, outer_indexing = (
            self.scope,
            self.prelude,
            self._innermost,
            self.indexing,
        )
        scope = Scope(
            outer_scope.names, captured={}, absent=frozenset(passed.absent), present=frozenset(passed.present)
        )
        self.scope, self.prelude, self._innermost, self.indexing = scope, [], None, False
        lines: list[str] = []
        dummies = set(procedure.dummies) | {what for what, how, _ in passed.bind if how == "result"}
        for dummy, how, what in passed.bind:
            if how in ("scalar", "record", "procedure", "result"):
                scope.places[dummy] = what
        own = [s for s in procedure.symbols if s.id not in dummies and "parameter" not in s.attributes]
        result_type: Intrinsic | None = None
        for symbol in own:
            if symbol.id == procedure.result and not isinstance(symbol.type, Intrinsic):
                raise NotLaunchable("a function with a record as result inside of a kernel")
            if (
                isinstance(symbol.type, ProcedureType)
                or "external" in symbol.attributes
                or "intrinsic" in symbol.attributes
            ):
                continue
            self.declare(symbol, lines)
        for dummy, how, what in passed.bind:
            if how in ("assumed", "explicit"):
                scope.places[dummy] = self._dummy_array(unit.table.symbols[dummy], how, what, lines)
        end = ""
        if procedure.result is not None and procedure.result not in dummies:
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
        unit.function_texts.append(
            f"PS_FN {head} {instance.name}({', '.join(parameters) or 'void'})\n{{\n" + "\n".join(without_unused(lines)) + "\n}"
        )
        self.scope, self.prelude, self._innermost, self.indexing = (
            outer_scope,
            outer_prelude,
            outer_innermost,
            outer_indexing,
        )

    def _dummy_array(self, symbol: Symbol, how: str, what: Any, lines: list[str]) -> TextArray:
        assert symbol.shape is not None
        rank = len(symbol.shape)
        if how == "assumed":
            name, t, space, unit, contiguous = what
            lowers = [self._bound(d.lower, f"{name}_l{k}", lines) for k, d in enumerate(symbol.shape)]
            extents = [f"{name}_n{d}" for d in range(rank)]
            strides = ["1" if unit and d == 0 else f"{name}_t{d}" for d in range(rank)]
            first = f"{name}_at"
        else:
            (name, t, space), contiguous = what, True
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
        terms = [
            f"{low} * {stride}" if stride != "1" else low
            for low, stride in zip(lowers, strides, strict=True)
            if low != "0"
        ]
        if all(t.lstrip("-").isdigit() for t in terms) and first.isdigit():
            start = str(int(first) - sum(int(t) for t in terms))
        else:
            start = self.scope.names.fresh(f"{name}_start")
            lines.append(f"const index_t {start} = {first}{''.join(f' - ({t})' for t in terms)};")
        return TextArray(name, t, rank, space, tuple(lowers), tuple(extents), tuple(strides), start, contiguous)

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
