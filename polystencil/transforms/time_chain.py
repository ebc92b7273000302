"""The do loops around two fused loops, in whose last iteration the original loops run.

The intermediate arrays keep the producer's values. When producer and consumer run in every iteration of a do loop and
each iteration writes the same elements, only the last iteration's values can be read later: the original loops run in
that one and the fused loop in all others. From the innermost loop outwards, while a loop has a unit step, bounds
without calls, is not left early, and its other statements neither touch the intermediate arrays nor have effects that
are not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.analysis.definitions import base_id, defined_in
from polystencil.analysis.effects import Effects, called_targets, effects_of, leaves_loop, self_contained
from polystencil.analysis.storage import storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_paths import arrays_written, family, root_of, shapes_in, touched, values_in, way_of
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused


@dataclass(frozen=True, eq=False)
class Chain:
    """`loops` from the innermost outwards; `others` the effects of their other statements; `ended` why it ends."""

    loops: tuple[s.Do, ...]
    others: Effects
    ended: str


def find_chain(
    around: tuple[s.Statement, ...], group: tuple[s.ParallelLoop, ...], producer: Producer, renamed: tuple[str, ...],
    table: SymbolTable,
) -> Chain:  # fmt: skip
    """The chain of loops around a group of parallel loops; NotFused where not even the innermost qualifies.

    `around` are the statements that hold the group, innermost first.
    """
    loops: list[s.Do] = []
    others = Effects()
    why = "there is no do loop around them in whose last iteration the original loops could run"
    inner: tuple[s.Statement, ...] = group
    for st in around:
        if isinstance(st, s.Block) and not st.name:
            inner = (*inner, st)
            continue
        if not isinstance(st, s.Do):
            kind = type(st).__name__.lower()
            why = f"they do not run in every iteration of the loop around them (inside {kind})" if not loops else kind
            break
        try:
            rest = _check(st, statements_besides(st.body, inner), group, producer, renamed, loops, table)
        except NotFused as refusal:
            why = str(refusal)
            break
        loops.append(st)
        others.reads |= rest.reads
        others.defines |= rest.defines
        inner = (st,)
        why = "the outermost loop"
    if not loops:
        raise NotFused(why)
    return Chain(tuple(loops), others, why)


def statements_besides(body: s.Body, inner: tuple[s.Statement, ...]) -> s.Body:
    """The statements of a loop's body besides the group, or the loop, that `inner` holds; blocks around it are entered."""
    out: list[s.Statement] = []
    for st in body:
        if any(st is i for i in inner):
            if isinstance(st, s.Block):
                out.extend(statements_besides(st.body, inner))
            continue
        out.append(st)
    return tuple(out)


def _check(
    loop: s.Do, rest: s.Body, group: tuple[s.ParallelLoop, ...], producer: Producer,
    renamed: tuple[str, ...], chain: list[s.Do], table: SymbolTable,
) -> Effects:  # fmt: skip
    """The effects of a loop's other statements; NotFused where it cannot be in the chain."""
    if value_of(loop.step) != 1:
        raise NotFused("the do loop around them has a step that is not one (no unit increment)")
    if list(called_targets((s.Assign(loop.index, x.Binary("+", loop.lower, loop.upper)),))):
        raise NotFused("a bound of the do loop around them calls a function")
    early = leaves_loop(loop.body, loop.name)
    if early:
        raise NotFused(early)
    effects = effects_of(rest, table)
    if effects.unknown:
        raise NotFused(effects.unknown[0][0])
    for target in called_targets(rest):
        procedure = table.procedures.get(getattr(target, "id", ""))
        why = "a call of a procedure that is not known" if procedure is None else self_contained(procedure, table)
        if why:
            raise NotFused(f"another statement of the loop calls a procedure that may touch the intermediate arrays: {why}")
    _check_intermediates(producer, effects, table)
    _check_bounds(producer, effects, loop, group, table)
    _check_inner_bounds(chain, loop, group, table)
    declared = {v.id for v in symbols_in_body(loop.body)}
    for path in renamed:
        root = root_of(path)
        if root in declared:
            raise NotFused(f"{root.rsplit('.', 1)[-1]} is a variable of a block in the loop, so it has no copy outside of it")
        if root in effects.defines and _as_a_whole(rest, path, table):
            raise NotFused(
                f"another statement of the loop defines {root.rsplit('.', 1)[-1]} as a whole, or passes it as an argument "
                "that may change its allocation, so a renamed copy may lose its shape"
            )
    return effects


def _check_intermediates(producer: Producer, effects: Effects, table: SymbolTable) -> None:
    for d in producer.definitions:
        root = root_of(d.path)
        classes = {storage_class(id, table) for id in effects.reads | effects.defines}
        if root in effects.reads | effects.defines or storage_class(root, table) in classes:
            raise NotFused(
                f"another statement of the loop uses (reads or writes) the intermediate array {root.rsplit('.', 1)[-1]}"
            )


def producer_expressions(producer: Producer) -> list[x.Expression]:
    """The bounds and tests of the producer, and the subscripts of what it assigns, also those on the way to it."""
    out = [e for i in producer.loop.indices for e in (i.lower, i.upper)]
    out += _tests(producer.loop.body)
    out += [e for d in producer.definitions for e in d.subscripts]
    return out + [i for d in producer.definitions for w in way_of(d.array) for i in w.indices]


def _tests(body: s.Body) -> list[x.Expression]:
    out: list[x.Expression] = []
    for st in body:
        if isinstance(st, s.If):
            for b in st.branches:
                out += [b.condition, *_tests(b.body)]
        elif isinstance(st, s.Block):
            out += _tests(st.body)
    return out


def other_name(id: str, table: SymbolTable) -> str:
    """Why a variable may change through another name; empty when it cannot."""
    symbol = table.symbols.get(root_of(id))
    if symbol is None:
        return ""
    for word in ("pointer", "target", "volatile"):
        if word in symbol.attributes:
            return f"{symbol.name} is a {word}, which may change through another name" if word != "volatile" else (
                f"{symbol.name} is volatile"
            )
    return f"{symbol.name} stands in a common block or equivalence (another name of its storage)" if symbol.block else ""


def _check_bounds(
    producer: Producer, effects: Effects, loop: s.Do, group: tuple[s.ParallelLoop, ...], table: SymbolTable
) -> None:
    asked = producer_expressions(producer)
    reads = {v for e in asked for v in values_in(e)} - {i.ref.id for i in producer.loop.indices}
    if loop.index.id in reads:
        raise NotFused("the producer's bounds or tests read the variable of the time loop")
    changed = touched(reads, effects.defines | _defined_by(group))
    if changed:
        name = changed[0].rsplit(".", 1)[-1]
        raise NotFused(f"another statement assigns {name}, which the producer's bounds or tests read")
    shapes = {v for e in asked for v in shapes_in(e)}
    _check_shapes(shapes, loop, "the producer's bounds or tests", table)
    for id in sorted(reads | shapes):
        why = other_name(id, table)
        if why:
            raise NotFused(f"the producer's bounds or tests read a variable that may change: {why}")


def _defined_by(group: tuple[s.ParallelLoop, ...]) -> set[str]:
    return {family(p) for g in group for p in arrays_written(g)}


def _check_inner_bounds(
    chain: list[s.Do], outer: s.Do, group: tuple[s.ParallelLoop, ...], table: SymbolTable
) -> None:
    """Loops of the chain so far must run the same iterations in every iteration of the next one."""
    for inner in chain:
        reads = values_in(inner.lower) | values_in(inner.upper)
        shapes = shapes_in(inner.lower) | shapes_in(inner.upper)
        _check_shapes(shapes, outer, "a bound of the inner loop", table)
        changed = touched(reads, {outer.index.id} | _defined_by(group) | _all_defined(outer, table))
        if changed:
            name = changed[0].rsplit(".", 1)[-1]
            raise NotFused(f"a bound of the inner loop reads {name}, which varies in the outer one")
        for id in sorted(reads | shapes):
            why = other_name(id, table)
            if why:
                raise NotFused(f"a bound of the inner loop may change in the outer one: {why}")


def _check_shapes(shapes: set[str], loop: s.Do, what: str, table: SymbolTable) -> None:
    """Bounds that are asked for must stay: nothing in the loop may allocate the arrays anew."""
    changed = sorted(shapes & defined_in(loop.body, table).reshaped)
    if changed:
        raise NotFused(f"{what} asks for bounds in {changed[0].rsplit('.', 1)[-1]}, which may get another shape in the loop")


def _all_defined(loop: s.Do, table: SymbolTable) -> frozenset[str]:
    return defined_in(loop.body, table).paths


def _as_a_whole(body: s.Body, path: str, table: SymbolTable) -> bool:
    """Whether statements define an array as a whole or the variable it is a component of, or pass it to be defined."""
    root = root_of(path)
    for st in walk_statements(body):
        match st:
            case s.Assign():
                if base_id(st.target) == root and not _is_part(st.target):
                    return True
            case s.Call():
                if _defines_argument(st.target, st.arguments, root, table):
                    return True
            case _:
                pass
    return any(
        _defines_argument(e.target, e.arguments, root, table)
        for e in walk_body_expressions(body)
        if isinstance(e, x.FunctionCall)
    )


def _defines_argument(
    target: x.Expression, arguments: tuple[x.Expression | None, ...], root: str, table: SymbolTable
) -> bool:
    procedure = table.procedures.get(getattr(target, "id", ""))
    for k, a in enumerate(arguments):
        if a is None or base_id(a) != root or (isinstance(a, x.Element) and _is_part(a)):
            continue
        dummy = table.symbols.get(procedure.dummies[k]) if procedure and k < len(procedure.dummies) else None
        if dummy is None or dummy.intent != "in":
            return True
    return False


def _is_part(e: x.Expression) -> bool:
    """Whether a designator is an element or section of intrinsic type, whose definition allocates nothing."""
    return isinstance(e, (x.Element, x.Section)) and isinstance(type_of(e), Intrinsic)


__all__ = ["Chain", "family", "find_chain", "other_name", "statements_besides"]
