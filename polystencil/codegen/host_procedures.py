"""Procedures of the host program as Python functions: dummies, locals, results, contained procedures."""

from __future__ import annotations

from polystencil.analysis.assigned import EffectsFinder, ExposedReads
from polystencil.codegen.host_kinds import Kinds, by_value
from polystencil.codegen.host_plan import Plan
from polystencil.codegen.host_statements import HostStatements
from polystencil.codegen.host_text import numpy_name
from polystencil.codegen.names import Names
from polystencil.errors import Span, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Dimension, Procedure, Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import child_expressions, nested_bodies, procedures_of, walk_expression
from polystencil.ir.types import Intrinsic, ProcedureType, Record

_ZERO = {"integer": "0", "real": "0.0", "complex": "0.0", "logical": "False"}


class HostProcedures(HostStatements):
    """Prints one procedure after the other into `lines`."""

    def __init__(
        self, table: SymbolTable, kinds: Kinds, names: Names, module_names: Names, effects: EffectsFinder, plan: Plan
    ) -> None:
        super().__init__(table, kinds, names, module_names)
        self.effects, self.plan = effects, plan
        self.lines: list[tuple[int, str, Span]] = []
        self.depth = 0
        self.loops = []
        self.distant = set()
        self.clean_reads, self.clean_writes = set(), set()
        self.live_do_variables = set()
        self.outer_values: set[str] = set()
        self.choices = []
        self.frame = False

    def procedure_text(self, procedure: Procedure) -> None:
        """`def name(...)` with everything inside."""
        saved = (
            self.names,
            self.procedure,
            self.loops,
            self.distant,
            self.live_do_variables,
            self.frame,
            self.span,
            self.kinds_here,
            self.outer_values,
        )
        self.span = procedure.span
        function = self.names.of(f"procedure {procedure.id}.{procedure.name}")
        for inner in procedure.contained:
            self.names.of(f"procedure {inner.id}.{inner.name}")
        self.names = self.names.child()
        self.procedure = procedure
        for known in (*procedure.symbols, *symbols_in_body(procedure.body)):
            self.names.of(known.id)  # before contained procedures, which must use the same names
        self.loops, self.distant, self.kinds_here = [], set(), dict(self.kinds_here)
        self.live_do_variables = _live_do_variables(procedure, self.plan)
        self.outer_values = set(self.live_do_variables)
        symbols = {s.id: s for s in procedure.symbols}
        dummies = [symbols[d] for d in procedure.dummies if d in symbols]
        if len(dummies) != len(procedure.dummies):
            raise UnsupportedError("alternate returns are not supported", procedure.span)
        parameters = [self.names.of(d.id) + "=None" for d in dummies]
        self.put("")
        self.put("")
        self.put(f"def {function}({', '.join(parameters)}):")
        self.depth += 1
        kind = {"program": "program", "subroutine": "subroutine", "function": "function"}[procedure.kind]
        self.put(f'"""{kind} {procedure.name} ({_file_name(procedure.span)}:{procedure.span.line})"""')
        self.unclean()
        self._prologue(procedure, dummies)
        for inner in procedure.contained:
            self.procedure_text(inner)
        if procedure.contained:
            self.put("")
        self.unclean()
        if self.frame:
            self.put("try:")
            self.depth += 1
        self.body(procedure.body)
        end = self.return_text()
        if end != "return":
            self.leave_function()
            self.put(end)
        if self.frame:
            self.depth -= 1
            self.put("finally:")
            self.depth += 1
            self.put("frame.leave()")
            self.depth -= 1
        self.depth -= 1
        (
            self.names,
            self.procedure,
            self.loops,
            self.distant,
            self.live_do_variables,
            self.frame,
            self.span,
            self.kinds_here,
            self.outer_values,
        ) = saved

    def leave_function(self) -> None:
        """What a function did to arrays of others is done before its value is used in an expression."""
        assert self.procedure is not None
        if self.procedure.kind == "function" and self.effects.of_procedure(self.procedure.id).writes:
            self.put("device.finish()")

    def return_text(self) -> str:
        procedure = self.procedure
        assert procedure is not None
        if procedure.result is None:
            return "return"
        symbol = self.table.symbols[procedure.result]
        name = self.names.of(symbol.id)
        kind = self.kind(symbol.id)
        if kind in ("value", "procedure"):
            return f"return {name}"
        if kind == "cell":
            if "pointer" in symbol.attributes:
                return f"return {name}"
            return f"return device.up_to_date(fortran.value_of({name}))"
        if kind == "storage":
            return f"return fortran.load(device.up_to_date({name}))"
        if kind == "array":
            return f"return device.up_to_date({name}.data)"
        return f"return device.up_to_date({name})"

    def _prologue(self, procedure: Procedure, dummies: list[Symbol]) -> None:
        self.frame = any(self._explicit(d) for d in dummies)
        if self.frame:
            self.put("frame = fortran.Frame(device)")
        pending = list(dummies)
        for symbol in sorted(pending, key=lambda d: d.shape is not None):
            self._dummy(symbol)
        own = [s for s in procedure.symbols if "dummy" not in s.attributes and s.id not in procedure.dummies]
        exposed = ExposedReads(self.effects).of_body(procedure.body)
        for inner in procedure.contained:
            for p in _all(inner):
                effects = self.effects.of_body(p.body)
                exposed |= effects.reads | effects.writes
        if procedure.result is not None:
            exposed.add(procedure.result)
        for symbol in own:
            if self._static(symbol) or "parameter" in symbol.attributes:
                continue
            if self.kind(symbol.id) == "value" and symbol.id not in exposed:
                continue
            self.declare(symbol)
        self.touches()

    def _static(self, symbol: Symbol) -> bool:
        return symbol.block is not None or self.kinds.is_saved(symbol)

    def _explicit(self, symbol: Symbol) -> bool:
        """Whether the dummy wants contiguous storage, so that some actual arguments must be copied in and back."""
        if symbol.shape is None or symbol.attributes & {"allocatable", "pointer"}:
            return False
        return "contiguous" in symbol.attributes or not any(d.assumed for d in symbol.shape)

    def _dummy(self, symbol: Symbol) -> None:
        name = self.names.of(symbol.id)
        kind = self.kind(symbol.id)
        optional = "optional" in symbol.attributes
        guard = f"if {name} is not None:" if optional else ""
        text = ""
        t = symbol.type
        if kind == "array":
            assert symbol.shape is not None
            lows = (
                "("
                + "".join(f"{'1' if d.lower is None else self.plain_integer(d.lower)}, " for d in symbol.shape)
                + ")"
            )
            if any(d.assumed for d in symbol.shape) and "contiguous" in symbol.attributes:
                text = f"{name} = frame.contiguous({name}, {lows})"
            elif self._explicit(symbol):
                highs = "(" + "".join(f"{self._upper(d)}, " for d in symbol.shape) + ")"
                text = f"{name} = frame.explicit_shape({name}, {lows}, {highs})"
            else:
                text = f"{name} = fortran.assumed_shape({name}, {lows})"
        elif (
            isinstance(t, Intrinsic)
            and t.base == "character"
            and not isinstance(t.length, str)
            and kind in ("value", "storage")
        ):
            if t.length is not None and kind == "value":
                text = f"{name} = {name}[:{self.plain_integer(t.length)}]"
            elif t.length is not None:
                text = f"{name} = fortran.substring_view({name}, 1, {self.plain_integer(t.length)})"
        elif kind == "storage" and by_value(symbol):
            text = f"{name} = fortran.storage_of({name})"
        if symbol.intent == "out" and kind == "cell" and "allocatable" in symbol.attributes:
            text = f"{name}.value = None"
        elif (
            symbol.intent == "out"
            and kind == "record"
            and isinstance(t, Record)
            and not t.polymorphic
            and t.id in self.table.types
        ):
            text = f"fortran.default_initialise({name}, {self.layout(t.id)})"
        if not text:
            return
        self.touches()
        if guard:
            self.put(guard)
            self.depth += 1
        self.put(text)
        if guard:
            self.depth -= 1

    def _upper(self, d: Dimension) -> str:
        return "None" if d.upper is None or isinstance(d.upper, str) else self.plain_integer(d.upper)

    def declare(self, symbol: Symbol) -> None:
        """A fresh local variable."""
        if "parameter" in symbol.attributes or symbol.attributes & {"external", "intrinsic"}:
            return
        if isinstance(symbol.type, ProcedureType) and "pointer" not in symbol.attributes:
            return
        text = self.fresh(symbol)
        self.synchronised(f"{self.names.of(symbol.id)} = {text}")

    def fresh(self, symbol: Symbol) -> str:
        """Python text that makes the storage of a variable."""
        kind = self.kind(symbol.id)
        t = symbol.type
        if kind == "cell":
            if "allocatable" in symbol.attributes:
                return "fortran.Allocatable()"
            return "fortran.Pointer()"
        if isinstance(t, Record) and t.id in self.table.types and self.table.types[t.id].final:
            raise UnsupportedError("finalizers of local variables are not supported", symbol.span or self.span)
        if kind == "value":
            assert isinstance(t, Intrinsic)
            return f"np.{numpy_name(t)}({_ZERO[t.base]})" if t.base != "character" else "b''"
        if kind == "record":
            return f"fortran.new_record({self.element_text(t)})"
        element = self.element_text(t)
        if kind == "array":
            assert symbol.shape is not None
            lows = "".join(f"{'1' if d.lower is None else self.plain_integer(d.lower)}, " for d in symbol.shape)
            highs = "".join(f"{self._upper(d)}, " for d in symbol.shape)
            return f"fortran.new_array({element}, ({lows}), ({highs}))"
        return f"fortran.new_data({element}, ())"


def _all(procedure: Procedure) -> list[Procedure]:
    return [procedure, *(q for inner in procedure.contained for q in _all(inner))]


def _file_name(span: Span) -> str:
    return span.file.replace("\\", "/").rsplit("/", 1)[-1]


def _live_do_variables(procedure: Procedure, plan: Plan) -> set[str]:
    """Do variables that something reads outside of their loops, or that contained procedures see."""
    live: set[str] = set()

    def look(body: st.Body, inside: frozenset[str]) -> None:
        for s in body:
            s = plan.rewritten.get(id(s), s)
            if isinstance(s, st.Do):
                for e in (s.lower, s.upper, s.step):
                    note(e, inside)
                look(s.body, inside | {s.index.id})
                continue
            hidden = inside
            if isinstance(s, (st.ParallelLoop, st.Forall)):
                hidden = inside | {i.ref.id for i in s.indices}
            for e in child_expressions(s):
                if isinstance(s, st.Do):
                    continue
                note(e, hidden)
            for inner in nested_bodies(s):
                look(inner, hidden)

    def note(e: x.Expression, inside: frozenset[str]) -> None:
        for node in walk_expression(e):
            if isinstance(node, x.Ref) and node.id not in inside:
                live.add(node.id)

    look(procedure.body, frozenset())
    for inner in procedure.contained:
        for p in _all(inner):
            look(p.body, frozenset())
    return live


__all__ = ["HostProcedures", "procedures_of"]
