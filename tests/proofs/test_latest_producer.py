"""The claim of latest_producer against brute force: which loop wrote an element last, on random pairs of loops."""

from __future__ import annotations

from random import Random

import islpy as isl
import pytest

from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.polyhedral.accesses import Access
from polystencil.polyhedral.affine import Truth
from polystencil.polyhedral.model import build_model
from polystencil.polyhedral.parameters import Parameters
from polystencil.proofs.latest_producer import Chosen, latest_producer
from polystencil.proofs.verdicts import Proven, Unknown
from polystencil.testing.enumeration import enumerate_accesses
from polystencil.transforms.fusion_membership import membership_tests, sets_of_tests
from polystencil.transforms.fusion_producer import as_producer


def _program(seed: int) -> str:
    r = Random(seed)
    low, high = r.choice(("0", "1", "2", "m")), r.choice(("n", "n - 2", "n + 1", "6"))
    i = r.choice(("i", "i", "i + 1", "i - 2", "n - i"))
    guard = r.choice(("", "", "if (i > 2) ", "if (mod(i, 3) /= 1) ", "if (i /= m) ", "if (i > 1 .or. m > 2) "))
    if r.randrange(3) == 0:
        target, head = f"f({r.choice(('1', 'n', 'n - 1', 'm'))}, {i})", f"i = {low}:{high}"
    else:
        target, head = f"f({i}, j)", f"j = {r.choice(('1', '2'))}:{r.choice(('n', 'n - 1'))}, i = {low}:{high}"
    at = ["ij"[k] + r.choice(("", " - 1", " + 1", " - 2")) for k in range(2)]
    if r.randrange(6) == 0:
        at[r.randrange(2)] = r.choice(("1", "n", "m"))
    condition = r.choice(("", "", "if (i > 1) ", "if (i > 2 .and. j < n) ", "if (j == n) "))
    return f"""subroutine sweep(f, q, n, m)
 integer, intent(in) :: n, m
 integer, intent(inout) :: f(-9:30, -9:30), q(-9:30, -9:30)
 integer :: i, j
 do concurrent ({head})
  {guard}{target} = q(i, 1)
 end do
 do concurrent (j = {r.choice(('1', '2'))}:{r.choice(('n', 'n - 1'))}, i = {r.choice(('1', '3'))}:{r.choice(('n', 'n - 2'))})
  {condition}q(i, j) = q(i, j) + f({at[0]}, {at[1]})
 end do
end subroutine
"""


def _parsed(text: str) -> tuple[Procedure, SymbolTable, list[s.ParallelLoop]]:
    program = read_program([SourceText("t.f90", text)])
    procedure = next(iter(procedures_of(program)))
    loops = [st for st in walk_statements(procedure.body) if isinstance(st, s.ParallelLoop)]
    return procedure, symbol_table(program), loops


def _holds(points: isl.Set, element: tuple[int, ...], values: dict[str, int], parameters: Parameters) -> bool:
    """Whether an element with given parameter values lies in a set."""
    for d, e in enumerate(element):
        points = points.fix_val(isl.dim_type.set, d, isl.Val(e))
    for k in range(points.dim(isl.dim_type.param)):
        name = points.get_dim_name(isl.dim_type.param, k)
        ref = parameters.expressions[name]
        assert isinstance(ref, x.Ref)
        points = points.fix_val(isl.dim_type.param, k, isl.Val(values[ref.id]))
    return not points.is_empty()


def _judged(text: str) -> tuple[object, list[Chosen], list[Truth], Procedure, SymbolTable, list[s.ParallelLoop], Parameters]:
    procedure, table, loops = _parsed(text)
    array = f"{procedure.id}.f"
    producer = as_producer(loops[0], table, frozenset({array}))
    model = build_model(tuple(loops), table, procedure.id)
    d = producer.definitions[-1]
    tests = sets_of_tests(d, membership_tests(d, loops[0]), tuple(loops), table, procedure.id, model.parameters)
    writes = [a for a in model.accesses if a.array == array and a.is_write]
    reads: list[Access] = [a for a in model.accesses if a.array == array and not a.is_write]
    found = [a.may.range() for a in reads]
    verdict, chosen = latest_producer("f", found, writes[-1], writes[:-1], tests, None)
    return verdict, chosen, tests, procedure, table, loops, model.parameters


@pytest.mark.parametrize("seed", range(150))
def test_the_choice_is_that_of_the_loop_that_wrote_last(seed: int) -> None:
    verdict, chosen, tests, procedure, table, loops, parameters = _judged(_program(seed))
    if not isinstance(verdict, Proven) or not chosen:
        return
    for n, m in ((0, 1), (1, 2), (4, 3), (7, 1), (8, 4)):
        values = {f"{procedure.id}.n": n, f"{procedure.id}.m": m}
        array = f"{procedure.id}.f"
        written = {i.subscript for i in enumerate_accesses(loops[0], values, table) if i.is_write and i.array == array}
        read = {i.subscript for i in enumerate_accesses(loops[1], values, table) if not i.is_write and i.array == array}
        for element in read:
            (choice,) = chosen
            from_loop = choice.always or (
                bool(choice.tests) and all(_holds(tests[k].must, element, values, parameters) for k in choice.tests)
            )
            assert from_loop == (element in written), (n, m, element, choice)


def test_every_kind_of_choice_occurs() -> None:
    kinds = {"always": 0, "never": 0, "tests": 0, "unknown": 0}
    for seed in range(150):
        verdict, chosen, *_ = _judged(_program(seed))
        if not isinstance(verdict, Proven):
            kinds["unknown"] += 1
        for c in chosen:
            kinds["always" if c.always else "tests" if c.tests else "never"] += 1
    assert all(count > 1 for count in kinds.values()) or kinds["unknown"] == 0, kinds
    assert kinds["tests"] > 50


TWICE = """subroutine sweep(f, q, n, m)
 integer, intent(in) :: n, m
 integer, intent(inout) :: f(-9:30), q(-9:30)
 integer :: i
 do concurrent (i = 1:n)
  f(i) = q(i)
  f(i + 1) = q(i - 1)
 end do
 do concurrent (i = 1:n)
  q(i) = f(i)
 end do
end subroutine
"""


def test_iterations_of_one_loop_that_meet_are_not_proven() -> None:
    verdict, *_ = _judged(TWICE)
    assert isinstance(verdict, Unknown)
    assert "same element" in verdict.why


def test_a_test_that_isl_cannot_hold_is_not_proven() -> None:
    text = TWICE.replace("  f(i + 1) = q(i - 1)\n", "").replace("f(i) = q(i)", "if (q(i) > 0) f(i) = q(i)")
    verdict, *_ = _judged(text)
    assert isinstance(verdict, Unknown)
    assert "not expressible exactly" in verdict.why
