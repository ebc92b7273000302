"""What each pass makes of a small program, as Fortran; what it refuses, with a counterexample; what it leaves alone."""

from __future__ import annotations

from polystencil import explain, show
from polystencil.remarks import Remark

NEST = """program p
  real :: a(10, 10), b(10, 10), t
  integer :: i, j
  a = 1.0
  do j = 1, 10
    do i = 1, 10
      t = a(i, j)**2
      b(i, j) = t + 1.0
    end do
  end do
  print *, sum(b), i
end program p
"""
STAGES = """program p
  real :: q(0:11), f(0:11)
  integer :: i, step
  q = 2.0
  do step = 1, 4
    do concurrent (i = 0:10)
      f(i) = q(i + 1) - q(i)
    end do
    do concurrent (i = 1:10)
      q(i) = q(i) + f(i) - f(i - 1)
    end do
  end do
  print *, q, f
end program p
"""
EDGE = """program p
  real :: a(40), b(40)
  integer :: i
  a = 3.0
  do concurrent (i = 1:40)
    if (i == 1) then
      b(i) = a(i)
    else
      b(i) = a(i) - a(i - 1)
    end if
  end do
  print *, b
end program p
"""
ROWS = """program p
  call sweep(40, 30)
contains
  subroutine sweep(n, m)
    integer, intent(in) :: n, m
    real :: a(n, 0:m + 1), b(n, m)
    integer :: i, j
    a = 1.0
    do concurrent (j = 1:m, i = 1:n)
      if (i == 1) then
        b(i, j) = 0.0
      else
        b(i, j) = a(i, j - 1) + a(i, j + 1)
      end if
    end do
    print *, b
  end subroutine
end program p
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def of(remarks: tuple[Remark, ...], transform: str) -> list[Remark]:
    return [r for r in remarks if r.transform == transform]


def test_parallelize_merges_a_nest_and_keeps_the_do_variable() -> None:
    text = lines(show(NEST, after="parallelize", transforms="none"))
    start = text.index("do concurrent (j = 1:10, i = 1:10)")
    assert text[start + 1 : start + 7] == [
        "block", "real(4) :: t", "t = a(i, j)**2", "b(i, j) = t + 1.0_4", "end block", "end do",
    ]  # fmt: skip
    assert text[start + 7 : start + 9] == ["if (1 <= 10) then", "i = max(1, 11)"]


def test_parallelize_refuses_a_recurrence_with_its_two_iterations() -> None:
    text = "program p\n integer :: i, a(9)\n a = 1\n do i = 2, 9\n  a(i) = a(i - 1)\n end do\n print *, a\nend program\n"
    remark = of(explain(text), "parallelize")[0]
    assert remark.status == "refused"
    assert remark.witness is not None
    (first,), (second,) = remark.witness["iterations"]
    assert second == first + 1
    assert remark.witness["subscript"] == [first]


def test_fuse_computes_the_producer_where_it_is_read() -> None:
    text = lines(show(STAGES, after="fuse", transforms="fuse"))
    start = text.index("q_copy(i) = q(i) + (q(i + 1) - q(i)) - (q(i) - q(i - 1))")
    assert text[start - 2 : start] == ["else", "do concurrent (i = 1:10)"]
    assert text[start + 1 : start + 4] == ["end do", "do concurrent (i = 1:10)", "q(i) = q_copy(i)"]
    assert "if (step == step_last) then" in text


def test_swap_takes_turns_instead_of_copying() -> None:
    text = lines(show(STAGES, after="fuse", transforms="fuse,swap"))
    assert "q(i) = q_copy(i) + (q_copy(i + 1) - q_copy(i)) - (q_copy(i) - q_copy(i - 1))" in text
    assert "in_copy = .true." in text
    assert [r.status for r in of(explain(STAGES, transforms="fuse,swap"), "swap")] == ["applied"]


def test_fuse_refuses_an_element_that_is_not_produced() -> None:
    remark = of(explain(STAGES.replace("i = 0:10", "i = 1:10"), transforms="fuse"), "fuse")[0]
    assert remark.status == "refused"
    assert remark.witness is not None
    assert remark.witness["subscript"] == [0]


def test_swap_is_not_applicable_without_a_renamed_array() -> None:
    text = STAGES.replace("q(i) = q(i) + f(i) - f(i - 1)", "w(i) = f(i) - f(i - 1)").replace("f(0:11)\n", "f(0:11), w(0:11)\n")
    text = text.replace("print *, q, f", "print *, q, f, w(1:10)")
    assert [r.status for r in of(explain(text, transforms="fuse,swap"), "swap")] == ["not-applicable"]


def test_split_takes_the_test_out_of_the_interior() -> None:
    text = lines(show(EDGE, after="split", transforms="split"))
    start = text.index("do concurrent (i = 2:40)")
    assert text[start + 1 : start + 3] == ["b(i) = a(i) - a(i - 1)", "end do"]
    assert "if (2 <= 40 .and. 40_8 >= 131072_8) then" in text
    assert text.index("do concurrent (frame = 0:0)") < start < text.index("do concurrent (i = 1:40)")


def test_split_leaves_a_loop_without_tests_alone() -> None:
    remark = of(explain(NEST, transforms="split"), "split")[0]
    assert remark.status == "refused"
    assert "nothing to take out" in remark.reason


def test_jam_runs_three_rows_in_one_work_item() -> None:
    text = lines(show(ROWS, after="split", transforms="split,jam"))
    assert any(line.startswith("do concurrent (j = ") and ":3" in line for line in text)
    assert "b(i, j) = a(i, j - 1) + a(i, j + 1)" in text
    assert "b(i, j + 1) = a(i, j) + a(i, j + 2)" in text
    assert "b(i, j + 2) = a(i, j + 1) + a(i, j + 3)" in text
    assert [r.status for r in of(explain(EDGE, transforms="split,jam"), "jam")] == ["refused"]


def test_a_conflicting_do_concurrent_runs_in_order() -> None:
    text = "program p\n integer :: i, a(9)\n a = 1\n do concurrent (i = 2:9)\n  a(i) = a(i - 1) + 1\n end do\n"
    text += " print *, a\nend program\n"
    assert "do i = 2, 9" in lines(show(text, after="parallelize"))
    race = of(explain(text), "race")[0]
    assert race.status == "refused"
    assert race.witness is not None


def test_bounds_names_the_iteration_outside() -> None:
    text = "program p\n integer :: i, a(9)\n do i = 1, 10\n  a(i) = i\n end do\n print *, a(1)\nend program\n"
    remark = of(explain(text), "bounds")[0]
    assert remark.status == "refused"
    assert remark.witness is not None
    assert remark.witness["iteration"] == {"i": 10}
