"""Allocatables that are assigned whole before anything reads them; and all the ways in which one may not be."""

from __future__ import annotations

import pytest

from polystencil.ir.statements import Allocate
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.transforms.assigned_first import note_assigned_first
from tests.transforms.conftest import parsed

HEAD = """module shows
contains
  subroutine show(x)
    real, intent(in) :: x(:)
    print *, x(1)
  end subroutine
end module
program p
  use shows
  real, allocatable :: a(:), b(:)
  real :: c(9)
  integer :: i, k, n
  n = 9
  c = 1.0
"""
ALL = "do concurrent (i = 1:9)\n a(i) = c(i)\n end do\n"
PART = "do concurrent (i = 2:9)\n a(i) = c(i)\n end do\n"
NOTED = {
    "a loop": f"allocate (a(9))\n{ALL} print *, a",
    "an assignment": "allocate (a(9))\n a = 2.0\n print *, a",
    "its bounds are no elements": f"allocate (a(9))\n print *, size(a), allocated(a)\n {ALL} print *, a(3)",
    "every iteration assigns first": f"allocate (a(9))\n do k = 1, 3\n {ALL} c = a + c\n end do\n print *, c",
    "again": f"do k = 1, 2\n allocate (a(9))\n {ALL} print *, a\n deallocate (a)\n end do",
    "never read": "allocate (a(9))\n print *, 'nothing'",
    "another array": f"allocate (a(9))\n allocate (b(9))\n b(1) = 1.0\n {ALL} print *, a, b(1)",
    "in a branch": f"allocate (a(9))\n if (n > 4) then\n {ALL} print *, a\n end if",
}
NOT_NOTED = {
    "a part": f"allocate (a(9))\n {PART} print *, a",
    "an element": "allocate (a(9))\n a(1) = 1.0\n print *, a",
    "before": f"allocate (a(9))\n print *, a(1)\n {ALL}",
    "a branch that need not run": f"allocate (a(9))\n if (n > 4) then\n {ALL} end if\n print *, a",
    "a loop that need not run": f"allocate (a(9))\n do k = 1, n\n {ALL} end do\n print *, a",
    "read in the next round": "do k = 1, 2\n if (k == 2) print *, a\n if (k == 1) allocate (a(9))\n end do",
    "left early": f"do k = 1, 2\n allocate (a(9))\n if (n > 4) exit\n {ALL} deallocate (a)\n end do\n print *, a",
    "reads itself": "allocate (a(9))\n a = a + 1.0\n print *, a",
    "a loop that reads its neighbour": "allocate (a(9))\n do concurrent (i = 1:9)\n a(i) = a(max(1, i - 1))\n end do\n print *, a",
    "an argument": f"allocate (a(9))\n call show(a)\n {ALL}",
    "a source": f"allocate (a(9))\n allocate (b(9), source=a)\n {ALL} print *, b",
    "a where that reads": "allocate (a(9))\n where (c > 0) c = a\n a = 2.0\n print *, a",
    "allocated inside of a where's neighbour": "allocate (a(9))\n forall (i = 1:9) c(i) = a(i)\n a = 2.0\n print *, a",
    "another size": f"n = 12\n allocate (a(n))\n {ALL} print *, a",
}  # fmt: skip
TAIL = "\nend program\n"


def noted(body: str, tail: str = TAIL) -> bool:
    """Whether the allocation of `a` is noted."""
    from polystencil import pipeline
    from polystencil.options import Options

    program = pipeline.transform(parsed(HEAD + body + tail), Options(transforms="none")).program
    table = symbol_table(program)
    found = [
        a.assigned_first for procedure in procedures_of(program) for st in walk_statements(procedure.body)
        if isinstance(st, Allocate) for a in st.allocations if table.symbols[a.object.id].name == "a"
    ]  # fmt: skip
    assert len(set(found)) == 1
    return found[0]


@pytest.mark.parametrize("name", NOTED)
def test_noted(name: str) -> None:
    assert noted(NOTED[name])


@pytest.mark.parametrize("name", NOT_NOTED)
def test_not_noted(name: str) -> None:
    assert not noted(NOT_NOTED[name])


def test_a_contained_procedure_that_names_it() -> None:
    tail = "\ncontains\n subroutine look()\n print *, a(1)\n end subroutine\nend program\n"
    assert not noted(NOTED["an assignment"] + "\n call look()", tail)


def test_other_names() -> None:
    text = (HEAD + NOTED["a loop"] + TAIL).replace("real, allocatable :: a(:)", "real, allocatable, target :: a(:)")
    program = note_assigned_first(parsed(text.replace("a(:), b(:)", "a(:)\n real, allocatable :: b(:)")))
    assert not any(
        a.assigned_first for procedure in procedures_of(program) for st in walk_statements(procedure.body)
        if isinstance(st, Allocate) for a in st.allocations
    )  # fmt: skip
