"""Expressions are typed, conversions explicit, constants converted when exact."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.types import DOUBLE, INTEGER, INTEGER8, LOGICAL, REAL, Intrinsic
from polystencil.ir.typing import rank_of, type_of

Read = Callable[..., Program]
DECLARATIONS = """
  integer :: i, j, v(3)
  integer(8) :: k
  real :: x, a(4, 5)
  real(8) :: d, e(0:9)
  complex(8) :: z
  logical :: l
  character(5) :: c
  integer, parameter :: n = 3
"""


def value_of(read: Read, text: str, target: str = "") -> x.Expression:
    """The expression of `print *, text`, or of an assignment to `target`."""
    statement = f"{target} = {text}" if target else f"print *, {text}"
    program = read(f"program p\n  implicit none{DECLARATIONS}  {statement}\nend program p\n")
    assert program.main is not None
    (only,) = program.main.body
    if isinstance(only, s.Assign):
        return only.value
    assert isinstance(only, s.Write)
    return only.items[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i + j", INTEGER), ("i + k", INTEGER8), ("i*x", REAL), ("k*x", REAL), ("x*d", DOUBLE), ("i/2.0d0", DOUBLE),
        ("z*x", Intrinsic("complex", 8)), ("x**2", REAL), ("2**d", DOUBLE), ("i == x", LOGICAL),
        ("l .and. i > 2", LOGICAL),
        ("real(i, 8)", DOUBLE), ("real(z)", DOUBLE), ("int(d, 8)", INTEGER8), ("nint(d)", INTEGER), ("abs(z)", DOUBLE),
        ("aimag(z)", DOUBLE), ("mod(i, k)", INTEGER8), ("max(x, 1.0)", REAL), ("sum(e)", DOUBLE),
        ("maxloc(e, 1)", INTEGER),
        ("size(a, kind=8)", INTEGER8), ("dsqrt(d)", DOUBLE), ("float(i)", REAL), ("1_8", INTEGER8), ("1.5d0", DOUBLE),
        ("cmplx(1, 2)", Intrinsic("complex", 4)), ("merge(1.0, x, l)", REAL), ("dot_product(v, e(1:3))", DOUBLE),
    ],
)  # fmt: skip
def test_types(read: Read, text: str, expected: Intrinsic) -> None:
    assert type_of(value_of(read, text)) == expected


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("a", 2), ("a(1, 2)", 0), ("a(:, 2)", 1), ("a(v, 2)", 1), ("a(v, v)", 2), ("sum(a)", 0), ("sum(a, 1)", 1),
        ("maxloc(a)", 1), ("shape(a)", 1), ("transpose(a)", 2), ("matmul(a, transpose(a))", 2), ("spread(a, 1, 3)", 3),
        ("reshape(a, [2, 2, 5])", 3), ("[1, 2] + i", 1), ("sqrt(a)", 2), ("pack(a, a > 1)", 1), ("a > x", 2),
    ],
)  # fmt: skip
def test_ranks(read: Read, text: str, rank: int) -> None:
    assert rank_of(value_of(read, text)) == rank


def test_literals_are_converted_at_once_and_variables_by_convert(read: Read) -> None:
    e = value_of(read, "2*d + i")
    assert isinstance(e, x.Binary)
    assert e.left.left == x.Literal(2.0, DOUBLE)
    assert e.right == x.Convert(x.Ref("p.i", INTEGER), DOUBLE)


def test_inexact_literal_keeps_its_conversion(read: Read) -> None:
    e = value_of(read, "0.1d0", "x")
    assert e == x.Convert(x.Literal(0.1, DOUBLE), REAL)
    assert value_of(read, "0.5d0", "x") == x.Literal(0.5, REAL)
    single = value_of(read, "0.1")
    assert isinstance(single, x.Literal)
    assert single.value == 0.10000000149011612


def test_power_binds_right_and_minus_below_times(read: Read) -> None:
    e = value_of(read, "i**j**2")
    assert isinstance(e, x.Binary)
    assert isinstance(e.right, x.Binary)
    assert e.right.operator == "**"
    e = value_of(read, "-i**2*j + 1")
    assert isinstance(e, x.Binary)
    assert e.operator == "+"
    assert isinstance(e.left, x.Unary)
    assert isinstance(e.left.operand, x.Binary)


def test_integer_exponent_keeps_its_type(read: Read) -> None:
    e = value_of(read, "d**i")
    assert isinstance(e, x.Binary)
    assert type_of(e.right) == INTEGER


def test_inquiries_are_constants(read: Read) -> None:
    assert value_of(read, "kind(d)") == x.Literal(8, INTEGER)
    assert value_of(read, "huge(i)") == x.Literal(2147483647, INTEGER)
    assert value_of(read, "epsilon(d)") == x.Literal(2.0**-52, DOUBLE)
    assert value_of(read, "len(c)") == x.Literal(5, INTEGER)
    assert value_of(read, "selected_real_kind(12)") == x.Literal(8, INTEGER)


def test_parameters_read_as_their_name(read: Read) -> None:
    assert value_of(read, "n") == x.NamedConstant("p.n", 3, INTEGER)


def test_keyword_and_absent_arguments_of_intrinsics(read: Read) -> None:
    e = value_of(read, "sum(a, mask=a > 0)")
    assert isinstance(e, x.IntrinsicCall)
    assert e.arguments[1] is None
    assert len(e.arguments) == 3
    assert value_of(read, "sum(a, a > 0)") == e


def test_substrings_and_elements(read: Read) -> None:
    e = value_of(read, "c(2:3)")
    assert isinstance(e, x.Substring)
    assert isinstance(value_of(read, "a(1, n)"), x.Element)
    assert isinstance(value_of(read, "a(1:2, n)"), x.Section)


def test_implied_do_in_a_constructor_has_its_own_variable(read: Read) -> None:
    e = value_of(read, "[(i*2, i=1, 3)]")
    assert isinstance(e, x.ArrayConstructor)
    loop = e.items[0]
    assert isinstance(loop, x.ImpliedDo)
    assert loop.variable.id != "p.i"
    assert loop.items[0].left.id == loop.variable.id
    printed = value_of(read, "(i*2, i=1, 3)")
    assert isinstance(printed, x.ImpliedDo)
    assert printed.variable.id == "p.i"


def test_boz(read: Read) -> None:
    assert value_of(read, "int(z'ff')") == x.Literal(255, INTEGER)
    assert value_of(read, "b'101'", "i") == x.Literal(5, INTEGER)


def test_continuation_inside_text(read: Read) -> None:
    program = read("program p\n  print *, 'ab&\n     &cd'\nend program p\n")
    assert program.main is not None
    assert program.main.body[0].items[0].value == b"abcd"  # type: ignore[attr-defined]  # a Write
