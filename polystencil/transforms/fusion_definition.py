"""From an assignment of a producer loop to the definition of an array: which iteration assigns which element."""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import integer, minus, plus
from polystencil.ir.program import Symbol
from polystencil.ir.sums import minus_cancelled
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_paths import name_of, path_of
from polystencil.transforms.fusion_refusal import NotFused


@dataclass(frozen=True)
class Definition:
    """`array(subscripts) = value` in the producer's iteration; `solve` gives, per subscript position, the index of
    the loop that moves along it and the sign and rest of `sign*index + rest`.

    Where the value is not one expression (branches with else, private variables), `program` computes it into `result`.
    `tests` are the conditions of the ifs around the assignment.
    """

    array: x.Expression
    path: str
    subscripts: tuple[x.Expression, ...]
    value: x.Expression
    solve: tuple[tuple[int, str, int, x.Expression | None], ...]
    span: Span
    target: x.Element
    tests: tuple[x.Expression, ...] = ()
    program: s.Body = ()
    result: Symbol | None = None


def definition(
    st: s.Assign, target: x.Element, loop: s.ParallelLoop, tests: tuple[x.Expression, ...] = ()
) -> Definition:
    """The definition that an assignment is; NotFused where it is not element by element at the iteration's own."""
    path = path_of(target.base)
    indices = {i.ref.id for i in loop.indices}
    kind = type_of(target)
    if not isinstance(kind, Intrinsic) or kind.base == "character":
        raise NotFused("the producer assigns elements of a character or derived type")
    if path is None or any(isinstance(n, x.Ref) and n.id in indices for n in walk_expression(target.base)):
        raise NotFused("the producer assigns an element of an array that the iteration itself chooses")
    solve: list[tuple[int, str, int, x.Expression | None]] = []
    for position, subscript in enumerate(target.indices):
        inside = [n.id for n in walk_expression(subscript) if isinstance(n, x.Ref) and n.id in indices]
        if not inside:
            continue
        form = _signed(subscript, inside[0]) if len(inside) == 1 else None
        if form is None:
            raise NotFused(
                f"the producer assigns {name_of(path)} not element by element at its own iteration: its subscript is no "
                "index plus or minus something fixed (not affine, or a permutation)"
            )
        solve.append((position, inside[0], *form))
    if sorted(index for _, index, _, _ in solve) != sorted(indices):
        raise NotFused(f"the producer assigns {name_of(path)} not at its own iteration: two iterations may assign one element")
    return Definition(target.base, path, target.indices, st.value, tuple(solve), st.span, target, tests)


def _signed(e: x.Expression, index: str) -> tuple[int, x.Expression | None] | None:
    """(sign, rest) with e = sign*index + rest; rest None is zero."""
    match e:
        case x.Ref() if e.id == index:
            return 1, None
        case x.Paren():
            return _signed(e.operand, index)
        case x.Convert():
            return _signed(e.operand, index)
        case x.Unary() if e.operator == "-":
            inner = _signed(e.operand, index)
            return None if inner is None or inner[1] is not None else (-1, None)
        case x.Binary() if e.operator in ("+", "-"):
            left, right = _signed(e.left, index), _signed(e.right, index)
            if left is not None and not _names(e.right, index):
                rest = e.right if e.operator == "+" else minus(_zero(e.right), e.right)
                return left[0], rest if left[1] is None else plus(left[1], rest)
            if right is not None and not _names(e.left, index):
                sign = right[0] if e.operator == "+" else -right[0]
                if right[1] is None:
                    return sign, e.left
                return sign, plus(e.left, right[1]) if e.operator == "+" else minus(e.left, right[1])
            return None
        case _:
            return None


def _zero(like: x.Expression) -> x.Expression:
    return integer(0, type_of(like))


def _names(e: x.Expression, id: str) -> bool:
    return any(isinstance(n, x.Ref) and n.id == id for n in walk_expression(e))


def indices_at(d: Definition, subscripts: tuple[x.Expression, ...]) -> dict[str, x.Expression]:
    """The producer's iteration that assigns the element at `subscripts`."""
    at: dict[str, x.Expression] = {}
    for position, index, sign, rest in d.solve:
        e = subscripts[position]
        distance = e if rest is None else minus_cancelled(e, rest)
        at[index] = distance if sign == 1 else minus(x.Literal(0, type_of(e)), distance)
    return at
