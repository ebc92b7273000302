"""Values, sections, assignment and association."""

from __future__ import annotations

import numpy as np
import pytest

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.assignment import assign, assign_allocatable, assign_allocatable_scalar, copy_value
from polystencil.semantics.association import (
    as_assumed_shape,
    as_explicit_shape,
    associate,
    associated,
    element_position,
)
from polystencil.semantics.sections import assign_section, element, section, substring, substring_view
from polystencil.semantics.values import (
    Allocatable,
    Array,
    Field,
    Pointer,
    RecordLayout,
    block_view,
    load,
    new_array,
    new_data,
)

INT, REAL = np.dtype(np.int32), np.dtype(np.float64)
POINT = RecordLayout("m.point", (Field("x", INT, initial=np.int32(1)), Field("y", INT)))
CELL = RecordLayout(
    "m.cell", (Field("at", POINT), Field("w", REAL, (3,), (0,)), Field("list", None, state="allocatable"))
)


def numbered(*shape: int, lower: tuple[int, ...] | None = None) -> Array:
    data = np.arange(1, np.prod(shape) + 1, dtype=np.int32).reshape(shape, order="F")
    return Array(data, lower or (1,) * len(shape))


def test_an_array_has_its_bounds_and_fortran_order() -> None:
    a = new_array(INT, (-1, 2), (3, 4))
    assert a.data.shape == (5, 3)
    assert a.data.flags.f_contiguous
    assert a.upper == (3, 4)
    assert new_array(INT, (5,), (2,)).lower == (1,), "an empty dimension starts at 1"


def test_an_element_is_a_view_and_its_subscripts_are_checked() -> None:
    a = numbered(3, 2, lower=(0, 1))
    element(a, (2, 1))[()] = 99
    assert a.data[2, 0] == 99
    with pytest.raises(FortranRuntimeError, match=r"subscript 3 of dimension 1 of u is outside of its bounds 0:2"):
        element(a, (3, 1), "u")


@pytest.mark.parametrize(
    ("triplet", "expected"),
    [((None, None, 1), [1, 2, 3, 4, 5]), ((5, 1, -2), [5, 3, 1]), ((4, 3, 1), []), ((None, None, -1), []), ((5, None, -1), [5]),
     ((2, 100, 100), [2])],
)  # fmt: skip
def test_triplets(triplet: tuple[int | None, int | None, int], expected: list[int]) -> None:
    assert section(numbered(5), (triplet,)).tolist() == expected


def test_a_section_out_of_bounds_is_refused() -> None:
    with pytest.raises(FortranRuntimeError, match="subscript 6"):
        section(numbered(5), ((2, 6, 1),))


def test_vector_subscripts_read_and_write() -> None:
    a = numbered(3, 3)
    vector = np.array([3, 1], np.int32)
    assert section(a, ((None, None, 1), vector)).tolist() == [[7, 1], [8, 2], [9, 3]]
    assign_section(a, (vector, 2), np.array([60, 40], np.int32))
    assert a.data[:, 1].tolist() == [40, 5, 60]


def test_overlapping_assignment_reads_the_right_side_first() -> None:
    a = numbered(6)
    assign(Array(a.data[1:], (1,)), Array(a.data[:-1], (1,)))
    assert a.data.tolist() == [1, 1, 2, 3, 4, 5]


def test_shapes_of_an_assignment_must_agree() -> None:
    with pytest.raises(FortranRuntimeError, match=r"shape \(2\) assigned to one of shape \(3\)"):
        assign(numbered(3), numbered(2))


def test_text_is_padded_and_truncated_and_keeps_nul() -> None:
    text = new_data(np.dtype("S5"), ())
    assign(text, b"ab")
    assert load(text) == b"ab   "
    assign(text, b"abcdefgh")
    assert load(text) == b"abcde"
    assign(text, b"a\0\0\0\0")
    assert load(text) == b"a\0\0\0\0"
    assert load(new_data(np.dtype("S0"), ())) == b""


def test_substrings_of_elements_are_views() -> None:
    a = new_array(np.dtype("S4"), (1,), (2,))
    assign(a, b"abcd")
    assign(substring_view(element(a, (2,)), 2, 3), b"X")
    assert a.data.tolist() == [b"abcd", b"aX d"]
    assert substring(b"hello", 3, None) == b"llo"
    assert substring(b"hello", 4, 2) == b""
    with pytest.raises(FortranRuntimeError):
        substring(b"hello", 2, 6)


def test_records_have_defaults_and_their_elements_are_views() -> None:
    cells = new_array(CELL, (1,), (4,))
    assert cells.data.fields["at"].fields["x"].tolist() == [1, 1, 1, 1]
    one = element(cells, (3,))
    one.fields["at"].fields["x"][()] = 7
    one.fields["w"][...] = [1, 2, 3]
    assert cells.data.fields["at"].fields["x"].tolist() == [1, 1, 7, 1]
    assign(section(cells, ((2, 4, 1),)), section(cells, ((1, 3, 1),)))
    assert cells.data.fields["at"].fields["x"].tolist() == [1, 1, 1, 7]
    assert cells.data.fields["w"][:, 1].tolist() == [0, 0, 0, 2]


def test_record_assignment_copies_allocatable_components() -> None:
    a, b = new_data(CELL, ()), new_data(CELL, ())
    assign_allocatable(a.fields["list"], np.array([1.0, 2.0]))
    assign(b, a)
    a.fields["list"].value.data[0] = 50
    assert b.fields["list"].value.data.tolist() == [1, 2]
    assign(a, new_data(CELL, ()))
    assert a.fields["list"].value is None


def test_allocation_on_assignment() -> None:
    cell = Allocatable(new_array(INT, (-1,), (1,)))
    assign_allocatable(cell, np.array([7, 8, 9], np.int32))
    assert cell.value.lower == (-1,), "the same shape keeps its bounds"
    assign_allocatable(cell, np.array([7, 8], np.int32))
    assert cell.value.lower == (1,)
    assert cell.value.data.tolist() == [7, 8]
    text = Allocatable()
    assign_allocatable_scalar(text, b"grow")
    assign_allocatable_scalar(text, b"growing")
    assert load(text.value) == b"growing"


def test_sequence_association_is_a_view_where_it_can_be() -> None:
    a = numbered(4, 3)
    dummy, back = as_explicit_shape(a.data, (1, 1), (2, 3), start=element_position(a, (3, 1)))
    assert back is None
    assert dummy.data.tolist() == [[3, 5, 7], [4, 6, 8]]
    dummy.data[0, 0] = 0
    assert a.data[2, 0] == 0


def test_a_strided_actual_is_copied_in_and_out() -> None:
    a = numbered(4, 3)
    dummy, back = as_explicit_shape(a.data[1, :], (0,), (2,))
    dummy.data[...] = [20, 60, 100]
    assert a.data[1].tolist() == [2, 6, 10]
    assert back is not None
    back()
    assert a.data[1].tolist() == [20, 60, 100]


def test_assumed_size_takes_the_rest_and_too_much_is_refused() -> None:
    a = numbered(10)
    dummy, _ = as_explicit_shape(a.data, (1, 1), (2, None), start=3)
    assert dummy.data.shape == (2, 3)
    with pytest.raises(FortranRuntimeError, match="8 elements, but the actual argument only 7"):
        as_explicit_shape(a.data, (1,), (8,), start=3)
    assert as_assumed_shape(a.data, (-2,)).upper == (7,)


def test_pointers_with_bounds_and_remapping() -> None:
    a, p = numbered(12), Pointer()
    associate(p, a, (0,))
    assert p.target.lower == (0,)
    assert p.target.data is a.data
    associate(p, Array(a.data[::2], (1,)), (1, 1), (2, 3))
    assert p.target.data.tolist() == [[1, 5, 9], [3, 7, 11]]
    p.target.data[1, 2] = 0
    assert a.data[10] == 0
    q = Pointer()
    assert not associated(q)
    assert associated(p)
    associate(q, p)
    assert associated(p, q)
    assert not associated(p, a)


def test_storage_blocks_share_bytes_and_logicals_take_their_kind() -> None:
    block = np.zeros(32, np.uint8)
    numbers = block_view(block, 0, INT, (8,), 4)
    matrix = block_view(block, 8, INT, (2, 2), 4)
    flags = block_view(block, 24, np.dtype(np.bool_), (2,), 4)
    matrix[1, 0], flags[1] = 5, True
    assert numbers.tolist() == [0, 0, 0, 5, 0, 0, 0, 1]


def test_a_copy_shares_nothing() -> None:
    a = new_array(CELL, (0,), (1,))
    b = copy_value(a)
    b.data.fields["w"][...] = 3
    assert a.data.fields["w"].sum() == 0
    assert b.lower == (0,)
