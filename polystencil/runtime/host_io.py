"""Input and output of host programs: the units of the run, and what iostat=, iomsg= and stat= catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.semantics.assignment import assign
from polystencil.semantics.io import namelist as namelists
from polystencil.semantics.io.failure import TransferFailure
from polystencil.semantics.io.units import Units, read_internal, write_internal
from polystencil.semantics.values import Array


class Run:
    """The units of the program that runs."""

    units: Units | None = None


def units() -> Units:
    """The units of this run; those of the process until a run starts."""
    if Run.units is None:
        Run.units = Units()
    return Run.units


class status:  # it stands where Fortran says stat= and iostat=
    """Catches a run-time error and reports it in variables."""

    def __init__(self, stat: Any, message: Any, code: int | None = None, text: str = "") -> None:
        self._stat, self._message, self._code, self._text = stat, message, code, text

    def __enter__(self) -> None:
        if self._stat is not None:
            self._stat[...] = 0

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if error is None or not isinstance(error, FortranRuntimeError) or self._stat is None:
            return False
        self._stat[...] = getattr(error, "iostat", 5010) if self._code is None else self._code
        if self._message is not None:
            assign(self._message, (self._text or error.message).encode())
        return True


def _is_internal(unit: Any) -> bool:
    data = unit.data if isinstance(unit, Array) else unit
    return isinstance(data, bytes) or (hasattr(data, "dtype") and data.dtype.kind == "S")


def _word(value: Any) -> str:
    return value.decode("latin-1").strip().lower() if isinstance(value, bytes) else ""


def write(
    unit: Any, form: Any, items: list[Any], iostat: Any = None, iomsg: Any = None, advance: Any = None, **more: Any
) -> None:
    """write and print."""
    _known(more, ("rec", "pos"))
    with status(iostat, iomsg):
        if _is_internal(unit):
            write_internal(unit, form, items)
        else:
            units().write(unit, form, items, _word(advance) != "no", more.get("rec"), more.get("pos"))


def read(
    unit: Any, form: Any, targets: list[Callable[[], list[Any]]], iostat: Any = None, iomsg: Any = None,
    advance: Any = None, size: Any = None, **more: Any,
) -> None:  # fmt: skip
    """read."""
    _known(more, ("rec", "pos"))
    storages = (storage for make in targets for storage in make())  # a later item may depend on an earlier one
    with status(iostat, iomsg):
        count = 0
        try:
            if _is_internal(unit):
                count = read_internal(unit, form, storages)
            else:
                count = units().read(unit, form, storages, _word(advance) != "no", more.get("rec"), more.get("pos"))
        except TransferFailure as failure:
            count = failure.taken
            raise
        finally:
            if size is not None:
                size[...] = count


def _known(more: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in more:
        if name not in names:
            raise UnsupportedError(f"the specifier {name}= is not supported here")


def file(keyword: str, controls: dict[str, Any]) -> None:
    """open, close, inquire, rewind, backspace, endfile, flush."""
    controls = dict(controls)
    iostat, iomsg = controls.pop("iostat", None), controls.pop("iomsg", None)
    with status(iostat, iomsg):
        if keyword == "open":
            new = controls.pop("newunit", None)
            number = units().open(controls)
            if new is not None:
                new[...] = number
        elif keyword == "inquire":
            _inquire(controls)
        elif keyword == "close":
            units().close(controls["unit"], controls.get("status"))
        elif keyword == "flush":
            units().flush(controls.get("unit"))
        elif keyword in ("rewind", "backspace", "endfile"):
            getattr(units(), keyword)(controls["unit"])
        else:
            raise UnsupportedError(f"the statement {keyword} is not supported")


def _inquire(controls: dict[str, Any]) -> None:
    unit, name = controls.pop("unit", None), controls.pop("file", None)
    facts = units().inquire(unit, name)
    for specifier, place in controls.items():
        if specifier not in facts:
            raise UnsupportedError(f"inquire({specifier}=) is not supported")
        value = facts[specifier]
        if isinstance(value, bytes):
            assign(place, value)
        else:
            place[...] = np.asarray(value)


def namelist(
    keyword: str,
    unit: Any,
    group: str,
    members: dict[str, Any],
    iostat: Any = None,
    iomsg: Any = None,
    **more: Any,
) -> None:
    """Namelist input and output."""
    _known(more, ())
    found = list(members.items())
    with status(iostat, iomsg):
        if keyword == "write":
            namelists.write(units(), unit, _is_internal(unit), group, found)
        else:
            namelists.read(units(), unit, _is_internal(unit), group, found)
