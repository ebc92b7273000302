"""Random programs with multi-launch time loops, for tests of time skewing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

NAMES = ("p", "q", "r")


@dataclass(frozen=True)
class TimeLoopProgram:
    """A whole program whose time loop launches two to four parallel loops; it prints checksums of every array."""

    text: str
    dimensions: int


def random_time_loop(random: Random) -> TimeLoopProgram:
    """A program: offsets, several arrays, stage-dependent branches, boundary formulas that reach inside."""
    two = random.random() < 0.5
    n, m = random.randint(12, 40), random.randint(3, 6)
    arrays = NAMES[: random.randint(2, 3)]
    stages = random.choice((0, 0, 2, 3))
    body: list[str] = []
    if random.random() < 0.6:
        body.append("w = 0.5d0 + 0.125d0*" + random.choice(("t", "(t + 1)") + (("stage",) if stages else ())))
    if random.random() < 0.3:
        body += ["if (t > 2) then", "  w = 0.75d0*w", "end if"]
    launches = random.randint(2, 4)
    for k in range(launches):
        target = arrays[k % len(arrays)]
        loop = _launch(random, target, arrays, two, stages)
        if random.random() < 0.2:
            loop = ["if (mod(t, 2) == 0) then", *("  " + line for line in loop), "end if"]
        body += loop
    shape = "(n, m)" if two else "(n)"
    lines = ["program steps", "  implicit none", f"  integer, parameter :: n = {n}, m = {m}, nt = {random.randint(1, 9)}"]
    rank = "(n, m)" if two else "(n)"
    lines += [f"  real(8) :: {', '.join(a + rank for a in arrays)}, w", "  integer :: t, stage, i, j, k"]
    for number, a in enumerate(arrays):
        if two:
            lines += ["  do j = 1, m", "    do i = 1, n", f"      {a}(i, j) = 0.25d0*mod(i*i + {3 + number}*j, 7)",
                      "    end do", "  end do"]  # fmt: skip
        else:
            lines += ["  do i = 1, n", f"    {a}(i) = 0.25d0*mod(i*i + {3 + number}*i, 7)", "  end do"]
    lines += ["  w = 0.25d0", "  stage = 0", "  do t = 1, nt"]
    if stages:
        lines += [f"    do stage = 1, {stages}", *("      " + line for line in body), "    end do"]
    else:
        lines += ["    " + line for line in body]
    lines += ["  end do", "  print *, t, stage, w"]
    lines += [f"  print '(a,3es24.16)', '{a}', sum({a}), sum({a}*{a}), {a}{'(n/2, 2)' if two else '(n/2)'}" for a in arrays]
    lines.append("end program steps")
    del shape
    return TimeLoopProgram("\n".join(lines) + "\n", 2 if two else 1)


def _launch(random: Random, target: str, arrays: tuple[str, ...], two: bool, stages: int) -> list[str]:
    """A parallel loop over rows k (the last subscript in two dimensions) that writes `target` at its own row."""
    reach = random.choice((0, 1, 1, 2, 3))
    low, high = 1 + reach, f"{'m' if two else 'n'} - {reach}"
    if two:
        reach = min(reach, 1)
        low, high = 1 + reach, f"m - {reach}"

    def at(name: str, offset: int, side: int = 0) -> str:
        row = f"k{offset:+d}" if offset else "k"
        column = f"i{side:+d}" if side else "i"
        return f"{name}({column}, {row})" if two else f"{name}({row})"

    def value() -> str:
        others = [a for a in arrays if a != target]
        terms = [f"{at(target, 0)}"]
        for _ in range(random.randint(1, 3)):
            name = random.choice(others)
            side = random.choice((-1, 0, 1)) if two else 0
            terms.append(f"{random.choice(('0.125d0', '0.0625d0', 'w'))}*{at(name, random.randint(-reach, reach), side)}")
        return "0.25d0*(" + " + ".join(terms) + ")"

    inner = [f"{at(target, 0)} = {value()}"]
    if random.random() < 0.4:
        far = random.randint(1, 3 if not two else 2)
        row = f"{far + 1}"
        source = random.choice([a for a in arrays if a != target])
        edge = f"{source}(i, {row})" if two else f"{source}({row})"
        inner = [f"if (k == {low}) then", f"  {at(target, 0)} = 0.5d0*{edge}", "else", f"  {inner[0]}", "end if"]
    if stages and random.random() < 0.3:
        inner = ["if (stage == 1) then", f"  {at(target, 0)} = {value()}", "else", *("  " + line for line in inner), "end if"]
    index = f"k = {low}:{high}, i = 2:n - 1" if two else f"k = {low}:{high}"
    return [f"do concurrent ({index})", *("  " + line for line in inner), "end do"]
