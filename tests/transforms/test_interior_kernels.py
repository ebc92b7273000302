"""The interior of a split nest holds no branch on a loop index; its kernel has the launch guard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import polystencil as ps
from polystencil import pipeline
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.traversal import procedures_of, walk_expression, walk_statements
from polystencil.options import Options

TESTS = Path(__file__).resolve().parents[1]
APPS = sorted((TESTS / "cases" / "apps").glob("b*.f*"))
OPTIONS = Options(split_min_iterations=0, cache_bytes=1 << 40)


def interiors(program: Program) -> Iterator[tuple[s.ParallelLoop, frozenset[int]]]:
    """Interior loops after splitting, with the lines of tests that the pass says it kept."""
    transformed = pipeline.transform(program, OPTIONS)
    kept: dict[int, frozenset[int]] = {}
    for r in transformed.remarks:
        if r.transform == "split" and r.status == "runtime-checked":
            kept[r.span.line] = kept.get(r.span.line, frozenset()) | frozenset(r.details["kept_test_lines"])
    for procedure in procedures_of(transformed.program):
        for st in walk_statements(procedure.body):
            if not isinstance(st, s.If) or len(st.branches) != 1:
                continue
            chosen, original = st.branches[0].body, st.otherwise
            if len(original) == 1 and isinstance(original[0], s.ParallelLoop) and original[0].span.line in kept:
                for loop in walk_statements(chosen):
                    if isinstance(loop, s.ParallelLoop) and not any(v.name == "frame" for v in loop.locals):
                        yield loop, kept[loop.span.line]


@pytest.mark.parametrize("path", APPS, ids=lambda p: p.stem)
def test_no_branch_on_an_index(path: Path) -> None:
    for loop, kept in interiors(ps.parse(path)):
        indices = {i.ref.id for i in loop.indices}
        for st in walk_statements(loop.body):
            if isinstance(st, s.If):
                tests = [(b.condition, b.span.line) for b in st.branches]
            elif isinstance(st, s.SelectCase):
                tests = [(st.selector, st.span.line)]
            else:
                continue
            for condition, line in tests:
                named = {e.id for e in walk_expression(condition) if isinstance(e, x.Ref)}
                assert not named & indices or line in kept, (path.stem, loop.span.line, line)


def test_some_apps_have_interiors() -> None:
    found = [path.stem for path in APPS if any(True for _ in interiors(ps.parse(path)))]
    assert "b11_advdiff_rk4" in found
    assert len(found) >= 3


def test_the_kernel_of_an_interior_has_only_its_launch_guard() -> None:
    program = ps.parse(TESTS.parent / "data" / "advection_diffusion.f90")
    generated = pipeline.generate(program, OPTIONS)
    line = 71  # the consumer, into which the fluxes are fused
    texts = [k.body for k in generated.kernels if k.span.line == line and k.ranges == 2 and "q0" in k.body]
    straight = [t for t in texts if len(re.findall(r"\bif\b|\?", t)) <= 1]
    assert straight, "no kernel of the fused loop is straight-line code"
    assert any(t.count("q_copy[") + t.count("q[") >= 3 * 9 for t in straight), "three rows in one work item"
