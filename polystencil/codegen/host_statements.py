"""Statements of the host program as Python text."""

from __future__ import annotations

from polystencil.codegen.host_masked import HostMasked
from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.typing import rank_of


class HostStatements(HostMasked):
    """Prints bodies. `lines` are (indentation, text, span)."""

    def host_statement(self, s: st.Statement) -> None:
        match s:
            case st.Assign():
                self._assign(s)
            case st.PointerAssign():
                self._pointer_assign(s)
            case st.Call():
                self._call(s)
            case st.CallIntrinsic():
                self._call_intrinsic(s)
            case st.If():
                self._if(s)
            case st.SelectCase():
                self._select(s)
            case st.SelectType():
                self._select_type(s)
            case st.Do():
                self._do(s)
            case st.DoWhile():
                self._while(s)
            case st.ParallelLoop():
                self._parallel(s)
            case st.Block():
                self._block(s)
            case st.Exit() | st.Cycle():
                self._jump(s)
            case st.Return():
                self.leave_function()
                self.put(self.return_text())
            case st.Stop():
                code = "None" if s.code is None else self.value(s.code)
                quiet = "False" if s.quiet is None else self.value(s.quiet)
                self.put("device.finish()")
                self.synchronised(f"fortran.stop({code}, {s.error}, {quiet})")
            case st.Continue():
                pass
            case st.Where():
                self._where(s)
            case st.Forall():
                self._forall(s)
            case st.Allocate():
                self._allocate(s)
            case st.Deallocate():
                self._deallocate(s)
            case st.Write() | st.Read() | st.FileStatement() | st.NamelistTransfer():
                self.io(s)
            case _:
                raise UnsupportedError(f"{type(s).__name__} is not supported", s.span)

    def _call(self, s: st.Call) -> None:
        procedure = self.target_procedure(s.target)
        if (
            procedure is not None
            and "elemental" in procedure.prefixes
            and any(a is not None and rank_of(a) for a in s.arguments)
        ):
            from polystencil.codegen.host_kinds import by_value

            texts, how = [], []
            for dummy, a in zip(procedure.dummies, s.arguments, strict=False):
                value = by_value(self.table.symbols[dummy])
                how.append("v" if value else "s")
                texts.append("None" if a is None else self.value(a) if value else self.storage(a))
                if not value and a is not None:
                    self.touched(a)
            self.synchronised(f'fortran.elemental_call({self.callee(s.target)}, "{"".join(how)}", {", ".join(texts)})')
            return
        text = f"{self.callee(s.target)}({self.arguments(s.target, s.arguments)})"
        self.synchronised(text)
        self.unclean()

    def _call_intrinsic(self, s: st.CallIntrinsic) -> None:
        texts = []
        for a in s.arguments:
            if a is None:
                texts.append("None")
            elif s.name == "move_alloc":
                texts.append(self.cell(a))
            elif isinstance(a, (x.Ref, x.Element, x.Section, x.Component, x.Substring)):
                self.touched(a)
                if self.is_cell(a) and s.name in ("get_environment_variable",):
                    texts.append(self.cell(a))
                else:
                    texts.append(self.storage(a))
            else:
                texts.append(self.value(a))
        while texts and texts[-1] == "None":
            texts.pop()
        if s.name in ("system_clock", "cpu_time", "date_and_time"):
            self.put("device.wait()")  # who reads a clock wants the time of what was launched before
        self.synchronised(f"fortran.call_intrinsic({', '.join([repr(s.name), *texts])})")
