"""From a producer and a consumer to the coverage claim, and to the check that the host makes where it rests on bounds."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import compare
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.back import to_expression
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.polyhedral.model import build_model
from polystencil.polyhedral.parameters import Parameters
from polystencil.proofs.produced import ArrayBounds, box_of, produced
from polystencil.proofs.verdicts import Proven
from polystencil.transforms.fusion_consumer import Consumer
from polystencil.transforms.fusion_copies import bound
from polystencil.transforms.fusion_paths import family
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused, refused


@dataclass(frozen=True)
class RuntimeCheck:
    """A condition that the host evaluates before it chooses the fused loop."""

    condition: x.Expression
    kind: str
    text: str


def check_coverage(
    producer: Producer, consumer: Consumer, table: SymbolTable, procedure: str, together: frozenset[str] = frozenset()
) -> tuple[str, tuple[RuntimeCheck, ...]]:
    """The proven claim and the checks it needs; NotFused where it is not proven.

    Arrays of `together` are left out: several loops produce them.
    """
    body: s.Body = (producer.loop, consumer.loop)
    model = build_model(body, table, procedure)
    claims: list[str] = []
    checks: list[RuntimeCheck] = []
    for path in consumer.intermediates:
        if path in together:
            continue  # `fusion_choice` decides
        d = producer.of(path)
        reads = [a for a in model.accesses if a.array == family(path) and not a.is_write
                 and a.loops and a.loops[0].statement is consumer.loop]  # fmt: skip
        writes = [a for a in model.accesses if a.array == family(path) and a.is_write
                  and a.loops and a.loops[0].statement is producer.loop]  # fmt: skip
        if not reads:
            continue
        if not writes:
            raise NotFused(f"the producer never writes {path.rsplit('.', 1)[-1]}")
        bounds = array_bounds(d.array, table, model.parameters) if reads[0].may.dim(isl.dim_type.out) == rank_of(d.array) else None
        name = path.rsplit(".", 1)[-1]
        verdict, box = produced(name, reads, writes, bounds)
        if not isinstance(verdict, Proven):
            raise refused(verdict)
        claims.append(verdict.claim)
        if box is not None:
            checks.append(_box_check(d.array, box, model.parameters, name))
    for array, dim, first in consumer.lower_checks:
        lower = x.IntrinsicCall("lbound", (array, x.Literal(dim, INTEGER)), INTEGER)
        checks.append(
            RuntimeCheck(compare("==", lower, first), "lower bound", f"lower bound of dimension {dim} is the first index")
        )
    return "; ".join(claims), tuple(checks)


def array_bounds(array: x.Expression, table: SymbolTable, parameters: Parameters) -> ArrayBounds:
    scope = Scope(parameters, lambda _: True)
    known = dimensions_of(array, table)
    at_run_time = known is None
    pairs = known or [(bound("lbound", array, d), bound("ubound", array, d)) for d in range(rank_of(array))]
    lower = [to_affine(p[0], scope) for p in pairs]
    upper = [to_affine(p[1], scope) for p in pairs]
    if any(b is None for b in (*lower, *upper)):
        raise NotFused("a bound of an intermediate array is not affine")
    return ArrayBounds(tuple(b for b in lower if b is not None), tuple(b for b in upper if b is not None), at_run_time)


def _box_check(
    array: x.Expression, box: list[tuple[isl.PwAff, isl.PwAff]], parameters: Parameters, name: str
) -> RuntimeCheck:
    tests: list[x.Expression] = []
    for d, (low, high) in enumerate(box):
        lo, hi = to_expression(low, parameters), to_expression(high, parameters)
        if lo is None or hi is None:
            raise NotFused(f"coverage of {name} depends on how it was allocated, in a way that is not checked")
        dim = x.Literal(d + 1, INTEGER)
        tests.append(compare(">=", x.IntrinsicCall("lbound", (array, dim), INTEGER), lo))
        tests.append(compare("<=", x.IntrinsicCall("ubound", (array, dim), INTEGER), hi))
    condition = tests[0]
    for t in tests[1:]:
        condition = x.Binary(".and.", condition, t)
    return RuntimeCheck(condition, "bounds with which it was allocated", f"the bounds of {name} lie within the producer's")


__all__ = ["RuntimeCheck", "array_bounds", "box_of", "check_coverage"]
