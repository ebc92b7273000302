"""Mathematical functions of the C library, in the precision of their argument: what gfortran's programs call.

NumPy's own differ from them in last bits. Arrays are worked off element by element.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from typing import Any

import numpy as np

_LIBRARY = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


class _Double(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class _Single(ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


REAL_FUNCTIONS = {
    "exp": "exp", "log": "log", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin",
    "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc", "gamma": "tgamma", "log_gamma": "lgamma",
    "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1",
}  # fmt: skip
REAL_FUNCTIONS_OF_TWO = {"atan2": "atan2", "hypot": "hypot", "pow": "pow"}
COMPLEX_FUNCTIONS = {
    "exp": "cexp", "log": "clog", "sin": "csin", "cos": "ccos", "tan": "ctan", "asin": "casin", "acos": "cacos",
    "atan": "catan", "sinh": "csinh", "cosh": "ccosh", "tanh": "ctanh", "asinh": "casinh", "acosh": "cacosh",
    "atanh": "catanh", "sqrt": "csqrt",
}  # fmt: skip

_REAL: dict[tuple[str, str], Callable[..., float]] = {}
_COMPLEX: dict[tuple[str, str], Callable[..., Any]] = {}


def _real(name: str, char: str, count: int) -> Callable[..., float]:
    if (name, char) not in _REAL:
        single = char == "f"
        function = getattr(_LIBRARY, name + ("f" if single else ""))
        kind = ctypes.c_float if single else ctypes.c_double
        function.argtypes, function.restype = [kind] * count, kind
        _REAL[name, char] = function
    return _REAL[name, char]


def _complex(name: str, char: str, count: int) -> Callable[..., Any]:
    if (name, char) not in _COMPLEX:
        single = char == "F"
        function = getattr(_LIBRARY, name + ("f" if single else ""))
        kind = _Single if single else _Double
        function.argtypes, function.restype = [kind] * count, kind

        def call(*values: complex) -> complex:
            out = function(*(kind(v.real, v.imag) for v in values))
            return complex(out.re, out.im)

        _COMPLEX[name, char] = call
    return _COMPLEX[name, char]


def elementwise(function: Callable[..., Any], dtype: np.dtype[Any], *values: Any) -> Any:
    """`function` of Python numbers over scalars and arrays that broadcast (only scalars do, in Fortran)."""
    shape = next((v.shape for v in values if v.shape != ()), None)
    if shape is None:
        return dtype.type(function(*(v.item() for v in values)))
    lists = [np.broadcast_to(v, shape).ravel(order="F").tolist() for v in values]
    out = np.empty(len(lists[0]), dtype)
    for k, items in enumerate(zip(*lists, strict=True)):
        out[k] = function(*items)
    return out.reshape(shape, order="F")


def math(name: str, x: Any) -> Any:
    """An elemental function of one real or complex argument by its Fortran name; the result has the same type."""
    char = x.dtype.char
    if char in "FD":
        return elementwise(_complex(COMPLEX_FUNCTIONS[name], char, 1), x.dtype, x)
    return elementwise(_real(REAL_FUNCTIONS[name], char, 1), x.dtype, x)


def math2(name: str, x: Any, y: Any) -> Any:
    """atan2, hypot or pow of two reals, or pow of two complex numbers, of one type."""
    char = x.dtype.char
    if char in "FD":
        return elementwise(_complex("cpow", char, 2), x.dtype, x, y)
    return elementwise(_real(REAL_FUNCTIONS_OF_TWO[name], char, 2), x.dtype, x, y)


def complex_abs(z: Any) -> Any:
    """abs() of a complex number: hypot of its parts."""
    return math2("hypot", z.real, z.imag)


def bessel_n(name: str, order: Any, x: Any) -> Any:
    """bessel_jn(n, x) and bessel_yn(n, x)."""
    single = x.dtype.char == "f"
    function = getattr(_LIBRARY, {"bessel_jn": "jn", "bessel_yn": "yn"}[name] + ("f" if single else ""))
    kind = ctypes.c_float if single else ctypes.c_double
    function.argtypes, function.restype = [ctypes.c_int, kind], kind
    return elementwise(function, x.dtype, order, x)


def erfc_scaled(x: Any) -> Any:
    """exp(x**2) * erfc(x), by its continued fraction where the factors would overflow or cancel."""

    def one(v: float) -> float:
        if v < 4.0:
            return float(np.exp(np.float64(v) * v) * _real("erfc", "d", 1)(v))
        tail = v
        for k in range(60, 0, -1):
            tail = v + (k / 2) / tail
        return 1.0 / (tail * float(np.sqrt(np.pi)))

    return elementwise(one, x.dtype, x)
