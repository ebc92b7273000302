"""Arithmetic with the results that gfortran -O0 gives (bit patterns where the last bit is the point)."""

from __future__ import annotations

import numpy as np
import pytest

from polystencil.errors import FortranRuntimeError
from polystencil.semantics import arithmetic as ar
from polystencil.semantics import bits, libm, numeric_models
from polystencil.semantics.intrinsics import apply_intrinsic

I4, R4, R8 = np.int32, np.float32, np.float64


def hexadecimal(x: np.float64) -> str:
    return format(int(np.asarray(x).view(np.uint64)[()]), "016X")


@pytest.fixture(autouse=True)
def quiet() -> object:
    with np.errstate(all="ignore"):
        yield None


def test_integer_division_truncates() -> None:
    a, b = np.array([7, -7, 7, -7], I4), np.array([2, 2, -2, -2], I4)
    assert ar.int_divide(a, b).tolist() == [3, -3, -3, 3]
    assert ar.mod(a, b).tolist() == [1, -1, 1, -1]
    assert ar.modulo(a, b).tolist() == [1, 1, -1, -1]
    assert ar.int_divide(I4(-7), I4(2)) == -3
    with pytest.raises(FortranRuntimeError, match="division by zero"):
        ar.int_divide(I4(1), I4(0))


def test_real_remainders() -> None:
    assert ar.mod(R8(-7.5), R8(3)) == -1.5
    assert ar.modulo(R8(-7.5), R8(3)) == 1.5
    assert np.signbit(ar.modulo(R8(4), R8(-2)))
    assert ar.modulo(R8(4), R8(-2)) == 0


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(I4(-7), "3FE06BCA92EF4A05"), (np.int64(-7), "3FE06BCA92EF4A06"), (I4(3), "3FF54BC6A7EF9DB4"),
     (I4(-2), "3FEA723F789854A0")],
)  # fmt: skip
def test_integer_powers_of_reals_bit_for_bit(exponent: np.integer, expected: str) -> None:
    assert hexadecimal(ar.power(R8(1.1), exponent)) == expected


def test_integer_powers_of_integers() -> None:
    assert ar.power(np.array([1, -1, 2, 3], I4), I4(-3)).tolist() == [1, -1, 0, 0]
    assert ar.power(I4(2), np.array([0, 1, 10, 30], I4)).tolist() == [1, 2, 1024, 1073741824]


def test_complex_division_and_powers_bit_for_bit() -> None:
    c, d = np.complex128(1.1 + 0.3j), np.complex128(0.2 - 3.3j)
    q = ar.complex_divide(c, d)
    assert (hexadecimal(q.real), hexadecimal(q.imag)) == ("BFB208E678634EEE", "3FD59B494F665A69")
    p = ar.power(c, I4(-7))
    assert (hexadecimal(p.real), hexadecimal(p.imag)) == ("BFBD83950CC97F1A", "BFD875EB8BA1E1F5")
    r = libm.math2("pow", c, d)
    assert (hexadecimal(r.real), hexadecimal(r.imag)) == ("40025D6A87E2553D", "BFED4F9AB7F1AB7E")


def test_complex_functions_bit_for_bit() -> None:
    c = np.complex128(1.1 + 0.3j)
    for name, re, im in (("exp", "4006F5BD039D29FA", "3FEC68CA46226DF1"),
                         ("sqrt", "3FF0EEF7FBAEE39E", "3FC2243EDF13775A"),
                         ("log", "3FC0CA937BE1B9DE", "3FD10A4608E62849")):  # fmt: skip
        z = libm.math(name, c)
        assert (hexadecimal(z.real), hexadecimal(z.imag)) == (re, im)


def test_single_precision_functions_are_those_of_single_precision() -> None:
    x = np.linspace(0.1, 3, 50, dtype=R4)
    y = libm.math("exp", x)
    assert y.dtype == R4
    assert abs(y.astype(R8) / np.exp(x.astype(R8)) - 1).max() < 1e-7


def test_max_and_min_with_nan_and_signed_zero_are_those_of_gfortran() -> None:
    nan = R8("nan")
    assert ar.maximum(nan, R8(1)) == 1
    assert np.isnan(ar.maximum(R8(1), nan))
    assert np.signbit(ar.maximum(R8(0), R8(-0.0)))
    assert not np.signbit(ar.minimum(R8(-0.0), R8(0)))
    assert ar.minimum(np.array([3.0, 1.0]), R8(2)).tolist() == [2, 1]
    assert ar.minimum(b"b", b"ab") == b"ab"


def test_rounding() -> None:
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    assert ar.round_away(x).tolist() == [-3, -2, -1, 1, 2, 3]
    assert ar.round_away(np.nextafter(R4(0.5), R4(0))) == 0
    assert ar.round_away(R4(8388609.0)) == 8388609
    assert ar.to_integer(R8(-2.7), np.dtype(I4)) == -2
    assert ar.to_integer(R8(-2.5), np.dtype(I4), "floor") == -3


def test_numeric_models() -> None:
    assert numeric_models.spacing(R4(3)) == R4(2.0**-22)
    assert numeric_models.spacing(R8(0)) == np.finfo(R8).tiny
    assert numeric_models.nearest(R4(1), R4(-1)) == R4(1 - 2.0**-24)
    assert (numeric_models.exponent(R8(10)), numeric_models.fraction(R8(10))) == (4, 0.625)
    assert numeric_models.rrspacing(R8(3)) == 0.75 * 2.0**53
    assert [numeric_models.selected_real_kind(I4(p)) for p in (6, 15, 18, 33, 40)] == [4, 8, 10, 16, -1]
    assert numeric_models.inquire("huge", np.dtype(I4)) == 2147483647


def test_bits() -> None:
    a = np.array([1, -1, 255], I4)
    assert bits.ishft(a, I4(-4)).tolist() == [0, 268435455, 15]
    assert bits.ishftc(I4(13), I4(2), I4(5)) == 21
    assert bits.ishftc(np.int64(5), I4(-1)) == -9223372036854775806
    assert bits.leadz(a).tolist() == [31, 0, 24]
    assert bits.popcnt(a).tolist() == [1, 32, 8]
    assert bits.unsigned_compare("bgt", I4(-1), I4(1))
    assert bits.shifta(I4(-16), I4(2)) == -4
    assert bits.mvbits(I4(170), I4(1), I4(4), I4(-963), I4(2)) == -1003


def test_results_have_the_type_that_is_asked_for() -> None:
    assert apply_intrinsic("nint", np.dtype(np.int64), R8(3e9 + 0.5)) == 3000000001
    assert apply_intrinsic("count", np.dtype(I4), np.array([True, False])).dtype == I4
    assert apply_intrinsic("len_trim", np.dtype(np.int64), b"ab  ", None).dtype == np.int64
