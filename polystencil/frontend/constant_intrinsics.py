"""Values of intrinsic functions of constants.

Elementary functions of single precision are computed in double and rounded once, which is what a compiler that
folds with more digits gives.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.frontend.constants import NotConstantError, as_numpy, convert_value, dtype_of
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

_REAL_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "log10": math.log10, "sin": math.sin, "cos": math.cos,
    "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh, "erf": math.erf,
    "erfc": math.erfc, "gamma": math.gamma, "log_gamma": math.lgamma, "atan2": math.atan2, "hypot": math.hypot,
}  # fmt: skip


_COMPLEX_FUNCTIONS = {
    name: getattr(cmath, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh")
}


_DIGITS = {4: (24, -125, 128, 6, 37), 8: (53, -1021, 1024, 15, 307)}  # digits, min, max exponent, precision, range


def intrinsic_value(e: x.IntrinsicCall, evaluate: Callable[[x.Expression], Any]) -> Any:
    """The value of a reference to an intrinsic function, or NotConstantError."""
    inquiry = _inquiry(e)
    if inquiry is not None:
        return as_numpy(inquiry, e.type)
    if e.name in ("size", "shape", "lbound", "ubound"):
        return _array_inquiry(e, evaluate)
    values: list[Any] = [None if a is None or isinstance(a, x.Boz) else evaluate(a) for a in e.arguments]
    if e.name in _TRANSFORMATIONAL:
        return _TRANSFORMATIONAL[e.name](e, values)
    if any(isinstance(a, x.Boz) for a in e.arguments):
        raise NotConstantError(e)
    if e.name in (
        "len",
        "len_trim",
        "index",
        "ichar",
        "iachar",
        "char",
        "achar",
        "trim",
        "adjustl",
        "adjustr",
        "repeat",
    ):
        return _text(e, values)
    if any(isinstance(v, np.ndarray) and v.ndim for v in values):
        function = np.vectorize(lambda *v: _elemental(e, list(v)), otypes=[dtype_of(e.type)])
        return function(*[v for v in values if v is not None])
    return _elemental(e, values)


def _inquiry(e: x.IntrinsicCall) -> Any:
    argument = e.arguments[0] if e.arguments else None
    t = type_of(argument) if argument is not None else None
    if not isinstance(t, Intrinsic):
        return None
    real = t.base in ("real", "complex")
    match e.name:
        case "kind":
            return t.kind
        case "bit_size":
            return 8 * t.kind
        case "huge":
            return 2 ** (8 * t.kind - 1) - 1 if t.base == "integer" else float(np.finfo(dtype_of(t)).max)
        case "tiny":
            return float(np.finfo(dtype_of(t)).tiny)
        case "epsilon":
            return float(np.finfo(dtype_of(t)).eps)
        case "digits":
            return _DIGITS[t.kind][0] if real else 8 * t.kind - 1
        case "minexponent" | "maxexponent" | "precision":
            return _DIGITS[t.kind][{"minexponent": 1, "maxexponent": 2, "precision": 3}[e.name]]
        case "range":
            return _DIGITS[t.kind][4] if real else int(math.log10(2 ** (8 * t.kind - 1) - 1))
        case "radix":
            return 2
        case "storage_size":
            return 8 * t.kind * (2 if t.base == "complex" else 1)
        case "rank":
            return rank_of(argument) if argument is not None else None
        case "len":
            length = t.length
            return length.value if isinstance(length, (x.Literal, x.NamedConstant)) else None
    return None


def _array_inquiry(e: x.IntrinsicCall, evaluate: Callable[[x.Expression], Any]) -> Any:
    argument = e.arguments[0]
    assert argument is not None
    shape, lower = _bounds(argument, evaluate)
    dim = e.arguments[1] if len(e.arguments) > 1 and e.name != "shape" else None
    k = None if dim is None else int(evaluate(dim)) - 1
    if k is not None and not 0 <= k < len(shape):
        raise NotConstantError(e, "dim is not a dimension of the array")
    kind = dtype_of(e.type)
    if e.name == "size":
        return kind(np.prod(shape, dtype=int) if k is None else shape[k])
    if e.name == "shape":
        return np.array(shape, kind)
    bounds = lower if e.name == "lbound" else [low + n - 1 for low, n in zip(lower, shape, strict=True)]
    return np.array(bounds, kind) if k is None else kind(bounds[k])


def _bounds(argument: x.Expression, evaluate: Callable[[x.Expression], Any]) -> tuple[tuple[int, ...], list[int]]:
    """Shape and lower bounds; those of a variable are known without its value."""
    if isinstance(argument, x.Ref):
        try:
            pairs = evaluate(x.Ref(argument.id + "%bounds", argument.type))
            return tuple(max(0, high - low + 1) for low, high in pairs), [low for low, _ in pairs]
        except NotConstantError:
            pass
    shape = np.shape(evaluate(argument))
    return shape, [1] * len(shape)


def _axis(values: list[Any]) -> Any:
    return None if len(values) < 2 or values[1] is None else int(values[1]) - 1


def _reduce(function: Callable[..., Any]) -> Callable[[x.IntrinsicCall, list[Any]], Any]:
    def run(e: x.IntrinsicCall, values: list[Any]) -> Any:
        if len(values) > 2 and values[2] is not None:
            raise NotConstantError(e)
        return function(values[0], axis=_axis(values))

    return run


def _sum(_e: x.IntrinsicCall, values: list[Any]) -> Any:
    array, axis = values[0], _axis(values)
    if len(values) > 2 and values[2] is not None:
        array = np.where(values[2], array, array.dtype.type(0))
    if axis is not None:
        return np.add.reduce(array, axis=axis, dtype=array.dtype)
    total = array.dtype.type(0)
    for v in array.ravel(order="F"):
        total = total + v
    return total


def _reshape(e: x.IntrinsicCall, values: list[Any]) -> Any:
    source, shape = values[0], tuple(int(n) for n in values[1])
    if len(values) > 3 and values[3] is not None:
        raise NotConstantError(e)
    flat = source.ravel(order="F")
    wanted = int(np.prod(shape))
    if flat.size < wanted:
        if len(values) < 3 or values[2] is None:
            raise NotConstantError(e, "source is too small for the shape")
        flat = np.resize(np.concatenate([flat, np.resize(values[2].ravel(order="F"), wanted - flat.size)]), wanted)
    return flat[:wanted].reshape(shape, order="F")


_TRANSFORMATIONAL: dict[str, Callable[[x.IntrinsicCall, list[Any]], Any]] = {
    "sum": _sum,
    "product": _reduce(np.prod),
    "maxval": _reduce(np.max),
    "minval": _reduce(np.min),
    "any": _reduce(np.any),
    "all": _reduce(np.all),
    "count": lambda _e, v: np.int32(np.count_nonzero(v[0])),
    "reshape": _reshape,
    "transpose": lambda _e, v: v[0].T,
    "matmul": lambda _e, v: np.matmul(v[0], v[1]),
    "dot_product": lambda _e, v: np.dot(v[0], v[1]),
    "selected_int_kind": lambda _e, v: np.int32(
        next((k for k in (1, 2, 4, 8) if 2 ** (8 * k - 1) > 10 ** int(v[0])), -1)
    ),
    "selected_real_kind": lambda _e, v: np.int32(_real_kind(*[0 if a is None else int(a) for a in v[:2]])),
    "selected_char_kind": lambda _e, v: np.int32(1 if v[0].strip().lower() in (b"ascii", b"default") else -1),
}


def _real_kind(p: int = 0, r: int = 0) -> int:
    for kind in (4, 8):
        if p <= _DIGITS[kind][3] and r <= _DIGITS[kind][4]:
            return kind
    return -1 if p > 15 and r <= 307 else -2 if p <= 15 else -3


def _text(e: x.IntrinsicCall, v: list[Any]) -> Any:
    match e.name:
        case "len":
            return np.int32(len(v[0]))
        case "len_trim":
            return np.int32(len(v[0].rstrip(b" ")))
        case "trim":
            return v[0].rstrip(b" ")
        case "adjustl":
            return v[0].lstrip(b" ").ljust(len(v[0]))
        case "adjustr":
            return v[0].rstrip(b" ").rjust(len(v[0]))
        case "repeat":
            return v[0] * int(v[1])
        case "char" | "achar":
            return bytes([int(v[0]) & 255])
        case "ichar" | "iachar":
            return dtype_of(e.type)(v[0][0])
        case _:
            back = len(v) > 2 and v[2] is not None and bool(v[2])
            return np.int32((v[0].rfind(v[1]) if back else v[0].find(v[1])) + 1)


def _elemental(e: x.IntrinsicCall, v: list[Any]) -> Any:
    t, name = e.type, e.name
    kind = dtype_of(t)
    a: Any = v[0] if v else None
    b: Any = v[1] if len(v) > 1 else None
    if name in _REAL_FUNCTIONS and not np.iscomplexobj(a):
        try:
            return kind(_REAL_FUNCTIONS[name](*[float(u) for u in v if u is not None]))
        except (ValueError, OverflowError) as error:
            raise NotConstantError(e, f"{name} of this constant has no value") from error
    if name in _COMPLEX_FUNCTIONS:
        return kind(_COMPLEX_FUNCTIONS[name](complex(a)))
    if name in ("max", "min"):
        return (max if name == "max" else min)(v)
    function = _SCALAR.get(name)
    if function is None:
        raise NotConstantError(e)
    try:
        value = function(a, b, v)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise NotConstantError(e, f"{name} of this constant has no value") from error
    return convert_value(value, t) if isinstance(t, Intrinsic) and t.base == "integer" else kind(value)


def _bits(value: Any) -> int:
    bits: int = 8 * value.dtype.itemsize
    return int(value) & ((1 << bits) - 1)


def _shift(a: Any, n: int) -> int:
    return int(_bits(a) << n if n >= 0 else _bits(a) >> -n)


def _round(a: Any) -> int:
    """The nearest integer, halves away from zero; `floor(|a| + 0.5)` would be wrong just below a half."""
    whole = math.floor(abs(float(a)))
    rounded = whole + 1 if abs(float(a)) - whole >= 0.5 else whole
    return rounded if a >= 0 else -rounded


_SCALAR: dict[str, Callable[[Any, Any, list[Any]], Any]] = {
    "abs": lambda a, _b, _v: abs(a),
    "mod": lambda a, b, _v: (
        math.fmod(a, b) if isinstance(a, np.floating) else int(math.copysign(1, int(a))) * (abs(int(a)) % abs(int(b)))
    ),
    "modulo": lambda a, b, _v: a - math.floor(a / b) * b if isinstance(a, np.floating) else int(a) % int(b),
    "sign": lambda a, b, _v: math.copysign(a, b) if isinstance(a, np.floating) else abs(int(a)) * (1 if b >= 0 else -1),
    "dim": lambda a, b, _v: max(a - b, type(a)(0)),
    "merge": lambda a, b, v: a if v[2] else b,
    "nint": lambda a, _b, _v: _round(a),
    "floor": lambda a, _b, _v: math.floor(a),
    "ceiling": lambda a, _b, _v: math.ceil(a),
    "aint": lambda a, _b, _v: math.trunc(a),
    "anint": lambda a, _b, _v: _round(a),
    "int": lambda a, _b, _v: int(a.real),
    "real": lambda a, _b, _v: a.real,
    "cmplx": lambda a, b, _v: complex(a) if b is None else complex(float(a), float(b)),
    "aimag": lambda a, _b, _v: a.imag,
    "conjg": lambda a, _b, _v: a.conjugate(),
    "iand": lambda a, b, _v: int(a) & int(b),
    "ior": lambda a, b, _v: int(a) | int(b),
    "ieor": lambda a, b, _v: int(a) ^ int(b),
    "not": lambda a, _b, _v: ~int(a),
    "ishft": lambda a, b, _v: _shift(a, int(b)),
    "shiftl": lambda a, b, _v: _shift(a, int(b)),
    "shiftr": lambda a, b, _v: _shift(a, -int(b)),
    "shifta": lambda a, b, _v: int(a) >> int(b),
    "ibset": lambda a, b, _v: int(a) | (1 << int(b)),
    "ibclr": lambda a, b, _v: int(a) & ~(1 << int(b)),
    "btest": lambda a, b, _v: bool(_bits(a) >> int(b) & 1),
    "popcnt": lambda a, _b, _v: bin(_bits(a)).count("1"),
    "logical": lambda a, _b, _v: bool(a),
    "nearest": lambda a, b, _v: np.nextafter(a, type(a)(math.inf if b > 0 else -math.inf)),
    "spacing": lambda a, _b, _v: np.spacing(abs(a)),
    "scale": lambda a, b, _v: math.ldexp(float(a), int(b)),
    "exponent": lambda a, _b, _v: math.frexp(float(a))[1],
    "fraction": lambda a, _b, _v: math.frexp(float(a))[0],
}
