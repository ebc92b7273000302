"""Arithmetic as gfortran -O0 does it: integer division, remainders, powers, complex division, min and max.

Operands are NumPy scalars or ndarrays of one type (but for integer exponents). Callers run under
`np.errstate(all="ignore")`: integers wrap and reals become infinite or NaN without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.libm import math2


def _check_divisor(b: Any) -> None:
    if not np.all(b):
        raise FortranRuntimeError("integer division by zero")


def int_divide(a: Any, b: Any) -> Any:
    """Integer division, truncating towards zero."""
    _check_divisor(b)
    q = a // b
    r = a - q * b
    if isinstance(q, np.ndarray):
        return q + ((r != 0) & ((a < 0) != (b < 0))).astype(q.dtype)
    return type(q)(q + 1) if r != 0 and (a < 0) != (b < 0) else q


def divide(a: Any, b: Any) -> Any:
    """`a / b` of any type."""
    kind = a.dtype.kind
    if kind == "i":
        return int_divide(a, b)
    return complex_divide(a, b) if kind == "c" else a / b


def multiply(a: Any, b: Any) -> Any:
    """`a * b`; for complex arrays by parts, because NumPy may fuse their multiplications and additions."""
    if a.dtype.kind == "c" and (a.shape or b.shape):
        return _complex_of(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)
    return a * b


def _complex_of(re: Any, im: Any) -> Any:
    dtype = np.dtype(np.complex64 if re.dtype == np.float32 else np.complex128)
    if np.shape(re) == ():
        out = np.empty((), dtype)
        out.real, out.imag = re, im
        return out[()]
    out = np.empty(re.shape, dtype, order="F")
    out.real, out.imag = re, im
    return out


def to_complex(re: Any, im: Any, dtype: np.dtype[Any]) -> Any:
    """cmplx(re, im) of numbers or arrays in a complex type."""
    part = np.float32 if dtype == np.complex64 else np.float64
    re, im = np.asarray(re).astype(part), np.asarray(im).astype(part)
    shape = np.broadcast_shapes(re.shape, im.shape)
    out = _complex_of(np.broadcast_to(re, shape), np.broadcast_to(im, shape))
    return out if shape else out[()] if isinstance(out, np.ndarray) else out


def complex_divide(a: Any, b: Any) -> Any:
    """Smith's algorithm, as gcc expands complex division under Fortran rules."""
    ar, ai, br, bi = (np.asarray(v) for v in (a.real, a.imag, b.real, b.imag))
    small = np.abs(br) < np.abs(bi)
    ratio = np.where(small, br, bi) / np.where(small, bi, br)
    div = np.where(small, br * ratio + bi, bi * ratio + br)
    re = np.where(small, ar * ratio + ai, ai * ratio + ar) / div
    im = np.where(small, ai * ratio - ar, ai - ar * ratio) / div
    return _complex_of(re, im) if np.shape(re) else _complex_of(re[()], im[()])


def mod(a: Any, p: Any) -> Any:
    """mod(a, p): the sign of `a`."""
    if a.dtype.kind == "i":
        return a - int_divide(a, p) * p
    return np.fmod(a, p)


def modulo(a: Any, p: Any) -> Any:
    """modulo(a, p): the sign of `p`."""
    if a.dtype.kind == "i":
        _check_divisor(p)
        return a % p
    r = np.fmod(a, p)
    wrong = (r != 0) & ((r < 0) != (p < 0))
    out = np.where(wrong, r + p, np.where(r == 0, np.copysign(r, p), r))
    return out.astype(a.dtype) if out.shape else a.dtype.type(out)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`: integers exactly, reals and complex numbers with the multiplications that gfortran does."""
    if exponent.dtype.kind == "i":
        shape = exponent.shape or base.shape
        if exponent.shape == ():
            return _int_power(base, int(exponent)) if base.dtype.kind == "i" else _powi(base, int(exponent), exponent)
        bases = np.broadcast_to(base, shape).ravel(order="F")
        out = np.empty(bases.shape, base.dtype)
        for k, (b, e) in enumerate(zip(bases, exponent.ravel(order="F"), strict=True)):
            out[k] = _int_power(b, int(e)) if base.dtype.kind == "i" else _powi(b, int(e), exponent)
        return out.reshape(shape, order="F")
    return math2("pow", base, exponent)


def _int_power(base: Any, n: int) -> Any:
    one = base.dtype.type(1)
    if n < 0:
        if np.any(base == 0):
            raise FortranRuntimeError("zero to a negative power")
        sign = one if n % 2 == 0 else -one
        out = np.where(base == 1, one, np.where(base == -1, sign, base.dtype.type(0)))
        return out if out.shape else base.dtype.type(out)
    result = np.ones_like(base) if base.shape else one
    while n:
        if n & 1:
            result = result * base
        base = base * base
        n >>= 1
    return result


def _powi(x: Any, n: int, exponent: Any) -> Any:
    """Real base: libgcc's __powi for default integers; the run-time library's loop for complex or integer(8)."""
    one = x.dtype.type(1)
    if x.dtype.kind == "f" and exponent.dtype.itemsize <= 4:
        m = abs(n)
        y = x if m % 2 else (np.ones_like(x) if x.shape else one)
        m >>= 1
        while m:
            x = x * x
            if m % 2:
                y = y * x
            m >>= 1
        return one / y if n < 0 else y
    if n == 0:
        return np.ones_like(x) if x.shape else one
    if n < 0:
        x, n = divide(one, x), -n
    result = one
    while True:
        if n & 1:
            result = multiply(result, x)
        n >>= 1
        if not n:
            return result
        x = multiply(x, x)


def maximum(first: Any, *others: Any) -> Any:
    """max() as gfortran has it: the result so far stays only where it is greater (a tie or NaN takes the later argument)."""
    return _extreme(">", first, others)


def minimum(first: Any, *others: Any) -> Any:
    """min(), see `maximum`."""
    return _extreme("<", first, others)


def _extreme(operator: str, first: Any, others: tuple[Any, ...]) -> Any:
    better = _COMPARE[operator]
    for value in others:
        if isinstance(first, bytes) and isinstance(value, bytes):
            width = max(len(first), len(value))
            first, value = first.ljust(width), value.ljust(width)
            first = value if better(value, first) else first
        elif first.shape == () and value.shape == ():
            first = first if better(first, value) else value
        else:
            first = np.where(better(first, value), first, value)
    return first


def sign(a: Any, b: Any) -> Any:
    """sign(a, b): |a| with the sign of b (of a negative zero, too)."""
    if a.dtype.kind == "f":
        return np.copysign(a, b)
    out = np.where(b < 0, -abs(a), abs(a))
    return out if out.shape else a.dtype.type(out)


def dim(x: Any, y: Any) -> Any:
    """dim(x, y): x - y where that is positive, else 0."""
    out = np.where(x > y, x - y, x.dtype.type(0))
    return out if out.shape else x.dtype.type(out)


def truncate(x: Any) -> Any:
    """aint()."""
    return np.trunc(x)


def round_away(x: Any) -> Any:
    """anint(): to the nearest whole number, halves away from zero."""
    whole = np.trunc(x)
    out = np.where(np.abs(x - whole) >= x.dtype.type(0.5), whole + np.copysign(x.dtype.type(1), x), whole)
    return out if out.shape else x.dtype.type(out)


def to_integer(x: Any, dtype: np.dtype[Any], how: str = "int") -> Any:
    """int, nint, floor or ceiling of a number as an integer type."""
    if x.dtype.kind == "c":
        x = x.real
    if x.dtype.kind == "f":
        x = _ROUNDINGS[how](x)
    return x.astype(dtype)


_ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "int": np.trunc, "nint": round_away, "floor": np.floor, "ceiling": np.ceil,
}  # fmt: skip


def compare(operator: str, a: Any, b: Any) -> Any:
    """A relational operator between numbers or character values (shorter text counts as padded with blanks)."""
    if isinstance(a, bytes) and isinstance(b, bytes):
        width = max(len(a), len(b))
        return np.bool_(_COMPARE[operator](a.ljust(width), b.ljust(width)))
    if isinstance(a, bytes) or isinstance(b, bytes) or a.dtype.kind == "S":
        from polystencil.semantics.characters import compare_arrays

        return compare_arrays(_COMPARE[operator], a, b)
    return _COMPARE[operator](a, b)


_COMPARE: dict[str, Any] = {
    "==": lambda a, b: a == b,
    "/=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
