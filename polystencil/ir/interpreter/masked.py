"""Values under a where mask: elemental operations for the active elements alone.

Everything else (whole arrays, transformational functions) is evaluated in full and then packed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.ir import expressions as x
from polystencil.ir.interpreter import calls, intrinsic_calls, operators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.rearrangement import gather
from polystencil.semantics.values import storage_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

_NOT_ELEMENTAL = frozenset({
    "sum", "product", "maxval", "minval", "any", "all", "parity", "count", "maxloc", "minloc", "findloc", "iall",
    "iany", "iparity", "norm2", "dot_product", "matmul", "transpose", "reshape", "spread", "pack", "unpack", "cshift",
    "eoshift", "shape", "lbound", "ubound", "transfer",
})  # fmt: skip


def masked_value(c: Compiler, e: x.Expression, slot: int) -> Closure:
    """The value of `e` at the active elements only, rank 1; scalars stay scalars.

    `slot` holds the element numbers (0-based, element order) that the mask leaves active.
    """
    if rank_of(e) == 0:
        return c.value(e)
    match e:
        case x.Paren():
            return masked_value(c, e.operand, slot)
        case x.Unary():
            return operators.unary(e.operator, masked_value(c, e.operand, slot), False)
        case x.Binary():
            left, right = masked_value(c, e.left, slot), masked_value(c, e.right, slot)
            return operators.binary(e, left, right, rank_of(e.left), rank_of(e.right))
        case x.Convert():
            operand = masked_value(c, e.operand, slot)
            target = number_dtype(e.type)
            assert target is not None
            convert = operators.conversion(number_dtype(type_of(e.operand)), target, False)
            return lambda f: convert(operand(f))
        case x.IntrinsicCall() if e.name not in _NOT_ELEMENTAL:
            arguments = [(lambda _: None) if a is None else masked_value(c, a, slot) for a in e.arguments]
            return intrinsic_calls.apply(e, arguments)
        case x.FunctionCall():
            elementwise = _masked_call(c, e, slot)
            if elementwise is not None:
                return elementwise
    value = c.value(e)
    return lambda f: gather(value(f), f[slot])


def _masked_call(c: Compiler, e: x.FunctionCall, slot: int) -> Closure | None:
    found = calls.elementwise_target(c, e.target)
    if found is None or not calls.is_elementwise(e.arguments, found[1]):
        return None
    resolve, element = found[0], c.element(e.type)
    arguments = [(lambda _: None) if a is None else masked_value(c, a, slot) for a in e.arguments]

    def call(f: Any) -> Any:
        routine, host = resolve(f)
        actuals = [None if (v := a(f)) is None else storage_of(v) for a in arguments]
        return calls.apply_elementwise(routine, host, actuals, element(f))

    return call
