"""From a time loop that sometimes does more than launch, to loops over the stretches of iterations in between.

    do t = 1, n                               first = 1; limit = n
      ... launches                            do while (first <= limit)
      if (mod(t, 10) == 0) print ...   -->      last = first
    end do                                      do while (last < limit .and. .not. (mod(last, 10) == 0)); last = last + 1; ...
                                                do t = first, last
                                                  ... launches                 ! a time loop that can be skewed
                                                end do
                                                t = last; first = last + 1
                                                if (mod(t, 10) == 0) print ...
                                              end do

The iterations and everything in them run in the same order. Needs conditions that depend on the loop's variable alone
and on what keeps its value in the loop, so that they can be looked at before the iterations in front of them have run.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, TRUE, compare, integer, plus, value_of
from polystencil.ir.directives import HOST
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression, walk_expression, walk_statements
from polystencil.ir.types import LOGICAL

_OPERATORS = frozenset(("+", "-", "*", "==", "/=", "<", "<=", ">", ">=", ".and.", ".or."))


@dataclass(frozen=True, eq=False)
class Stretches:
    """`inner` is the loop over one stretch; `around` puts what is made of it in the place of the whole loop."""

    whole: s.Do
    inner: s.Do
    sometimes: s.Body
    condition: x.Expression
    symbols: tuple[Symbol, ...]

    def around(self, stretch: s.Statement) -> s.Block:
        """The whole loop, with `stretch` for the iterations of one stretch."""
        st, span = self.whole, self.whole.span
        first, last, limit = (x.Ref(v.id, v.type) for v in self.symbols[:3])
        left = x.Ref(self.symbols[3].id, LOGICAL)
        one = integer(1, st.index.type)

        def set(target: x.Ref, value: x.Expression) -> s.Assign:
            return s.Assign(target, value, span=span)

        here = map_expression(self.condition, lambda e: last if isinstance(e, x.Ref) and e.id == st.index.id else e)
        more = x.Binary(".and.", compare("<", last, limit), x.Unary(".not.", x.Paren(here)))
        search = s.DoWhile(more, (set(last, plus(last, one)),), f"{self.inner.name}.search", (HOST,), span=span)
        body: s.Body = (
            set(last, first), search, stretch, set(st.index, last), set(first, plus(last, one)),
            set(left, TRUE), *self.sometimes, set(left, FALSE),
        )  # fmt: skip
        loop = s.DoWhile(compare("<=", first, limit), body, st.name, span=span)
        after = s.If((s.Branch(x.Unary(".not.", left), (set(st.index, first),), span),), span=span)
        return s.Block(self.symbols, (set(limit, st.upper), set(first, st.lower), set(left, FALSE), loop, after), span=span)


def stretches_of(st: s.Do, procedure: Procedure, table: SymbolTable, prefix: str) -> Stretches | None:
    """The stretches of a time loop; None where it has no such form."""
    if value_of(st.step) != 1:
        return None
    end = len(st.body)
    while end and _is_sometimes(st.body[end - 1]):
        end -= 1
    always, sometimes = st.body[:end], st.body[end:]
    if not sometimes or not any(isinstance(i, s.ParallelLoop) for i in walk_statements(always)):
        return None
    keeps = Invariance(table, defined_in((st,), table), procedure.id)
    condition: x.Expression | None = None
    for i in sometimes:
        for branch in i.branches if isinstance(i, s.If) else ():
            if not _depends_on_step(branch.condition, st.index.id, keeps):
                return None
            tested = branch.condition
            condition = tested if condition is None else x.Binary(".or.", x.Paren(condition), x.Paren(tested))
    inside = walk_statements(sometimes)
    if condition is None or any(isinstance(i, s.Cycle) and i.target == st.name for i in inside):
        return None
    kind = st.index.type
    symbols = tuple(Symbol(f"{prefix}.{n}", n, kind, span=st.span) for n in ("first", "last", "limit"))
    left = Symbol(f"{prefix}.left", "left", LOGICAL, span=st.span)
    first, last = (x.Ref(v.id, kind) for v in symbols[:2])
    inner = dataclasses.replace(st, lower=first, upper=last, body=always, name=f"{prefix}.stretch")
    return Stretches(st, inner, sometimes, condition, (*symbols, left))


def _is_sometimes(st: s.Statement) -> bool:
    """An if without else; statements that do nothing go along."""
    return isinstance(st, s.Continue) or (isinstance(st, s.If) and not st.otherwise and st.choice is None)


def _depends_on_step(e: x.Expression, index: str, keeps: Invariance) -> bool:
    """Whether a condition can be looked at for any iteration at any time, without failing."""
    names = False
    for node in walk_expression(e):
        match node:
            case x.Ref():
                if node.id != index and not (node.rank == 0 and keeps(node)):
                    return False
                names = names or node.id == index
            case x.Binary():
                if node.operator not in _OPERATORS:
                    return False
            case x.IntrinsicCall(name="mod" | "modulo"):
                if len(node.arguments) != 2 or not node.arguments[1] or not value_of(node.arguments[1]):
                    return False
            case x.Literal() | x.NamedConstant() | x.Paren() | x.Unary() | x.Convert():
                pass
            case _:
                return False
    return names
