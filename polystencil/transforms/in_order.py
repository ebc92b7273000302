"""in order: loops that break a promise run so that nothing wrong comes out.

    do concurrent (i = 2:n)            do i = 2, n
      a(i) = a(i - 1)           -->      a(i) = a(i - 1)
    end do                             end do

A do concurrent whose iterations are proven to conflict becomes a do nest: the standard forbids such a loop; compilers
that trust it run it in the order of its header, and so does this. A loop that is proven to access an element outside of
its array, whatever the parameters are, stops the program there, as a compiler's bounds check does.

>>> import polystencil as ps
>>> before = '''
... subroutine shift(a, n)
...   integer, intent(in) :: n
...   real, intent(inout) :: a(0:n)
...   integer :: i
...   do concurrent (i = 1:n)
...     a(i) = a(i - 1)
...   end do
... end subroutine'''
>>> print("\\n".join(ps.show(before, after="parallelize", transforms="none").splitlines()[5:8]))
  block
    integer(4) :: i
    do i = 1, n
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import is_pure
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import integer
from polystencil.ir.program import Procedure, Program
from polystencil.ir.traversal import child_expressions, map_body, map_procedures, walk_expression, walk_statements
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult

BOUNDS_STATUS = 2  # the exit status of a run-time error


def conflicting_loops_in_order(program: Program, checked: tuple[Remark, ...]) -> PassResult:
    """The program with every loop that `checked` refuses (race, bounds) in order, or stopped."""
    races = {r.span for r in checked if r.transform == "race" and r.status == "refused"}
    stops: dict[Span, str] = {
        r.span: str(r.details["stops"]) for r in checked if r.transform == "bounds" and "stops" in r.details
    }
    if not races and not stops:
        return PassResult(program, ())

    def statement(st: s.Statement, silent: bool) -> s.Body:
        if isinstance(st, (s.Do, s.ParallelLoop)) and st.span in stops:
            stop = _stop(st, stops[st.span])
            return (*(stop[-1:] if silent else stop), st)  # a pure procedure may stop, but not write
        if isinstance(st, s.ParallelLoop) and st.span in races and not st.local_init and not _mask_reads_body(st):
            return (nest_in_order(st),)
        return (st,)

    def one(procedure: Procedure) -> Procedure:
        silent = is_pure(procedure)
        body = map_body(procedure.body, lambda st: statement(st, silent))
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), ())


def _stop(st: s.Statement, message: str) -> s.Body:
    text = f"At line {st.span.line} of file {st.span.file}\nFortran runtime error: {message}".encode()
    out = []
    for line in text.split(b"\n"):
        kind = Intrinsic("character", 1, integer(len(line)))
        form = x.Literal(b"(a)", Intrinsic("character", 1, integer(3)))
        out.append(s.Write(integer(0), form, (x.Literal(line, kind),), span=st.span))
    return (*out, s.Stop(x.Literal(BOUNDS_STATUS, INTEGER), True, span=st.span))


def _mask_reads_body(st: s.ParallelLoop) -> bool:
    """Whether the mask, which is evaluated before all iterations, reads a variable that the body may change."""
    if st.mask is None:
        return False
    named = (e for i in walk_statements(st.body) for c in child_expressions(i) for e in walk_expression(c))
    changed = {e.id for e in named if isinstance(e, x.Ref)}
    return any(isinstance(e, x.Ref) and e.rank and e.id in changed for e in walk_expression(st.mask))


def nest_in_order(st: s.ParallelLoop) -> s.Statement:
    """The loop as a do nest."""
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
