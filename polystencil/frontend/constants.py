"""The value of a constant expression, as NumPy scalars, `bytes` and Fortran-ordered arrays.

Real arithmetic is done in the kind of its operands, one rounding per operation, as a compiler folds it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from polystencil.frontend.conversion import single
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Type
from polystencil.ir.typing import type_of
from polystencil.semantics.exact import rounded

_DTYPES = {
    ("integer", 1): np.int8, ("integer", 2): np.int16, ("integer", 4): np.int32, ("integer", 8): np.int64,
    ("real", 4): np.float32, ("real", 8): np.float64, ("complex", 4): np.complex64, ("complex", 8): np.complex128,
}  # fmt: skip


class NotConstantError(Exception):
    """The expression has a part whose value is not known before the program runs."""

    def __init__(self, part: x.Expression | None = None, reason: str = "") -> None:
        super().__init__(reason)
        self.part, self.reason = part, reason


def dtype_of(t: Type) -> Any:
    """The NumPy type of an element."""
    if isinstance(t, Intrinsic):
        if t.base == "logical":
            return np.bool_
        if (t.base, t.kind) in _DTYPES:
            return _DTYPES[t.base, t.kind]
    raise NotConstantError(reason=f"no constants of type {t}")


class Evaluator:
    """Evaluates expressions; `arrays` gives the value of an array-valued parameter by its id (or None)."""

    def __init__(self, arrays: Callable[[str], Any]) -> None:
        self._arrays = arrays
        self._variables: dict[str, Any] = {}

    def value(self, e: x.Expression) -> Any:
        """The value, or NotConstantError."""
        with np.errstate(all="ignore"):
            return self._value(e)

    def _value(self, e: x.Expression) -> Any:
        match e:
            case x.Literal() | x.NamedConstant():
                return as_numpy(e.value, e.type)
            case x.Paren():
                return self._value(e.operand)
            case x.Convert():
                return convert_value(self._value(e.operand), e.type)
            case x.Unary():
                v = self._value(e.operand)
                return np.logical_not(v) if e.operator == ".not." else (-v if e.operator == "-" else v)
            case x.Binary():
                return _binary(e.operator, self._value(e.left), self._value(e.right))
            case x.Ref():
                if e.id in self._variables:
                    return self._variables[e.id]
                found = self._arrays(e.id)
                if found is None:
                    raise NotConstantError(e)
                return found
            case x.ArrayConstructor():
                return self._constructor(e)
            case x.Element():
                return self._element(e)
            case x.Section():
                return self._section(e)
            case x.Substring():
                text = self._value(e.base)
                lower = 1 if e.lower is None else int(self._value(e.lower))
                upper = len(text) if e.upper is None else int(self._value(e.upper))
                return text[lower - 1 : max(upper, lower - 1)]
            case x.IntrinsicCall():
                from polystencil.frontend.constant_intrinsics import intrinsic_value

                return intrinsic_value(e, self._value)
            case _:
                raise NotConstantError(e)

    def _constructor(self, e: x.ArrayConstructor) -> Any:
        flat: list[Any] = []
        for item in e.items:
            self._append(item, flat)
        if isinstance(e.type, Intrinsic) and e.type.base == "character":
            return _text_array(flat)
        return np.array(flat, dtype=dtype_of(e.type))

    def _append(self, item: x.Expression, flat: list[Any]) -> None:
        if not isinstance(item, x.ImpliedDo):
            v = self._value(item)
            flat.extend(v.ravel(order="F")) if isinstance(v, np.ndarray) else flat.append(v)
            return
        lower, upper = int(self._value(item.lower)), int(self._value(item.upper))
        step = 1 if item.step is None else int(self._value(item.step))
        kind = dtype_of(item.variable.type)
        before = self._variables.get(item.variable.id)
        for i in range(lower, upper + (1 if step > 0 else -1), step):
            self._variables[item.variable.id] = kind(i)
            for inner in item.items:
                self._append(inner, flat)
        if before is None:
            self._variables.pop(item.variable.id, None)

    def _base(self, base: x.Expression) -> tuple[Any, tuple[int, ...]]:
        value = self._value(base)
        lower = self._arrays(base.id + "%lower") if isinstance(base, x.Ref) else None
        return value, lower or (1,) * value.ndim

    def _element(self, e: x.Element) -> Any:
        array, lower = self._base(e.base)
        index = tuple(int(self._value(i)) - low for i, low in zip(e.indices, lower, strict=True))
        if any(not 0 <= i < n for i, n in zip(index, array.shape, strict=True)):
            raise NotConstantError(e, "subscript out of bounds")
        value = array[index]
        return value.ljust(array.dtype.itemsize) if isinstance(value, bytes) else value

    def _section(self, e: x.Section) -> Any:
        array, lower = self._base(e.base)
        index: list[Any] = []
        for s, low, n in zip(e.subscripts, lower, array.shape, strict=True):
            if isinstance(s, x.Range):
                step = 1 if s.step is None else int(self._value(s.step))
                first = low if s.lower is None else int(self._value(s.lower))
                last = low + n - 1 if s.upper is None else int(self._value(s.upper))
                index.append(np.arange(first, last + (1 if step > 0 else -1), step) - low)
            else:
                index.append(np.atleast_1d(self._value(s)) - low)
        out = array[np.ix_(*index)]
        drop = tuple(
            k for k, s in enumerate(e.subscripts) if not isinstance(s, x.Range) and np.ndim(self._value(s)) == 0
        )
        return out.squeeze(axis=drop)


def as_numpy(value: Any, t: Type) -> Any:
    """A literal's value as a NumPy scalar."""
    if isinstance(value, (bytes, np.ndarray)):
        return value
    return dtype_of(t)(value)


def as_literal_value(value: Any) -> Any:
    """A NumPy scalar as the Python value that a Literal holds."""
    if isinstance(value, bytes):
        return bytes(value)
    return value.item() if hasattr(value, "item") else value


def convert_value(v: Any, t: Type) -> Any:
    """Conversion as the intrinsics int, real and cmplx do it."""
    kind = dtype_of(t)
    assert isinstance(t, Intrinsic)
    if t.base != "complex" and np.iscomplexobj(v):
        v = v.real
    if isinstance(v, np.ndarray):
        return v.astype(kind)
    if t.base == "integer":
        number = int(v)
        bits = 8 * t.kind
        number &= (1 << bits) - 1
        return kind(number - (1 << bits) if number >> (bits - 1) else number)
    return kind(v)


def _text_array(flat: list[bytes]) -> Any:
    width = max((len(t) for t in flat), default=0)
    return np.array([t.ljust(width) for t in flat], dtype=f"S{max(width, 1)}")


def _truncated_quotient(a: Any, b: Any) -> Any:
    if np.any(np.equal(b, 0)):
        raise NotConstantError(reason="division by zero")
    q = np.abs(a) // np.abs(b)
    return (
        np.where(np.sign(a) * np.sign(b) < 0, -q, q).astype(np.result_type(a))
        if np.ndim(q)
        else type(a)(-q if (a < 0) != (b < 0) else q)
    )


def power(a: Any, b: Any) -> Any:
    """`a**b`; a real to an integer power exactly, rounded once."""
    if np.ndim(a) or np.ndim(b):
        return np.vectorize(power, otypes=[np.result_type(a)])(a, b)
    if isinstance(b, np.integer):
        n = int(b)
        if isinstance(a, np.integer):
            if n < 0:
                if int(a) == 0:
                    raise NotConstantError(reason="zero to a negative power")
                return type(a)(int(a) ** -n if abs(int(a)) == 1 else 0)
            return convert_value(int(a) ** n, Intrinsic("integer", a.dtype.itemsize))
        if isinstance(a, np.floating) and np.isfinite(a) and (a != 0 or n >= 0) and abs(n) <= 1024:
            return rounded(Fraction(float(a)) ** n, a.dtype)  # gfortran folds exactly and rounds once
        out = type(a)(1)
        for _ in range(abs(n)):
            out = type(a)(out * a)
        return type(a)(1) / out if n < 0 else out
    if isinstance(a, np.float32):
        return np.float32(single(float(np.power(float(a), float(b)))))
    return np.power(a, b)


def _binary(operator: str, a: Any, b: Any) -> Any:
    integer = np.issubdtype(np.result_type(a), np.integer) if not isinstance(a, bytes) else False
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return _truncated_quotient(a, b) if integer else a / b
        case "**":
            return power(a, b)
        case "//":
            return bytes(a) + bytes(b)
        case ".and.":
            return np.logical_and(a, b)
        case ".or.":
            return np.logical_or(a, b)
        case ".eqv.":
            return np.equal(a, b)
        case ".neqv.":
            return np.not_equal(a, b)
    if isinstance(a, bytes):
        width = max(len(a), len(b))
        a, b = a.ljust(width), b.ljust(width)
        return np.bool_({"==": a == b, "/=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator])
    compare = {"==": np.equal, "/=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
               ">=": np.greater_equal}  # fmt: skip
    return compare[operator](a, b)


def constant_of(e: x.Expression, evaluator: Evaluator) -> x.Literal | None:
    """`e` as a literal when it is a scalar constant, else None."""
    if isinstance(e, x.Literal):
        return e
    try:
        value = evaluator.value(e)
    except NotConstantError:
        return None
    t = type_of(e)
    if isinstance(value, np.ndarray) and value.ndim:
        return None
    return x.Literal(as_literal_value(value), t)
