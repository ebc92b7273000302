"""Files become text: fixed form, includes, the preprocessor, and the way back to the user's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from polystencil.errors import SourceError, SourceText
from polystencil.frontend import read_program
from polystencil.frontend.fixed_form import free_lines_from_fixed
from polystencil.frontend.source import Line, read_source
from polystencil.ir import statements as s


def free(*lines: str) -> list[str]:
    return [line.text.strip() for line in free_lines_from_fixed([Line(t, "x.f", n) for n, t in enumerate(lines, 1)])]


@pytest.mark.parametrize(
    ("fixed", "expected"),
    [
        ("      DO10I = 1 0", "DO10I=10"),
        ("      DO10I=1,10", "DO 10 I=1,10"),
        ("      DO 1 0 I = 1, 1 0", "DO 10 I=1,10"),
        ("      GO TO 70", "GOTO 70"),
        ("      IF(A.LT.B)GOTO10", "IF(A.LT.B) GOTO 10"),
        ("      IF(L)THEN", "IF(L) THEN"),
        ("      E N D", "END"),
        ("      INTEGERFUNCTIONF(X)", "INTEGER FUNCTION F(X)"),
        ("      REAL*8X,Y", "REAL*8 X,Y"),
        ("      DOUBLEPRECISIONX", "DOUBLE PRECISION X"),
        ("      CALLSUB(A)", "CALL SUB(A)"),
        ("      COMMON/CB/X", "COMMON /CB/X"),
        ("      TEXT = 'IT''S  A'", "TEXT='IT''S  A'"),
        ("      X = 1.0                                                           X00100", "X=1.0"),
    ],
)
def test_fixed_form_statements(fixed: str, expected: str) -> None:
    assert free(fixed)[0].replace("GO TO", "GOTO") == expected


def test_fixed_form_keeps_lines_and_joins_literals() -> None:
    lines = free("C comment", "      A = B", "     1    + C", "      T = 'ONE", "     &TWO'")
    assert lines[:3] == ["", "A=B &", "+C"]
    assert lines[3].startswith("T='ONE")
    assert lines[3].endswith("TWO'")
    assert lines[4] == ""


def test_error_in_fixed_form_points_at_the_users_column() -> None:
    text = "      PROGRAM P\n      IMPLICIT NONE\n      INTEGER I\n      I  =  1 +\n     1     NOPE\n      END\n"
    with pytest.raises(SourceError) as error:
        read_program([SourceText("old.f", text)])
    assert (error.value.span.file, error.value.span.line, error.value.span.column) == ("old.f", 5, 12)


def test_include_line_keeps_places(tmp_path: Path) -> None:
    (tmp_path / "decl.inc").write_text("  integer :: i\n  real :: wrong wrong\n")
    main = tmp_path / "main.f90"
    main.write_text("program p\n  implicit none\n  include 'decl.inc'\nend program p\n")
    with pytest.raises(SourceError) as error:
        read_program([main])
    assert error.value.span.file.endswith("decl.inc")
    assert error.value.span.line == 2


def test_include_directories_and_missing_file(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "n.inc").write_text("  integer, parameter :: n = 5\n")
    main = tmp_path / "main.f90"
    main.write_text("program p\n  include 'n.inc'\n  print *, n\nend program p\n")
    program = read_program([main], include_dirs=[str(tmp_path / "inc")])
    assert [f.name for f in program.sources][-1].endswith("n.inc")
    with pytest.raises(SourceError, match=r"included file 'n\.inc' not found"):
        read_program([main])


def test_preprocessor_defines_macros_and_literals() -> None:
    text = (
        "#define N 4\n#ifdef FAST\n#define K 8\n#else\n#define K 4\n#endif\n"
        "program p\n  ! it's a comment\n  real(K) :: x(N)\n  x = 1.0\n  print '(a,i0)', 'N // K', N\nend program p\n"
    )
    program = read_program([SourceText("p.F90", text)], defines={"FAST": "1"})
    assert program.main is not None
    (x,) = program.main.symbols
    assert x.type.kind == 8
    write = program.main.body[1]
    assert isinstance(write, s.Write)
    assert write.items[0].value == b"N // K"
    assert write.span.line == 11


def test_macro_in_plain_source_is_refused() -> None:
    with pytest.raises(SourceError, match="not preprocessed"):
        read_program([SourceText("p.f90", "#define N 4\nprogram p\nend program p\n")])


def test_concatenation_survives_the_preprocessor() -> None:
    text = "#define A 'x'\nprogram p\n  print *, A // 'y' ! a // b\nend program p\n"
    lines = read_source(SourceText("p.F90", text), {}, ()).lines
    assert lines[-2].text.split("!")[0].strip() == "print *, 'x' // 'y'"


def test_files_in_any_order() -> None:
    user = SourceText("main.f90", "program p\n  use m\n  print *, k\nend program p\n")
    module = SourceText("m.f90", "module m\n  integer, parameter :: k = 3\nend module m\n")
    program = read_program([user, module])
    assert [m.id for m in program.modules] == ["m"]
    assert program.main is not None
    assert program.main.uses == ("m",)
