"""Array intrinsics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polystencil.errors import FortranRuntimeError
from polystencil.semantics import characters, rearrangement, reductions
from polystencil.semantics.transfer import element_size, to_bytes, transfer
from polystencil.semantics.values import Field, RecordLayout, new_data

I4 = np.int32
A = np.arange(1, 7, dtype=I4).reshape((2, 3), order="F")  # columns (1,2) (3,4) (5,6)


@settings(max_examples=60)
@given(st.lists(st.floats(-1e10, 1e10, width=32), max_size=40), st.sampled_from([np.float32, np.float64]))
def test_sums_are_made_one_element_after_the_other(values: list[float], kind: type) -> None:
    array = np.array(values, kind)
    expected = kind(0)
    for v in array:
        expected = kind(expected + v)
    assert reductions.total(array).tobytes() == expected.tobytes()
    columns = np.stack([array, array[::-1]], axis=1) if len(values) else np.zeros((0, 2), kind)
    assert reductions.total(columns, I4(1))[0].tobytes() == expected.tobytes()


def test_reductions_along_a_dimension_and_under_a_mask() -> None:
    assert reductions.total(A, I4(1)).tolist() == [3, 7, 11]
    assert reductions.total(A, None, A > 2) == 18
    assert reductions.product(A, I4(2)).tolist() == [15, 48]
    assert reductions.maxval(A, I4(2), A < 5).tolist() == [3, 4]
    assert reductions.count(A > 2, I4(2)).tolist() == [2, 2]
    assert reductions.bit_reduction("iparity", A) == 1 ^ 2 ^ 3 ^ 4 ^ 5 ^ 6


def test_no_elements() -> None:
    none = np.zeros(0)
    assert reductions.total(none) == 0
    assert reductions.product(none) == 1
    assert reductions.maxval(none) == np.finfo(float).min
    assert reductions.minval(np.zeros(0, I4)) == 2147483647
    assert reductions.maxloc(none).tolist() == [0]


def test_nan_is_skipped_by_extremes() -> None:
    x = np.array([np.nan, 1.0, 3.0])
    assert reductions.maxval(x) == 3
    assert reductions.maxloc(x).tolist() == [3]
    assert reductions.minloc(x).tolist() == [2]
    assert np.isnan(reductions.maxval(x[:1]))
    assert reductions.maxloc(x[:1]).tolist() == [1]


def test_locations() -> None:
    assert reductions.maxloc(A).tolist() == [2, 3]
    assert reductions.maxloc(A, I4(1)).tolist() == [2, 2, 2]
    v = np.array([3, 1, 1], I4)
    assert reductions.minloc(v).tolist() == [2]
    assert reductions.minloc(v, None, None, True).tolist() == [3]
    assert reductions.findloc(v, I4(1), I4(1)) == 2
    assert reductions.findloc(v, I4(9)).tolist() == [0]


def test_products_of_matrices() -> None:
    assert reductions.matmul(A, A.T).tolist() == [[35, 44], [44, 56]]
    assert reductions.dot_product(np.array([1 + 2j]), np.array([3 + 4j])) == (1 - 2j) * (3 + 4j)
    assert reductions.matmul(A > 2, np.array([True, False, False])).tolist() == [False, False]
    with pytest.raises(FortranRuntimeError):
        reductions.matmul(A, A)


def test_shifts() -> None:
    assert rearrangement.cshift(A, I4(1), I4(2)).tolist() == [[3, 5, 1], [4, 6, 2]]
    assert rearrangement.cshift(A, np.array([0, -1], I4), I4(2)).tolist() == [[1, 3, 5], [6, 2, 4]]
    assert rearrangement.eoshift(A, I4(-1), None, I4(1)).tolist() == [[0, 0, 0], [1, 3, 5]]
    assert rearrangement.eoshift(A, I4(1), np.array([8, 9], I4), I4(2)).tolist() == [[3, 5, 8], [4, 6, 9]]


def test_reshape_pack_unpack_spread() -> None:
    assert rearrangement.reshape(A, [3, 2], None, [2, 1]).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert rearrangement.reshape(A, [2, 4], np.array([0, 9], I4)).tolist() == [[1, 3, 5, 0], [2, 4, 6, 9]]
    assert rearrangement.pack(A, A > 3, np.zeros(5, I4)).tolist() == [4, 5, 6, 0, 0]
    assert rearrangement.unpack(np.array([7, 8], I4), np.array([True, False, True]), I4(0)).tolist() == [7, 0, 8]
    assert rearrangement.spread(np.array([1, 2], I4), I4(1), I4(2)).tolist() == [[1, 2], [1, 2]]
    with pytest.raises(FortranRuntimeError, match="without pad"):
        rearrangement.reshape(A, [7])


def test_records_are_moved_like_numbers() -> None:
    layout = RecordLayout("p", (Field("x", np.dtype(I4)), Field("v", np.dtype(np.float64), (2,), (1,))))
    records = new_data(layout, (3,))
    records.fields["x"][...] = [1, 2, 3]
    records.fields["v"][:, 1] = [10, 20, 30]
    moved = rearrangement.cshift(records, I4(1))
    assert moved.fields["x"].tolist() == [2, 3, 1]
    assert moved.fields["v"][:, 1].tolist() == [20, 30, 10]
    assert rearrangement.pack(records, np.array([True, False, True])).fields["x"].tolist() == [1, 3]


def test_transfer() -> None:
    assert transfer(np.float32(1), I4(0)) == 0x3F800000
    assert transfer(b"abcd", I4(0)) == int.from_bytes(b"abcd", "little")
    assert transfer(np.float64(1), np.zeros(1, I4)).tolist() == [0, 0x3FF00000]
    assert transfer(np.True_, I4(0)) == 1
    layout = RecordLayout("p", (Field("c", np.dtype("S1")), Field("x", np.dtype(np.float64))))
    assert element_size(layout) == 16
    assert len(to_bytes(new_data(layout, (2,)))) == 32


def test_characters() -> None:
    assert characters.index(b"hello", b"l", True) == 4
    assert characters.index(b"hello", b"", None) == 1
    assert characters.scan(b"abcdef", b"xdc") == 3
    assert characters.verify(b"aabbc", b"ab") == 5
    assert characters.adjustr(b"ab  ") == b"  ab"
    assert characters.adjustl(b"  ab") == b"ab  "
    words = np.array([b"a  ", b"bcd"], "S3")
    assert characters.len_trim(words).tolist() == [1, 3]
    assert characters.concatenate_text(words, b"!").tolist() == [b"a  !", b"bcd!"]
