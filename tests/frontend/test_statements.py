"""Statements: jumps become blocks and loops, associate is substituted, loops carry their names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import INTEGER, INTEGER8

Read = Callable[..., Program]


def body_of(read: Read, statements: str, declarations: str = "") -> s.Body:
    program = read(
        "program p\n  implicit none\n  integer :: i, j, k, n, a(10), b(4, 5)\n"
        f"{declarations}{statements}end program p\n"
    )
    assert program.main is not None
    return program.main.body


def test_forward_jump_leaves_a_block(read: Read) -> None:
    body = body_of(read, "  n = 1\n  if (n > 0) goto 10\n  n = 2\n10 n = 3\n")
    first, block, last = body
    assert isinstance(block, s.Block)
    assert isinstance(block.body[0], s.If)
    assert block.body[0].branches[0].body == (s.Exit(block.name),)
    assert isinstance(last, s.Assign)
    assert isinstance(first, s.Assign)


def test_backward_jump_is_a_loop(read: Read) -> None:
    (loop,) = body_of(read, "10 n = n + 1\n  if (n < 5) goto 10\n")
    assert isinstance(loop, s.DoWhile)
    assert loop.condition.value is True  # type: ignore[attr-defined]  # a literal
    assert loop.body[-1] == s.Exit(loop.name)
    assert loop.body[1].branches[0].body == (s.Cycle(loop.name),)  # type: ignore[attr-defined]  # an If


def test_jump_to_the_end_of_a_labelled_do_is_cycle(read: Read) -> None:
    (loop,) = body_of(read, "  do 20 i = 1, 5\n    if (i == 2) goto 20\n    n = i\n20 continue\n")
    assert isinstance(loop, s.Do)
    assert loop.body[0].branches[0].body == (s.Cycle(loop.name),)  # type: ignore[attr-defined]  # the statement is of this class
    assert len(loop.body) == 2


def test_shared_terminal_statement_runs_in_the_innermost_loop(read: Read) -> None:
    (outer,) = body_of(read, "  do 30 i = 1, 2\n  do 30 j = 1, 3\n30 n = n + 1\n")
    assert isinstance(outer, s.Do)
    (inner,) = outer.body
    assert isinstance(inner, s.Do)
    assert isinstance(inner.body[0], s.Assign)


def test_jump_into_a_construct_is_refused(read: Read) -> None:
    with pytest.raises(UnsupportedError, match="go to 10"):
        body_of(read, "  goto 10\n  if (n > 0) then\n10  n = 1\n  end if\n")


def test_computed_and_arithmetic_branches(read: Read) -> None:
    body = body_of(read, "  goto (10, 20), n\n  n = 0\n10 n = 1\n20 n = 2\n")
    kinds = {type(st) for st in walk_statements(body)}
    assert s.SelectCase in kinds
    body = body_of(read, "  if (n - 1) 10, 20, 20\n10 n = 1\n20 n = 2\n")
    assert s.If in {type(st) for st in walk_statements(body)}


def test_exit_of_a_named_if_makes_it_a_block(read: Read) -> None:
    (block,) = body_of(read, "  check: if (n > 0) then\n    if (n > 2) exit check\n    n = 1\n  end if check\n")
    assert isinstance(block, s.Block)
    assert block.name == "check"


def test_format_label_becomes_text(read: Read) -> None:
    (write,) = body_of(read, "  write (*, 100) n\n100 format (i3, ' a''b')\n")
    assert isinstance(write, s.Write)
    assert write.format.value == b"(i3, ' a''b')"  # type: ignore[union-attr]  # a literal
    assert write.unit is None


def test_end_of_file_label_becomes_a_test_of_iostat(read: Read) -> None:
    body = body_of(read, "  read (5, *, end=10) n\n  n = 1\n10 continue\n")
    (block,) = body
    assert isinstance(block, s.Block)
    read_, test, _ = block.body
    assert isinstance(read_, s.Read)
    assert read_.controls[0][0] == "iostat"
    assert isinstance(test, s.If)


# --- associate ---------------------------------------------------------------------------------------------------


def test_associate_with_a_section_composes_subscripts(read: Read) -> None:
    body = body_of(read, "  associate (c => b(:, 2), r => a(2:9:2))\n    c(3) = r(2)\n  end associate\n")
    (assign,) = body
    assert isinstance(assign, s.Assign)
    base = x.Ref("p.b", INTEGER, 2)
    assert assign.target == x.Element(base, (x.Literal(3, INTEGER), x.Literal(2, INTEGER)))
    assert assign.value == x.Element(x.Ref("p.a", INTEGER, 1), (x.Literal(4, INTEGER),))


def test_associate_captures_subscripts_that_may_change(read: Read) -> None:
    (block,) = body_of(read, "  associate (e => a(k))\n    k = 7\n    e = 1\n  end associate\n")
    assert isinstance(block, s.Block)
    (captured,) = block.declarations
    capture, _, assign = block.body
    assert capture.target.id == captured.id  # type: ignore[attr-defined]  # the statement is of this class
    assert assign.target.indices[0].id == captured.id  # type: ignore[attr-defined]  # the statement is of this class


def test_associate_in_a_loop_keeps_the_index(read: Read) -> None:
    (loop,) = body_of(
        read, "  do concurrent (i = 2:5)\n    associate (e => a(i - 1))\n      e = i\n    end associate\n  end do\n"
    )
    assert isinstance(loop, s.ParallelLoop)
    (assign,) = loop.body
    assert assign.target.indices[0].left == loop.indices[0].ref  # type: ignore[attr-defined]  # the statement is of this class


def test_associate_with_a_value_is_a_variable(read: Read) -> None:
    (block,) = body_of(read, "  associate (t => a*2)\n    n = t(1)\n  end associate\n")
    assert isinstance(block, s.Block)
    assert "allocatable" in block.declarations[0].attributes


# --- do concurrent -----------------------------------------------------------------------------------------------


def test_header_in_every_form(read: Read) -> None:
    (loop,) = body_of(
        read,
        "  do concurrent (integer(8) :: i = 1:10:2, j = 1:n, i /= j) local(k) local_init(n) shared(a) reduce(+:x)\n"
        "    k = int(i + j)\n    x = x + k\n  end do\n",
        "  integer :: x\n",
    )
    assert isinstance(loop, s.ParallelLoop)
    assert [i.ref.type for i in loop.indices] == [INTEGER8, INTEGER8]
    assert loop.indices[0].step == x.Literal(2, INTEGER8)
    assert loop.indices[1].upper == x.Convert(x.Ref("p.n", INTEGER), INTEGER8)
    assert loop.mask is not None
    assert {v.name for v in loop.locals} == {"i", "j", "k", "n"}
    assert loop.local_init == {"p.n"}
    assert loop.shared == {"p.a"}
    assert [(r.operator, r.ref.id) for r in loop.reductions] == [("+", "p.x")]


def test_index_is_a_variable_of_the_construct(read: Read) -> None:
    (loop, after) = body_of(read, "  do concurrent (i = 1:10)\n    a(i) = i\n  end do\n  n = i\n")
    assert isinstance(loop, s.ParallelLoop)
    assert loop.indices[0].ref.id != "p.i"
    assert after.value == x.Ref("p.i", INTEGER)  # type: ignore[attr-defined]  # an Assign


def test_directives_and_names_of_loops(read: Read) -> None:
    (loop,) = body_of(
        read, "  !$polystencil unroll(2)\n  rows: do i = 1, 3\n    if (i == 2) cycle rows\n    n = i\n  end do rows\n"
    )
    assert isinstance(loop, s.Do)
    assert (loop.name, loop.directives) == ("rows", ("unroll(2)",))


def test_places_of_statements(read: Read) -> None:
    (loop,) = body_of(read, "  do i = 1, 3\n    n = i\n  end do\n")
    assert isinstance(loop, s.Do)
    assert (loop.span.line, loop.span.end_line, loop.span.column) == (4, 6, 3)
    assert loop.body[0].span.line == 5


def test_keywords_as_names_of_variables(read: Read) -> None:
    program = read("program p\n  integer :: assign, write(3)\n  assign = 1\n  write(2) = assign\nend program p\n")
    assert program.main is not None
    first, second = program.main.body
    assert first.target == x.Ref("p.assign", INTEGER)  # type: ignore[attr-defined]  # an Assign
    assert second.target.base.id == "p.write"  # type: ignore[attr-defined]  # the statement is of this class
