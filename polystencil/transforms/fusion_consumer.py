"""From a consumer loop to the form in which a producer can be fused into it, and to the arrays it would have to rename.

Pure functions that get an intermediate array are inlined first, so that it is read element by element.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.analysis.definitions import defined_in, is_pure
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
from polystencil.transforms.fusion_producer import (
    Producer,
    arrays_named,
    arrays_written,
    check_storage,
    family,
    path_of,
    touched,
    variables_in,
)
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
        raise NotFused(f"the consumer writes {_name(sorted(clash)[0])}, an intermediate array; it may only read it")
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


def _name(path: str) -> str:
    id, *fields = path.split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])


def _passed(body: s.Body, produced: set[str]) -> bool:
    """Whether an intermediate array is an argument of a procedure."""
    calls = [e.arguments for e in walk_body_expressions(body) if isinstance(e, x.FunctionCall)]
    calls += [st.arguments for st in walk_statements(body) if isinstance(st, s.Call)]
    return any(path_of(a) in produced for arguments in calls for a in arguments if a is not None)


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
                f"the consumer defines {_name(changed[0])}, which the producer {what}, not element by element "
                "(a whole array, section, argument, or variable of the iteration)"
            )
    elements = {family(p) for p in arrays_written(loop)}
    for path in reads:
        kind = storage_class(path, table)
        if kind == POINTED or kind.startswith("block "):
            alias = next((d for d in other | elements if d != path and storage_class(d, table) == kind), None)
            if alias is not None:
                raise NotFused(f"the consumer defines {_name(alias)}, which may be another name of {_name(path)} (alias)")


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
        for at, index, sign, rest in producer.of(path or "").solve:
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
                f"the consumer reads {_name(path_of(e) or '')} as a whole array or section (in an array expression or "
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
            if any(path_of(e) in produced for e in walk_expression(bound)):
                raise NotFused("a bound of the consumer reads an intermediate array")


@dataclass(frozen=True)
class Renamed:
    """An array that the consumer writes and the producer reads, with the element that every iteration writes."""

    array: x.Expression
    path: str
    subscripts: tuple[x.Expression, ...]


def arrays_to_rename(
    producer: Producer, consumer: Consumer, already: tuple[Renamed, ...], table: SymbolTable
) -> tuple[Renamed, ...]:
    """Arrays of which the fused loop must write a copy; NotFused where a copy would not do.

    `already` are renamed for producers that are part of the consumer by now: what it reads of them are old values.
    """
    reads: set[str] = set()
    for d in producer.definitions:  # the array itself among them does no harm: the consumer never writes it
        if d.path in consumer.intermediates:
            body: s.Body = d.program or (s.Assign(d.array, d.value),)
            for e in walk_body_expressions(body):
                if isinstance(e, (x.Ref, x.Component)) and path_of(e) is not None:
                    reads.add(path_of(e) or "")
    out = []
    for path in sorted(reads & arrays_written(consumer.loop)):
        what = f"the array {_name(path)}, which the producer reads and the consumer writes (to be renamed),"
        check_storage(path, table, what)
        done = [r for r in already if r.path == path]
        if done:
            out += done
            continue
        out.append(_renamed(path, consumer.loop, what, table))
    scalars = {
        st.target.id for st in walk_statements(consumer.loop.body)
        if isinstance(st, s.Assign) and isinstance(st.target, x.Ref)
    }  # fmt: skip
    private = {v.id for v in consumer.loop.locals} | {
        v.id for st in walk_statements(consumer.loop.body) if isinstance(st, s.Block) for v in st.declarations
    }
    if scalars & reads - private:
        raise NotFused("the producer reads a scalar variable that the consumer assigns")
    return tuple(out)


def _renamed(path: str, loop: s.ParallelLoop, what: str, table: SymbolTable) -> Renamed:
    writes = [
        st.target
        for st in walk_statements(loop.body)
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element) and path_of(st.target.base) == path
    ]
    first = writes[0]
    if any(w.indices != first.indices for w in writes):
        raise NotFused(f"{what} is written at different elements in one iteration, not at its own iteration's element")
    indices = {i.ref.id for i in loop.indices}
    named = [n.id for e in first.indices for n in walk_expression(e) if isinstance(n, x.Ref) and n.id in indices]
    simple = all(_index_plus_constant(e, indices) for e in first.indices)
    changing = defined_in((loop,), table).ids - indices
    moved = any(isinstance(n, x.Ref) and n.id in changing for e in first.indices for n in walk_expression(e))
    moved |= any(isinstance(n, x.Element) for n in walk_expression(first.base)) and any(
        isinstance(n, x.Ref) and n.id in changing | indices and n.rank == 0 for n in walk_expression(first.base)
    )
    if sorted(named) != sorted(indices) or not simple or moved:
        raise NotFused(f"{what} is not written at the consumer's own iteration: two iterations may write one element")
    if _leaves_early(loop.body) or not _written_on_every_path(loop.body, path):
        raise NotFused(f"{what} is not written on every path through an iteration (a branch of an if leaves it out)")
    inside = {id(e.base) for e in walk_body_expressions(loop.body) if isinstance(e, x.Element)}
    whole = [e for e in walk_body_expressions(loop.body)
             if isinstance(e, (x.Ref, x.Component)) and path_of(e) == path and id(e) not in inside]  # fmt: skip
    if whole:
        raise NotFused(f"{what} is used as a whole array by the consumer")
    _check_order(loop.body, path, first.indices, what)
    return Renamed(first.base, path, first.indices)


def _index_plus_constant(e: x.Expression, indices: set[str]) -> bool:
    names = [n.id for n in walk_expression(e) if isinstance(n, x.Ref) and n.id in indices]
    if not names:
        return True
    return len(names) == 1 and all(
        isinstance(n, (x.Ref, x.Literal, x.NamedConstant, x.Paren)) or (isinstance(n, x.Binary) and n.operator in "+-")
        for n in walk_expression(e)
    )


def _leaves_early(body: s.Body) -> bool:
    """Whether an iteration may be cut short: by cycle, return, or the exit of a block."""
    inner = {st.name for st in walk_statements(body) if isinstance(st, (s.Do, s.DoWhile))}
    return any(
        isinstance(st, (s.Return, s.Stop)) or (isinstance(st, (s.Exit, s.Cycle)) and st.target not in inner)
        for st in walk_statements(body)
    )


def _written_on_every_path(body: s.Body, path: str) -> bool:
    for st in body:
        match st:
            case s.Assign() if isinstance(st.target, x.Element) and path_of(st.target.base) == path:
                return True
            case s.Block() if not st.name and _written_on_every_path(st.body, path):
                return True
            case s.If():
                arms = [*(b.body for b in st.branches), st.otherwise]
                if all(_written_on_every_path(a, path) for a in arms):
                    return True
            case s.SelectCase():
                arms = [*(c.body for c in st.cases), st.default]
                if all(_written_on_every_path(a, path) for a in arms):
                    return True
            case s.Cycle() | s.Exit():
                return False
            case _:
                pass
    return False


def _check_order(body: s.Body, path: str, subscripts: tuple[x.Expression, ...], what: str) -> None:
    """Every read of the array is of the element that the iteration writes, and comes before the write."""
    written = False

    def reads(e: x.Expression) -> None:
        for n in walk_expression(e):
            if isinstance(n, x.Element) and path_of(n.base) == path:
                if n.indices != subscripts:
                    raise NotFused(f"{what} is read at an element that another iteration writes")
                if written:
                    raise NotFused(f"{what} is read after the write in an iteration; it may only be read before it")

    def walk(statements: s.Body) -> None:
        nonlocal written
        for st in statements:
            match st:
                case s.Assign():
                    reads(st.value)
                    if isinstance(st.target, x.Element):
                        for i in st.target.indices:
                            reads(i)
                        written = written or path_of(st.target.base) == path
                case s.If():
                    before = written
                    after = written
                    for b in st.branches:
                        written = before
                        reads(b.condition)
                        walk(b.body)
                        after = after or written
                    written = before
                    walk(st.otherwise)
                    written = written or after
                case s.Block():
                    walk(st.body)
                case _:
                    from polystencil.ir.traversal import child_expressions, nested_bodies

                    for e in child_expressions(st):
                        reads(e)
                    for inner in nested_bodies(st):
                        walk(inner)

    walk(body)
    if any(isinstance(st, (s.Do, s.DoWhile)) and path in arrays_named((st,)) for st in walk_statements(body)):
        raise NotFused(f"{what} is used inside a loop of the consumer's body")
