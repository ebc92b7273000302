"""Launches in the host program: extents, leaf arrays and scalars as Python text."""

from __future__ import annotations

from polystencil.codegen.array_elements import value_of
from polystencil.codegen.failures import FLAG, FLAG_NAME
from polystencil.codegen.host_expressions import HostExpressions
from polystencil.codegen.loop_units import Launch
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of


class HostLaunches(HostExpressions):
    """Prints calls of kernels."""

    def launch(self, launch: Launch) -> str:
        """One call: `k3_step((n, m), (u, unew), (dt,))`."""
        ranges = [self._extent(*r) for r in launch.ranges]
        spare_reads, spare_writes = set(self.touched_reads), set(self.touched_writes)
        arrays = [self._leaf(prefix) for prefix in launch.arrays]
        self.touched_reads, self.touched_writes = spare_reads, spare_writes
        scalars = [self._scalar(e) for e in launch.scalars]
        return f"{launch.kernel.name}({_tuple(ranges)}, {_tuple(arrays)}, {_tuple(scalars)})"

    def _extent(self, first: x.Expression, last: x.Expression, step: x.Expression) -> str:
        low, high, by = value_of(first), value_of(last), value_of(step)
        if low is not None and high is not None and by:
            return str(max(0, (high - low + by) // by))
        if by == 1:
            if low == 1:
                return f"int({self.value(last)})"
            return f"fortran.extent({self.plain_integer(first)}, {self.plain_integer(last)})"
        return f"fortran.extent({self.plain_integer(first)}, {self.plain_integer(last)}, {self.plain_integer(step)})"

    def _scalar(self, e: x.Expression) -> str:
        t = type_of(e)
        if isinstance(t, Intrinsic) and t.base == "logical":
            return f"np.int32({self.value(e)})"
        return self.value(e)

    def _leaf(self, prefix: x.Expression) -> str:
        """A leaf array of a kernel: an Array with bounds, or 0-d storage."""
        if prefix is FLAG:
            return FLAG_NAME
        if isinstance(prefix, x.Ref):
            return self.storage(prefix)
        assert isinstance(prefix, x.Component)
        if self.is_cell(prefix):
            return self.storage(prefix)
        inner = _parent_rank(prefix)
        if inner == 0:
            return self.array_object(prefix) if prefix.rank else self.storage(prefix)
        return self._record_leaf(prefix)

    def _record_leaf(self, prefix: x.Component) -> str:
        """A leaf of an array of records: bounds of the array, then of the components."""
        path: list[str] = []
        lowers: list[str] = []
        e: x.Expression = prefix
        while isinstance(e, x.Component) and not self.is_cell(e):
            path.insert(0, e.field)
            if e.rank:
                lowers.insert(0, self._lowers(e).strip("()").rstrip(", "))
            if isinstance(type_of(e.base), Record) and isinstance(e.base, x.Ref):
                e = e.base
                break
            e = e.base
        array = self.array_object(e) if rank_of(e) else self.storage(e)
        bounds = f", ({', '.join(lowers)},)" if lowers else ""
        return f"fortran.leaf({array}, {tuple(path)!r}{bounds})"


def _parent_rank(prefix: x.Component) -> int:
    rank = 0
    e = prefix.base
    while isinstance(e, x.Component):
        rank += e.rank
        e = e.base
    return rank + (e.rank if isinstance(e, x.Ref) else 0)


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
