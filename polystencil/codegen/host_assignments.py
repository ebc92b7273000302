"""Assignments, pointer assignments and allocation in the host program."""

from __future__ import annotations

from polystencil.analysis.assigned import base_id
from polystencil.codegen.host_lines import HostLines
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of


class HostAssignments(HostLines):
    """Prints what changes variables."""

    def _assign(self, s: st.Assign) -> None:
        target = s.target
        value = self.value(s.value)
        if isinstance(target, x.Ref) and self.kind(target.id) == "value":
            self.synchronised(f"{self.names.of(target.id)} = {value}")
            return
        self.touched(target)
        if self.is_allocatable(target):
            self._assign_allocatable(target, s.value, value)
        elif isinstance(target, x.Section):
            place = f"{self.array_object(target.base)}, {self.subscripts(target.subscripts)}"
            self.synchronised(f"fortran.assign_section({place}, {value}, {self.label(target.base)})")
        elif (isinstance(target, x.Ref) and self.kind(target.id) == "storage" and not self._text_or_record(target)) or (
            isinstance(target, (x.Element,)) and not rank_of(target) and not self._text_or_record(target)
        ):
            self.synchronised(f"{self.storage(target)}[()] = {value}")
        else:
            self.synchronised(f"fortran.assign({self.storage(target)}, {value})")

    def touched(self, target: x.Expression) -> None:
        identifier = base_id(target)
        if identifier is not None:
            self.touch(identifier, True)

    def _text_or_record(self, e: x.Expression) -> bool:
        t = type_of(e)
        return not isinstance(t, Intrinsic) or t.base == "character"

    def _assign_allocatable(self, target: x.Expression, source: x.Expression, value: str) -> None:
        cell = self.cell(target)
        if isinstance(target, (x.Ref, x.Component)) and target.rank:
            if (
                isinstance(source, (x.Ref, x.Component))
                and rank_of(source)
                and not (isinstance(source, x.Component) and rank_of(source.base))
            ):
                value = self.array_object(source)
            self.synchronised(f"fortran.assign_allocatable({cell}, {value})")
            return
        t = type_of(target)
        element = ""
        if (isinstance(t, Record) and not t.polymorphic) or (
            isinstance(t, Intrinsic) and not isinstance(t.length, str)
        ):
            element = f", {self.element_text(t)}"
        self.synchronised(f"fortran.assign_allocatable_scalar({cell}, {value}{element})")

    def _pointer_assign(self, s: st.PointerAssign) -> None:
        target = self.pointer_target(s.value)
        cell = self.cell(s.target)
        if isinstance(type_of(s.target), ProcedureType):
            self.synchronised(f"fortran.point_at_procedure({cell}, {target})")
            return
        if not s.bounds:
            self.synchronised(f"fortran.associate({cell}, {target})")
            return
        lowers = ", ".join(self.plain_integer(low) for low, _ in s.bounds)
        uppers = [high for _, high in s.bounds]
        text = f"fortran.associate({cell}, {target}, ({lowers},)"
        if any(u is not None for u in uppers):
            text += ", (" + "".join(f"{'None' if u is None else self.plain_integer(u)}, " for u in uppers) + ")"
        self.synchronised(text + ")")

    def _allocate(self, s: st.Allocate) -> None:
        guard = self._status(s.stat, s.errmsg, 5014, "Attempt to allocate an allocated object")
        for a in s.allocations:
            cell = self.cell(a.object)
            self.touched(a.object)
            bounds = ""
            if a.bounds:
                lows = ", ".join("1" if low is None else self.plain_integer(low) for low, _ in a.bounds)
                highs = ", ".join(self.plain_integer(high) for _, high in a.bounds)
                bounds = f", ({lows},), ({highs},)"
            t = s.type if s.type is not None else type_of(a.object)
            other = s.source if s.source is not None else s.mold
            if other is not None:
                source = self.storage(other) if isinstance(other, (x.Ref, x.Component)) else self.value(other)
                if isinstance(other, x.Ref) and self.kind(other.id) == "value":
                    source = self.value(other)
                text = f"fortran.allocate_like({cell}, {source}, {s.source is not None}{bounds})"
            else:
                cleared = ", cleared=False" if a.assigned_first and bounds else ""
                text = f"fortran.allocate_new({cell}, {self.element_text(t)}{bounds}{cleared})"
            self.synchronised(text)
        self._end_status(guard)

    def _deallocate(self, s: st.Deallocate) -> None:
        guard = self._status(s.stat, s.errmsg, 1, "Attempt to deallocate an unallocated object")
        for e in s.objects:
            self.touched(e)
            self.synchronised(f"fortran.deallocate({self.cell(e)})")
        self._end_status(guard)

    def _status(self, stat: x.Expression | None, errmsg: x.Expression | None, code: int, text: str) -> bool:
        """Open a block that reports a failure in stat= and errmsg=, with gfortran's values."""
        if stat is None:
            return False
        self.touched(stat)
        message = "None" if errmsg is None else self.storage(errmsg)
        self.synchronised(f"with fortran.status({self.storage(stat)}, {message}, {code}, {text!r}):")
        self.depth += 1
        return True

    def _end_status(self, guard: bool) -> None:
        if guard:
            self.depth -= 1
