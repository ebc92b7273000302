"""Time loops that print or look at their arrays in some iterations are skewed in the stretches between them."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random

import pytest

from polystencil import pipeline
from polystencil.codegen import generate
from polystencil.ir.printer import print_program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.runtime import load
from polystencil.testing.time_loop_programs import random_time_loop
from polystencil.transforms import skew_tiles
from tests.transforms.conftest import output_of, parsed

LOOP = """program p
  implicit none
  integer, parameter :: n = 20, every = 3
  real(8) :: a(n), b(n), s
  integer :: i, t
  a = 1.0d0
  b = 0.0d0
  s = 0.0d0
  a(5) = 4.0d0
  do t = {first}, {last}
    do concurrent (i = 2:n - 1)
      b(i) = 0.5d0*a(i) + 0.25d0*(a(i - 1) + a(i + 1)) + s
    end do
    do concurrent (i = 2:n - 1)
      a(i) = b(i)
    end do
    if (mod(t, every) == 0) then
      s = 0.125d0*sum(a)/n
      print *, t, a(5), s
      {extra}
    end if
    if (t == 7) print *, 'seven', b(2)
  end do
  print *, t, a
end program
"""


def skews(remarks: tuple[Remark, ...]) -> list[Remark]:
    return [r for r in remarks if r.transform == "skew"]


def test_text() -> None:
    program = parsed(LOOP.format(first=1, last=10, extra=""))
    text = print_program(pipeline.transform(program, Options(transforms=("skew",))).program)
    for line in (
        "do while (first <= limit)",
        "do while (last < limit .and. .not. ((mod(last, every) == 0) .or. (last == 7)))",
        "do t = first, last",
        "if (.not. left) then",
    ):
        assert line in text, text


@pytest.mark.parametrize("extra", ["", "if (s > 0.15d0) exit", "if (t == 6) s = 0.0d0", "if (t > 8) stop"])
@pytest.mark.parametrize(("first", "last"), [(1, 10), (0, 12), (4, 3), (3, 3), (-4, 9), (1, 9)])
def test_output_is_unchanged(first: int, last: int, extra: str, same: Callable[..., tuple[Remark, ...]]) -> None:
    text = LOOP.format(first=first, last=last, extra=extra)
    for transforms in (("skew",), "all"):
        remarks = same(text, transforms, cache_bytes=16)
        assert ["stretches" in r.reason for r in skews(remarks)] == [True]
        same(text, transforms, cache_bytes=16, core_cache_bytes=16, cores=2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mod(t, every) == 0", "s < 1.0d0"),  # changes in the loop
        ("mod(t, every) == 0", "mod(t, n/every - 6) == 0"),  # might divide by zero
        ("mod(t, every) == 0", "a(3) > 1.0d0"),  # an element
        ("{extra}", "if (t == 6) cycle"),  # would skip what follows
        ("    if (t == 7)", "    i = t\n    print *, i\n    if (t == 7)"),  # in every iteration
    ],
)
def test_refused(old: str, new: str) -> None:
    text = LOOP.replace(old, new).format(first=1, last=10, extra="")
    program = parsed(text)
    transformed = pipeline.transform(program, Options(transforms=("skew",), cache_bytes=16))
    assert [r.status for r in skews(transformed.remarks)] == ["refused"]
    assert output_of(transformed.program, "random") == output_of(program)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(skew_tiles, "NARROWEST", 0)
    made = random_time_loop(random).text
    end = "  end do\n  print *, t, stage, w"
    assert end in made
    what = random.choice(("print *, t, sum(p), w", "w = 0.5d0*w + p(1, 1)", "if (sum(q) > 20) exit"))
    if "p(n, m)" not in made:
        what = what.replace("p(1, 1)", "p(1)")
    test = random.choice(("mod(t, 2) == 0", "t > 3", "mod(t, 4) == 1 .or. t == 2", "t == 5"))
    text = made.replace(end, f"    if ({test}) then\n      {what}\n    end if\n{end}")
    program = parsed(text)
    wanted = output_of(program)
    options = Options(transforms="all", cache_bytes=64, core_cache_bytes=64, cores=random.randint(0, 3),
                      split_min_iterations=0, fp="strict")  # fmt: skip
    transformed = pipeline.transform(program, options)
    assert output_of(transformed.program, "random", seed) == wanted
    if seed % 10 == 0:
        out = io.StringIO()
        assert load(generate(transformed.program, options), None, options).run((), stdout=out) == 0
        assert f"{out.getvalue()}[0]" == wanted
