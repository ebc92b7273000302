"""From reads of an array that several loops produce to how each finds its value: proven, by tests, or left to memory."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, all_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    map_body,
    map_body_expressions,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.ir.typing import rank_of
from polystencil.polyhedral.model import build_model
from polystencil.proofs.latest_producer import Chosen, latest_producer
from polystencil.proofs.verdicts import Proven
from polystencil.transforms.fusion_consumer import Consumer
from polystencil.transforms.fusion_coverage import array_bounds, box_of
from polystencil.transforms.fusion_definition import Definition, indices_at
from polystencil.transforms.fusion_membership import at_element, membership_tests, sets_of_tests
from polystencil.transforms.fusion_paths import family, name_of, path_of
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused, refused


@dataclass
class Choices:
    """What was decided for the places that read arrays `paths`; places are told apart by identity."""

    paths: frozenset[str] = frozenset()
    claims: list[str] = field(default_factory=list)
    chosen: dict[int, Chosen] = field(default_factory=dict)
    tests: dict[str, list[x.Expression]] = field(default_factory=dict)

    def condition(self, e: x.Element, d: Definition) -> x.Expression | None:
        """Under which condition the place reads the producer's value: None always, FALSE never."""
        chosen = self.chosen[id(e)]
        if chosen.always:
            return None
        at = indices_at(d, e.indices)
        tests = [at_element(self.tests[d.path][k], d, e.indices, at) for k in chosen.tests]
        return all_of(*tests) if tests else FALSE

    def knows(self, e: x.Element) -> bool:
        """Whether the place was seen by the proof."""
        return id(e) in self.chosen


def choose(
    layer: Producer, whole: Producer, consumer: Consumer, together: frozenset[str], table: SymbolTable, procedure: str
) -> Choices:
    """The choices for the arrays of `layer` that are produced by several loops; NotFused where nothing proves them.

    `whole` is the producer with all definitions, of which `layer` has one per array.
    """
    out = Choices(frozenset(d.path for d in layer.definitions if d.path in together))
    if not out.paths & set(consumer.intermediates):
        return out
    body: s.Body = (layer.loop, consumer.loop)
    model = build_model(body, table, procedure)
    for d in layer.definitions:
        if d.path not in together or d.path not in consumer.intermediates:
            continue
        places = [e for e in walk_body_expressions(consumer.loop.body)
                  if isinstance(e, x.Element) and path_of(e.base) == d.path]  # fmt: skip
        accesses = [a for a in model.accesses if a.array == family(d.path) and a.loops]
        writes = [a for a in accesses if a.is_write and a.loops[0].statement is layer.loop]
        own = [a for a in writes if _is_of(a.expression, d)]
        if len(own) != 1 or len(writes) != sum(1 for w in whole.definitions if w.path == d.path):
            raise NotFused(f"a producer of {name_of(d.path)} computes it in more than one place or under a test that never holds")
        reads: dict[int, isl.Set] = {}
        for a in accesses:
            if a.is_write or a.loops[0].statement is not consumer.loop:
                continue
            if not any(a.expression is e for e in places):
                raise NotFused(f"the consumer reads {name_of(d.path)} in a way that is not followed")
            if a.why:
                raise NotFused(f"a subscript with which the consumer reads {name_of(d.path)} is not affine")
            part = a.may.range()
            reads[id(a.expression)] = part.union(reads[id(a.expression)]) if id(a.expression) in reads else part
        tests = membership_tests(d, layer.loop)
        truths = sets_of_tests(d, tests, body, table, procedure, model.parameters)
        plain = own[0].must.dim(isl.dim_type.out) == rank_of(d.array)
        if not plain:
            truths = []  # subscripts on the way to a component: not described by the tests alone
        inside = box_of(array_bounds(d.array, table, model.parameters)) if plain else None
        later = [a for a in writes if a is not own[0]]
        verdict, chosen = latest_producer(name_of(d.path), list(reads.values()), own[0], later, truths, inside)
        if not isinstance(verdict, Proven):
            raise refused(verdict)
        out.claims.append(verdict.claim)
        out.tests[d.path] = tests
        out.chosen.update(zip(reads, chosen, strict=True))
        for e in places:  # what no iteration reaches needs no value of the producer
            out.chosen.setdefault(id(e), Chosen())
    _check_evaluated(consumer.loop.body, out)
    return out


def _is_of(e: x.Expression, d: Definition) -> bool:
    return isinstance(e, x.Element) and e.indices == d.subscripts and path_of(e.base) == d.path


def _check_evaluated(body: s.Body, choices: Choices) -> None:
    """Refuse tests for a read in an operand that need not be evaluated: they stand in front of its statement."""
    for st in walk_statements(body):
        for top in child_expressions(st):
            for e in walk_expression(top):
                for operand in _may_be_skipped(e):
                    for n in walk_expression(operand):
                        chosen = choices.chosen.get(id(n)) if isinstance(n, x.Element) else None
                        if chosen is not None and chosen.tests:
                            raise NotFused(
                                "an operand that need not be evaluated reads an element that only some of the loops' "
                                "iterations produce"
                            )


def _may_be_skipped(e: x.Expression) -> tuple[x.Expression, ...]:
    if isinstance(e, x.Binary) and e.operator in (".and.", ".or."):
        return (e.right,)
    if isinstance(e, x.IntrinsicCall) and e.name == "merge":
        return tuple(a for a in e.arguments if a is not None)
    return ()


def by_value(loop: s.ParallelLoop, paths: frozenset[str]) -> s.ParallelLoop:
    """The loop with elements of `paths` passed to procedures by value, so that they are read where they stand."""

    def wrap(a: x.Expression | None) -> x.Expression | None:
        return x.Paren(a) if isinstance(a, x.Element) and path_of(a.base) in paths else a

    def expression(e: x.Expression) -> x.Expression:
        if isinstance(e, x.FunctionCall) and any(wrap(a) is not a for a in e.arguments):
            return dataclasses.replace(e, arguments=tuple(map(wrap, e.arguments)))
        return e

    def statement(st: s.Statement) -> s.Body:
        if isinstance(st, s.Call) and any(wrap(a) is not a for a in st.arguments):
            return (dataclasses.replace(st, arguments=tuple(map(wrap, st.arguments))),)
        return (st,)

    return dataclasses.replace(loop, body=map_body(map_body_expressions(loop.body, expression), statement))


def left_to_memory(body: s.Body, paths: frozenset[str]) -> frozenset[str]:
    """Arrays among `paths` of which elements are still read after all producers were taken in."""
    return frozenset(
        p for e in walk_body_expressions(body) if isinstance(e, x.Element) and (p := path_of(e.base)) in paths and p
    )
