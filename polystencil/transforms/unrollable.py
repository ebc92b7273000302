"""Which loops are unrolled: innermost, small, with a 32-bit counter, a trip count of run time and loads of arrays."""

from __future__ import annotations

import re
from dataclasses import dataclass

from polystencil.analysis.definitions import base_id, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of, type_of

SMALL = 250  # nodes of expressions
LIMIT = 2**31 - 1
_OTHER_NAMES = frozenset(("target", "pointer", "allocatable", "volatile", "asynchronous"))
_UNROLL = re.compile(r"unroll\s*\(\s*(\d+)\s*\)")
_BOUND_NODES = (x.Literal, x.NamedConstant, x.Ref, x.Binary, x.Unary, x.Paren, x.Convert)


class NotUnrolled(Exception):
    """A loop stays as it is; the message says why."""


@dataclass(frozen=True)
class Found:
    """A loop that qualifies. `factor` is the author's (0: none); `bound` and `inclusive` are a while loop's."""

    step: int
    loads: int
    nodes: int
    factor: int = 0
    bound: x.Expression | None = None
    inclusive: bool = False


def examine(st: s.Do | s.DoWhile, private: frozenset[str], table: SymbolTable) -> Found:
    """What unrolling a loop needs to know; NotUnrolled says which condition does not hold."""
    factor = author_factor(st.directives)
    _body(st, table)
    if isinstance(st, s.Do):
        step, bound, inclusive = _counted(st), None, True
    else:
        step, bound, inclusive = _while(st, table)
    loads = count_loads(st.body, private)
    if not loads:
        raise NotUnrolled("the body reads no array in global memory: there are no loads to have in flight")
    nodes = sum(1 for _ in walk_body_expressions(st.body))
    if nodes > SMALL and not factor:
        raise NotUnrolled(f"the body is not small: {nodes} nodes of expressions, more than {SMALL}")
    if max(factor, 2) * abs(step) > LIMIT // 4:
        raise NotUnrolled("the step is too large for several of them in 32 bits")
    return Found(step, loads, nodes, factor, bound, inclusive)


def author_factor(directives: tuple[str, ...]) -> int:
    """The factor that a directive of the source asks for, 0 where there is none."""
    for text in directives:
        asked = _UNROLL.fullmatch(text.strip().lower())
        if asked is not None and int(asked[1]) > 1:
            return int(asked[1])
        if asked is not None or text.strip().lower() == "nounroll" or text.startswith("hint "):
            raise NotUnrolled(f"an explicit directive of the author wins: {text}")
    return 0


def _body(st: s.Do | s.DoWhile, table: SymbolTable) -> None:
    own = {i.name for i in walk_statements(st.body) if isinstance(i, s.Block) and i.name}
    for inner in walk_statements(st.body):
        match inner:
            case s.Do() | s.DoWhile() | s.ParallelLoop() | s.Where() | s.Forall():
                raise NotUnrolled("the loop is not innermost: its body has a nested loop")
            case s.Return():
                raise NotUnrolled("the body has a return")
            case s.Call() | s.CallIntrinsic():
                raise NotUnrolled("the body has a call of a subroutine")
            case s.Block() if any(v.shape is not None for v in inner.declarations):
                raise NotUnrolled("the body declares an array in a block")
            case s.Cycle() if inner.target == st.name and isinstance(st, s.Do):
                pass
            case s.Exit() | s.Cycle() if inner.target not in own:
                raise NotUnrolled("the body has a statement that leaves the loop (exit or cycle)")
            case s.Assign() if rank_of(inner.target):
                raise NotUnrolled("the loop is not innermost: an array assignment is a nested loop")
            case s.Assign() | s.If() | s.SelectCase() | s.Block() | s.Continue() | s.Exit():
                pass
            case _:
                raise NotUnrolled(f"the body has a statement of another kind ({type(inner).__name__.lower()})")
    for e in walk_body_expressions(st.body):
        if isinstance(e, x.FunctionCall):
            raise NotUnrolled("the body has a call of a function that stays a call")
        if isinstance(e, (x.Section, x.ArrayConstructor, x.ImpliedDo)) or (
            isinstance(e, x.IntrinsicCall)
            and any(a is not None and rank_of(a) for a in e.arguments)
            and e.name not in ("size", "lbound", "ubound")
        ):
            raise NotUnrolled("the loop is not innermost: an array expression is a nested loop")
    del table


def _counted(st: s.Do) -> int:
    if type_of(st.index) != INTEGER:
        raise NotUnrolled("the index is not a 32-bit integer")
    if not isinstance(st.index, x.Ref) or st.index.rank:
        raise NotUnrolled("the index is not a plain variable")
    step = _constant(st.step)
    if not step:
        raise NotUnrolled("the step is not constant")
    if _constant(st.lower) is not None and _constant(st.upper) is not None:
        raise NotUnrolled("both bounds are constant: the device's compiler unrolls such a loop")
    return step


def _while(st: s.DoWhile, table: SymbolTable) -> tuple[int, x.Expression, bool]:
    shape = "the while loop does not have the shape: k < bound, with k = k + c as its last statement"
    condition = st.condition
    while isinstance(condition, x.Paren):
        condition = condition.operand
    if not isinstance(condition, x.Binary) or condition.operator not in ("<", "<=", ">", ">="):
        raise NotUnrolled(shape)
    k, bound = condition.left, condition.right
    if condition.operator in (">", ">="):
        k, bound = bound, k
    if not isinstance(k, x.Ref) or k.rank:
        raise NotUnrolled(shape)
    if type_of(k) != INTEGER or type_of(bound) != INTEGER:
        raise NotUnrolled("the index is not a 32-bit integer")
    step = _increment(st.body[-1] if st.body else None, k, shape)
    earlier = defined_in(st.body[:-1], table)
    if k.id in earlier.ids:
        raise NotUnrolled("the index is assigned elsewhere than in the last statement of the body")
    names = [n.id for n in walk_expression(bound) if isinstance(n, x.Ref)]
    if earlier.unknown or k.id in names or any(n in earlier.ids for n in names):
        raise NotUnrolled("the bound is not invariant: the body assigns what it is made of")
    if not all(isinstance(n, _BOUND_NODES) and not (isinstance(n, x.Ref) and n.rank) for n in walk_expression(bound)):
        raise NotUnrolled("the bound is not made of constants and variables")
    for name in (k.id, *names):
        symbol = table.symbols.get(name)
        if symbol is None or symbol.attributes & _OTHER_NAMES or symbol.block is not None:
            raise NotUnrolled("the index or the bound may be assigned under another name")
    return step, bound, condition.operator in ("<=", ">=")


def _increment(last: s.Statement | None, k: x.Ref, shape: str) -> int:
    if not isinstance(last, s.Assign) or last.target != k or not isinstance(last.value, x.Binary):
        raise NotUnrolled(shape)
    left, right = last.value.left, last.value.right
    if left != k:
        left, right = right, left
    if last.value.operator != "+" or left != k:
        raise NotUnrolled("the index does not grow by a positive constant: " + shape)
    step = _constant(right)
    if step is None or step <= 0:
        raise NotUnrolled("the index does not grow by a positive constant")
    return step


def _constant(e: x.Expression) -> int | None:
    if isinstance(e, x.Paren):
        return _constant(e.operand)
    if isinstance(e, x.Unary) and e.operator == "-":
        inner = _constant(e.operand)
        return None if inner is None else -inner
    return value_of(e)


def count_loads(body: s.Body, private: frozenset[str]) -> int:
    """Different elements of arrays in global memory that an iteration reads."""
    seen: set[x.Element] = set()
    for st in walk_statements(body):
        tops = list(child_expressions(st))
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element):
            tops = [*st.target.indices, st.value]
        for top in tops:
            seen |= {e for e in walk_expression(top) if isinstance(e, x.Element) and base_id(e) not in private}
    return len(seen)
