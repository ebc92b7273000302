"""What becomes a kernel, what stays on the host, and that both print what Fortran prints.

One list of programs and launches, so one file.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil.codegen.generated import GeneratedProgram

Make = Callable[..., GeneratedProgram]
Run = Callable[..., str]


def test_a_time_loop_stays_on_the_host_and_its_loops_become_kernels(generated: Make, output: Run) -> None:
    text = """
program heat
  integer, parameter :: n = 50
  real(8) :: u(0:n+1), v(0:n+1)
  integer :: i, t
  u = 0
  u(10) = 1
  v = u
  do t = 1, 100
    do concurrent (i = 1:n)
      v(i) = u(i) + 0.25d0*(u(i-1) - 2*u(i) + u(i+1))
    end do
    do concurrent (i = 1:n)
      u(i) = v(i)
    end do
  end do
  print '(3f12.8)', u(10), sum(u), u(n)
end program
"""
    program = generated(text)
    assert "for t in fortran.do(np.int32, 1, 100):" in program.host_source
    assert len(program.kernels) == 4
    u = [0.0] * 52
    u[10] = 1.0
    for _ in range(100):
        u = [0.0, *(u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]) for i in range(1, 51)), 0.0]
    assert output(text, fp="strict").split() == [f"{v:.8f}" for v in (u[10], sum(u), u[50])]


def test_a_recurrence_is_one_kernel_of_one_work_item(generated: Make, output: Run) -> None:
    text = """
program p
  integer :: a(20), i, s
  a = 1
  s = 0
  do i = 3, 20
    a(i) = mod(a(i-1) + a(i-2), 1000)
    s = s + a(i)
  end do
  print *, a(20), s, i
end program
"""
    program = generated(text)
    serial = [k for k in program.kernels if k.serial]
    assert len(serial) == 1
    assert "for (i_2 = 3; i_2 <= 20; i_2++)" in serial[0].source
    a = [1, 1]
    while len(a) < 20:
        a.append((a[-1] + a[-2]) % 1000)
    assert output(text).split() == [str(a[-1]), str(sum(a[2:])), "21"]


def test_no_loop_over_elements_is_left_in_python(generated: Make) -> None:
    text = """
program p
  integer, parameter :: n = 1024
  real :: a(n, n), b(n, n)
  integer :: i, j, k
  do j = 1, n
    do i = 1, n
      a(i, j) = real(i)/j
    end do
  end do
  b = a
  where (b > 2.0) b = 2.0
  forall (i = 2:n-1, j = 2:n-1) b(i, j) = a(i-1, j) + a(i+1, j)
  do k = 1, 3
    a(2:n-1, :) = 0.5*(b(1:n-2, :) + b(3:n, :))
  end do
  do i = 2, n
    a(i, 1) = a(i-1, 1)*0.5
  end do
  print *, a(n, 1)
end program
"""
    program = generated(text)
    loops = [line for line in program.host_source.splitlines() if line.strip().startswith(("for ", "while "))]
    assert [line.strip() for line in loops] == ["for k in fortran.do(np.int32, 1, 3):"]
    assert all(r.status == "applied" for r in program.remarks)


def test_overlapping_sections_read_their_right_side_first(output: Run) -> None:
    text = """
program p
  integer :: a(100), i
  a = [(i, i=1, 100)]
  a(2:100) = a(1:99)
  a(1:50) = a(100:51:-1)
  print *, a(1), a(50), a(51), a(100)
end program
"""
    assert output(text).split() == ["99", "50", "50", "99"]


def test_a_mask_is_evaluated_before_any_iteration(output: Run) -> None:
    text = """
program p
  integer :: a(10), i
  a = [(i, i=1, 10)]
  do concurrent (i = 2:10, a(i-1) < 5)
    a(i) = 0
  end do
  print '(10i3)', a
end program
"""
    assert output(text).split() == ["1", "0", "0", "0", "0", "6", "7", "8", "9", "10"]


def test_a_scalar_that_is_used_after_the_loop_keeps_its_last_value(generated: Make, output: Run) -> None:
    text = """
program p
  integer :: a(9), i, where
  a = [3, 1, 4, 1, 5, 9, 2, 6, 5]
  where = 0
  do concurrent (i = 1:9)
    if (a(i) == 9) where = i
  end do
  print *, where
end program
"""
    assert output(text).split() == ["6"]
    assert any("after the loop" in r.reason for r in generated(text).remarks)


def test_a_scalar_that_is_read_first_makes_the_loop_run_in_order(generated: Make, output: Run) -> None:
    text = """
program p
  real :: a(1000), s
  integer :: i
  a = 0.1
  s = 0
  do concurrent (i = 1:1000)
    s = s + a(i)
  end do
  print *, s
end program
"""
    assert output(text, fp="strict").split() == ["99.9990463"]
    assert any("reads s before it assigns it" in r.reason for r in generated(text).remarks)


def test_what_no_kernel_can_hold_runs_on_the_host_with_a_remark(generated: Make, output: Run) -> None:
    text = """
program p
  character(3) :: names(3)
  integer :: i
  do i = 1, 3
    names(i) = repeat(char(64 + i), i)
  end do
  print '(3(a,"|"))', names
end program
"""
    assert output(text) == "A  |BB |CCC|\n"
    assert any(r.status == "refused" and "character" in r.reason for r in generated(text).remarks)


def test_functions_see_variables_of_their_host(output: Run) -> None:
    text = """
program p
  real(8) :: a(100), shift, table(0:3)
  integer :: i
  shift = 2
  table = [1d0, 2d0, 3d0, 4d0]
  do concurrent (i = 1:100)
    a(i) = f(i)
  end do
  print '(2f8.2)', a(1), a(100)
contains
  pure real(8) function f(k)
    integer, intent(in) :: k
    f = shift*k + g(mod(k, 4))
  end function
  pure real(8) function g(k)
    integer, intent(in) :: k
    g = table(k)*10
  end function
end program
"""
    assert output(text).split() == ["22.00", "210.00"]


def test_exit_and_cycle_of_outer_loops(output: Run) -> None:
    text = """
program p
  integer :: a(10, 10), i, j, n
  a = 0
  n = 0
  outer: do j = 1, 10
    inner: do i = 1, 10
      if (i == 7) cycle outer
      if (i*j == 24) exit outer
      a(i, j) = 1
      n = n + 1
    end do inner
  end do outer
  print *, sum(a), n, i, j
end program
"""
    assert output(text).split() == ["23", "23", "6", "4"]


def test_host_names_are_shared_between_a_procedure_and_what_it_contains(output: Run) -> None:
    text = """
program p
  integer :: k
  k = 4
  call show()
  k = 5
  call show()
contains
  subroutine show()
    integer :: x
    x = k*2
    print *, x
  end subroutine
end program
"""
    assert output(text).split() == ["8", "10"]


def test_private_variables_of_loops_that_stay_on_the_host(output: Callable[..., str]) -> None:
    text = """
program p
  implicit none
  integer :: x, i, a(5), w(3)
  x = 42
  w = [1, 2, 3]
  do concurrent (i = 1:5) local(x)
    x = i
    a(i) = fact(x)
  end do
  print *, a, x
  do concurrent (i = 1:5) local_init(x, w)
    x = x + i
    w(1) = w(1) + i
    a(i) = fact(3)*x + w(1)
  end do
  print *, a, x, w
contains
  pure recursive integer function fact(k) result(r)
    integer, intent(in) :: k
    r = 1
    if (k > 1) r = k*fact(k - 1)
  end function
end program
"""
    want = [1, 2, 6, 24, 120, 42, 260, 267, 274, 281, 288, 42, 1, 2, 3]
    assert [int(v) for v in output(text).split()] == want


ARRAY_VALUES = """
program p
  implicit none
  integer, parameter :: n = 24
  real(8) :: u(n, n), v(n, n), q(3, n), w(3, n), f(3, n)
  integer :: i, j
  v = 0
  do concurrent (j = 1:n, i = 1:n)
    u(i, j) = 0.125d0*mod(i*j, 17)
  end do
  do concurrent (j = 2:n-1, i = 2:n-1)
    v(i, j) = u(i, j) + lap(u(i-1:i+1, j-1:j+1)) + total(2*u(i-1:i+1, j) - 1)
  end do
  do concurrent (i = 1:n)
    q(:, i) = merge([1d0, 2d0, 3d0], [u(i, 1), u(1, i), v(i, 5)], i > 20)
    w(:, i) = prim(q(:, i)) + 1
    q(:, i) = q([3, 1, 2], i)
  end do
  f(:, 1) = 0
  do concurrent (i = 2:n)
    f(:, i) = prim(w(:, i) - 0.5d0*q(:, i)) - prim(w(:, i-1))*2
    f(1, i) = f(1, i) + sum([f(2, i), f(3, i), prim(f(:, i))])
  end do
  print '(es24.16)', v(7, 9), sum(v), sum(w), sum(q), sum(f)
contains
  pure real(8) function lap(a)
    real(8), intent(in) :: a(-1:1, -1:1)
    lap = a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1) - 4*a(0, 0)
  end function
  pure real(8) function total(a)
    real(8), intent(in) :: a(:)
    integer :: k
    total = 0
    do k = 1, size(a)
      total = total + k*a(k)
    end do
  end function
  pure function prim(a) result(r)
    real(8), intent(in) :: a(3)
    real(8) :: r(0:2)
    r(0) = a(1)
    r(1:2) = a(2:3)/2
    if (a(1) > 1) return
    r = r*3
  end function
end program
"""


@pytest.mark.parametrize("transforms", ["all", "none"])
def test_sections_constructors_and_array_results_stay_in_kernels(
    generated: Callable[..., GeneratedProgram], output: Callable[..., str], interpreted: Callable[[str], str], transforms: str
) -> None:
    made = generated(ARRAY_VALUES, fp="strict", transforms=transforms)
    assert [r for r in made.remarks if r.transform == "kernel" and r.status == "refused"] == []
    assert output(ARRAY_VALUES, fp="strict", transforms=transforms) == interpreted(ARRAY_VALUES)
