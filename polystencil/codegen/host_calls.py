"""Calls in the host program: which procedure, and actual arguments as its dummies want them."""

from __future__ import annotations

from polystencil.analysis.assigned import base_id
from polystencil.codegen.host_designators import HostDesignators
from polystencil.codegen.host_kinds import by_value
from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.traversal import child_expressions, walk_expression
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of


class HostCalls(HostDesignators):
    """Prints procedures and arguments."""

    def procedure_name(self, identifier: str) -> str:
        if identifier in self.table.symbols and self.kind(identifier) in ("procedure", "cell"):
            name = self.names.of(identifier)
            return f"fortran.content({name}, {name!r})" if self.kind(identifier) == "cell" else name
        procedure = self.table.procedures.get(identifier)
        if procedure is None:
            raise UnsupportedError(
                f"the procedure {identifier} is not in the program", self.span, hint="give its source file too"
            )
        return self.names.of(f"procedure {identifier}.{procedure.name}")

    def target_procedure(self, target: x.Expression) -> Procedure | None:
        """The procedure of a call, or the interface of what is called."""
        if isinstance(target, x.ProcedureRef):
            found = self.table.procedures.get(target.id)
            if found is not None:
                return found
            symbol = self.table.symbols.get(target.id)
            if symbol is not None and isinstance(symbol.type, ProcedureType) and symbol.type.interface is not None:
                return self.table.procedures.get(symbol.type.interface)
            return None
        if isinstance(target, (x.Ref, x.Component)):
            t = type_of(target)
            if isinstance(t, ProcedureType) and t.interface is not None:
                return self.table.procedures.get(t.interface)
            return None
        if isinstance(target, x.BoundProcedure):
            t = type_of(target.object)
            if isinstance(t, Record):
                return self._binding(t.id, target.name)
        return None

    def _binding(self, type_id: str, name: str) -> Procedure | None:
        found: str | None = type_id
        while found is not None and found in self.table.types:
            definition = self.table.types[found]
            for binding in definition.bindings:
                if binding.name == name and binding.procedure is not None:
                    return self.table.procedures.get(binding.procedure)
            found = definition.extends
        for other in self.table.types.values():  # deferred: any implementation has the same characteristics
            if self._extends(other.id, type_id):
                for binding in other.bindings:
                    if binding.name == name and binding.procedure is not None:
                        return self.table.procedures.get(binding.procedure)
        return None

    def _extends(self, type_id: str | None, ancestor: str) -> bool:
        while type_id is not None and type_id in self.table.types:
            if type_id == ancestor:
                return True
            type_id = self.table.types[type_id].extends
        return False

    def callee(self, target: x.Expression) -> str:
        self.called = True
        match target:
            case x.ProcedureRef():
                return self.procedure_name(target.id)
            case x.BoundProcedure():
                return f"fortran.bound(BINDINGS, {self.storage(target.object)}, {target.name!r})"
            case x.Ref():
                name = self.names.of(target.id)
                return f"fortran.content({name}, {name!r})" if self.kind(target.id) == "cell" else name
            case x.Component():
                return f"fortran.content({self._field(target)}, {target.field!r})"
            case _:
                raise UnsupportedError("a call of this form", self.span)

    def arguments(self, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> str:
        """Actual arguments in order, as the dummies want them."""
        procedure = self.target_procedure(target)
        texts = []
        for k, a in enumerate(arguments):
            dummy = None
            if procedure is not None and k < len(procedure.dummies):
                dummy = self.table.symbols.get(procedure.dummies[k])
            texts.append(self.argument(a, dummy))
        while texts and texts[-1] == "None":
            texts.pop()
        return ", ".join(texts)

    def argument(self, a: x.Expression | None, dummy: Symbol | None) -> str:
        if a is None or isinstance(a, x.Null):
            return "None" if a is None else "fortran.Pointer()"
        if isinstance(a, x.ProcedureRef):
            return self.procedure_name(a.id)
        optional = isinstance(a, x.Ref) and self._is_optional(a)
        if dummy is not None and dummy.attributes & {"allocatable", "pointer"}:
            if self.is_cell(a):
                if isinstance(a, x.Ref):
                    return self.names.of(a.id)
                return self.cell(a)
            if "pointer" in dummy.attributes:
                return f"fortran.Pointer({self.pointer_target(a)})"
            raise UnsupportedError("an argument that is not allocatable for an allocatable dummy", self.span)
        if isinstance(a, x.Ref) and self.kind(a.id) == "procedure":
            return self.names.of(a.id)
        if dummy is not None and by_value(dummy):
            if optional:
                assert isinstance(a, x.Ref)
                return f"None if {self.names.of(a.id)} is None else {self.value(a)}"
            if self.is_cell(a) and "optional" in dummy.attributes:
                return f"fortran.held_value({self.cell(a)})"
            return self.value(a)
        if isinstance(a, x.Ref):
            name, kind = self.names.of(a.id), self.kind(a.id)
            if kind in ("array", "record", "storage"):
                return name
            if kind == "cell":
                if dummy is not None and "optional" in dummy.attributes:
                    return f"fortran.held({name})"
                if optional:
                    return f"None if {name} is None else fortran.content({name}, {name!r})"
                return f"fortran.content({name}, {name!r})"
            return f"fortran.storage_of({name})"
        if isinstance(a, x.Component):
            if self.is_cell(a) and dummy is not None and "optional" in dummy.attributes:
                return f"fortran.held({self.cell(a)})"
            if rank_of(a) and not rank_of(a.base):
                return self.array_object(a)
            return self.storage(a)
        if (
            isinstance(a, x.Element)
            and dummy is not None
            and dummy.shape is not None
            and not any(d.assumed for d in dummy.shape)
        ):
            return (
                f"fortran.from_element({self.array_object(a.base)}, {self.subscripts(a.indices)}, {self.label(a.base)})"
            )
        if isinstance(a, (x.Element, x.Section, x.Substring)):
            return self._part(a)
        return f"fortran.storage_of({self.value(a)})"

    def _part(self, a: x.Element | x.Section | x.Substring) -> str:
        """An element or section as an argument: a view, into which the procedure itself looks when it wants to."""
        base = base_id(a)
        known = base in self.touched_reads
        text = self.storage(a)
        inside = {n.id for e in child_expressions(a) for n in walk_expression(e) if isinstance(n, x.Ref)}
        uses = sum(1 for n in walk_expression(a) if isinstance(n, x.Ref) and n.id == base)
        vector = isinstance(a, x.Section) and any(not isinstance(s, x.Range) and rank_of(s) for s in a.subscripts)
        if base is not None and not known and uses == 1 and not vector and inside:
            self.touched_reads.discard(base)
        return text

    def _is_optional(self, a: x.Ref) -> bool:
        symbol = self.table.symbols.get(a.id)
        return symbol is not None and "optional" in symbol.attributes

    def pointer_target(self, e: x.Expression) -> str:
        """What a pointer is associated with."""
        if isinstance(e, x.Null):
            return "None"
        if isinstance(e, x.ProcedureRef):
            return self.procedure_name(e.id)
        if isinstance(e, x.Ref) and self.kind(e.id) in ("cell", "procedure"):
            return self.names.of(e.id)
        if isinstance(e, x.Component) and self.is_cell(e):
            return self.cell(e)
        if isinstance(e, x.FunctionCall):
            return self._raw_call(e)
        if isinstance(e, x.IntrinsicCall) and e.name == "null":
            return "None"
        if isinstance(e, x.Component) and rank_of(e) and not rank_of(e.base):
            return self.array_object(e)
        text = self.storage(e)
        return f"fortran.fresh_bounds({text})" if rank_of(e) and not isinstance(e, x.Ref) else text
