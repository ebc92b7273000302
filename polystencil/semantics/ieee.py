"""Functions of the module ieee_arithmetic; all but the inquiries are elemental."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def value(x: Any, kind: Any) -> Any:
    """ieee_value: a number of class `kind` (numbered as in libgfortran) in the type of `x`."""
    info = np.finfo(x.dtype)
    table = {
        1: np.nan, 2: np.nan, 3: -np.inf, 4: -42.0, 5: -float(info.tiny) / 2, 6: -0.0, 7: 0.0, 8: float(info.tiny) / 2,
        9: 42.0, 10: np.inf,
    }  # fmt: skip
    out = x.dtype.type(table.get(int(kind), 0.0))
    return np.full(x.shape, out, x.dtype) if x.shape else out


def is_normal(x: Any) -> Any:
    return np.isfinite(x) & ((np.abs(x) >= np.finfo(x.dtype).tiny) | (x == 0))


def is_negative(x: Any) -> Any:
    return np.signbit(x) & ~np.isnan(x)


def logb(x: Any) -> Any:
    return (np.frexp(x)[1] - 1).astype(x.dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ieee_value": value, "ieee_is_nan": np.isnan, "isnan": np.isnan, "ieee_is_finite": np.isfinite,
    "ieee_is_normal": is_normal, "ieee_is_negative": is_negative,
    "ieee_unordered": lambda x, y: np.isnan(x) | np.isnan(y), "ieee_copy_sign": np.copysign, "ieee_rint": np.rint,
    "ieee_logb": logb, "ieee_next_after": np.nextafter, "ieee_max_num": np.fmax, "ieee_min_num": np.fmin,
    **{f"ieee_support_{n}": lambda *_x: np.True_ for n in ("datatype", "nan", "inf", "denormal", "standard")},
}  # fmt: skip
