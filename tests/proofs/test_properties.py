"""Every claim of the core against brute force: relations, conditions, and each verdict, on random nests.

A few hundred with fixed seeds here; `docs/decisions` says what tens of thousands of them gave.
"""

from __future__ import annotations

import itertools
from random import Random

import islpy as isl
import pytest
from hypothesis import given, settings

from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import procedures_of, walk_expression, walk_statements
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.polyhedral.conditions import to_sets
from polystencil.polyhedral.model import build_model
from polystencil.polyhedral.parameters import Parameters
from polystencil.proofs.decided import decided
from polystencil.proofs.inside_bounds import inside
from polystencil.proofs.partition import is_partition
from polystencil.proofs.produced import ArrayBounds, produced
from polystencil.proofs.verdicts import Proven, Refuted
from polystencil.testing.enumeration import NotEnumerable, enumerate_accesses, evaluate
from polystencil.testing.nests import Nest, NestWriter, nests, random_nest
from polystencil.testing.verdicts import Tally, compare_with_enumeration

POINTS = list(itertools.product(range(-4, 5), range(-3, 5)))


@pytest.mark.parametrize("chunk", range(10))
def test_verdicts_of_random_nests(chunk: int) -> None:
    tally = Tally()
    for seed in range(20):
        compare_with_enumeration(random_nest(Random(1000 * chunk + seed), plain=seed % 4 == 0), tally, (0,))
        assert not tally.wrong, (chunk, seed)
    assert tally.verdicts["independent: proven"] > 0
    assert tally.verdicts["witness: replayed"] > 0


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(nests(max_depth=2))
def test_verdicts_of_nests_that_hypothesis_chooses(nest: Nest) -> None:
    tally = Tally()
    compare_with_enumeration(nest, tally, (0,))
    assert not tally.wrong


# -- conditions and functions -------------------------------------------------------------------------------------


def _parsed(text: str) -> tuple[Program, Procedure]:
    program = read_program([SourceText("t.f90", text)])
    return program, next(p for p in procedures_of(program) if p.name == "sweep")


def _scope(procedure: Procedure) -> Scope:
    ids = {f"{procedure.id}.{n}" for n in ("n", "m")}

    def fixed(e: x.Expression) -> bool:
        return all(n.id in ids for n in walk_expression(e) if isinstance(n, x.Ref))

    return Scope(Parameters(), fixed, {f"{procedure.id}.i": 0, f"{procedure.id}.j": 1}, depth=2)


def _has(points: isl.Set, at: tuple[int, ...], values: dict[str, int]) -> bool:
    for k in range(points.dim(isl.dim_type.param)):
        name = points.get_dim_name(isl.dim_type.param, k)
        points = points.fix_val(isl.dim_type.param, k, isl.Val(values[name]))
    for k, v in enumerate(at):
        points = points.fix_val(isl.dim_type.set, k, isl.Val(v))
    return not points.is_empty()


@pytest.mark.parametrize("seed", range(60))
def test_conditions_and_functions_point_by_point(seed: int) -> None:
    r = Random(seed)
    writer = NestWriter(r, plain=True)
    guard, value = writer.guard(("i", "j")), writer.affine(("i", "j"))
    _, procedure = _parsed(
        "subroutine sweep(a, n, m)\n integer :: n, m, i, j, a(9)\n"
        f" if ({guard}) then\n  i = {value}\n end if\nend subroutine\n"
    )
    st = procedure.body[0]
    assert isinstance(st, s.If)
    assert isinstance(st.branches[0].body[0], s.Assign)
    condition, function = st.branches[0].condition, st.branches[0].body[0].value
    scope = _scope(procedure)
    truth, f = to_sets(condition, scope), to_affine(function, scope)
    box = isl.Set("{ [i, j] : -1 <= i <= 3 and 0 <= j <= 2 }")
    verdict = decided(truth, box)
    graph = None if f is None else isl.Map.from_pw_aff(f).wrap().flatten()
    for (i, j), values in itertools.product(POINTS, ({"n": 4, "m": 3}, {"n": 0, "m": 1})):
        known = {f"{procedure.id}.{k}": v for k, v in {**values, "i": i, "j": j}.items()}
        holds = bool(evaluate(condition, known))
        assert not holds or _has(truth.may, (i, j), values), "true where it may not be"
        assert holds or not _has(truth.must, (i, j), values), "false where it must be true"
        if verdict is not None and -1 <= i <= 3 and 0 <= j <= 2:
            assert holds == verdict, "decided, but the other value"
        if graph is not None:
            assert _has(graph, (i, j, int(evaluate(function, known))), values)


# -- partitions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_partitions(seed: int) -> None:
    r = Random(seed)
    cuts = sorted(r.sample(range(0, 7), 2))
    low, high = r.choice((0, 1)), r.choice(("n", "n + 1", "2*n"))
    space = isl.Set(f"[n] -> {{ [i] : {low} <= i <= {high} }}")
    ends = [(str(low), f"{low + cuts[0]} - 1"), (f"{low + cuts[0]}", f"{high} - {cuts[1]}"), (f"{high} - {cuts[1]} + 1", high)]
    if r.randrange(3) == 0:  # a mistake of one somewhere
        k = r.randrange(3)
        ends[k] = (ends[k][0] + r.choice((" + 1", " - 1")), ends[k][1])
    pieces = [isl.Set(f"[n] -> {{ [i] : {a} <= i <= {b} }}") for a, b in ends]
    least = r.choice((0, 3, 8, 14))
    context = isl.Set(f"[n] -> {{ : n >= {least} }}")
    verdict = is_partition(space, pieces, context)
    right = all(_partitions(space, pieces, n) for n in range(least, 24))
    assert isinstance(verdict, Proven) == right, (verdict, ends)
    if isinstance(verdict, Refuted):
        assert verdict.witness is not None
        assert not _partitions(space, pieces, dict(verdict.witness.parameters)["n"])


def _partitions(space: isl.Set, pieces: list[isl.Set], n: int) -> bool:
    for i in range(-20, 3 * n + 20):
        inside = sum(_has(p, (i,), {"n": n}) for p in pieces)
        if inside != _has(space, (i,), {"n": n}):
            return False
    return True


# -- produced -----------------------------------------------------------------------------------------------------


def _loops(seed: int) -> str:
    r = Random(seed)
    writer = NestWriter(r, plain=True)
    shape = r.choice(("1:n", "0:n", "0:n + 1", "1:12", "-3:n + 3"))
    write = r.choice(("i", "i + 1", "n - i", "2 - i", "i - 2", "2*i"))
    reads = [r.choice(("i", "i - 1", "i + 1", "n - i", "i/2", "max(i - 1, 1)", "min(i + 1, n)", "mod(i, 4)", "m")) for _ in range(2)]
    guards = [f"if ({writer.guard(('i',))}) " if r.randrange(3) == 0 else "" for _ in range(2)]
    first = [f"{r.choice((0, 1, 1, 2, -2))}:{r.choice(('n', 'n', 'n + 1', 'n - 1', '12'))}" for _ in range(2)]
    return f"""subroutine sweep(f, q, n, m)
 integer, intent(in) :: n, m
 integer, intent(inout) :: f({shape}), q(-50:50)
 integer :: i
 do concurrent (i = {first[0]})
  {guards[0]}f({write}) = q(i)
 end do
 do concurrent (i = {first[1]})
  {guards[1]}q(i) = f({reads[0]}) + f({reads[1]})
 end do
end subroutine
"""


def _bounds(e: x.Expression, table: SymbolTable, parameters: Parameters) -> ArrayBounds:
    scope = Scope(parameters, lambda _: True)
    known = dimensions_of(e, table)
    assert known is not None
    lower, upper = to_affine(known[0][0], scope), to_affine(known[0][1], scope)
    assert lower is not None
    assert upper is not None
    return ArrayBounds((lower,), (upper,), False)


@pytest.mark.parametrize("seed", range(150))
def test_every_element_read_was_produced(seed: int) -> None:
    program, procedure = _parsed(_loops(seed))
    table = symbol_table(program)
    loops = [st for st in walk_statements(procedure.body) if isinstance(st, s.ParallelLoop)]
    model = build_model(tuple(loops), table, procedure.id)
    array = f"{procedure.id}.f"
    reads = [a for a in model.accesses if a.array == array and not a.is_write]
    writes = [a for a in model.accesses if a.array == array and a.is_write]
    if not reads or not writes:
        return
    bounds = _bounds(x.Ref(array, table.symbols[array].type, 1), table, model.parameters)
    verdict, _ = produced("f", reads, writes, bounds)
    samples = [{"n": n, "m": m} for n in (0, 1, 2, 5, 8) for m in (1, 3)]
    if isinstance(verdict, Refuted) and verdict.witness is not None:
        samples.append({"n": 3, "m": 3, **dict(verdict.witness.parameters)})
    for values in samples:
        given = {f"{procedure.id}.{k}": v for k, v in values.items()}
        written = {i.subscript for i in enumerate_accesses(loops[0], given, table) if i.is_write and i.array == array}
        read = {i.subscript for i in enumerate_accesses(loops[1], given, table) if not i.is_write and i.array == array}
        low, high = (int(evaluate(e, given)) for e in dimensions_of(x.Ref(array, table.symbols[array].type, 1), table)[0])  # type: ignore[index]  # declared
        missing = {e for e in read - written if low <= e[0] <= high}
        if isinstance(verdict, Proven):
            assert not missing, (verdict, values)
    if isinstance(verdict, Refuted) and verdict.witness is not None:
        assert verdict.witness.subscript in missing, (verdict.witness, missing)


# -- bounds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(80))
def test_accesses_inside_bounds(seed: int) -> None:
    r = Random(seed)
    writer = NestWriter(r, plain=True)
    shape = r.choice(("1:n", "0:n + 1", "-5:20", "1:8", "0:2*n"))
    guard = f"if ({writer.guard(('i',))}) " if r.randrange(2) else ""
    at = r.choice(("i", "i + 1", "n - i", "2*i", "mod(i, 5)", "i/2", "max(i, 1)"))
    program, procedure = _parsed(
        f"subroutine sweep(f, n, m)\n integer, intent(in) :: n, m\n integer, intent(inout) :: f({shape})\n integer :: i\n"
        f" do i = {r.choice((0, 1, 2))}, {r.choice(('n', '8', 'n - 1'))}, {r.choice((1, 2))}\n  {guard}f({at}) = i\n end do\n"
        "end subroutine\n"
    )
    table = symbol_table(program)
    loop = procedure.body[0]
    model = build_model((loop,), table, procedure.id)
    array = f"{procedure.id}.f"
    ref = x.Ref(array, table.symbols[array].type, 1)
    for a in (a for a in model.accesses if a.array == array):
        verdict, outside = inside(a, table, Scope(model.parameters, lambda _: True))
        for n, m in itertools.product((0, 1, 4, 8, 30), (1, 5)):
            given = {f"{procedure.id}.n": n, f"{procedure.id}.m": m}
            try:
                touched = [i.subscript[0] for i in enumerate_accesses(loop, given, table) if i.array == array]
            except NotEnumerable:
                continue
            low, high = (int(evaluate(e, given)) for e in dimensions_of(ref, table)[0])  # type: ignore[index]  # declared
            wrong = [i for i in touched if not low <= i <= high]
            if isinstance(verdict, Proven):
                assert not wrong, (n, m)
            if isinstance(verdict, Refuted) and touched:
                assert wrong, "refuted although a run is valid"
        if isinstance(verdict, Refuted):
            assert outside is not None
            assert not outside.bounds[0] <= outside.index <= outside.bounds[1]
