"""Text of numbers and records exactly as gfortran 12 writes it (the expected text was printed by it)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from polystencil.semantics.io.failure import TransferFailure
from polystencil.semantics.io.items import scalar_values
from polystencil.semantics.io.namelist import namelist_lines
from polystencil.semantics.io.output import ListWriter, write_formatted
from polystencil.semantics.io.record import Record
from polystencil.semantics.io.units import Units, read_internal, write_internal
from polystencil.semantics.values import Array, load, new_array, new_data

R4, R8, I4 = np.float32, np.float64, np.int32


def formatted(text: str, *values: Any) -> list[str]:
    record, lines = Record(), []

    def end() -> None:
        lines.append(bytes(record.text).decode())
        record.text.clear()
        record.at = 0

    with np.errstate(all="ignore"):
        write_formatted(record, text.encode(), scalar_values(values), end)
    end()
    return lines


def listed(*values: Any) -> str:
    record = Record()
    writer = ListWriter(record)
    for value in scalar_values(values):
        writer.write(value)
    return bytes(record.text).decode()


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("(f8.3,f8.3,f4.2,f3.1,f0.2,f5.0,f2.0)", [R4(v) for v in (1, -1.5, 0.5, -0.5, 0.25, 2.5, 3)],
         "   1.000  -1.5000.50-.5.25   2.3."),
        ("(f5.2,f4.2,f0.3,f0.0,f3.2,f6.2)", [R4(v) for v in (123.456, -0.25, -0.25, 0.3, 0.25, -0.001)],
         "*****-.25-.2500..25 -0.00"),
        ("(e12.4,e12.4e3,e10.3,es12.4,es10.2e3,en12.3,en15.4)",
         [R4(1), R4(12345.678), R4(-0.00012345), R4(12345.678), R8(1e-100), R4(12345.678), R4(0.000123)],
         "  0.1000E+01 0.1235E+005-0.123E-03  1.2346E+04 1.00E-100  12.346E+03   123.0000E-06"),
        ("(1pe12.4,1pe12.4,2pe12.4,-1pe12.4,0pf10.3,1pf10.3,-2pf10.3)",
         [R4(v) for v in (1, 12345.678, 12345.678, 12345.678, 1.5, 1.5, 150)],
         "  1.0000E+00  1.2346E+04  12.346E+03  0.0123E+06     1.500    15.000     1.500"),
        ("(d12.4,d12.4,g12.4,g12.4,g12.4,g12.4,g12.4e3)",
         [R8(1), R8(-12e10), R4(0.01), R4(0.1), R4(1234.5), R4(12345.6), R4(1.5)],
         "  0.1000D+01 -0.1200D+12  0.1000E-01  0.1000       1234.      0.1235E+05  1.500     "),
        ("(i5,i5.3,i0,i1,i3.0,i2,sp,i5,ss,i5,s,i5)", [I4(v) for v in (42, 7, -99, 10, 0, -9, 5, 6, 7)],
         "   42  007-99*   -9   +5    6    7"),
        ("(b8,b8.4,o6,z8,z0,b0)", [I4(v) for v in (5, 5, 64, 255, 48879, 6)], "     101    0101   100      FFBEEF110"),
        ("(3x,a,t10,a,tl3,a,tr2,a)", [b"ab", b"cd", b"ef", b"gh"], "   ab   efd gh"),
        ("(l1,l5,a,a3,a6)", [np.True_, np.False_, b"abc", b"abcdef", b"xyz"], "T    Fabcabc   xyz"),
        ("(g0,1x,g0,1x,g0,1x,g0,1x,g0,1x,g0)", [I4(1), R4(1), R8(1), np.True_, b"abc", R4(1e20)],
         "1 1.00000000 1.0000000000000000 T abc 0.100000002E+21"),
        ("(f10.2,f3.1,e10.2,f8.1,f0.1,g0)", [R8("inf"), R8("inf"), R8("-inf"), R8("-inf"), R8("-inf"), R8("inf")],
         "  InfinityInf -Infinity    -Inf-InfInf"),
        ("(e10.3,e9.3,e8.3,e7.3)", [R4(1.5)] * 4, " 0.150E+010.150E+01.150E+01*******"),
        ("(e15.7e4,e15.5,e15.5,e10.1)", [R8(1e-200), R8(1e-200), R8(1e200), R8(1e100)],
         "0.1000000E-0199    0.10000-199    0.10000+201   0.1+101"),
        ("(ru,f4.1,rd,f4.1,rz,f4.1,rn,f4.1,rc,f4.1)", [R4(0.25)] * 5, " 0.3 0.2 0.2 0.2 0.3"),
        ("(dc,f5.2)", [R4(1.5)], " 1,50"),
        ("(z8.8,1x,z16.16)", [R4(1), R8(1)], "3F800000 3FF0000000000000"),
        ("(5hhello,i3,1x,'it''s')", [I4(1)], "hello  1 it's"),
        ("(a,t20)", [b"trail"], "trail"),
        ("(a,t20,a)", [b"trail", b""], "trail              "),
    ],
)  # fmt: skip
def test_one_formatted_record(text: str, values: list[Any], expected: str) -> None:
    assert formatted(text, *values) == [expected]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ('(2(i2,","),i2)', range(1, 8), [" 1, 2, 3", " 4, 5, 6", " 7,"]),
        ("(i2,(i3,i4))", range(1, 7), [" 1  2   3", "  4   5", "  6"]),
        ("(i3,2(1x,i2,(1x,i1)))", range(1, 10), ["  1  2 3  4 5", "  6 7  8 9"]),
        ('(*(i0,:,", "))', range(1, 4), ["1, 2, 3"]),
        ("(i3,/,i3,//,i1)", range(1, 4), ["  1", "  2", "", "3"]),
        ("()", [], [""]),
    ],
)  # fmt: skip
def test_reversion_and_records(text: str, values: range, expected: list[str]) -> None:
    assert formatted(text, *(I4(v) for v in values)) == expected


def test_a_wrong_type_and_a_format_without_edits_fail() -> None:
    with pytest.raises(TransferFailure, match="Expected INTEGER for item 1 in formatted transfer, got REAL"):
        formatted("(i5)", R4(1))
    with pytest.raises(TransferFailure, match="no data edit descriptor"):
        formatted("('x')", I4(1))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([np.int8(3), np.int16(-4), I4(1), np.int64(5)], "    3     -4           1                    5"),
        ([R4(1), R8(1)], "   1.00000000       1.0000000000000000     "),
        ([R4(1e10), R4(1e-10), R4(0.1), R4(123456789), R4(99999.99), R4(-0.0)],
         "   1.00000000E+10   1.00000001E-10  0.100000001       123456792.       99999.9922      -0.00000000    "),
        ([R8(1e16), R8(1e17), R8(0.01), R8(-1e200)],
         "   10000000000000000.        1.0000000000000000E+017   1.0000000000000000E-002  -9.9999999999999997E+199"),
        ([np.True_, b"abc", b"def", I4(1), b"x", np.False_], " T abcdef           1 x F"),
        ([np.complex64(1 - 2.5j)], "             (1.00000000,-2.50000000)"[1:]),
        ([np.complex128(1e100)], "         (1.00000000000000002E+100,0.0000000000000000)"),
        ([b""], " "),
        ([], ""),
    ],
)  # fmt: skip
def test_list_directed_output(values: list[Any], expected: str) -> None:
    assert listed(*values) == expected


def test_internal_files_are_padded_and_can_overflow() -> None:
    line = new_data(np.dtype("S8"), ())
    write_internal(line, b"(a,i3.3)", [b"n", I4(7)])
    assert load(line) == b"n007    "
    with pytest.raises(TransferFailure, match="End of record"):
        write_internal(line, b"(i20)", [I4(1)])
    lines = new_array(np.dtype("S4"), (1,), (3,))
    write_internal(lines, b"(i3/i4)", [I4(1), I4(2)])
    assert lines.data.tolist()[:2] == [b"  1 ", b"   2"]


def _read(text: bytes, how: Any, *targets: Any) -> list[Any]:
    read_internal(text, how, iter(targets))
    return [load(t) if not isinstance(t, Array) else t.data.tolist() for t in targets]


def test_list_directed_input() -> None:
    number, real, flag, text = (new_data(np.dtype(d), ()) for d in ("i4", "f8", "?", "S6"))
    assert _read(b" 12 , 3.5,T 'it''s'", "*", number, real, flag, text) == [12, 3.5, True, b"it's  "]
    array = new_array(np.dtype(I4), (1,), (5,))
    array.data[...] = -1
    assert _read(b"1,,3 2*5 /", "*", array) == [[1, -1, 3, 5, 5]]
    z = new_data(np.dtype(np.complex64), ())
    assert _read(b"(1.5,-2)", "*", z) == [1.5 - 2j]
    with pytest.raises(TransferFailure, match="Bad integer for item 1 in list input") as caught:
        _read(b"abc", "*", number)
    assert caught.value.iostat == 5010
    with pytest.raises(TransferFailure, match="End of file"):
        _read(b"", "*", number)


def test_formatted_input() -> None:
    i, j, x, text = (new_data(np.dtype(d), ()) for d in ("i4", "i4", "f8", "S2"))
    assert _read(b"  123 45.6ab", b"(i5,f5.1,a2)", i, x, text) == [123, 45.6, b"ab"]
    assert _read(b"123456", b"(i2,2x,i2)", i, j) == [12, 56]
    assert _read(b"12345", b"(f5.2)", x) == [123.45]
    assert _read(b"2.5+1", b"(f5.0)", x) == [25]
    assert _read(b"1", b"(i5)", i) == [1], "short records are padded"


def test_reading_single_precision_rounds_once() -> None:
    x = new_data(np.dtype(R4), ())
    text = "1.00000017881393432617187499"  # just below the middle of two neighbours: a detour over double goes up
    assert _read(text.encode(), "*", x) == [R4(1.0000001192092896)]


def test_units_write_and_read_files(tmp_path: Any) -> None:
    units = Units(io.BytesIO(), io.BytesIO(), io.BytesIO())
    name = str(tmp_path / "data.txt").encode()
    u = units.open({"file": name, "status": b"replace"})
    units.write(u, b"(i3,1x,a)", [I4(7), b"seven"])
    units.write(u, "*", [I4(8)], advance=True)
    units.rewind(u)
    number, text = new_data(np.dtype(I4), ()), new_data(np.dtype("S5"), ())
    units.read(u, "*", iter([number, text]))
    assert (load(number), load(text)) == (7, b"seven")
    units.read(u, "*", iter([number]))
    assert load(number) == 8
    with pytest.raises(TransferFailure) as caught:
        units.read(u, "*", iter([number]))
    assert caught.value.iostat == -1
    assert units.inquire(file=name)["opened"]
    assert units.inquire(unit=u)["name"] == name
    units.close(u, b"delete")
    assert not units.inquire(file=name)["exist"]
    with pytest.raises(TransferFailure, match="No such file"):
        units.open({"file": name, "status": b"old"})


def test_advance_no_continues_the_record() -> None:
    out = io.BytesIO()
    units = Units(io.BytesIO(), out, io.BytesIO())
    units.write(None, b"(a)", [b"abc"], advance=False)
    units.write(None, b"(t10,a)", [b"x"], advance=True)
    units.write(None, "*", [])
    units.finish()
    assert out.getvalue() == b"abc      x\n\n"


def test_namelist_layout() -> None:
    members = [("i", new_data(np.dtype(I4), ())), ("m", Array(np.full((2, 2), 7, I4), (1, 1))),
               ("s", new_data(np.dtype("S3"), ())), ("x", Array(np.array([1.5, 1.5, 2.5], R4), (1,)))]  # fmt: skip
    assert [line.decode() for line in namelist_lines("g", members)] == [
        "&G", " I=0          ,", " M= 4*7          ,", ' S="   ",', " X= 2*1.50000000      ,  2.50000000    ,", " /",
    ]  # fmt: skip
