"""What generated host programs call: Fortran's semantics under short names, with the state of the running program."""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.runtime.host_arguments import (
    Frame,
    Sequence,
    assumed_shape,
    default_initialise,
    elemental,
    elemental_call,
    from_element,
    storage_of,
)
from polystencil.runtime.host_control import Cycle, Exit, after, do, extent, nest, no_kernel, nothing, set_to
from polystencil.runtime.host_intrinsics import (
    call_intrinsic,
    extends_type_of,
    from_bits,
    intrinsic,
    is_contiguous,
    lbound,
    same_type_as,
    shape,
    size,
    storage_size,
    ubound,
)
from polystencil.runtime.host_io import file, namelist, read, status, units, write
from polystencil.runtime.host_values import (
    DEFAULT,
    allocate_like,
    allocate_new,
    as_parent,
    assign_allocatable,
    assign_where,
    associated_with,
    bound,
    constructor,
    data_of,
    dynamic,
    element_of_component,
    field,
    fresh_bounds,
    held,
    held_value,
    implied_do,
    is_intrinsic,
    is_type,
    leaf,
    mask_of,
    point_at_procedure,
    result_storage,
    shape_between,
    structure,
    text_of,
    value_of,
)
from polystencil.semantics.arithmetic import compare, complex_divide, int_divide, multiply, power
from polystencil.semantics.assignment import (
    assign,
    assign_allocatable_scalar,
    convert,
    copy_value,
    deallocate,
)
from polystencil.semantics.association import associate, associated, content
from polystencil.semantics.characters import concatenate_text
from polystencil.semantics.sections import assign_section, element, section, substring, substring_view
from polystencil.semantics.system import start_run, stop
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
    new_record,
)

int8, int16, int32, int64 = (np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64))
float32, float64 = np.dtype(np.float32), np.dtype(np.float64)
complex64, complex128 = np.dtype(np.complex64), np.dtype(np.complex128)
bool_ = np.dtype(np.bool_)
text = np.dtype("S1")


class NoDevice:
    """Stands in until a device is bound."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # inspection asks for such names
        raise FortranRuntimeError("the host program has no device: call bind() first")


NO_DEVICE = NoDevice()


def int_divide_masked(a: Any, b: Any) -> Any:
    """Integer division where only some elements will be used: others may divide by zero."""
    return int_divide(a, np.where(b == 0, b.dtype.type(1), b))


__all__ = [
    "DEFAULT",
    "NO_DEVICE",
    "Allocatable",
    "Array",
    "Cycle",
    "Exit",
    "Field",
    "Frame",
    "Pointer",
    "RecordLayout",
    "Sequence",
    "after",
    "allocate_like",
    "allocate_new",
    "as_parent",
    "assign",
    "assign_allocatable",
    "assign_allocatable_scalar",
    "assign_section",
    "assign_where",
    "associate",
    "associated",
    "associated_with",
    "assumed_shape",
    "block_view",
    "bool_",
    "bound",
    "call_intrinsic",
    "compare",
    "complex64",
    "complex128",
    "complex_divide",
    "concatenate_text",
    "constructor",
    "content",
    "convert",
    "copy_value",
    "data_of",
    "deallocate",
    "default_initialise",
    "do",
    "dynamic",
    "element",
    "element_of_component",
    "elemental",
    "elemental_call",
    "extends_type_of",
    "extent",
    "field",
    "file",
    "float32",
    "float64",
    "fresh_bounds",
    "from_bits",
    "from_element",
    "held",
    "held_value",
    "implied_do",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_divide",
    "int_divide_masked",
    "intrinsic",
    "is_contiguous",
    "is_intrinsic",
    "is_type",
    "lbound",
    "leaf",
    "load",
    "mask_of",
    "multiply",
    "namelist",
    "nest",
    "new_array",
    "new_data",
    "new_record",
    "no_kernel",
    "nothing",
    "point_at_procedure",
    "power",
    "read",
    "result_storage",
    "same_type_as",
    "section",
    "set_to",
    "shape",
    "shape_between",
    "size",
    "start_run",
    "status",
    "stop",
    "storage_of",
    "storage_size",
    "structure",
    "substring",
    "substring_view",
    "text",
    "text_of",
    "ubound",
    "units",
    "value_of",
    "write",
]  # fmt: skip
