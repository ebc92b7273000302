"""The cost model of fusion: extra arithmetic against memory traffic removed.

An element is computed by every iteration that reads it. Fusion pays while the extra operations (the producer's
expression with the bodies of the functions it calls, times the reads beyond the first) are at most 64 per byte of
traffic removed (a store and a load per element).
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_consumer import Consumer
from polystencil.transforms.fusion_paths import path_of
from polystencil.transforms.fusion_producer import Producer

LIMIT = 64  # operations per byte


@dataclass(frozen=True)
class Cost:
    """Extra operations per element and bytes of traffic removed per element, over all intermediate arrays."""

    operations: int
    reads: int
    bytes: int

    def plus(self, other: Cost) -> Cost:
        """The costs of two fusions together."""
        return Cost(self.operations + other.operations, self.reads + other.reads, self.bytes + other.bytes)

    @property
    def pays(self) -> bool:
        """Whether the fusion is worth it."""
        return self.operations <= LIMIT * self.bytes

    def as_json(self) -> dict[str, object]:
        """The figures for a remark."""
        return {
            "extra_operations": self.operations, "reads": self.reads, "bytes_removed": self.bytes,
            "operations_per_byte": round(self.operations / max(1, self.bytes), 3), "limit": LIMIT,
        }  # fmt: skip


def fusion_cost(producer: Producer, consumer: Consumer, table: SymbolTable) -> Cost:
    """The cost of fusing one producer into one consumer."""
    operations = reads = traffic = 0
    for path in consumer.intermediates:
        d = producer.of(path)
        count = sum(
            1 for e in walk_body_expressions(consumer.loop.body) if isinstance(e, x.Element) and path_of(e.base) == path
        )
        kind = type_of(d.array)
        size = kind.kind * (2 if kind.base == "complex" else 1) if isinstance(kind, Intrinsic) else 8
        once = operations_in_body(d.program, table) if d.program else operations_in(d.value, table)
        operations += once * max(0, count - 1)
        reads += count
        traffic += 2 * size
    return Cost(operations, reads, traffic)


def operations_in(e: x.Expression, table: SymbolTable, depth: int = 0) -> int:
    """Binary operations of an expression and of the functions it calls; subscripts are addresses and do not count."""
    total = 0
    if isinstance(e, x.Element):
        return 0
    if isinstance(e, x.Binary):
        total += 1
    if isinstance(e, x.FunctionCall) and depth < 8:
        procedure = table.procedures.get(getattr(e.target, "id", ""))
        if procedure is not None:
            for st in walk_statements(procedure.body):
                total += sum(operations_in(c, table, depth + 1) for c in child_expressions(st))
    return total + sum(operations_in(c, table, depth) for c in child_expressions(e))


def operations_in_body(body: s.Body, table: SymbolTable) -> int:
    """Operations on the longest path through a body."""
    total = 0
    for st in body:
        total += sum(operations_in(e, table) for e in child_expressions(st))
        match st:
            case s.If():
                arms = [*(b.body for b in st.branches), st.otherwise]
                total += max(operations_in_body(a, table) for a in arms)
            case s.SelectCase():
                total += max(operations_in_body(a, table) for a in (*(c.body for c in st.cases), st.default))
            case s.Block():
                total += operations_in_body(st.body, table)
            case _:
                pass
    return total


def named(st: s.Statement) -> int:
    """How many expressions a statement holds."""
    return sum(1 for c in child_expressions(st) for _ in walk_expression(c))
