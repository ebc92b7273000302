"""unroll: innermost loops of kernels whose trip count is known at run time only, so that more loads are in flight.

    do k = first, last                     if (int(last, 8) - first >= u - 1) then     (in 64 bits)
      s = s + a(k)                           do k = first, last - (u - 1), u
    end do                                     s = s + a(k)
                                               s = s + a(k+1)
                                               ...
                                             end do
                                           end if
                                           do k = what is left of first, last
                                             s = s + a(k)
                                           end do

The copies run in the order of the iterations, on the same operands: every result keeps its bits. Conditions are in
`unrollable`; a directive of the author (`!$polystencil nounroll` or `unroll(n)`, another compiler's hint) wins.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.in_order import nest_in_order
from polystencil.transforms.kernel_regions import called_from_host, called_in_kernels, is_kernel, private_arrays
from polystencil.transforms.results import PassResult
from polystencil.transforms.unroll_copies import unrolled_count, unrolled_while
from polystencil.transforms.unrollable import Found, NotUnrolled, examine

TARGET_LOADS = 16
LARGEST = 8
MOST_NODES = 1200


def unroll(program: Program, options: Options) -> PassResult:
    """Unroll what qualifies, everywhere in kernels."""
    table = symbol_table(program)
    host = called_from_host(program, table)
    work = _Unroller(table, options.enabled("unroll"), called_in_kernels(program, table), host)
    new = map_procedures(program, work.procedure) if work.enabled else program
    if not work.enabled:
        map_procedures(program, work.procedure)
    return PassResult(new, tuple(dict.fromkeys(work.remarks)))


@dataclass(eq=False)
class _Unroller:
    """Walks a program; `inside` are arrays that live in the kernel (None outside of kernels)."""

    table: SymbolTable
    enabled: bool
    called: frozenset[str]
    host: frozenset[str]
    remarks: list[Remark] = field(default_factory=list)
    where: Procedure | None = None
    number: int = 0

    def procedure(self, procedure: Procedure) -> Procedure:
        self.where, self.number = procedure, 0
        inside = None
        if procedure.id in self.called:
            inside = frozenset(v.id for v in procedure.symbols if v.shape is not None and v.id not in procedure.dummies)
        body = self.body(procedure.body, inside)
        same = all(a is b for a, b in zip(body, procedure.body, strict=False)) and len(body) == len(procedure.body)
        return procedure if same or not self.enabled else dataclasses.replace(procedure, body=body)

    def body(self, body: s.Body, inside: frozenset[str] | None) -> s.Body:
        out: list[s.Statement] = []
        for st in body:
            out += self.statement(st, inside)
        new = tuple(out)
        return body if len(new) == len(body) and all(a is b for a, b in zip(new, body, strict=True)) else new

    def statement(self, st: s.Statement, inside: frozenset[str] | None) -> s.Body:
        if inside is None and is_kernel(st):
            inside = private_arrays(st)
        elif isinstance(st, s.ParallelLoop) and self.runs_in_order(st):
            return self.parallel_in_kernel(st, inside or frozenset())
        within = inside
        if inside is not None and isinstance(st, (s.Do, s.DoWhile)):
            return self.loop(st, inside)
        return (map_statement(st, lambda e: e, lambda b: self.body(b, within)),)

    def runs_in_order(self, st: s.ParallelLoop) -> bool:
        """Whether a do nest that was found parallel only ever runs inside of one work item."""
        assert self.where is not None
        inner = self.where.id in self.called and self.where.id not in self.host
        return self.enabled and inner and st.origin == "do" and not st.local_init

    def parallel_in_kernel(self, st: s.ParallelLoop, inside: frozenset[str]) -> s.Body:
        """As a do nest, where that lets something be unrolled."""
        before = self.number
        nest = self.body((nest_in_order(st),), inside)
        return nest if self.number > before else (st,)

    def loop(self, st: s.Do | s.DoWhile, inside: frozenset[str]) -> s.Body:
        deeper = map_statement(st, lambda e: e, lambda b: self.body(b, inside))
        if not self.enabled:
            self.remark("refused", st, "unroll is not selected by the option --transforms")
            return (deeper,)
        try:
            found = examine(st, inside, self.table)
        except NotUnrolled as why:
            self.remark("refused", st, str(why))
            return (deeper,)
        factor = factor_of(found)
        assert self.where is not None
        self.number += 1
        prefix = f"{self.where.id}.unroll{self.number}"
        make = unrolled_count if isinstance(st, s.Do) else unrolled_while
        given = "as its directive says" if found.factor else f"{found.loads} loads of arrays in an iteration"
        self.remark(
            "applied",
            st,
            f"{factor} iterations in one trip while {factor} are left: {given}",
            factor=factor,
            loads=found.loads,
        )
        return make(st, found, factor, prefix)  # type: ignore[arg-type]  # each gets its own kind of loop

    def remark(self, status: str, st: s.Statement, reason: str, **details: object) -> None:
        assert self.where is not None
        claim = "copies in the order of the iterations, on the same operands" if status == "applied" else ""
        self.remarks.append(_Remark("unroll", status, st.span, self.where.name, reason, claim, details=details))  # type: ignore[arg-type]  # one of the statuses


class _Remark(Remark):
    """Remarks that can be told apart although details are not compared."""

    def __hash__(self) -> int:
        return hash((self.status, self.span, self.reason))


def factor_of(found: Found) -> int:
    """About `TARGET_LOADS` loads in flight, between 2 and `LARGEST` iterations, and no more text than is useful."""
    if found.factor:
        return found.factor
    factor = min(LARGEST, max(2, TARGET_LOADS // found.loads))
    return max(2, min(factor, MOST_NODES // max(found.nodes, 1)))
