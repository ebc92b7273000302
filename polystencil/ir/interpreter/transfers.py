"""Input and output statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.interpreter.constructors import compile_implied_do
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.semantics.assignment import assign
from polystencil.semantics.io import namelist
from polystencil.semantics.io.failure import TransferFailure
from polystencil.semantics.io.units import read_internal, write_internal

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler

from polystencil.ir.interpreter.machine import Closure

_KNOWN = frozenset({"iostat", "iomsg", "advance", "rec", "pos", "size"})


def _controls(statement: Any, allowed: frozenset[str]) -> dict[str, x.Expression]:
    out = dict(statement.controls)
    for name in out:
        if name not in allowed:
            raise UnsupportedError(f"the specifier {name}= is not supported here", statement.span)
    return out


def _guarded(c: Compiler, action: Closure, controls: dict[str, x.Expression]) -> Closure:
    """The action with iostat= and iomsg= served."""
    if "iostat" not in controls:
        return action
    status = c.variable(controls["iostat"])
    message = c.variable(controls["iomsg"]) if "iomsg" in controls else None

    def run(f: Any) -> None:
        try:
            action(f)
            code = 0
        except FortranRuntimeError as error:
            code = getattr(error, "iostat", 5010)
            if message is not None:
                assign(message(f), error.message.encode())
        status(f)[()] = code

    return run


def _is_internal(unit: x.Expression | None) -> bool:
    return unit is not None and isinstance(t := type_of(unit), Intrinsic) and t.base == "character"


def _format(c: Compiler, given: Any) -> Closure:
    """The format: "*" and None as they are, text as bytes (an array of text is joined)."""
    if given is None or isinstance(given, str):
        return lambda _: given
    value = c.value(given)

    def text(f: Any) -> Any:
        v = value(f)
        return v if isinstance(v, bytes) else v.tobytes(order="F")

    return text


def _items(c: Compiler, items: tuple[x.Expression, ...], as_variables: bool) -> Any:
    """A generator function over the values (or storages) of an input/output list."""
    parts = []
    for item in items:
        if isinstance(item, x.ImpliedDo):
            parts.append(compile_implied_do(c, item, _items(c, item.items, as_variables), keep_variable=False))
        else:
            parts.append(_single(c.variable(item) if as_variables else c.value(item)))

    def run(f: Any) -> Iterator[Any]:
        for part in parts:
            yield from part(f)

    return run


def _single(closure: Closure) -> Any:
    def run(f: Any) -> Iterator[Any]:
        yield closure(f)

    return run


def _optional(c: Compiler, controls: dict[str, x.Expression], name: str) -> Closure:
    return c.value(controls[name]) if name in controls else lambda _: None


def _advancing(c: Compiler, controls: dict[str, x.Expression]) -> Closure:
    if "advance" not in controls:
        return lambda _: True
    value = c.value(controls["advance"])
    return lambda f: value(f).strip().lower() != b"no"


def compile_write(c: Compiler, statement: s.Write) -> Closure:
    """write and print."""
    controls = _controls(statement, _KNOWN)
    text, values = _format(c, statement.format), _items(c, statement.items, False)
    if _is_internal(statement.unit):
        assert statement.unit is not None
        target = c.variable(statement.unit)

        def to_text(f: Any) -> None:
            items = list(values(f))
            write_internal(target(f), text(f), items)

        return _guarded(c, to_text, controls)
    unit = (lambda _: None) if statement.unit is None else c.number(statement.unit)
    advance, rec, pos = _advancing(c, controls), _optional(c, controls, "rec"), _optional(c, controls, "pos")
    units = c.machine.units

    def to_file(f: Any) -> None:
        items = list(values(f))
        units.write(unit(f), text(f), items, advance(f), rec(f), pos(f))

    return _guarded(c, to_file, controls)


def compile_read(c: Compiler, statement: s.Read) -> Closure:
    """read; the variables of the list are looked up one after the other, as values arrive."""
    controls = _controls(statement, _KNOWN)
    text, targets = _format(c, statement.format), _items(c, statement.items, True)
    if _is_internal(statement.unit):
        assert statement.unit is not None
        source = c.variable(statement.unit)

        def from_text(f: Any) -> None:
            _drain(targets(f), lambda t: read_internal(source(f), text(f), t))

        return _guarded(c, from_text, controls)
    unit = (lambda _: None) if statement.unit is None else c.number(statement.unit)
    advance, rec, pos = _advancing(c, controls), _optional(c, controls, "rec"), _optional(c, controls, "pos")
    size = c.variable(controls["size"]) if "size" in controls else None
    units = c.machine.units

    def from_file(f: Any) -> None:
        taken = 0

        def read(storages: Iterator[Any]) -> None:
            nonlocal taken
            taken = units.read(unit(f), text(f), storages, advance(f), rec(f), pos(f))

        try:
            _drain(targets(f), read)
        except TransferFailure as failure:
            taken = failure.taken
            raise
        finally:
            if size is not None:
                size(f)[()] = taken

    return _guarded(c, from_file, controls)


def _drain(targets: Iterator[Any], read: Any) -> None:
    """Read, then let implied-do loops that were not used up set their variables."""
    read(targets)
    for _ in targets:
        pass


_absent: Closure = lambda _: None  # noqa: E731  # the value of a specifier that is not given; a def has no Closure type


_INQUIRE_INPUTS = frozenset({"unit", "file", "iostat", "iomsg", "id"})
_OPEN_OUTPUTS = frozenset({"newunit", "iostat", "iomsg"})


def compile_file(c: Compiler, statement: s.FileStatement) -> Closure:
    """open, close, inquire, rewind, backspace, endfile, flush."""
    controls, units, keyword = dict(statement.controls), c.machine.units, statement.keyword
    controls = {k: v for k, v in controls.items() if k not in ("err", "end")}
    if keyword == "inquire":
        return _guarded(c, _inquire(c, controls), controls)
    given = {k: c.value(v) for k, v in controls.items() if k not in _OPEN_OUTPUTS}

    if keyword == "open":
        fresh = c.variable(controls["newunit"]) if "newunit" in controls else None

        def connect(f: Any) -> None:
            number = units.open({k: v(f) for k, v in given.items()})
            if fresh is not None:
                fresh(f)[()] = number

        return _guarded(c, connect, controls)
    if keyword == "close":
        status = given.get("status", _absent)

        def close(f: Any) -> None:
            units.close(given["unit"](f), status(f))

        return _guarded(c, close, controls)
    methods: dict[str, Callable[[Any], None]] = {
        "rewind": units.rewind, "backspace": units.backspace, "endfile": units.endfile, "flush": units.flush,
    }  # fmt: skip
    if keyword not in methods:
        raise UnsupportedError(f"the statement {keyword} is not supported", statement.span)
    method, unit = methods[keyword], given.get("unit", _absent)
    return _guarded(c, lambda f: method(unit(f)), controls)


def _inquire(c: Compiler, controls: dict[str, x.Expression]) -> Closure:
    unit, file = _optional(c, controls, "unit"), _optional(c, controls, "file")
    outputs = {k: c.variable(v) for k, v in controls.items() if k not in _INQUIRE_INPUTS}
    units = c.machine.units

    def action(f: Any) -> None:
        known = units.inquire(unit(f), file(f))
        for name, target in outputs.items():
            if name not in known:
                raise FortranRuntimeError(f"inquire: the specifier {name}= is not supported")
            storage, value = target(f), known[name]
            if isinstance(value, bytes):
                assign(storage, value)
            else:
                storage[()] = value

    return action


def compile_namelist(c: Compiler, statement: s.NamelistTransfer) -> Closure:
    """read and write of a namelist group."""
    controls = _controls(statement, _KNOWN)
    members = [(name, c.variable(ref)) for name, ref in statement.members]
    units, group = c.machine.units, statement.group
    internal = _is_internal(statement.unit)
    if internal:
        assert statement.unit is not None
        place = c.variable(statement.unit)
    else:
        place = (lambda _: None) if statement.unit is None else c.number(statement.unit)
    writing = statement.keyword == "write"

    def action(f: Any) -> None:
        found = [(name, variable(f)) for name, variable in members]
        if writing:
            namelist.write(units, place(f), internal, group, found)
        else:
            namelist.read(units, place(f), internal, group, found)

    return _guarded(c, action, controls)

