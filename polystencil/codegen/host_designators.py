"""Variables and parts of them in the host program: where they are (`storage`) and what they hold (`load`)."""

from __future__ import annotations

from polystencil.analysis.assigned import base_id
from polystencil.codegen.array_elements import value_of
from polystencil.codegen.host_kinds import Kind, Kinds
from polystencil.codegen.host_text import dtype_text
from polystencil.codegen.names import Names
from polystencil.errors import NOWHERE, Span, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import Intrinsic, ProcedureType, Record, Type
from polystencil.ir.typing import rank_of, type_of


class HostDesignators:
    """State of printing one procedure, and designators."""

    def __init__(self, table: SymbolTable, kinds: Kinds, names: Names, module_names: Names) -> None:
        self.table, self.kinds, self.names, self.module_names = table, kinds, names, module_names
        self.kinds_here: dict[str, Kind] = {}
        self.touched_reads: set[str] = set()
        self.touched_writes: set[str] = set()
        self.span: Span = NOWHERE
        self.masked = False
        self.procedure: Procedure | None = None
        self.implied_live: set[str] = set()
        self.called = False

    def value(self, e: x.Expression) -> str:
        raise NotImplementedError

    def callee(self, target: x.Expression) -> str:
        raise NotImplementedError

    def arguments(self, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> str:
        raise NotImplementedError

    def kind(self, identifier: str) -> Kind:
        """How a variable is kept."""
        if identifier in self.kinds_here:
            return self.kinds_here[identifier]
        symbol = self.table.symbols.get(identifier)
        return "value" if symbol is None else self.kinds.of(symbol)

    def touch(self, identifier: str, write: bool = False) -> None:
        """Note that the host looks into a variable that kernels may use."""
        kind = self.kind(identifier)
        symbol = self.table.symbols.get(identifier)
        if symbol is not None and "parameter" in symbol.attributes:
            return  # no kernel changes a named constant
        shared = symbol is not None and (symbol.block is not None or bool(symbol.attributes & {"target", "dummy"}))
        if kind in ("array", "cell", "record") or (
            kind == "storage" and (shared or identifier in self.kinds.referenced)
        ):
            (self.touched_writes if write else self.touched_reads).add(identifier)

    def component(self, e: x.Component) -> Symbol | None:
        """The declaration of a component; None where the type is known only at run time."""
        t = type_of(e.base)
        if isinstance(t, Record) and t.id in self.table.types:
            for symbol in self.table.types[t.id].components:
                if symbol.name == e.field:
                    return symbol
        return None

    def layout(self, type_id: str) -> str:
        """The Python name of a record layout."""
        return self.module_names.of(f"layout of {type_id}.layout_{type_id.rsplit('.', 1)[-1]}")

    def element_text(self, t: Type, length: str | None = None) -> str:
        """The dtype or layout of one element."""
        if isinstance(t, Record):
            if t.id == "*" or t.id not in self.table.types:
                return "None"
            return self.layout(t.id)
        if isinstance(t, Intrinsic) and t.base == "character":
            if length is None:
                if isinstance(t.length, x.Expression):
                    length = self.value(t.length)
                elif t.length is None:
                    length = "1"
                else:
                    return "None"
            return f"fortran.text_of({length})"
        return dtype_text(t)

    # ---- cells ----

    def is_cell(self, e: x.Expression) -> bool:
        """Whether a Ref or Component names an allocatable or a pointer."""
        if isinstance(e, x.Ref):
            return self.kind(e.id) == "cell"
        if isinstance(e, x.Component):
            symbol = self.component(e)
            return symbol is not None and bool(symbol.attributes & {"allocatable", "pointer"})
        return False

    def is_allocatable(self, e: x.Expression) -> bool:
        symbol = (
            self.table.symbols.get(e.id)
            if isinstance(e, x.Ref)
            else self.component(e)
            if isinstance(e, x.Component)
            else None
        )
        return symbol is not None and "allocatable" in symbol.attributes and self.is_cell(e)

    def is_pointer(self, e: x.Expression) -> bool:
        symbol = (
            self.table.symbols.get(e.id)
            if isinstance(e, x.Ref)
            else self.component(e)
            if isinstance(e, x.Component)
            else None
        )
        return symbol is not None and "pointer" in symbol.attributes and self.is_cell(e)

    def is_procedure_pointer(self, e: x.Expression) -> bool:
        symbol = (
            self.table.symbols.get(e.id)
            if isinstance(e, x.Ref)
            else self.component(e)
            if isinstance(e, x.Component)
            else None
        )
        return symbol is not None and isinstance(symbol.type, ProcedureType)

    def cell(self, e: x.Expression) -> str:
        """The cell of an allocatable or pointer."""
        if isinstance(e, x.Ref):
            self.touch(e.id)
            return self.names.of(e.id)
        if isinstance(e, x.Component):
            return self._field(e)
        raise UnsupportedError("this object is no allocatable or pointer", self.span)

    def _field(self, e: x.Component) -> str:
        """A component as it is stored: ndarray, record, cell or array of cells."""
        if rank_of(e.base):
            return f"fortran.field({self.storage(e.base)}, {e.field!r})"
        return f"{self.storage(e.base)}.fields[{e.field!r}]"

    # ---- places ----

    def storage(self, e: x.Expression) -> str:
        """Where a designator is: 0-d ndarray, Array or ndarray, Record or RecordArray (what a cell holds)."""
        match e:
            case x.Ref():
                self.touch(e.id)
                name = self.names.of(e.id)
                kind = self.kind(e.id)
                if kind == "cell":
                    return f"fortran.content({name}, {name!r})"
                if kind == "value":
                    return f"fortran.storage_of({name})"
                return name
            case x.Component():
                field = self._field(e)
                return f"fortran.content({field}, {e.field!r})" if self.is_cell(e) else field
            case x.Element():
                if isinstance(e.base, x.Component) and rank_of(e.base.base) and not self.is_cell(e.base):
                    place = f"{self._field(e.base)}, {rank_of(e.base.base)}, {self._lowers(e.base)}"
                    return f"fortran.element_of_component({place}, {self.subscripts(e.indices)})"
                return (
                    f"fortran.element({self.array_object(e.base)}, {self.subscripts(e.indices)}, {self.label(e.base)})"
                )
            case x.Section():
                place = f"{self.array_object(e.base)}, {self.subscripts(e.subscripts)}"
                return f"fortran.section({place}, {self.label(e.base)})"
            case x.Substring():
                low, high = (None if b is None else self.value(b) for b in (e.lower, e.upper))
                return f"fortran.substring_view({self.storage_data(e.base)}, {low}, {high})"
            case x.Convert() if isinstance(e.type, Record):
                return f"fortran.as_parent({self.storage(e.operand)}, {self.layout(e.type.id)})"
            case x.Paren():
                return f"fortran.storage_of({self.value(e.operand)})"
            case x.FunctionCall():
                return f"fortran.result_storage({self._raw_call(e)})"
            case _:
                return f"fortran.storage_of({self.value(e)})"

    def _raw_call(self, e: x.FunctionCall) -> str:
        return f"{self.callee(e.target)}({self.arguments(e.target, e.arguments)})"

    def storage_data(self, e: x.Expression) -> str:
        """Like `storage`, but the bare ndarray of an array."""
        text = self.storage(e)
        if isinstance(e, x.Ref) and self.kind(e.id) == "array":
            return f"{text}.data"
        return f"fortran.data_of({text})" if rank_of(e) else text

    def array_object(self, e: x.Expression) -> str:
        """A whole array with its lower bounds."""
        if isinstance(e, x.Ref):
            return self.storage(e)
        if isinstance(e, x.Component):
            if self.is_cell(e):
                return self.storage(e)
            if e.rank == 0:
                return f"fortran.fresh_bounds({self._field(e)})"
            lowers = self._lowers(e)
            return f"fortran.Array({self._field(e)}, {lowers})"
        if isinstance(e, x.FunctionCall):
            return f"fortran.result_storage({self._raw_call(e)})"
        return f"fortran.fresh_bounds({self.value(e)})"

    def _lowers(self, e: x.Component) -> str:
        symbol = self.component(e)
        if symbol is None or symbol.shape is None:
            return "(" + "1, " * e.rank + ")"
        parts = ["1" if d.lower is None else self.plain_integer(d.lower) for d in symbol.shape]
        return f"({', '.join(parts)},)"

    def plain_integer(self, e: x.Expression) -> str:
        """A subscript or bound: constants need no type."""
        known = value_of(e)
        return str(known) if known is not None else self.value(e)

    def subscripts(self, subscripts: tuple[x.Expression, ...]) -> str:
        parts = []
        for s in subscripts:
            if isinstance(s, x.Range):
                low, high = ("None" if b is None else self.plain_integer(b) for b in (s.lower, s.upper))
                parts.append(f"({low}, {high}, {'1' if s.step is None else self.plain_integer(s.step)})")
            else:
                parts.append(self.plain_integer(s))
        return f"({', '.join(parts)},)"

    def label(self, e: x.Expression) -> str:
        """The name that an error message uses."""
        if isinstance(e, x.Component):
            return repr(e.field)
        identifier = base_id(e)
        return repr("array" if identifier is None else identifier.rsplit(".", 1)[-1])

    # ---- values ----

    def load(self, e: x.Expression) -> str:
        """The value of a designator."""
        t = type_of(e)
        rank = rank_of(e)
        if isinstance(e, x.Substring):
            low, high = (None if b is None else self.value(b) for b in (e.lower, e.upper))
            if rank:
                return f"fortran.substring_view({self.storage_data(e.base)}, {low}, {high})"
            return f"fortran.substring({self.value(e.base)}, {low}, {high})"
        if isinstance(e, x.Ref):
            kind = self.kind(e.id)
            if kind in ("value", "procedure"):
                return self.names.of(e.id)
        if rank:
            if isinstance(e, x.Ref) and self.kind(e.id) == "array":
                return self.storage(e) + ".data"
            if isinstance(e, (x.Section, x.Element)):
                return self.storage(e)
            return f"fortran.data_of({self.storage(e)})"
        if isinstance(t, Record) or not isinstance(t, Intrinsic):
            return f"fortran.load({self.storage(e)})" if isinstance(t, Record) and t.id == "*" else self.storage(e)
        if t.base == "character":
            return f"{self.storage(e)}.tobytes()"
        return f"{self.storage(e)}[()]"
