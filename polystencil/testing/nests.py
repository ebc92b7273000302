"""A Hypothesis strategy for affine loop nests as Fortran text: strides, triangular bounds, guards, div and mod."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

INDICES = ("i", "j", "k")
PARAMETERS = ("n", "m")


@dataclass(frozen=True)
class Nest:
    """A program with one procedure `sweep` that holds one loop nest; `values` are sample values of n and m."""

    text: str
    depth: int
    values: tuple[dict[str, int], ...]


@st.composite
def _affine(draw: DrawFn, indices: tuple[str, ...], rich: bool = True) -> str:
    """An integer expression in the indices and parameters."""
    kind = draw(st.integers(0, 9 if rich else 5))
    terms = []
    for name in indices:
        c = draw(st.sampled_from((0, 1, 1, 1, -1, 2, 3)))
        if c:
            terms.append(name if c == 1 else f"{c}*{name}" if c > 0 else f"({c})*{name}")
    offset = draw(st.integers(-3, 3))
    if draw(st.integers(0, 5)) == 0:
        terms.append(draw(st.sampled_from(PARAMETERS)))
    base = " + ".join(terms) or "0"
    base = f"{base} + {offset}" if offset > 0 else f"{base} - {-offset}" if offset < 0 else base
    match kind:
        case 6:
            return f"({base})/{draw(st.sampled_from((2, 3)))}"
        case 7:
            return f"mod({base}, {draw(st.sampled_from((2, 3, 5)))})"
        case 8:
            return f"{draw(st.sampled_from(('min', 'max')))}({base}, {draw(_affine(indices, False))})"
        case 9:
            return f"modulo({base}, {draw(st.sampled_from((2, 4)))})"
        case _:
            return base


@st.composite
def _guard(draw: DrawFn, indices: tuple[str, ...]) -> str:
    relation = draw(st.sampled_from(("==", "/=", "<", "<=", ">", ">=")))
    test = f"{draw(_affine(indices))} {relation} {draw(_affine(indices, False))}"
    match draw(st.integers(0, 4)):
        case 0:
            return f"{test} .and. {draw(_affine(indices, False))} > 0"
        case 1:
            return f"{test} .or. mod({draw(st.sampled_from(indices))}, 2) == 0"
        case 2:
            return f".not. ({test} .and. {draw(_affine(indices, False))} < 4)"
        case _:
            return test


@st.composite
def _element(draw: DrawFn, indices: tuple[str, ...]) -> str:
    if draw(st.booleans()):
        return f"a({draw(_affine(indices))})"
    return f"b({draw(_affine(indices, False))}, {draw(_affine(indices, False))})"


@st.composite
def nests(draw: DrawFn, max_depth: int = 3) -> Nest:
    """A random nest of one to `max_depth` loops with one to three guarded statements."""
    depth = draw(st.integers(1, max_depth))
    lines: list[str] = []
    for level in range(depth):
        outer = INDICES[:level]
        triangular = level > 0 and draw(st.integers(0, 2)) == 0
        lower = draw(st.sampled_from(outer)) if triangular else str(draw(st.integers(-2, 3)))
        upper = draw(st.sampled_from(("n", "m", "n - 1", "6"))) if draw(st.booleans()) else str(draw(st.integers(2, 7)))
        step = draw(st.sampled_from((1, 1, 1, 2, 3, -1, -2)))
        if step < 0:
            lower, upper = upper, lower
        lines.append("  " * level + f"do {INDICES[level]} = {lower}, {upper}" + (f", {step}" if step != 1 else ""))
    indices = INDICES[:depth]
    pad = "  " * depth
    for _ in range(draw(st.integers(1, 3))):
        reads = " + ".join(draw(st.lists(_element(indices), min_size=0, max_size=2))) or "1.0"
        assign = f"{draw(_element(indices))} = {reads}"
        if draw(st.booleans()):
            lines += [f"{pad}if ({draw(_guard(indices))}) then", f"{pad}  {assign}", f"{pad}end if"]
        else:
            lines.append(pad + assign)
    lines += ["  " * level + "end do" for level in reversed(range(depth))]
    body = "\n".join("  " + line for line in lines)
    text = (
        "subroutine sweep(a, b, n, m)\n  integer, intent(in) :: n, m\n"
        "  real, intent(inout) :: a(-500:500), b(-200:200, -200:200)\n"
        f"  integer :: {', '.join(indices)}\n{body}\nend subroutine sweep\n"
    )
    values = draw(st.lists(st.fixed_dictionaries({"n": st.integers(0, 7), "m": st.integers(1, 7)}), min_size=1,
                           max_size=3))  # fmt: skip
    return Nest(text, depth, tuple(values))


def nest_strategy() -> SearchStrategy[Nest]:
    """The default strategy."""
    return nests()
