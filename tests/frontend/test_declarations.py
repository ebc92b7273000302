"""Declarations: shapes, attributes, parameters, types, storage, data."""

from __future__ import annotations

from collections.abc import Callable

from polystencil.ir import expressions as x
from polystencil.ir.program import Dimension, Program, Symbol
from polystencil.ir.types import DOUBLE, INTEGER, REAL, Intrinsic, Record

Read = Callable[..., Program]


def symbols(program: Program) -> dict[str, Symbol]:
    assert program.main is not None
    return {v.name: v for v in program.main.symbols}


def test_shapes(read: Read) -> None:
    program = read(
        "subroutine s(a, b, c, n)\n  integer, intent(in) :: n\n  real, intent(inout) :: a(:), b(0:n, *), c(-1:)\n"
        "  real, allocatable :: w(:, :)\nend subroutine s\n"
    )
    by_name = {v.name: v for v in program.procedures[0].symbols}
    one = x.Literal(1, INTEGER)
    assert by_name["a"].shape == (Dimension(one, None, True),)
    assert by_name["b"].shape == (Dimension(x.Literal(0, INTEGER), x.Ref("s.n", INTEGER)), Dimension(one, "*"))
    assert by_name["c"].shape == (Dimension(x.Unary("-", one), None, True),)
    assert by_name["w"].shape == (Dimension(None, None), Dimension(None, None))
    assert by_name["a"].intent == "inout"
    assert "dummy" in by_name["a"].attributes


def test_parameters_are_folded(read: Read) -> None:
    program = read(
        "program p\n  integer, parameter :: n = 2**3, m = n/3\n  real, parameter :: third = 1.0/3.0\n"
        "  integer, parameter :: t(0:2) = [(n*i, i=0, 2)], w(*) = [1, 2, 3, 4]\nend program p\n"
    )
    by_name = symbols(program)
    assert by_name["m"].initial == x.Literal(2, INTEGER)
    assert by_name["third"].initial == x.Literal(0.3333333432674408, REAL)
    values = by_name["t"].initial
    assert isinstance(values, x.ArrayConstructor)
    assert [v.value for v in values.items] == [0, 8, 16]
    assert by_name["w"].shape == (Dimension(x.Literal(1, INTEGER), x.Literal(4, INTEGER)),)
    assert set(by_name) == {"n", "m", "third", "t", "w"}


def test_implicit_typing(read: Read) -> None:
    program = read("program p\n  implicit double precision (a-c)\n  ia = 2\n  b = 1\n  z = 3\nend program p\n")
    by_name = symbols(program)
    assert (by_name["ia"].type, by_name["b"].type, by_name["z"].type) == (INTEGER, DOUBLE, REAL)


def test_types_with_inheritance(read: Read) -> None:
    program = read(
        "module m\n  type :: base\n    integer :: n = 1\n  contains\n    procedure :: show => show_base\n  end type\n"
        "  type, extends(base) :: more\n    real :: w(2)\n  end type\ncontains\n"
        "  subroutine show_base(self)\n    class(base), intent(in) :: self\n  end subroutine\nend module m\n"
    )
    base, more = program.modules[0].types
    assert [c.name for c in more.components] == ["n", "w"]
    assert more.extends == "m.base"
    assert more.bindings == base.bindings
    assert base.bindings[0].procedure == "m.show_base"
    assert program.modules[0].procedures[0].symbols[0].type == Record("m.base", True)


def test_common_and_equivalence(read: Read) -> None:
    program = read(
        "program p\n  integer :: n, u(4), a(10), b(9)\n  real(8) :: d\n  common /blk/ d, n, u\n"
        "  equivalence (a(2), b(1))\nend program p\n"
    )
    assert program.main is not None
    common, shared = program.main.blocks
    assert (common.id, common.size, common.common) == ("/blk/", 28, True)
    assert common.members == (("p.d", 0), ("p.n", 8), ("p.u", 12))
    assert (shared.size, shared.members) == (40, (("p.a", 0), ("p.b", 4)))
    by_name = symbols(program)
    assert (by_name["b"].block, by_name["b"].offset) == (shared.id, 4)


def test_data(read: Read) -> None:
    program = read(
        "program p\n  integer :: a(4), b(2, 2), c(3), i\n  data a /2*1, 2*5/, b /4*0/\n"
        "  data (c(i), i=1, 3, 2) /7, 8/, c(2) /9/\nend program p\n"
    )
    assert program.main is not None
    data = program.main.data
    assert [v.value for v in data[0].value.items] == [1, 1, 5, 5]  # type: ignore[attr-defined]  # a constructor
    assert data[1].value == x.Literal(0, INTEGER)
    assert [(d.target.indices[0].value, d.value.value) for d in data[2:]] == [(1, 7), (3, 8), (2, 9)]  # type: ignore[attr-defined]  # the statement is of this class
    assert "save" in symbols(program)["a"].attributes


def test_character_lengths(read: Read) -> None:
    program = read(
        "subroutine s(t)\n  character(*), intent(in) :: t\n  character*3 a, b*5\n  character(:), allocatable :: c\n"
        "  character(len=2*4) :: d\nend subroutine s\n"
    )
    lengths = {v.name: v.type.length for v in program.procedures[0].symbols}  # type: ignore[union-attr]  # text
    assert lengths["t"] == "*"
    assert lengths["c"] == ":"
    assert [lengths[n].value for n in "abd"] == [3, 5, 8]  # type: ignore[union-attr]  # literals


def test_module_names_renames_and_privacy(read: Read) -> None:
    program = read(
        "module m\n  private\n  integer, public :: k = 1\n  integer :: hidden = 2\nend module m\n"
        "program p\n  use m, only: mine => k\n  integer :: hidden\n  hidden = mine\nend program p\n"
    )
    assert program.main is not None
    (assign,) = program.main.body
    assert assign.target == x.Ref("p.hidden", INTEGER)  # type: ignore[attr-defined]  # an Assign
    assert assign.value == x.Ref("m.k", INTEGER)  # type: ignore[attr-defined]  # the statement is of this class


def test_submodule_bodies_are_procedures_of_the_module(read: Read) -> None:
    program = read(
        "module m\n  interface\n    module function f(k) result(r)\n      integer, intent(in) :: k\n"
        "      integer :: r\n"
        "    end function\n  end interface\nend module m\nsubmodule (m) impl\ncontains\n  module procedure f\n"
        "    r = k + 1\n  end procedure\nend submodule impl\n"
    )
    (f,) = program.modules[0].procedures
    assert (f.id, f.dummies, f.result, f.kind) == ("m.f", ("m.f.k",), "m.f.r", "function")
    assert len(f.body) == 1


def test_statement_function_is_expanded(read: Read) -> None:
    program = read("program p\n  real :: area, x\n  area(r) = 2*r\n  x = area(x + 1)\nend program p\n")
    assert program.main is not None
    assert {v.name for v in program.main.symbols} == {"x"}
    (assign,) = program.main.body
    assert "area" not in str(assign)


def test_intrinsic_module_constants(read: Read) -> None:
    program = read("program p\n  use iso_fortran_env, only: dp => real64\n  real(dp) :: x\nend program p\n")
    assert symbols(program)["x"].type == Intrinsic("real", 8)
