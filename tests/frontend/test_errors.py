"""Messages: place, words and hint of mistakes that people make."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil.errors import PolystencilError, SourceError, UnsupportedError
from polystencil.ir.program import Program

Read = Callable[..., Program]


def message(read: Read, statement: str, declaration: str = "") -> PolystencilError:
    with pytest.raises(PolystencilError) as error:
        read(
            "program t\n  implicit none\n  integer :: i, n\n  real :: a(10), b(10, 10), speed\n  character(5) :: s\n"
            f"{declaration}{statement}\nend program t\n"
        )
    return error.value


@pytest.mark.parametrize(
    ("statement", "words", "column"),
    [
        ("  speeed = 1", "'speeed' is not declared", 3),
        ("  a(1, 2) = 3", "2 subscripts for an array of rank 1", 4),
        ("  a(speed) = 3", "a subscript must be an integer, this is real(4)", 5),
        ("  speed = s", "character cannot be assigned to real(4)", 11),
        ("  if (i) speed = 1", "a condition must be a scalar logical, this is integer(4)", 7),
        ("  call foo(1)", "subroutine 'foo' is not known", 8),
        ("  speed = foo(1)", "'foo' is neither an array nor a known function", 11),
        ("  speed = sin(1)", "argument 'x' of sin must be real or complex, this is integer(4)", 15),
        ("  speed = max(1, 2.0)", "the arguments of max must have one type, these are integer(4), real(4)", 11),
        ("  a = b", "a value of rank 2 is assigned to real(4), rank 1", 7),
        ("  i = 3000000000", "integer constant 3000000000 does not fit its kind (4)", 7),
        ("  exit", "exit is not inside a loop", 3),
        ("  print 10, i", "there is no format statement with label 10", 9),
        ("  allocate (a(3))", "'a' is neither allocatable nor a pointer", 13),
        ("  a(1:3:0) = 1", "the stride of a section cannot be zero", 5),
        ("  n = size(b, 3)", "dim is 3, the array of size has rank 2", 7),
        ("  speed = (1 + 2", "syntax error: '(' is not closed", 11),
        ("  speed = 1 +", "syntax error: the statement is not complete", 13),
        ("  s = 'abc", "syntax error: this character literal is not closed", 7),
        ("  do i = 1, n", "syntax error: this do has no 'end do'", 3),
    ],
)
def test_source_errors(read: Read, statement: str, words: str, column: int) -> None:
    error = message(read, statement)
    assert isinstance(error, SourceError)
    assert error.message == words
    assert error.span is not None
    assert (error.span.line, error.span.column) == (6, column)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("  speed = this_image()", "the intrinsic function this_image is not supported"),
        ("  speed = a(:)[2]", "a coarray reference is not supported"),
        ("  do speed = 1.0, 2.0\n  end do", "a real loop index is not supported"),
    ],
)
def test_unsupported(read: Read, statement: str, words: str) -> None:
    error = message(read, statement)
    assert isinstance(error, UnsupportedError)
    assert error.message == words


def test_the_whole_message(read: Read) -> None:
    assert str(message(read, "  speeed = 1")) == (
        "test.f90:6:3: 'speeed' is not declared\n    6 |   speeed = 1\n      |   ^^^^^^\n  hint: did you mean 'speed'?"
    )


def test_kinds_and_parameters(read: Read) -> None:
    assert "real of kind 16" in message(read, "", "  real(16) :: q\n").message
    assert "'n' is not a constant" in message(read, "", "  integer, parameter :: k = n\n").message
    assert "division by zero" in message(read, "", "  integer, parameter :: k = 1/0\n").message


def test_wrong_arguments(read: Read) -> None:
    module = "module m\ncontains\n  subroutine s(x)\n    real, intent(out) :: x\n  end subroutine\nend module\n"
    for call, words in (
        ("call s(1)", "argument 'x' of s is real(4), given is integer(4)"),
        ("call s(1.0, 2.0)", "s takes 1 arguments, 2 are given"),
        ("call s()", "argument 'x' of s is missing"),
        ("call s(1.0)", "argument 'x' of s is written (intent(out)), a variable is needed"),
        ("call s(y=1.0)", "s has no dummy argument 'y'"),
    ):
        with pytest.raises(SourceError) as error:
            read(f"{module}program p\n  use m\n  {call}\nend program p\n")
        assert error.value.message == words


def test_writing_what_may_not_be_written(read: Read) -> None:
    assert "is a parameter" in message(read, "  k = 2", "  integer, parameter :: k = 1\n").message
    assert "index of a loop" in message(read, "  do i = 1, 3\n    i = 2\n  end do").message
    with pytest.raises(SourceError, match="intent\\(in\\)"):
        read("subroutine s(x)\n  real, intent(in) :: x\n  x = 1\nend subroutine\n")


def test_default_none_names_the_variable(read: Read) -> None:
    error = message(read, "  do concurrent (i = 1:10) default(none) shared(a)\n    a(i) = speed\n  end do")
    assert error.message == "default(none): 'speed' has no locality"


def test_unknown_module_and_name(read: Read) -> None:
    with pytest.raises(SourceError, match="module 'nosuch' is not known"):
        read("program p\n  use nosuch\nend program p\n")
    with pytest.raises(SourceError, match="did you mean 'real64'"):
        read("program p\n  use iso_fortran_env, only: real65\nend program p\n")


def test_modules_in_a_circle(read: Read) -> None:
    with pytest.raises(SourceError, match="uses itself"):
        read("module a\n  use b\nend module\nmodule b\n  use a\nend module\n")
