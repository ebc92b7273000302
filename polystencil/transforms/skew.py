"""skew: several iterations of a time loop run on a band of rows that fits in the cache before the next band.

    do t = 1, n                           do while (t0 < n)                  ! s iterations at a time
      do concurrent (i = 2:m-1) ...         save the scalars the body assigns
      do concurrent (i = 2:m-1) ...  -->    do b = 0, nb                      ! band by band
    end do                                    restore them; k = 0
                                              do t = t0, t0 + s - 1
                                                ... each launch on its window of rows, shifted by k*sigma; k = k + 1

Asks `proofs.order` for sigma and the order of the bands. The host skews when the arrays exceed the cache.
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.effects import named_in_calls
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, walk_statements
from polystencil.options import Options
from polystencil.proofs.tile_order import tile_order
from polystencil.proofs.verdicts import Proven
from polystencil.remarks import Remark
from polystencil.transforms.jam import DEFAULT_CACHE
from polystencil.transforms.results import PassResult
from polystencil.transforms.skew_bands import Bands
from polystencil.transforms.skew_body import NotSkewed, TimeLoop, as_time_loop, note_constant_arrays
from polystencil.transforms.skew_figures import band_figures
from polystencil.transforms.skew_rows import Rows, rows_of
from polystencil.transforms.skew_stretches import stretches_of
from polystencil.transforms.skew_tiles import Tiles
from polystencil.transforms.splittable import called_from_parallel_loops


def skew(program: Program, options: Options) -> PassResult:
    """The program with time loops skewed over bands of rows, and a remark for every time loop considered."""
    table = symbol_table(program)
    note_constant_arrays(table)
    serial = called_from_parallel_loops(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        visitor = _Visitor(procedure, table, options, remarks, procedure.id in serial)
        body = visitor.body(procedure.body)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


class _Visitor:
    def __init__(
        self, procedure: Procedure, table: SymbolTable, options: Options, remarks: list[Remark], serial: bool
    ) -> None:
        self.procedure, self.table, self.options, self.remarks, self.serial = procedure, table, options, remarks, serial
        self.count = 0

    def body(self, body: s.Body) -> s.Body:
        out = tuple(self.statement(st) for st in body)
        return body if all(a is b for a, b in zip(out, body, strict=True)) else out

    def statement(self, st: s.Statement) -> s.Statement:
        if isinstance(st, s.ParallelLoop):
            return st
        if isinstance(st, s.Do) and any(isinstance(i, s.ParallelLoop) for i in walk_statements(st.body)):
            return self.time_loop(st)
        if isinstance(st, s.DoWhile) and any(isinstance(i, s.ParallelLoop) for i in st.body):
            self.remark(st, "refused", "a while loop has no trip count that is known before it runs")
        return map_statement(st, lambda e: e, self.body)

    def time_loop(self, st: s.Do) -> s.Statement:
        try:
            return self.skewed(st, st, "")
        except NotSkewed as refusal:
            why = str(refusal)
        stretches = stretches_of(st, self.procedure, self.table, f"{self.procedure.id}.stretch{self.count + 1}")
        if stretches is not None:
            try:
                return stretches.around(self.skewed(stretches.inner, st, ", in the stretches between iterations that do more"))
            except NotSkewed as refusal:
                why = str(refusal)
        self.remark(st, "refused", why)
        return map_statement(st, lambda e: e, self.body)

    def skewed(self, loop: s.Do, source: s.Do, how: str) -> s.Statement:
        """The loop, skewed; NotSkewed where that is not legal."""
        found = as_time_loop(loop, self.procedure, self.table, self.serial)
        rows = rows_of(found, self.procedure, self.table)
        self.count += 1
        placement = self.placement(found, rows, f"{self.procedure.id}.skew{self.count}")
        details = band_figures(rows, placement.cache, placement.least, self.table)
        form, claim = "bands of rows", rows.claim
        if isinstance(placement, Tiles):
            form = f"tiles of rows, one for each of {placement.cores} cores"
            claim = f"{claim}; {tile_order(rows.sigma).claim}"
            details["params"] = {"sigma": rows.sigma, "cores": placement.cores}
        elif self.options.cores:
            form += " (no tiles: a function that a launch calls reads a scalar of the time loop)"
        checks = placement.checks_text()
        reason = f"{form}, shifted by {rows.sigma} a launch{how}; at run time: the bytes of the arrays exceed the cache" + (
            f", and {checks} hold" if checks else ""
        )
        self.remark(source, "runtime-checked", reason, claim, details)
        return placement.statement()

    def placement(self, loop: TimeLoop, rows: Rows, prefix: str) -> Bands | Tiles:
        """Tiles where a few cores share the rows, bands where every launch fills the device, or where a function that a launch
        calls reads a scalar of the time loop itself, of which every tile would have its own."""
        options = self.options
        own = {r.id for r in (*loop.assigned, *(st.index for st in loop.nest))}
        if options.cores and not own & named_in_calls(loop.launches, self.table) and isinstance(tile_order(rows.sigma), Proven):
            core = options.core_cache_bytes if options.core_cache_bytes is not None else options.cache_bytes
            return Tiles(loop, rows, DEFAULT_CACHE if core is None else core, self.table, prefix, options.cores)
        cache = DEFAULT_CACHE if options.cache_bytes is None else options.cache_bytes
        return Bands(loop, rows, cache, self.table, prefix)

    def remark(
        self, st: s.Do | s.DoWhile, status: str, reason: str, claim: str = "", details: dict[str, object] | None = None
    ) -> None:
        self.remarks.append(
            Remark("skew", status, st.span, self.procedure.name, reason, claim, None, None, details or {})  # type: ignore[arg-type]  # one of Status
        )
