"""Procedures: arguments in order, generics, operators, bindings."""

from __future__ import annotations

from collections.abc import Callable

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.types import INTEGER

Read = Callable[..., Program]
MODULE = """
module m
  implicit none
  type :: t
    integer :: v = 0
  contains
    procedure :: get => get_t
    procedure, pass(self) :: add_to
    procedure, private :: one, two
    generic :: at => one, two
  end type t
  type, extends(t) :: u
  contains
    procedure :: get => get_u
  end type u
  interface show
    module procedure show_i, show_r, show_v
  end interface
  interface operator(+)
    module procedure add
  end interface
  interface assignment(=)
    module procedure from_i
  end interface
contains
  integer function get_t(self)
    class(t), intent(in) :: self
    get_t = self%v
  end function
  integer function get_u(self)
    class(u), intent(in) :: self
    get_u = -self%v
  end function
  subroutine add_to(total, self)
    integer, intent(inout) :: total
    class(t), intent(in) :: self
    total = total + self%v
  end subroutine
  integer function one(self, i)
    class(t), intent(in) :: self
    integer, intent(in) :: i
    one = i
  end function
  integer function two(self, i, j)
    class(t), intent(in) :: self
    integer, intent(in) :: i, j
    two = i + j
  end function
  subroutine show_i(i)
    integer, intent(in) :: i
  end subroutine
  subroutine show_r(r)
    real, intent(in) :: r
  end subroutine
  subroutine show_v(v)
    integer, intent(in) :: v(:)
  end subroutine
  elemental type(t) function add(a, b)
    type(t), intent(in) :: a, b
    add%v = a%v + b%v
  end function
  elemental subroutine from_i(a, i)
    type(t), intent(out) :: a
    integer, intent(in) :: i
    a%v = i
  end subroutine
  subroutine opt(a, b, c)
    integer, intent(in) :: a
    integer, intent(in), optional :: b, c
  end subroutine
end module m
"""


def body_of(read: Read, statements: str) -> s.Body:
    program = read(
        MODULE
        + "program p\n  use m\n  implicit none\n  type(t) :: x, y(3)\n  class(t), allocatable :: q\n  integer :: n\n"
        f"{statements}end program p\n"
    )
    assert program.main is not None
    return program.main.body


def target_of(statement: s.Statement) -> str:
    assert isinstance(statement, s.Call)
    assert isinstance(statement.target, x.ProcedureRef)
    return statement.target.id


def test_keywords_and_absent_arguments(read: Read) -> None:
    (call,) = body_of(read, "  call opt(c=2, a=1)\n")
    assert isinstance(call, s.Call)
    assert call.arguments == (x.Literal(1, INTEGER), None, x.Literal(2, INTEGER))


def test_generic_by_type_and_rank(read: Read) -> None:
    body = body_of(read, "  call show(1)\n  call show(1.0)\n  call show([1, 2])\n")
    assert [target_of(c) for c in body] == ["m.show_i", "m.show_r", "m.show_v"]


def test_operator_and_assignment(read: Read) -> None:
    first, second, third = body_of(read, "  x = x + x\n  x = 3\n  y = y + x\n")
    assert isinstance(first, s.Assign)
    assert isinstance(first.value, x.FunctionCall)
    assert first.value.target == x.ProcedureRef("m.add")
    assert target_of(second) == "m.from_i"
    assert isinstance(third, s.Assign)
    assert isinstance(third.value, x.FunctionCall)
    assert third.value.rank == 1


def test_bindings(read: Read) -> None:
    static, dynamic, passed, generic = body_of(
        read, "  n = x%get()\n  n = q%get()\n  call x%add_to(n)\n  n = x%at(1, 2)\n"
    )
    assert isinstance(static, s.Assign)
    assert static.value.target == x.ProcedureRef("m.get_t")  # type: ignore[attr-defined]  # the statement is of this class
    assert isinstance(dynamic, s.Assign)
    assert isinstance(dynamic.value.target, x.BoundProcedure)  # type: ignore[attr-defined]  # the statement is of this class
    assert isinstance(passed, s.Call)
    assert passed.arguments[1] == x.Ref("p.x", x_type(passed))
    assert isinstance(generic, s.Assign)
    assert generic.value.target == x.ProcedureRef("m.two")  # type: ignore[attr-defined]  # the statement is of this class


def x_type(call: s.Call) -> object:
    return call.arguments[1].type  # type: ignore[union-attr]  # the statement is of this class


def test_defined_unary_binds_tightest(read: Read) -> None:
    program = read(
        "module m\n  interface operator(.minus.)\n    module procedure neg\n  end interface\ncontains\n"
        "  pure integer function neg(a)\n    integer, intent(in) :: a\n    neg = -a\n  end function\nend module m\n"
        "program p\n  use m\n  integer :: n\n  n = .minus. n*2\nend program p\n"
    )
    assert program.main is not None
    (assign,) = program.main.body
    value = assign.value  # type: ignore[attr-defined]  # the statement is of this class
    assert isinstance(value, x.Binary)
    assert isinstance(value.left, x.FunctionCall)


def test_external_procedures_of_other_files(read: Read) -> None:
    program = read(
        "program p\n  real :: f, y\n  y = f(2.0)\n  call s(y)\nend program p\n"
        "real function f(x)\n  real :: x\n  f = x\nend function f\nsubroutine s(x)\n  real :: x\nend subroutine s\n"
    )
    assert program.main is not None
    assign, call = program.main.body
    assert assign.value.target == x.ProcedureRef("f")  # type: ignore[attr-defined]  # the statement is of this class
    assert target_of(call) == "s"
    assert [v.name for v in program.main.symbols] == ["y"]


def test_renamed_operator(read: Read) -> None:
    program = read(
        "module m\n  interface operator(.plus.)\n    module procedure plus\n  end interface\ncontains\n"
        "  pure integer function plus(a, b)\n    integer, intent(in) :: a, b\n    plus = a + b\n  end function\n"
        "end module m\nprogram p\n  use m, only: operator(.add.) => operator(.plus.)\n"
        "  print *, 1 .add. 2\nend program p\n"
    )
    assert program.main is not None
    (write,) = program.main.body
    assert write.items[0].target == x.ProcedureRef("m.plus")  # type: ignore[attr-defined]  # a Write
