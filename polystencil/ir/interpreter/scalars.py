"""Integer expressions as Python ints: the fast way for subscripts, bounds and loop limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def constant_number(e: x.Expression) -> int | None:
    """The value of an integer constant."""
    if isinstance(e, (x.Literal, x.NamedConstant)) and isinstance(e.value, int):
        return int(e.value)
    if isinstance(e, x.Unary) and e.operator == "-":
        inner = constant_number(e.operand)
        return None if inner is None else -inner
    return None


def compile_number(c: Compiler, e: x.Expression) -> Closure:
    """The closure that gives a Python int."""
    known = constant_number(e)
    if known is not None:
        return lambda _: known
    match e:
        case x.Ref() if isinstance(e.type, Intrinsic) and e.type.base == "integer" and rank_of(e) == 0:
            storage = c.variable(e)
            return lambda f: storage(f).item()
        case x.Paren():
            return compile_number(c, e.operand)
        case x.Binary(operator="+" | "-" | "*") if rank_of(e) == 0:
            return _binary(c, e)
        case x.Convert() if isinstance(t := type_of(e.operand), Intrinsic) and t.base == "integer":
            return compile_number(c, e.operand)
        case _:
            value = c.value(e)
            return lambda f: int(value(f))


def _binary(c: Compiler, e: x.Binary) -> Closure:
    left, known = compile_number(c, e.left), constant_number(e.right)
    if known is not None:
        if e.operator == "*":
            return lambda f: left(f) * known
        shift = known if e.operator == "+" else -known
        return lambda f: left(f) + shift
    right = compile_number(c, e.right)
    if e.operator == "+":
        return lambda f: left(f) + right(f)
    if e.operator == "-":
        return lambda f: left(f) - right(f)

    def product(f: Any) -> Any:
        return left(f) * right(f)

    return product
