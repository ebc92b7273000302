"""Values of expressions: literals, variables, elements, operators, conversions; calls and constructors by name."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.types import Intrinsic
from polystencil.ir.types import Record as RecordType
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics import arithmetic
from polystencil.semantics.assignment import convert
from polystencil.semantics.characters import concatenate_text
from polystencil.semantics.sections import substring
from polystencil.semantics.values import Array, Record

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def value_of(storage: Any) -> Any:
    """The value of storage: the data of an array, a record, a NumPy scalar or bytes."""
    if isinstance(storage, Array):
        return storage.data
    if isinstance(storage, Record):
        return storage
    return storage.tobytes() if storage.dtype.kind == "S" else storage[()]


def is_number(e: x.Expression) -> bool:
    """Whether `e` is of an intrinsic type other than character."""
    return number_dtype(type_of(e)) is not None


def compile_value(c: Compiler, e: x.Expression, fuse: bool = True) -> Closure:
    """The closure that gives the value of `e`; scalar arithmetic is fused into one function unless told not to."""
    if fuse and c.machine.fuse:
        from polystencil.ir.interpreter import fused

        if fused.is_worth_fusing(e):
            return fused.compile_fused(c, e)
    match e:
        case x.Literal() | x.NamedConstant():
            return _literal(e)
        case x.Ref() | x.Component():
            return _whole(c, e)
        case x.Element():
            return _element(c, e)
        case x.Section():
            variable = c.variable(e)
            return lambda f: variable(f).data
        case x.Substring():
            return _substring(c, e)
        case x.Paren():
            return compile_value(c, e.operand)
        case x.Convert():
            return _convert(c, e)
        case x.Unary():
            return unary(e.operator, compile_value(c, e.operand), rank_of(e) == 0)
        case x.Binary():
            return _binary(c, e)
        case _:
            return _others(c, e)


def _others(c: Compiler, e: x.Expression) -> Closure:
    from polystencil.ir.interpreter import calls, constructors, intrinsic_calls

    match e:
        case x.IntrinsicCall():
            return intrinsic_calls.compile_intrinsic(c, e)
        case x.FunctionCall():
            return calls.compile_function(c, e)
        case x.ArrayConstructor():
            return constructors.compile_array(c, e)
        case x.StructureConstructor():
            return constructors.compile_structure(c, e)
        case x.Boz():
            boz = np.int64(e.value if e.value < 2**63 else e.value - 2**64)
            return lambda _: boz
        case _:
            raise UnsupportedError(f"an expression of kind {type(e).__name__} has no value here")


def _literal(e: x.Literal | x.NamedConstant) -> Closure:
    value: Any = e.value
    dtype = number_dtype(e.type)
    if dtype is not None:
        value = dtype.type(value)
    return lambda _: value


def _whole(c: Compiler, e: x.Ref | x.Component) -> Closure:
    variable = c.variable(e)
    if not is_number(e):
        return lambda f: value_of(variable(f))
    if rank_of(e):
        return lambda f: variable(f).data
    if isinstance(e, x.Ref) and not designators.holds_cell(c.symbol(e.id)):
        if e.id in c.machine.static:
            storage = c.machine.static_storage(e.id)
            return lambda _: storage[()]
        if "optional" not in c.symbol(e.id).attributes:
            place = c.scope.find(e.id)
            if place.depth == 0:
                slot = place.slot
                return lambda f: f[slot][()]
    return lambda f: variable(f)[()]


def _element(c: Compiler, e: x.Element) -> Closure:
    if not is_number(e) or rank_of(e):
        variable = c.variable(e)
        return lambda f: value_of(variable(f))
    base = c.variable(e.base)
    indices = [c.number(i) for i in e.indices]
    if len(indices) > 3:
        place = designators.compile_place(c, e)

        def general(f: Any) -> Any:
            data, index = place(f)
            return data[index]

        return general
    name = designators.name_of(c, e.base)

    def failure(array: Array, *subscripts: int) -> FortranRuntimeError:
        return designators.index_error(array, list(subscripts), name)

    if len(indices) == 1:
        (first,) = indices

        def element1(f: Any) -> Any:
            array = base(f)
            i = first(f)
            k = i - array.lower[0]
            if k >= 0:
                try:
                    return array.data[k]
                except IndexError:
                    pass
            raise failure(array, i)

        return element1
    if len(indices) == 2:
        first, second = indices

        def element2(f: Any) -> Any:
            array = base(f)
            i, j = first(f), second(f)
            low0, low1 = array.lower
            k, m = i - low0, j - low1
            if k >= 0 and m >= 0:
                try:
                    return array.data[k, m]
                except IndexError:
                    pass
            raise failure(array, i, j)

        return element2
    first, second, third = indices

    def element3(f: Any) -> Any:
        array = base(f)
        i, j, n = first(f), second(f), third(f)
        low0, low1, low2 = array.lower
        k, m, p = i - low0, j - low1, n - low2
        if k >= 0 and m >= 0 and p >= 0:
            try:
                return array.data[k, m, p]
            except IndexError:
                pass
        raise failure(array, i, j, n)

    return element3


def _substring(c: Compiler, e: x.Substring) -> Closure:
    if rank_of(e.base):
        variable = c.variable(e)
        return lambda f: variable(f).data
    base = c.value(e.base)
    lower = (lambda _: None) if e.lower is None else c.number(e.lower)
    upper = (lambda _: None) if e.upper is None else c.number(e.upper)
    return lambda f: substring(base(f), lower(f), upper(f))


def _convert(c: Compiler, e: x.Convert) -> Closure:
    if isinstance(e.type, RecordType):
        variable = c.variable(e)
        return lambda f: value_of(variable(f))
    operand, dtype = c.value(e.operand), number_dtype(e.type)
    if dtype is None:
        raise UnsupportedError("only numbers and logicals can be converted")
    convert_to = conversion(number_dtype(type_of(e.operand)), dtype, rank_of(e) == 0)
    return lambda f: convert_to(operand(f))


def conversion(source: np.dtype[Any] | None, target: np.dtype[Any], scalar: bool) -> Callable[[Any], Any]:
    """What converts a value of one type into another."""
    if source == target:
        return lambda v: v
    widens = source is not None and source.kind in "if" and target.kind in "fc"
    if scalar and widens:
        return target.type
    return lambda v: convert(v, target)


def unary(name: str, operand: Closure, scalar: bool) -> Closure:
    """A unary operator on what a closure gives."""
    if name == "-":
        return lambda f: -operand(f)
    if name == "+":
        return operand
    if scalar:
        return lambda f: np.False_ if operand(f) else np.True_
    return lambda f: np.logical_not(operand(f))


_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "==": operator.eq, "/=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, ".eqv.": operator.eq, ".neqv.": operator.ne, ".and.": operator.and_,
    ".or.": operator.or_,
}  # fmt: skip
_COMPARISONS = frozenset({"==", "/=", "<", "<=", ">", ">="})


def operation(name: str, operand_type: Any) -> Callable[[Any, Any], Any]:
    """The function of two values that a binary operator stands for."""
    base = operand_type.base if isinstance(operand_type, Intrinsic) else None
    if name == "//":
        return concatenate_text
    if name in _COMPARISONS and base == "character":
        return lambda a, b: arithmetic.compare(name, a, b)
    if name == "**":
        return arithmetic.power
    if name == "/":
        if base == "integer":
            return arithmetic.int_divide
        return arithmetic.complex_divide if base == "complex" else operator.truediv
    if name == "*":
        return arithmetic.multiply if base == "complex" else operator.mul
    return _PLAIN[name]


def conforming(function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """`function` of two arrays, which must have one shape (NumPy would broadcast them)."""

    def checked(a: Any, b: Any) -> Any:
        if a.shape != b.shape:
            raise FortranRuntimeError(f"operands of {name} have shapes {a.shape} and {b.shape}")
        return function(a, b)

    return checked


def _binary(c: Compiler, e: x.Binary) -> Closure:
    left, right = c.value(e.left), c.value(e.right)
    return binary(e, left, right, rank_of(e.left), rank_of(e.right))


def binary(e: x.Binary, left: Closure, right: Closure, left_rank: int, right_rank: int) -> Closure:
    """A binary operator on what two closures give; `.and.` and `.or.` of scalars stop where the left side decides."""
    name = e.operator
    if left_rank == right_rank == 0:
        if name == "+":
            return lambda f: left(f) + right(f)
        if name == "-":
            return lambda f: left(f) - right(f)
        if name == "*":
            return lambda f: left(f) * right(f)
        if name == ".and.":
            return lambda f: left(f) and right(f)
        if name == ".or.":
            return lambda f: left(f) or right(f)
    function = operation(name, type_of(e.left))
    if left_rank and right_rank:
        function = conforming(function, name)
    return lambda f: function(left(f), right(f))
