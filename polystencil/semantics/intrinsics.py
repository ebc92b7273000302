"""The table of intrinsic functions: from lower-case generic name to what computes it.

`apply_intrinsic(name, dtype, *arguments)` takes positional arguments as the IR has them (None for absent) as bare
values: NumPy scalars, ndarrays, RecordArrays, bytes. `dtype` is the type of the result (None for records).
What depends on variables rather than values (allocated, associated, present, lbound, ubound, ...) is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.semantics import (
    arithmetic,
    bits,
    characters,
    ieee,
    libm,
    numeric_models,
    rearrangement,
    reductions,
    system,
)
from polystencil.semantics.transfer import transfer
from polystencil.semantics.values import shape_of

DType = Any
Function = Callable[..., Any]


def _plain(function: Function) -> Function:
    """A function that does not need the result's type."""
    return lambda _dtype, *arguments: function(*arguments)


def _math(name: str) -> Function:
    return lambda _dtype, x: libm.math(name, x)


def _named(function: Function, name: str) -> Function:
    return lambda _dtype, *arguments: function(name, *arguments)


def _inquiry(name: str) -> Function:
    return lambda _dtype, x, *_rest: numeric_models.inquire(name, x.dtype)


def _to_integer(how: str) -> Function:
    return lambda dtype, x, *_kind: arithmetic.to_integer(x, dtype, how)


def _no_kind(function: Function, most: int) -> Function:
    """A function whose arguments after the first `most` are kinds, already in the result's type."""
    return lambda _dtype, *arguments: function(*arguments[:most])


def _location(function: Function, kind_place: int) -> Function:
    """maxloc and such: drops the kind argument, keeps back behind it."""
    return lambda _dtype, *a: function(*a[:kind_place], *a[kind_place + 1 :])


def _abs(x: Any) -> Any:
    return libm.complex_abs(x) if x.dtype.kind == "c" else np.abs(x)


def _sqrt(x: Any) -> Any:
    return libm.math("sqrt", x) if x.dtype.kind == "c" else np.sqrt(x)


def _atan(_dtype: DType, x: Any, y: Any = None) -> Any:
    return libm.math("atan", x) if y is None else libm.math2("atan2", x, y)


def _cmplx(dtype: DType, re: Any, im: Any = None, *_kind: Any) -> Any:
    if re.dtype.kind == "c":
        return re.astype(dtype)
    return arithmetic.to_complex(re, np.zeros((), re.dtype) if im is None else im, dtype)


def _shape(x: Any, *_kind: Any) -> Any:
    return np.array(shape_of(x), np.int32)


def _size(x: Any, dim: Any = None, *_kind: Any) -> Any:
    shape = shape_of(x)
    return np.prod(shape, dtype=np.int64) if dim is None else np.int64(shape[int(dim) - 1])


def _length(x: Any, *_kind: Any) -> Any:
    return np.int32(len(x) if isinstance(x, bytes) else x.dtype.itemsize)


def _matmul(dtype: DType, a: Any, b: Any) -> Any:
    return reductions.matmul(a.astype(dtype, copy=False), b.astype(dtype, copy=False))


def _dot(dtype: DType, a: Any, b: Any) -> Any:
    return reductions.dot_product(a.astype(dtype, copy=False), b.astype(dtype, copy=False))


INTRINSICS: dict[str, Function] = {
    **{n: _math(n) for n in (*libm.REAL_FUNCTIONS,) if n != "atan"},
    "sqrt": _plain(_sqrt), "atan": _atan, "abs": _plain(_abs),
    "atan2": _named(libm.math2, "atan2"), "hypot": _named(libm.math2, "hypot"),
    "bessel_jn": _named(libm.bessel_n, "bessel_jn"), "bessel_yn": _named(libm.bessel_n, "bessel_yn"),
    "erfc_scaled": _plain(libm.erfc_scaled),
    "int": _to_integer("int"), "nint": _to_integer("nint"), "floor": _to_integer("floor"),
    "ceiling": _to_integer("ceiling"),
    "aint": lambda _d, x, *_k: arithmetic.truncate(x), "anint": lambda _d, x, *_k: arithmetic.round_away(x),
    "real": lambda d, x, *_k: (x.real if x.dtype.kind == "c" else x).astype(d), "cmplx": _cmplx,
    "dble": lambda d, x: (x.real if x.dtype.kind == "c" else x).astype(d),
    "aimag": _plain(lambda z: z.imag.copy()), "conjg": _plain(np.conj),
    "logical": lambda _d, x, *_k: x, "dprod": lambda _d, x, y: x.astype(np.float64) * y.astype(np.float64),
    "mod": _plain(arithmetic.mod), "modulo": _plain(arithmetic.modulo), "sign": _plain(arithmetic.sign),
    "dim": _plain(arithmetic.dim), "max": _plain(arithmetic.maximum), "min": _plain(arithmetic.minimum),
    "merge": _plain(rearrangement.merge),
    **{n: _inquiry(n) for n in ("huge", "tiny", "epsilon", "digits", "precision", "range", "radix", "maxexponent",
                                "minexponent", "bit_size")},
    "kind": lambda _d, x: numeric_models.kind_of(x.dtype if not isinstance(x, bytes) else np.dtype("S1")),
    "selected_int_kind": _plain(numeric_models.selected_int_kind),
    "selected_real_kind": _plain(numeric_models.selected_real_kind),
    "selected_char_kind": _plain(numeric_models.selected_char_kind),
    "exponent": _plain(numeric_models.exponent), "fraction": _plain(numeric_models.fraction),
    "scale": _plain(numeric_models.scale), "set_exponent": _plain(numeric_models.set_exponent),
    "spacing": _plain(numeric_models.spacing), "rrspacing": _plain(numeric_models.rrspacing),
    "nearest": _plain(numeric_models.nearest),
    "iand": _plain(lambda i, j: i & j), "ior": _plain(lambda i, j: i | j), "ieor": _plain(lambda i, j: i ^ j),
    "not": _plain(lambda i: ~i), "ishft": _plain(bits.ishft), "ishftc": _plain(bits.ishftc),
    "shiftl": _plain(bits.shiftl), "shiftr": _plain(bits.shiftr), "shifta": _plain(bits.shifta),
    "lshift": _plain(bits.shiftl), "rshift": _plain(bits.shifta),
    "ibits": _plain(bits.ibits), "ibset": _plain(bits.ibset), "ibclr": _plain(bits.ibclr), "btest": _plain(bits.btest),
    "popcnt": _plain(bits.popcnt), "poppar": _plain(bits.poppar), "leadz": _plain(bits.leadz),
    "trailz": _plain(bits.trailz), "merge_bits": _plain(bits.merge_bits), "dshiftl": _plain(bits.dshiftl),
    "dshiftr": _plain(bits.dshiftr), "maskl": lambda d, n, *_k: bits.maskl(n, d),
    "maskr": lambda d, n, *_k: bits.maskr(n, d),
    **{n: _named(bits.unsigned_compare, n) for n in ("bge", "bgt", "ble", "blt")},
    "sum": _plain(reductions.total), "product": _plain(reductions.product), "maxval": _plain(reductions.maxval),
    "minval": _plain(reductions.minval), "maxloc": _location(reductions.maxloc, 3),
    "minloc": _location(reductions.minloc, 3), "findloc": _location(reductions.findloc, 4),
    "count": _no_kind(reductions.count, 2), "any": _plain(reductions.any_true), "all": _plain(reductions.all_true),
    "parity": _plain(reductions.parity), "norm2": _plain(reductions.norm2),
    **{n: _named(reductions.bit_reduction, n) for n in ("iall", "iany", "iparity")},
    "dot_product": _dot, "matmul": _matmul,
    "transpose": _plain(rearrangement.transpose), "reshape": _plain(rearrangement.reshape),
    "spread": _plain(rearrangement.spread), "pack": _plain(rearrangement.pack), "unpack": _plain(rearrangement.unpack),
    "cshift": _plain(rearrangement.cshift), "eoshift": _plain(rearrangement.eoshift),
    "shape": _plain(_shape), "size": _plain(_size), "rank": _plain(lambda x: np.int32(len(shape_of(x)))),
    "len": _plain(_length), "len_trim": _no_kind(characters.len_trim, 1), "trim": _plain(characters.trim),
    "adjustl": _plain(characters.adjustl), "adjustr": _plain(characters.adjustr),
    "index": _no_kind(characters.index, 3), "scan": _no_kind(characters.scan, 3),
    "verify": _no_kind(characters.verify, 3), "repeat": _plain(characters.repeat),
    "achar": _no_kind(characters.character_of, 1), "char": _no_kind(characters.character_of, 1),
    "iachar": _no_kind(characters.code_of, 1), "ichar": _no_kind(characters.code_of, 1),
    "new_line": _plain(lambda _c: b"\n"),
    **{n: _named(characters.lexical, n) for n in ("lge", "lgt", "lle", "llt")},
    "transfer": _plain(transfer),
    "command_argument_count": _plain(system.command_argument_count),
    **{n: _plain(f) for n, f in ieee.FUNCTIONS.items()},
    "is_iostat_end": _plain(lambda i: i == -1), "is_iostat_eor": _plain(lambda i: i == -2),
}  # fmt: skip


def apply_intrinsic(name: str, dtype: np.dtype[Any] | None, *arguments: Any) -> Any:
    """The value of an intrinsic function in the type `dtype` (a number or logical is converted to it at the end)."""
    function = INTRINSICS.get(name)
    if function is None:
        raise UnsupportedError(f"the intrinsic function {name} is not supported")
    value = function(dtype, *arguments)
    if dtype is None or dtype.kind == "S" or isinstance(value, bytes) or not hasattr(value, "dtype"):
        return dtype.type(value) if dtype is not None and dtype.kind != "S" and isinstance(value, int | bool) else value
    if value.dtype != dtype:
        value = value.astype(dtype)
    return value if value.shape else value[()]
