"""From a consumer loop to the form in which a producer can be fused into it, and to the arrays it would have to rename.

Pure functions that get an intermediate array are inlined first, so that it is read element by element.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.analysis.definitions import base_id, defined_in, is_pure
from polystencil.analysis.effects import called_targets, self_contained
from polystencil.analysis.storage import POINTED, storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import plus
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    map_body,
    map_body_expressions,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.transforms.fusion_paths import (
    arrays_named,
    arrays_written,
    family,
    name_of,
    path_of,
    shapes_in,
    touched,
    values_in,
    variables_in,
)
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.inline import Inliner


@dataclass(frozen=True)
class Consumer:
    """The consumer with functions inlined as far as needed; `lower_checks` are (array, dimension, producer's first
    index) that must hold at run time because a lower bound was replaced by it."""

    loop: s.ParallelLoop
    intermediates: tuple[str, ...]
    lower_checks: tuple[tuple[x.Expression, int, x.Expression], ...]
    symbols: tuple[Symbol, ...]


def as_consumer(loop: s.ParallelLoop, producer: Producer, table: SymbolTable, procedure: str, number: int) -> Consumer:
    """The consumer of a producer; NotFused where its use of the intermediate arrays is not element by element."""
    produced = {d.path for d in producer.definitions}
    used = tuple(sorted(produced & arrays_named(loop.body)))
    clash = produced & arrays_written(loop)
    if clash:
        raise NotFused(f"the consumer writes {name_of(sorted(clash)[0])}, an intermediate array; it may only read it")
    _check_definitions(producer, loop, table)
    body = loop.body
    symbols: tuple[Symbol, ...] = ()
    if _passed(body, produced):
        inliner = Inliner(table, f"{procedure}.fuse{number}")
        body = inliner.body(body)
        symbols = tuple(inliner.symbols)
        for v in symbols:
            table.symbols[v.id] = v
            table.owner[v.id] = procedure
        if _passed(body, produced):
            why = next((n.refusal for n in inliner.notes if n.refusal), "")
            raise NotFused(f"a function that gets an intermediate array as an argument cannot be inlined: {why}")
    body, checks = _with_first_indices(body, producer)
    _check_elements(body, produced, loop)
    for target in called_targets(body):
        callee = table.procedures.get(getattr(target, "id", ""))
        if callee is None or not is_pure(callee):
            raise NotFused("the consumer calls a procedure that is not known to be pure")
        why = self_contained(callee, table)
        if why:
            raise NotFused(f"the consumer calls a function that may read the intermediate array: {why}")
    return Consumer(dataclasses.replace(loop, body=body), used, checks, symbols)


def _passed(body: s.Body, produced: set[str]) -> bool:
    """Whether an intermediate array is an argument of a procedure."""
    calls = [e.arguments for e in walk_body_expressions(body) if isinstance(e, x.FunctionCall)]
    calls += [st.arguments for st in walk_statements(body) if isinstance(st, s.Call)]
    given = [a.base if isinstance(a, x.Section) else a for arguments in calls for a in arguments if a is not None]
    return any(path_of(a) in produced for a in given)


def _check_definitions(producer: Producer, loop: s.ParallelLoop, table: SymbolTable) -> None:
    """Refuse a consumer that defines what the producer reads or writes in a way that renaming does not take care of.

    The producer's expressions are evaluated inside of the consumer's iterations, so what they read must not change
    there: not by a section, a call, an inner loop's variable, a private variable of the same name, or an alias. Only
    elements assigned one by one can be renamed (`arrays_to_rename`).
    """

    def without_elements(st: s.Statement) -> s.Body:
        return () if isinstance(st, s.Assign) and isinstance(st.target, x.Element) and path_of(st.target.base) else (st,)

    other = defined_in(map_body(loop.body, without_elements), table).paths | {v.id for v in loop.locals}
    other |= {r.ref.id for r in loop.reductions}
    own = {i.ref.id for i in producer.loop.indices}
    reads = {v for st in walk_statements((producer.loop,)) for e in child_expressions(st) for v in variables_in(e)} - own
    reads -= {family(d.path) for d in producer.definitions}
    for what, paths in (("writes", {family(d.path) for d in producer.definitions}), ("reads", reads)):
        changed = touched(paths, other - own)
        if changed:
            raise NotFused(
                f"the consumer defines {name_of(changed[0])}, which the producer {what}, not element by element "
                "(a whole array, section, argument, or variable of the iteration)"
            )
    elements = {family(p) for p in arrays_written(loop)}
    for path in reads:
        kind = storage_class(path, table)
        if kind == POINTED or kind.startswith("block "):
            alias = next((d for d in other | elements if d != path and storage_class(d, table) == kind), None)
            if alias is not None:
                raise NotFused(f"the consumer defines {name_of(alias)}, which may be another name of {name_of(path)} (alias)")


def _with_first_indices(
    body: s.Body, producer: Producer
) -> tuple[s.Body, tuple[tuple[x.Expression, int, x.Expression], ...]]:
    """Replace lower bounds of intermediate arrays, which inlining put into subscripts, by the producer's first index."""
    checks: dict[tuple[str, int], tuple[x.Expression, int, x.Expression]] = {}
    first = {i.ref.id: i.lower for i in producer.loop.indices}

    def replace(e: x.Expression) -> x.Expression:
        if not (isinstance(e, x.IntrinsicCall) and e.name == "lbound" and e.arguments[0] is not None):
            return e
        path, dim = path_of(e.arguments[0]), e.arguments[1] if len(e.arguments) > 1 else None
        if path not in {d.path for d in producer.definitions} or not isinstance(dim, x.Literal):
            return e
        position = int(dim.value) - 1  # type: ignore[arg-type]  # an integer
        asks_too = any(id == base_id(e.arguments[0]) for p in producer.of(path or "").subscripts for id in shapes_in(p))
        for at, index, sign, rest in () if asks_too else producer.of(path or "").solve:
            if at == position and sign == 1:
                start = first[index] if rest is None else plus(first[index], rest)
                checks[path or "", position] = (e.arguments[0], position + 1, start)
                return start
        return e

    new = map_body_expressions(body, replace)
    return new, tuple(checks.values())


def _check_elements(body: s.Body, produced: set[str], loop: s.ParallelLoop) -> None:
    inside: set[int] = set()
    everything = list(walk_body_expressions(body))
    for e in everything:
        if isinstance(e, x.Element):
            inside.add(id(e.base))
        if isinstance(e, x.IntrinsicCall) and e.name in ("size", "lbound", "ubound", "allocated", "shape"):
            inside.update(id(a) for a in e.arguments if a is not None)
    for e in everything:
        if isinstance(e, (x.Ref, x.Component)) and path_of(e) in produced and id(e) not in inside:
            raise NotFused(
                f"the consumer reads {name_of(path_of(e) or '')} as a whole array or section (in an array expression or "
                "argument), not element by element"
            )
    for st in walk_statements(body):
        if isinstance(st, s.DoWhile) and any(
            isinstance(e, (x.Ref, x.Component)) and path_of(e) in produced for e in walk_expression(st.condition)
        ):
            raise NotFused("the condition of a do while loop of the consumer reads an intermediate array")
    if loop.mask is not None and any(path_of(e) in produced for e in walk_expression(loop.mask)):
        raise NotFused("the mask of the consumer reads an intermediate array")
    for i in loop.indices:
        for bound in (i.lower, i.upper, i.step):
            if values_in(bound) & {family(p) for p in produced}:
                raise NotFused("a bound of the consumer reads an intermediate array")
