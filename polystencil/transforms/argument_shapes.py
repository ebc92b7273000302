"""From an actual argument and a dummy's declaration to what the dummy is; NotInlined where its elements may be others.

An explicit shape counts its elements in sequence: it has to agree with the actual's in all dimensions but the last.
"""

from __future__ import annotations

from collections.abc import Callable

from polystencil.ir import expressions as x
from polystencil.ir.building import add_constant, minus, plus, value_of
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import ONE, bound_expression, lower_bound
from polystencil.polyhedral.parameters import Parameters
from polystencil.transforms.array_argument import Along, ArrayArgument, same_kind
from polystencil.transforms.inline_refusal import NotInlined

InCaller = Callable[[x.Expression], x.Expression]


def array_argument(
    actual: x.Expression, dummy: Symbol, in_caller: InCaller, at_call: InCaller, fixed: InCaller, table: SymbolTable
) -> ArrayArgument:
    """What an array dummy is.

    `in_caller` gives a bound of its declaration in the caller's terms, `at_call` its value at the call, `fixed` an
    expression of the caller that keeps its value while the body runs.
    """
    name, shape = dummy.name, dummy.shape or ()
    if not isinstance(actual, (x.Ref, x.Component, x.Section)):
        what = "an element, from which on they are taken in sequence" if isinstance(actual, x.Element) else "an expression"
        raise NotInlined(f"the argument for {name} is {what}, not an array or a section")
    base = actual.base if isinstance(actual, x.Section) else actual
    if not isinstance(base, (x.Ref, x.Component)) or (isinstance(base, x.Component) and (not base.rank or rank_of(base.base))):
        raise NotInlined(f"the argument for {name} is a component of several records")
    if rank_of(actual) != len(shape):
        raise NotInlined(f"the argument for {name} has another rank")
    positions = actual.subscripts if isinstance(actual, x.Section) else (x.Range(None, None, None),) * rank_of(base)
    out: list[Along | x.Expression] = []
    dummy_at = 0
    for k, position in enumerate(positions):
        if not isinstance(position, x.Range):
            if rank_of(position):
                raise NotInlined(f"the argument for {name} has a vector subscript")
            out.append(fixed(position))
            continue
        last = dummy_at == len(shape) - 1
        out.append(_along(base, k, position, shape[dummy_at], last, name, in_caller, at_call, fixed, table))
        dummy_at += 1
    return ArrayArgument(name, base, tuple(out))


def _along(
    base: x.Expression, k: int, r: x.Range, d: Dimension, last: bool, name: str, in_caller: InCaller,
    at_call: InCaller, fixed: InCaller, table: SymbolTable,
) -> Along:  # fmt: skip
    dim = x.Literal(k + 1, INTEGER)
    step = _constant(r.step or ONE)
    direction = value_of(step)
    if direction is None or direction == 0:
        raise NotInlined(f"the section for {name} has a stride that is not constant")
    entire = r.lower is None and r.upper is None and direction == 1
    low, high = (x.IntrinsicCall(w, (base, dim), INTEGER) for w in ("lbound", "ubound"))
    known = lower_bound(base, k, table)
    first, end = (known or low, high) if direction > 0 else (high, known or low)
    start = _constant(first if r.lower is None else fixed(r.lower))
    stop = None if entire else end if r.upper is None else fixed(r.upper)
    own = ONE if d.lower is None else _constant(in_caller(d.lower))
    size = x.IntrinsicCall("size", (base, dim), INTEGER)
    of_actual = size if stop is None else _count(start, stop, direction)
    if d.assumed:
        whole = entire
        extent = of_actual
    elif isinstance(d.upper, x.Expression):
        extent = _at_least_zero(add_constant(minus(*same_kind(in_caller(d.upper), own)), 1))
        declared = add_constant(minus(*same_kind(at_call(d.upper), at_call(d.lower or ONE))), 1)
        same = _agree(declared, size if stop is None else _distance(start, stop, direction), table)
        if not last and not same:
            raise NotInlined(f"{name} may have another shape than its argument, whose elements it takes in sequence")
        whole = entire and same
    else:
        raise NotInlined(f"the shape of {name} is not known")
    equal = own == start or (value_of(own) is not None and value_of(own) == value_of(start))
    return Along(start, step, own, extent, whole, entire and equal)


def _constant(e: x.Expression) -> x.Expression:
    """A constant that may stand behind a minus, as one."""
    v = value_of(e.operand) if isinstance(e, x.Unary) and e.operator == "-" else None
    return e if v is None else x.Literal(-v, type_of(e))


def _distance(start: x.Expression, stop: x.Expression, direction: int) -> x.Expression:
    """The number of elements of a range that has any."""
    a, b = (start, stop) if direction > 0 else (stop, start)
    length = minus(*same_kind(b, a))
    if abs(direction) == 1:
        return add_constant(length, 1)
    if (v := value_of(length)) is not None:
        return x.Literal(max(v + abs(direction), 0) // abs(direction), type_of(length))
    stride = x.Literal(abs(direction), type_of(length))
    return x.Binary("/", plus(length, stride), stride)


def _count(start: x.Expression, stop: x.Expression, direction: int) -> x.Expression:
    return _at_least_zero(_distance(start, stop, direction))


def _at_least_zero(e: x.Expression) -> x.Expression:
    v = value_of(e)
    kind = type_of(e)
    if v is not None:
        return x.Literal(max(v, 0), kind)
    return x.IntrinsicCall("max", (e, x.Literal(0, kind)), kind)


def _agree(a: x.Expression, b: x.Expression, table: SymbolTable) -> bool:
    """Whether two extents are equal at the call; sizes of arrays by their declarations where nothing changes those."""
    scope = Scope(
        Parameters(), lambda _: True, bound_of=lambda e: bound_expression(e, table, lambda _: True)
    )
    f, g = to_affine(a, scope), to_affine(b, scope)
    if f is None or g is None:
        return a == b
    zero = f.sub(f)
    return bool(f.max(zero).ne_set(g.max(zero)).is_empty())
