"""Random loop nests as Fortran text, and the Hypothesis strategy for them.

Strides, triangular bounds, guards with integer division and mod, scalars that are assigned and used in subscripts,
inner loops, exit and cycle, select case, blocks, records and components, sections, calls of pure procedures.

One grammar, so one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

INDICES = ("i", "j", "k")
PARAMETERS = ("n", "m")
SCALARS = ("t", "u")

MODULE = """module parts
  implicit none
  type :: cell
    integer :: x, y
    integer :: v(4)
  end type
contains
  pure integer function pick(w, k)
    integer, intent(in) :: w(:), k
    pick = w(k)
    if (k > 2) pick = pick + w(k - 1)
  end function
  pure integer function late(w, l, k)
    integer, intent(in) :: l, k
    integer, intent(in) :: w(l)
    integer :: q
    late = 0
    do q = k, min(k + 1, l)
      late = late + w(q)
    end do
  end function
  pure integer function shifted(w, k)
    integer, intent(in) :: w(0:), k
    shifted = w(k)
  end function
  pure integer function spoiled(x, k)
    integer, value :: x
    integer, intent(in) :: k
    x = x + k
    spoiled = x
  end function
  pure subroutine bump(x, k)
    integer, intent(inout) :: x
    integer, intent(in) :: k
    if (k > 1) x = x + k
  end subroutine
  pure subroutine put(x, k)
    integer, intent(out) :: x
    integer, intent(in) :: k
    x = 2*k - 1
  end subroutine
  pure subroutine twice(x, k)
    integer, intent(inout) :: x
    integer, intent(in) :: k
    call put(x, k)
    call bump(x, k)
  end subroutine
  pure subroutine fill(w, l, k)
    integer, intent(in) :: l, k
    integer, intent(inout) :: w(l)
    integer :: q
    do q = 1, l
      if (q == k) cycle
      w(q) = k
    end do
  end subroutine
  pure subroutine move(w, k)
    integer, intent(inout) :: w(:)
    integer, intent(in) :: k
    w(k) = w(1)
  end subroutine
  pure subroutine early(x, k)
    integer, intent(inout) :: x
    integer, intent(in) :: k
    if (k > 3) return
    x = k
  end subroutine
end module
"""


@dataclass(frozen=True)
class Nest:
    """A program with one procedure `sweep` that holds one loop nest; `values` are sample values of n and m."""

    text: str
    depth: int
    values: tuple[dict[str, int], ...]


class NestWriter:
    """Writes one nest; `r` makes every choice."""

    def __init__(self, r: Random, plain: bool) -> None:
        self.r, self.plain = r, plain
        self.inner = 0
        self.names = 0

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    # -- expressions -------------------------------------------------------------------------------------------

    def affine(self, indices: tuple[str, ...], rich: bool = True, scalars: bool = True) -> str:
        terms = []
        for name in indices:
            c = self.r.choice((0, 1, 1, 1, -1, 2, 3))
            if c:
                terms.append(name if c == 1 else f"{c}*{name}" if c > 0 else f"({c})*{name}")
        if self.chance(6):
            terms.append(self.r.choice(PARAMETERS))
        if scalars and not self.plain and self.chance(4):
            terms.append(self.r.choice(SCALARS))
        offset = self.r.randint(-3, 3)
        base = " + ".join(terms) or "0"
        base = f"{base} + {offset}" if offset > 0 else f"{base} - {-offset}" if offset < 0 else base
        match self.r.randrange(14) if rich else 99:
            case 0:
                return f"({base})/{self.r.choice((2, 3, -2))}"
            case 1:
                return f"mod({base}, {self.r.choice((2, 3, 5, -3))})"
            case 2:
                return f"{self.r.choice(('min', 'max'))}({base}, {self.affine(indices, False)})"
            case 3:
                return f"modulo({base}, {self.r.choice((2, 4, -3))})"
            case 4:
                return f"merge({base}, {self.affine(indices, False)}, {self.guard(indices, False)})"
            case 5:
                return f"abs({base})"
            case _:
                return base

    def guard(self, indices: tuple[str, ...], rich: bool = True) -> str:
        relation = self.r.choice(("==", "/=", "<", "<=", ">", ">="))
        test = f"{self.affine(indices, rich)} {relation} {self.affine(indices, False)}"
        match self.r.randrange(8) if rich else 99:
            case 0:
                return f"{test} .and. {self.affine(indices, False)} > 0"
            case 1:
                return f"{test} .or. mod({self.r.choice(indices)}, 2) == 0"
            case 2:
                return f".not. ({test} .and. {self.affine(indices, False)} < 4)"
            case 3:
                return f"({test}) .neqv. ({self.affine(indices, False)} < 3)"
            case 4 if not self.plain:
                return f"{self.element(indices)} > 2"
            case _:
                return test

    def element(self, indices: tuple[str, ...]) -> str:
        """An integer element that can be assigned."""
        kind = self.r.randrange(5 if self.plain else 12)
        match kind:
            case 0 | 1 | 2:
                return f"a({self.affine(indices)})"
            case 3 | 4:
                return f"b({self.affine(indices, False)}, {self.affine(indices, False)})"
            case 5:
                return f"p({self.affine(indices, False)})%{self.r.choice('xy')}"
            case 6:
                return f"p({self.affine(indices, False)})%v({self.affine(indices)})"
            case 7:
                return f"a(a({self.affine(indices, False)}))"
            case 8:
                return f"one%{self.r.choice('xy')}"
            case 9:
                return self.r.choice(SCALARS)
            case _:
                return f"a({self.affine(indices)})"

    def value(self, indices: tuple[str, ...]) -> str:
        terms = [self.element(indices) for _ in range(self.r.randint(0, 2))] or [self.affine(indices)]
        if not self.plain and self.chance(5):
            w, k = f"a({self.affine(indices, False)}:{self.affine(indices, False)} + 4)", self.affine(indices)
            terms.append(self.r.choice((
                f"pick({w}, {k})", f"late(a({self.affine(indices, False)}:), 5, {k})", f"shifted({w}, {k})",
                f"spoiled({self.r.choice(SCALARS)}, {k})", f"late(a({self.affine(indices, False)}), 4, 2)",
                f"pick(b(:, {self.affine(indices, False)}), {k})", f"sum(a({self.affine(indices, False)}:3))",
            )))  # fmt: skip
        return " + ".join(terms)

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, indices: tuple[str, ...], depth: int, pad: str, loop: str) -> list[str]:
        out: list[str] = []
        for _ in range(self.r.randint(1, 3)):
            out += self.statement(indices, depth, pad, loop)
        return out

    def statement(self, indices: tuple[str, ...], depth: int, pad: str, loop: str) -> list[str]:
        deeper, more = depth + 1, pad + "  "
        kind = self.r.randrange(8 if self.plain else 24) if depth < 3 else 0
        match kind:
            case 4 | 5:
                return [f"{pad}if ({self.guard(indices)}) then", *self.statements(indices, deeper, more, loop), f"{pad}end if"]
            case 6:
                return [
                    f"{pad}if ({self.guard(indices)}) then", *self.statements(indices, deeper, more, loop),
                    f"{pad}else if ({self.guard(indices)}) then", *self.statements(indices, deeper, more, loop),
                    f"{pad}else", *self.statements(indices, deeper, more, loop), f"{pad}end if",
                ]  # fmt: skip
            case 8:
                return [
                    f"{pad}select case ({self.affine(indices)})", f"{pad}case (:0)", *self.statements(indices, deeper, more, loop),
                    f"{pad}case (2, 4:5)", *self.statements(indices, deeper, more, loop),
                    *([f"{pad}case default", *self.statements(indices, deeper, more, loop)] if self.chance(2) else []),
                    f"{pad}end select",
                ]  # fmt: skip
            case 9 | 10 if self.inner < 2:
                self.inner += 1
                index = f"l{self.inner}"
                self.names += 1
                name = f"inner{self.names}"
                body = self.statements((*indices, index), deeper, more, name)
                lower, upper = self.affine(indices, False), self.affine(indices, False)
                upper = f"min({upper}, {lower} + 3)" if self.chance(2) else self.r.choice(("2", "n", upper))
                step = self.r.choice(("", "", ", 2", ", -1"))
                return [f"{pad}{name}: do {index} = {lower}, {upper}{step}", *body, f"{pad}end do {name}"]
            case 19 if self.inner < 2:
                self.inner += 1
                index = f"l{self.inner}"
                inside = (*indices, index)
                body = [f"{more}{self.element(inside)} = {self.value(inside)}" for _ in range(self.r.randint(1, 2))]
                mask = f", {self.guard(inside)}" if self.chance(2) else ""
                bounds = f"{self.affine(indices, False)}:{self.r.choice(('2', 'n', '4'))}{self.r.choice(('', '', ':2'))}"
                return [f"{pad}do concurrent ({index} = {bounds}{mask})", *body, f"{pad}end do"]
            case 11:
                return [f"{pad}if ({self.guard(indices)}) {self.r.choice(('cycle', 'cycle', 'exit'))} {loop}"]
            case 12:
                return [
                    f"{pad}block", f"{more}integer :: q", f"{more}q = {self.affine(indices)}",
                    f"{more}a(q) = {self.value(indices)}", *self.statements(indices, deeper, more, loop), f"{pad}end block",
                ]  # fmt: skip
            case 13:
                return [pad + self.call(indices)]
            case 14 | 15:
                return [f"{pad}{self.r.choice(SCALARS)} = {self.affine(indices)}"]
            case 16:
                start = self.affine(indices, False)
                return [f"{pad}a({start}:{start} + {self.r.randint(-1, 3)}) = {self.affine(indices)}"]
            case 17:
                at = self.affine(indices, False)
                return [self.r.choice((
                    f"{pad}p({at}) = one", f"{pad}one = p({at})", f"{pad}p({at}) = p({self.affine(indices, False)})",
                    f"{pad}p({at})%v = {self.affine(indices)}",
                ))]  # fmt: skip
            case 18:
                self.names += 1
                name = f"part{self.names}"
                return [
                    f"{pad}{name}: block", f"{more}if ({self.guard(indices)}) exit {name}",
                    *self.statements(indices, deeper, more, loop), f"{pad}end block {name}",
                ]  # fmt: skip
            case _:
                return [f"{pad}{self.element(indices)} = {self.value(indices)}"]

    def call(self, indices: tuple[str, ...]) -> str:
        k, at = self.affine(indices), self.affine(indices, False)
        scalar = self.element(indices)
        return self.r.choice((
            f"call bump({scalar}, {k})", f"call put({scalar}, {k})", f"call twice({scalar}, {k})", f"call early({scalar}, {k})",
            f"call fill(a({at}:{at} + 3), 3, {k})", f"call fill(a({at}), 3, {k})", f"call move(a({at}:{at} + 4), {k})",
            f"call fill(p({at})%v, 4, {k})", f"call move(b({at}, 1:6), {k})", f"call move(a({at} + 6:{at}:-2), {k})",
        ))  # fmt: skip

    def nest(self, max_depth: int) -> tuple[list[str], int]:
        depth = self.r.randint(1, max_depth)
        lines: list[str] = []
        for level in range(depth):
            outer = INDICES[:level]
            triangular = level > 0 and self.chance(3)
            lower = self.r.choice(outer) if triangular else str(self.r.randint(-2, 3))
            upper = self.r.choice(("n", "m", "n - 1", "6")) if self.chance(2) else str(self.r.randint(2, 6))
            step = self.r.choice((1, 1, 1, 2, 3, -1, -2))
            if step < 0:
                lower, upper = upper, lower
            tail = f", {step}" if step != 1 else ""
            lines.append("  " * level + f"loop{level + 1}: do {INDICES[level]} = {lower}, {upper}{tail}")
            if level + 1 < depth and not self.plain and self.chance(5):
                lines += self.statement(INDICES[: level + 1], 2, "  " * (level + 1), f"loop{level + 1}")
        lines += self.statements(INDICES[:depth], 0, "  " * depth, f"loop{depth}")
        for level in reversed(range(depth)):
            if level + 1 < depth and not self.plain and self.chance(5):
                lines += self.statement(INDICES[: level + 1], 2, "  " * (level + 1), f"loop{level + 1}")
            lines.append("  " * level + f"end do loop{level + 1}")
        return lines, depth


def random_nest(r: Random, max_depth: int = 3, plain: bool = False) -> Nest:
    """A random nest of one to `max_depth` loops; `plain` ones hold guarded assignments of array elements only."""
    writer = NestWriter(r, plain)
    lines, depth = writer.nest(max_depth)
    body = "\n".join("  " + line for line in lines)
    rich = ("", "", "") if plain else (MODULE, "p, one, ", "  use parts\n")
    records = "" if plain else "  type(cell), intent(inout) :: p(-90:90), one\n"
    text = (
        f"{rich[0]}subroutine sweep(a, b, {rich[1]}n, m)\n{rich[2]}  implicit none\n  integer, intent(in) :: n, m\n"
        f"  integer, intent(inout) :: a(-500:500), b(-200:200, -200:200)\n{records}"
        f"  integer :: i, j, k, l1, l2, t, u\n{body}\nend subroutine sweep\n"
    )
    values = tuple({"n": r.randint(0, 6), "m": r.randint(1, 6)} for _ in range(r.randint(1, 2)))
    return Nest(text, depth, values)


def nests(max_depth: int = 3, plain: bool = False) -> SearchStrategy[Nest]:
    """Random nests for Hypothesis; see `random_nest`."""
    return st.randoms(use_true_random=False).map(lambda r: random_nest(r, max_depth, plain))


def nest_strategy() -> SearchStrategy[Nest]:
    """The default strategy."""
    return nests()
