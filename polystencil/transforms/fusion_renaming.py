"""Which arrays a fused loop must write a copy of: those that its consumer writes and its producer reads."""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.analysis.definitions import defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    nested_bodies,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.transforms.fusion_consumer import Consumer
from polystencil.transforms.fusion_paths import (
    BOUNDS,
    arrays_named,
    arrays_written,
    check_storage,
    name_of,
    path_of,
    values_in,
    variables_in,
    way_of,
)
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused


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
        what = f"the array {name_of(path)}, which the producer reads and the consumer writes (to be renamed),"
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
    moved = any(v.split("%", 1)[0] in changing for e in first.indices for v in values_in(e))
    on_the_way = {v.split("%", 1)[0] for w in way_of(first.base) for i in w.indices for v in variables_in(i)}
    moved |= bool(on_the_way & (changing | indices))
    if sorted(named) != sorted(indices) or not simple or moved:
        raise NotFused(f"{what} is not written at the consumer's own iteration: two iterations may write one element")
    if _leaves_early(loop.body) or not _written_on_every_path(loop.body, path):
        raise NotFused(f"{what} is not written on every path through an iteration (a branch of an if leaves it out)")
    inside = {id(e.base) for e in walk_body_expressions(loop.body) if isinstance(e, x.Element)}
    inside |= {id(a) for e in walk_body_expressions(loop.body) if isinstance(e, x.IntrinsicCall) and e.name in BOUNDS
               for a in e.arguments}  # fmt: skip
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
    match e:
        case x.Ref():
            return True
        case x.Paren():
            return _index_plus_constant(e.operand, indices)
        case x.Binary() if e.operator in "+-":
            return len(names) == 1 and all(_index_plus_constant(p, indices) for p in (e.left, e.right))
        case _:
            return False


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
                    for e in child_expressions(st):
                        reads(e)
                    for inner in nested_bodies(st):
                        walk(inner)

    walk(body)
    if any(isinstance(st, (s.Do, s.DoWhile)) and path in arrays_named((st,)) for st in walk_statements(body)):
        raise NotFused(f"{what} is used inside a loop of the consumer's body")
