"""From Python arguments to the storage that a procedure takes, checked, and back to results.

Scalars go in by value; those that the procedure may change come back as results. Arrays are changed in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from polystencil.codegen.generated import Parameter, Signature
from polystencil.errors import UsageError
from polystencil.semantics.values import Allocatable, Array


@dataclass
class Bound:
    """Values in the order of the dummies, and (name, storage) of those that are results."""

    values: list[Any]
    results: list[tuple[str, Any]]


def bind_arguments(signature: Signature, positional: tuple[Any, ...], named: dict[str, Any]) -> Bound:
    """Match, check and wrap the arguments of a call; nothing is changed when one is wrong."""
    parameters = signature.parameters
    if len(positional) > len(parameters):
        raise UsageError(f"{signature.name} takes {len(parameters)} arguments, but {len(positional)} are given")
    given: dict[str, Any] = {p.name: v for p, v in zip(parameters, positional, strict=False)}
    names = {p.name for p in parameters}
    for name, value in named.items():
        low = name.lower()
        if low not in names:
            raise UsageError(
                f"{signature.name} has no argument {name!r}", hint=f"arguments: {', '.join(p.name for p in parameters)}"
            )
        if low in given:
            raise UsageError(f"argument {name!r} of {signature.name} is given twice")
        given[low] = value
    bound = Bound([], [])
    for p in parameters:
        value = given.get(p.name)
        if value is None:
            bound.values.append(_missing(signature, p, bound))
        elif p.kind == "array":
            bound.values.append(_array(signature, p, value))
        elif p.kind == "scalar":
            bound.values.append(_scalar(signature, p, value, bound))
        else:
            raise UsageError(f"argument {p.name!r} of {signature.name} is of a type that cannot come from Python")
    return bound


def _missing(signature: Signature, p: Parameter, bound: Bound) -> Any:
    if p.kind == "scalar" and p.intent == "out" and p.dtype not in (None, "S"):
        storage = np.zeros((), p.dtype)
        bound.results.append((p.name, storage))
        return storage
    if p.optional:
        return None
    raise UsageError(f"argument {p.name!r} of {signature.name} is missing")


def _array(signature: Signature, p: Parameter, value: Any) -> Any:
    where = f"argument {p.name!r} of {signature.name}"
    if not isinstance(value, np.ndarray):
        if p.intent != "in":
            raise UsageError(
                f"{where} must be a NumPy array, because the procedure changes it; it is a {type(value).__name__}"
            )
        value = np.asarray(value, p.dtype, order="F")
    assert p.dtype is not None
    if p.dtype == "S":
        if value.dtype.kind != "S":
            raise UsageError(f"{where} must be an array of bytes (dtype S), not {value.dtype}")
    elif value.dtype != np.dtype(p.dtype):
        raise UsageError(
            f"{where} has dtype {value.dtype}, but must have {p.dtype}",
            hint=f"use {p.name}.astype(np.{p.dtype}, order='F')",
        )
    if value.ndim != p.rank:
        raise UsageError(f"{where} has {value.ndim} dimensions, but must have {p.rank}")
    for d, (n, wanted) in enumerate(zip(value.shape, p.extents, strict=True)):
        if wanted is not None and n != wanted:
            raise UsageError(f"{where} has extent {n} in dimension {d + 1}, but must have {wanted}")
    if not value.flags.f_contiguous and value.flags.c_contiguous and value.ndim > 1:
        raise UsageError(f"{where} is in C order", hint=f"Fortran arrays are in F order: np.asfortranarray({p.name})")
    if not value.flags.writeable and p.intent != "in":
        raise UsageError(f"{where} is read-only, but the procedure changes it")
    array = Array(value, (1,) * value.ndim)
    return Allocatable(array) if p.allocatable else array


def _scalar(signature: Signature, p: Parameter, value: Any, bound: Bound) -> Any:
    where = f"argument {p.name!r} of {signature.name}"
    assert p.dtype is not None
    if p.dtype == "S":
        text = value.encode() if isinstance(value, str) else value
        if not isinstance(text, bytes):
            raise UsageError(f"{where} must be text")
        return text if p.by_value else np.array(text, f"S{max(len(text), 1)}")
    dtype = np.dtype(p.dtype)
    if isinstance(value, np.ndarray):
        if value.shape != ():
            raise UsageError(f"{where} must be a scalar, not an array of shape {value.shape}")
        if not p.by_value and p.intent != "in" and value.dtype == dtype:
            return value
        value = value[()]
    here = np.asarray(value).dtype
    order = "biufc"
    if here.kind not in order or order.index(here.kind.replace("u", "i")) > order.index(dtype.kind):
        raise UsageError(f"{where} must be {p.dtype}, not {type(value).__name__}")
    if dtype.kind == "i" and not np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max:
        raise UsageError(f"{where}: {value} does not fit into {p.dtype}")
    if p.by_value:
        return dtype.type(value)
    storage = np.array(value, dtype)
    if p.intent != "in":
        bound.results.append((p.name, storage))
    return storage


def results_of(signature: Signature, bound: Bound, value: Any) -> Any:
    """The function's value, then scalars that may have been changed; None, one value, or a tuple."""
    out = [storage[()] for _, storage in bound.results]
    if signature.has_result:
        out.insert(0, value)
    if not out:
        return None
    return out[0] if len(out) == 1 else tuple(out)
