"""What a kernel gets from the host: leaf arrays, scalars, and the figures of arrays that its text asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from polystencil.codegen.kernel import Parameter
from polystencil.codegen.names import Names
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic

NUMPY_NAMES = {
    ("integer", 1): "int8", ("integer", 2): "int16", ("integer", 4): "int32", ("integer", 8): "int64",
    ("real", 4): "float32", ("real", 8): "float64", ("complex", 4): "complex64", ("complex", 8): "complex128",
}  # fmt: skip


def dtype_name(t: Intrinsic) -> str:
    """The NumPy name of an element type; all logicals are bool."""
    return "bool" if t.base == "logical" else NUMPY_NAMES[t.base, t.kind]


@dataclass
class ArrayArgument:
    """A leaf array: `prefix` is evaluated on the host. `shape` has (lower, extent) per dimension where constant.

    `owned`: the variable is all there is in its allocation.
    """

    name: str
    prefix: x.Expression
    type: Intrinsic
    rank: int
    unit: bool
    shape: tuple[tuple[int, int], ...] | None
    aliased: bool
    owned: bool = False
    read: bool = False
    written: bool = False

    def constant_strides(self) -> tuple[int, ...] | None:
        """Strides in elements where the shape is constant."""
        if self.shape is None:
            return None
        out, step = [], 1
        for _, extent in self.shape:
            out.append(step)
            step *= max(extent, 1)
        return tuple(out)


@dataclass
class ScalarArgument:
    """A scalar by value; `value` is evaluated on the host."""

    name: str
    value: x.Expression
    type: Intrinsic


@dataclass
class Arguments:
    """Collects the arguments of one kernel in the order in which its text asks for them."""

    names: Names
    arrays: dict[x.Expression, ArrayArgument] = field(default_factory=dict)
    scalars: dict[x.Expression, ScalarArgument] = field(default_factory=dict)
    figures: dict[str, Parameter] = field(default_factory=dict)
    maths: dict[str, str] = field(default_factory=dict)

    def array_index(self, argument: ArrayArgument) -> int:
        return list(self.arrays.values()).index(argument)

    def figure(self, argument: ArrayArgument, kind: str, dimension: int) -> str:
        """The name of an offset, stride, lower bound or extent of an array; asked for means passed."""
        letter = {"offset": "off", "stride": "s", "lower": "l", "extent": "e"}[kind]
        name = f"{argument.name}_{letter}" + ("" if kind == "offset" else str(dimension))
        if name not in self.figures:
            index = self.array_index(argument)
            self.figures[name] = Parameter(kind, name, "index", index, dimension)  # type: ignore[arg-type]  # one of the kinds
        return name

    def math(self, function: str) -> str:
        """The parameter that holds the address of a function of the C library."""
        if function not in self.maths:
            self.maths[function] = f"ps_at_{function}"
        return self.maths[function]
