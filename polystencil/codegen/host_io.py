"""Input and output statements of the host program."""

from __future__ import annotations

from polystencil.codegen.host_assignments import HostAssignments
from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of

_STORED = frozenset({"iostat", "iomsg", "size", "newunit"})
_KNOWN = frozenset({"iostat", "iomsg", "advance", "rec", "pos", "size"})
_INQUIRY_INPUT = frozenset({"unit", "file", "id"})


class HostIO(HostAssignments):
    """Prints read, write, open and so on as calls of `fortran`."""

    def io(self, s: st.Statement) -> None:
        match s:
            case st.Write():
                self.implied_live = self.live_do_variables
                items = ", ".join(self._item(i) for i in s.items)
                self.implied_live = set()
                head = f"fortran.write({self._unit(s.unit)}, {self._format(s.format)}, "
                self.synchronised(f"{head}[{items}]{self._controls(s.controls)})")
            case st.Read():
                targets = []
                for item in s.items:
                    self._touch_item(item)
                    targets.append(f"lambda: [{self.list_item(item, True)}]")
                head = f"fortran.read({self._unit(s.unit)}, {self._format(s.format)}, "
                self.synchronised(f"{head}[{', '.join(targets)}]{self._controls(s.controls)})")
            case st.FileStatement():
                self._file(s)
            case st.NamelistTransfer():
                members = ", ".join(f"{name!r}: {self.storage(ref)}" for name, ref in s.members)
                for _, ref in s.members:
                    self.touched(ref)
                head = f"{s.keyword!r}, {self._unit(s.unit)}, {s.group!r}, {{{members}}}"
                self.synchronised(f"fortran.namelist({head}{self._controls(s.controls)})")
            case _:
                raise UnsupportedError("this input/output statement", s.span)

    def _item(self, e: x.Expression) -> str:
        return self.list_item(e, False)

    def _touch_item(self, e: x.Expression) -> None:
        if isinstance(e, x.ImpliedDo):
            for item in e.items:
                self._touch_item(item)
        else:
            self.touched(e)

    def _unit(self, unit: x.Expression | None) -> str:
        if unit is None:
            return "None"
        t = type_of(unit)
        if isinstance(t, Intrinsic) and t.base == "character":
            self.touched(unit)
            return self.storage(unit)
        return self.value(unit)

    def _format(self, text: x.Expression | str | None) -> str:
        if text is None or isinstance(text, str):
            return repr(text)
        return self.value(text)

    def _controls(self, controls: tuple[tuple[str, x.Expression], ...]) -> str:
        out = ""
        for name, e in controls:
            if name not in _KNOWN:
                raise UnsupportedError(f"the specifier {name}= is not supported here", self.span)
            if name in _STORED:
                self.touched(e)
                out += f", {name}={self.storage(e)}"
            else:
                out += f", {name}={self.value(e)}"
        return out

    def _file(self, s: st.FileStatement) -> None:
        parts = []
        for name, e in s.controls:
            stored = name in _STORED or (s.keyword == "inquire" and name not in _INQUIRY_INPUT)
            if stored:
                self.touched(e)
            parts.append(f"{name!r}: {self.storage(e) if stored else self.value(e)}")
        self.synchronised(f"fortran.file({s.keyword!r}, {{{', '.join(parts)}}})")
