"""Character intrinsics on `bytes` scalars and on arrays of fixed-length text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.assignment import text_array
from polystencil.semantics.values import elements_as_bytes


def text_elementwise(function: Callable[..., Any], *values: Any) -> Any:
    """An elemental function of text (bytes or character arrays) and numbers; None stays None.

    Results are bytes or numbers; an array of text has the length of its longest element.
    """
    shape = next((tuple(v.shape) for v in values if getattr(v, "shape", ()) != ()), None)
    if shape is None:
        return function(*(v.tobytes() if isinstance(v, np.ndarray) and v.dtype.kind == "S" else v for v in values))
    lists: list[Any] = []
    count = int(np.prod(shape))
    for v in values:
        if getattr(v, "shape", ()) == ():
            lists.append([v] * count)
        else:
            lists.append(elements_as_bytes(v) if v.dtype.kind == "S" else v.ravel(order="F"))
    items = [function(*row) for row in zip(*lists, strict=True)]
    if items and not isinstance(items[0], bytes):
        return np.array(items).reshape(shape, order="F")
    return text_array(items, shape, max((len(i) for i in items), default=0))


def compare_arrays(test: Callable[[bytes, bytes], bool], a: Any, b: Any) -> Any:
    """A comparison of text where at least one side is an array."""

    def one(x: bytes, y: bytes) -> Any:
        width = max(len(x), len(y))
        return np.bool_(test(x.ljust(width), y.ljust(width)))

    out = text_elementwise(one, a, b)
    return out if out.dtype == np.bool_ else np.zeros(out.shape, np.bool_)


def concatenate_text(a: Any, b: Any) -> Any:
    """`a // b`."""
    if isinstance(a, bytes) and isinstance(b, bytes):
        return a + b
    return text_elementwise(lambda x, y: x + y, a, b)


def text_extreme(flat: Any, most: bool) -> bytes:
    """maxval or minval of character elements."""
    items = elements_as_bytes(flat)
    if not items:
        return (b"\x00" if most else b"\xff") * int(flat.dtype.itemsize)
    return max(items) if most else min(items)


def trim(text: bytes) -> bytes:
    return text.rstrip(b" ")


def repeat(text: bytes, copies: Any) -> bytes:
    if copies < 0:
        raise FortranRuntimeError(f"repeat: the number of copies is {int(copies)}")
    return text * int(copies)


def len_trim(text: Any) -> Any:
    return text_elementwise(lambda t: np.int32(len(t.rstrip(b" "))), text)


def adjustl(text: Any) -> Any:
    return text_elementwise(lambda t: t.lstrip(b" ").ljust(len(t)), text)


def adjustr(text: Any) -> Any:
    return text_elementwise(lambda t: t.rstrip(b" ").rjust(len(t)), text)


def index(text: Any, part: Any, back: Any = None) -> Any:
    """The place of `part` in `text`, from 1; 0 when it is not there."""

    def one(t: bytes, p: bytes, b: Any) -> Any:
        return np.int32((t.rfind(p) if b is not None and b else t.find(p)) + 1)

    return text_elementwise(one, text, part, back)


def _first(places: list[int], back: Any) -> Any:
    if not places:
        return np.int32(0)
    return np.int32(places[-1 if back is not None and back else 0] + 1)


def scan(text: Any, characters: Any, back: Any = None) -> Any:
    """The place of the first (last) character that is in the set."""
    return text_elementwise(lambda t, s, b: _first([k for k, c in enumerate(t) if c in s], b), text, characters, back)


def verify(text: Any, characters: Any, back: Any = None) -> Any:
    """The place of the first (last) character that is not in the set."""
    return text_elementwise(
        lambda t, s, b: _first([k for k, c in enumerate(t) if c not in s], b), text, characters, back
    )


def character_of(code: Any) -> Any:
    """achar() and char()."""
    return text_elementwise(lambda c: bytes([int(c) & 255]), code)


def code_of(text: Any) -> Any:
    """iachar() and ichar()."""
    return text_elementwise(lambda t: np.int32(t[0]), text)


def lexical(name: str, a: Any, b: Any) -> Any:
    """lge, lgt, lle, llt: gfortran's collating sequence is ASCII."""
    from polystencil.semantics.arithmetic import compare

    return compare({"lge": ">=", "lgt": ">", "lle": "<=", "llt": "<"}[name], a, b)
