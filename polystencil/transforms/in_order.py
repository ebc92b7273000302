"""in order: a do concurrent whose iterations are proven to conflict becomes a do nest.

    do concurrent (i = 2:n)            do i = 2, n
      a(i) = a(i - 1)           -->      a(i) = a(i - 1)
    end do                             end do

The standard forbids such a loop; compilers that trust it run it in the order of its header, and so does this.
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.traversal import child_expressions, map_body, map_procedures, walk_expression, walk_statements
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult


def conflicting_loops_in_order(program: Program, checked: tuple[Remark, ...]) -> PassResult:
    """The program with every loop that `checked` (remarks of race) refuses as a do nest."""
    bad = {r.span for r in checked if r.transform == "race" and r.status == "refused"}
    if not bad:
        return PassResult(program, ())

    def statement(st: s.Statement) -> s.Body:
        if isinstance(st, s.ParallelLoop) and st.span in bad and not st.local_init and not _mask_reads_body(st):
            return (_nest(st),)
        return (st,)

    def one(procedure: Procedure) -> Procedure:
        body = map_body(procedure.body, statement)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), ())


def _mask_reads_body(st: s.ParallelLoop) -> bool:
    """Whether the mask, which is evaluated before all iterations, reads a variable that the body may change."""
    if st.mask is None:
        return False
    named = (e for i in walk_statements(st.body) for c in child_expressions(i) for e in walk_expression(c))
    changed = {e.id for e in named if isinstance(e, x.Ref)}
    return any(isinstance(e, x.Ref) and e.rank and e.id in changed for e in walk_expression(st.mask))


def _nest(st: s.ParallelLoop) -> s.Statement:
    body = st.body
    if st.mask is not None:
        body = (s.If((s.Branch(st.mask, body, st.span),), span=st.span),)
    indices = {i.ref.id for i in st.indices}
    private = tuple(v for v in st.locals if v.id not in indices)
    if private:
        body = (s.Block(private, body, span=st.span),)
    for k, i in reversed(list(enumerate(st.indices))):
        name = st.name if k == len(st.indices) - 1 else ""
        body = (s.Do(i.ref, i.lower, i.upper, i.step, body, name, st.directives, span=st.span),)
    own = tuple(v for v in st.locals if v.id in indices)
    return s.Block(own, body, span=st.span) if own else body[0]


