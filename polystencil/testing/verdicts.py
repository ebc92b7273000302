"""What a tool says about a nest, compared with what the nest does: the oracle of the proofs.

Every instance of an access that enumeration finds lies in a may relation; every point of a must relation is one;
Proven claims hold in every enumeration; witnesses of Refuted ones are found when they are replayed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import islpy as isl

from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.polyhedral.accesses import Access, Loop, LoopModel
from polystencil.polyhedral.model import build_model
from polystencil.proofs.independence import independent
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Witness
from polystencil.testing.enumeration import Instance, enumerate_accesses, meeting_pair
from polystencil.testing.nests import Nest
from polystencil.testing.views import NotEnumerable
from polystencil.transforms.loop_scalars import LoopScalars, loop_scalars

P, S = isl.dim_type.param, isl.dim_type.set
LARGEST_WITNESS = 70
SAMPLES = 20  # points of an unbounded relation that are looked up


@dataclass
class Tally:
    """How many claims had which verdict, why some are unknown, and what was wrong."""

    verdicts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def compare_with_enumeration(nest: Nest, tally: Tally, seeds: tuple[int, ...] = (0, 1)) -> None:
    """Add what was found for one nest to `tally`."""
    program = read_program([SourceText("nest.f90", nest.text)])
    table = symbol_table(program)
    procedure = next(p for p in procedures_of(program) if p.name == "sweep")
    loop = next(st for st in procedure.body if isinstance(st, (s.Do, s.ParallelLoop)))
    model = build_model((loop,), table, procedure.id)
    runs: list[tuple[dict[str, int], list[Instance]]] = []
    for values in nest.values:
        for seed in seeds:
            given = {f"{procedure.id}.{name}": v for name, v in values.items()}
            try:
                runs.append((values, enumerate_accesses(loop, given, table, seed)))
            except NotEnumerable as why:
                tally.verdicts[f"not enumerable: {why}"] += 1
    for values, instances in runs:
        _check_relations(model, values, instances, tally)
    for one in model.loops:
        if isinstance(one.statement, s.Do) and _is_in(one.statement, loop):
            _check_loop(model, one, loop, table, procedure.id, runs, tally)


def _is_in(st: s.Statement, whole: s.Statement) -> bool:
    return any(i is st for i in walk_statements((whole,)))


def _root(path: str) -> str:
    return path.split("%", 1)[0]


def _at(set_: isl.Set, values: dict[str, int]) -> isl.Set:
    for k in range(set_.dim(P)):
        name = set_.get_dim_name(P, k)
        if name in values:
            set_ = set_.fix_val(P, k, isl.Val(values[name]))
    return set_


def _others(set_: isl.Set, values: dict[str, int]) -> bool:
    return any(set_.get_dim_name(P, k) not in values for k in range(set_.dim(P)))


def _check_relations(model: LoopModel, values: dict[str, int], instances: list[Instance], tally: Tally) -> None:
    """May relations hold every instance; must relations hold only instances."""
    if any(isinstance(l.statement, s.DoWhile) for l in model.loops):
        return
    by_key: dict[tuple[str, bool, int], set[tuple[int, ...]]] = defaultdict(set)
    for i in instances:
        by_key[i.array, i.is_write, len(i.iteration)].add((*i.iteration, *i.subscript))
    for (array, is_write, depth), points in by_key.items():
        maps = [
            a for a in model.accesses
            if a.is_write == is_write and len(a.loops) == depth and (array == a.array or array.startswith(a.array + "%"))
        ]  # fmt: skip
        left = set(points)
        open_ = []
        for a in maps:
            known = _points(a.may, values)
            if known is None:
                open_.append(a)
            else:
                count = depth + a.may.dim(isl.dim_type.out)
                left = {p for p in left if p[:count] not in known}
        for point in sorted(left)[:SAMPLES]:
            if not any(_holds(a, point, values) for a in open_):
                tally.wrong.append(
                    f"{array} {'written' if is_write else 'read'} at {point} with {values} is in no may relation"
                )
                break
    for a in model.accesses:
        found = _points(a.must, values)
        if not found:
            continue
        have: set[tuple[int, ...]] = set()
        for (array, is_write, depth), points in by_key.items():
            if (
                is_write == a.is_write
                and depth == len(a.loops)
                and (array == a.array or array.startswith(a.array + "%"))
            ):
                have |= {p[: depth + a.must.dim(isl.dim_type.out)] for p in points}
        if not found <= have:
            missing = sorted(found - have)[0]
            tally.wrong.append(
                f"{a.array} at {missing} with {values} in the must relation of line {a.span.line} never happens"
            )


def _points(m: isl.Map, values: dict[str, int]) -> set[tuple[int, ...]] | None:
    """All pairs of a relation for values of the parameters; None where there are endlessly many."""
    points = _at(m.wrap().flatten(), values)
    if _others(points, values) or not points.is_bounded():
        return None
    found: set[tuple[int, ...]] = set()
    points.foreach_point(lambda p: found.add(_coordinates(p)))
    return found


def _holds(a: Access, point: tuple[int, ...], values: dict[str, int]) -> bool:
    m = a.may.wrap().flatten()
    for k in range(m.dim(S)):
        m = m.fix_val(S, k, isl.Val(point[k]))
    return not _at(m, values).is_empty()


def _coordinates(p: isl.Point) -> tuple[int, ...]:
    return tuple(int(p.get_coordinate_val(S, k).to_python()) for k in range(p.get_space().dim(S)))


def _check_loop(
    model: LoopModel, loop: Loop, nest: s.Statement, table: SymbolTable, procedure: str,
    runs: list[tuple[dict[str, int], list[Instance]]], tally: Tally,
) -> None:  # fmt: skip
    body = loop.statement.body  # type: ignore[attr-defined]  # a Do
    scalars = loop_scalars(model, loop, body, table)
    own = {v.id for i in walk_statements(body) if isinstance(i, s.Block) for v in i.declarations}
    own |= {id for id, owner in table.owner.items() if owner != procedure and not id.startswith(procedure + ".")}
    for id in scalars.private:
        tally.verdicts["private: proven"] += 1
        for values, instances in runs:
            bad = _read_before_written(instances, loop, id)
            if bad is not None:
                tally.wrong.append(
                    f"{id} is private to line {loop.statement.span.line}, but iteration {bad} reads it first, {values}"
                )
    ignored = frozenset(scalars.private) | frozenset(scalars.reductions)
    verdict = independent(model, (loop,), table, ignored)
    tally.verdicts[f"independent: {type(verdict).__name__.lower()}"] += 1
    if isinstance(verdict, Unknown):
        tally.unknown[_cause(verdict.why)] += 1
    if isinstance(verdict, Proven):
        _check_proven(loop, ignored | own, runs, tally)
    if isinstance(verdict, Refuted) and verdict.witness is not None:
        _check_witness(verdict.witness, model, loop, nest, table, tally)
    _check_carried(scalars, tally)


def _check_proven(
    loop: Loop, ignored: frozenset[str] | set[str], runs: list[tuple[dict[str, int], list[Instance]]], tally: Tally
) -> None:
    for values, instances in runs:
        inside = [i for i in instances if len(i.loops) > loop.position and i.loops[loop.position] == id(loop.statement)]
        pair = meeting_pair(inside, loop.position, loop.position, ignored)
        if pair is not None:
            tally.wrong.append(f"line {loop.statement.span.line} is proven independent, but {pair} with {values}")


def _check_carried(scalars: LoopScalars, tally: Tally) -> None:
    tally.verdicts["scalar: carried"] += len(scalars.carried)
    tally.verdicts["scalar: reduction"] += len(scalars.reductions)


def _read_before_written(instances: list[Instance], loop: Loop, variable: str) -> tuple[int, ...] | None:
    """An iteration of `loop` that reads a part of the variable before it has written it."""
    written: set[tuple[tuple[int, ...], str]] = set()
    for i in instances:
        if _root(i.array) != variable or len(i.loops) <= loop.position or i.loops[loop.position] != id(loop.statement):
            continue
        where = i.iteration[: loop.position + 1]
        if i.is_write:
            written.add((where, i.array))
        elif (where, i.array) not in written:
            return where
    return None


def _check_witness(
    witness: Witness, model: LoopModel, loop: Loop, nest: s.Statement, table: SymbolTable, tally: Tally
) -> None:
    names, values = model.parameters.expressions, dict(witness.parameters)
    if any(not isinstance(names.get(n), x.Ref) for n in values) or any(
        abs(v) > LARGEST_WITNESS for v in values.values()
    ):
        tally.verdicts["witness: not replayed"] += 1
        return
    given = {names[n].id: v for n, v in values.items()}  # type: ignore[attr-defined]  # a Ref
    for e in names.values():
        if isinstance(e, x.Ref):
            given.setdefault(e.id, 3)
    try:
        instances = enumerate_accesses(nest, given, table)
    except NotEnumerable:
        tally.verdicts["witness: not replayed"] += 1
        return
    first, second = witness.iterations
    found = [
        i for i in instances
        if i.iteration in (first, second)
        and witness.subscript in (i.subscript, i.subscript[: len(witness.subscript)])
        and (_title(i.array) == witness.array or _title(i.array).startswith(witness.array + "%"))
    ]  # fmt: skip
    real = {first, second} <= {i.iteration for i in found} and any(i.is_write for i in found)
    differ = first[: loop.position] == second[: loop.position] and first[loop.position] != second[loop.position]
    tally.verdicts["witness: replayed"] += 1
    if not (real and differ):
        tally.wrong.append(f"the witness {witness} of line {loop.statement.span.line} is not real")


def _title(path: str) -> str:
    id, *fields = path.split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])


def _cause(why: str) -> str:
    """The kind of a reason, without names."""
    words = (
        "not affine", "exit", "may be left early", "operation budget", "read before it is written", "share storage",
        "condition or bound", "step", "do while",
    )  # fmt: skip
    return next((w for w in words if w in why), why)
