"""Random complete programs of plain do nests: scalars that are private, carried, accumulated, and read afterwards.

All numbers are integers (also those in reals), so that no order of accumulation shows; every subscript lies inside.
"""

from __future__ import annotations

import re
from random import Random

HEAD = """module parts
  implicit none
  integer :: shared = 4
  type :: cell
    integer :: x, y
  end type
contains
  pure integer function f(x, k)
    integer, intent(in) :: x, k
    f = mod(3*x + k, 101)
    if (k > 4) f = f - x
  end function
  pure integer function g(w, k)
    integer, intent(in) :: w(:), k
    g = w(k) - w(k + 1)
  end function
  pure integer function h(k)
    integer, intent(in) :: k
    h = mod(k + shared, 17)
  end function
  pure integer function spoiled(x)
    integer, value :: x
    x = mod(x, 7) + 1
    spoiled = x
  end function
  pure subroutine put(x, k)
    integer, intent(out) :: x
    integer, intent(in) :: k
    x = 2*k - 1
  end subroutine
  pure subroutine bump(x, k)
    integer, intent(inout) :: x
    integer, intent(in) :: k
    if (k > 2) x = mod(x + k, 997)
  end subroutine
  pure subroutine fill(w, l, k)
    integer, intent(in) :: l, k
    integer, intent(inout) :: w(l)
    integer :: q
    do q = 1, l
      w(q) = mod(w(q) + k, 991)
    end do
  end subroutine
end module
"""
INDICES = ("i", "j")
SCALARS = ("t", "u", "v")
LARGEST = 9


class _Writer:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.inner = 0
        self.names = 0

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    # Every index lies in 1..LARGEST, every scalar is cut by mod: subscripts stay within -20:40 and -5:20.

    def at(self, indices: tuple[str, ...], low: int = -5) -> str:
        i = self.r.choice(indices)
        forms = [
            i, i, f"{i} + {self.r.randint(1, 3)}", f"{i} - {self.r.randint(1, 4)}", f"{LARGEST + 1} - {i}", f"mod({i}, 4)",
            f"{i}/2", f"max({i} - 1, 1)", f"min({i} + 1, n)", str(self.r.randint(0, 5)), f"mod(abs({self.r.choice(SCALARS)}), 9)",
        ]  # fmt: skip
        if low < -5:
            forms += [f"2*{i}", f"3*{i} - 2", f"2*{i} + 1", f"idx({i})"]
            if len(indices) > 1:
                forms += [
                    f"{indices[0]} + {indices[1]}",
                    f"{indices[0]} - {indices[1]}",
                    f"{LARGEST}*{indices[0]}/3 + {indices[1]}",
                ]
        return self.r.choice(forms)

    def element(self, indices: tuple[str, ...]) -> str:
        match self.r.randrange(8):
            case 0 | 1 | 2:
                return f"a({self.at(indices, -20)})"
            case 3 | 4:
                return f"b({self.at(indices, -20)})"
            case 5 | 6:
                return f"c({self.at(indices)}, {self.at(indices)})"
            case _:
                return f"p({self.at(indices)})%{self.r.choice('xy')}"

    def term(self, indices: tuple[str, ...]) -> str:
        match self.r.randrange(14):
            case 0 | 1 | 2:
                return self.r.choice(SCALARS)
            case 3:
                return f"f({self.element(indices)}, {self.r.choice(indices)})"
            case 4:
                return f"g(a({self.at(indices)}:{self.at(indices)} + 12), {self.r.choice(('1', '2'))})"
            case 5:
                return f"h({self.r.choice(indices)})"
            case 6:
                return f"spoiled({self.r.choice(SCALARS)})"
            case 7:
                return self.r.choice((*indices, "n", "m", "shared", "one%x"))
            case _:
                return self.element(indices)

    def value(self, indices: tuple[str, ...]) -> str:
        terms = [self.term(indices) for _ in range(self.r.randint(1, 3))]
        return f"mod({' + '.join(terms)}{self.r.choice(('', ' + 1', ' - 3'))}, 1009)"

    def guard(self, indices: tuple[str, ...]) -> str:
        i = self.r.choice(indices)
        return self.r.choice((
            f"{i} > {self.r.randint(1, 4)}", f"mod({i}, 2) == 0", f"{i} == n", f"{i} /= 3", f"{self.element(indices)} > 20",
            f"{i} < m .or. {i} > 5", f"{self.r.choice(SCALARS)} > 9", f"{i} <= 0",
        ))  # fmt: skip

    def accumulation(self, indices: tuple[str, ...]) -> str:
        e = self.element(indices)
        return self.r.choice((
            f"s = s + {e}", f"s = s - {e}", f"r8 = r8 + {e}", f"big = max(big, {e})", f"if ({e} > big) big = {e}",
            f"if ({e} < small) small = {e}", f"small = min({e}, small)", f"bits = ieor(bits, {e})",
            f"any_of = any_of .or. {e} > 900", f"if (big < {e}) big = {e}", f"s = {e} + s", f"s = s + {e} - {self.r.choice(indices)}",
            f"s = mod(s + {e}, 1009)", f"if ({e} > big) big = {e} + 1", "count = count + 1",
        ))  # fmt: skip

    def statements(self, indices: tuple[str, ...], depth: int, pad: str, loop: str) -> list[str]:
        out: list[str] = []
        for _ in range(self.r.randint(1, 3)):
            out += self.statement(indices, depth, pad, loop)
        return out

    def statement(self, indices: tuple[str, ...], depth: int, pad: str, loop: str) -> list[str]:
        more = pad + "  "
        kind = self.r.randrange(24) if depth < 2 else self.r.randrange(10)
        match kind:
            case 0 | 1 | 2:
                return [f"{pad}{self.r.choice(SCALARS)} = {self.value(indices)}"]
            case 3 if self.chance(2):
                return [pad + self.accumulation(indices)]
            case 4 if self.chance(2):
                return [pad + self.r.choice((
                    f"call put({self.r.choice(SCALARS)}, {self.r.choice(indices)})", f"call bump({self.r.choice(SCALARS)}, {self.r.choice(indices)})",
                    f"call put({self.element(indices)}, {self.r.choice(indices)})", f"call bump({self.element(indices)}, {self.r.choice(indices)})",
                    f"call fill(a({self.at(indices)}:{self.at(indices)} + 9), 2, {self.r.choice(indices)})",
                    f"call fill(a({self.at(indices)}), 2, {self.r.choice(indices)})",
                ))]  # fmt: skip
            case 5 if self.chance(3):
                return [
                    pad
                    + self.r.choice(
                        (
                            f"one%x = {self.value(indices)}",
                            f"one = p({self.at(indices)})",
                            f"p({self.at(indices)}) = one",
                        )
                    )
                ]
            case 10 | 11:
                return [
                    f"{pad}if ({self.guard(indices)}) then",
                    *self.statements(indices, depth + 1, more, loop),
                    f"{pad}end if",
                ]
            case 12:
                return [
                    f"{pad}if ({self.guard(indices)}) then", *self.statements(indices, depth + 1, more, loop), f"{pad}else",
                    *self.statements(indices, depth + 1, more, loop), f"{pad}end if",
                ]  # fmt: skip
            case 13:
                return [
                    f"{pad}select case (mod({self.r.choice(indices)}, 3))", f"{pad}case (0)", *self.statements(indices, depth + 1, more, loop),
                    *([f"{pad}case default", *self.statements(indices, depth + 1, more, loop)] if self.chance(2) else []), f"{pad}end select",
                ]  # fmt: skip
            case 14 if self.inner < 1:
                self.inner += 1
                self.names += 1
                name, index = f"inner{self.names}", "l"
                bounds = self.r.choice(
                    ("1, 3", f"{indices[0]}, min({indices[0]} + 2, {LARGEST})", f"2, {indices[0]}", "5, 2, -1", "3, 1")
                )
                body = self.statements((*indices, index), depth + 1, more, name)
                self.inner -= 1
                return [f"{pad}{name}: do {index} = {bounds}", *body, f"{pad}end do {name}"]
            case 15 if self.chance(2):
                return [f"{pad}if ({self.guard(indices)}) {self.r.choice(('cycle', 'cycle', 'exit'))} {loop}"]
            case 16:
                return [f"{pad}block", f"{more}integer :: q", f"{more}q = {self.value(indices)}",
                        f"{more}{self.element(indices)} = mod(q + 2, 1009)", f"{pad}end block"]  # fmt: skip
            case _:
                return [f"{pad}{self.element(indices)} = {self.value(indices)}"]

    def nest(self, pad: str) -> list[str]:
        depth = self.r.choice((1, 1, 2, 2))
        self.names += 1
        name = f"loop{self.names}"
        lines: list[str] = []
        for level in range(depth):
            lower = self.r.choice(("1", "1", "2", "m - 3") + (INDICES[:level] if self.chance(4) else ()))
            upper = self.r.choice(("n", "n", "m", "n - 1", str(LARGEST), "0"[: self.r.randrange(2)] or "n"))
            step = self.r.choice(("", "", "", ", 2", ", -1", ", 3"))
            if step == ", -1":
                lower, upper = upper, lower
            label = f"{name}: " if level == depth - 1 else f"{name}_outer: "
            lines.append(f"{pad}{'  ' * level}{label}do {INDICES[level]} = {lower}, {upper}{step}")
            if level + 1 < depth and self.chance(3):
                lines += self.statement(INDICES[:1], 1, pad + "  ", f"{name}_outer")
        lines += self.statements(INDICES[:depth], 0, pad + "  " * depth, name)
        for level in reversed(range(depth)):
            if level + 1 < depth and self.chance(4):
                lines += self.statement(INDICES[:1], 1, pad + "  ", f"{name}_outer")
            lines.append(f"{pad}{'  ' * level}end do {name}" + ("" if level == depth - 1 else "_outer"))
        return lines

    def report(self, pad: str) -> list[str]:
        names = [
            v
            for v in (*SCALARS, "i", "j", "l", "s", "big", "small", "bits", "any_of", "count", "r8", "one%x", "one%y")
            if self.chance(3)
        ]
        return [f"{pad}print *, {', '.join(names)}"] if names else []


def random_loop_program(r: Random) -> str:
    """A complete program that prints scalars and checksums."""
    w = _Writer(r)
    pad = "    " if (inside := w.chance(2)) else "  "
    lines: list[str] = []
    for _ in range(r.randint(1, 3)):
        nest = w.nest(pad)
        if w.chance(4):
            nest = [
                f"{pad}do step = 1, 2",
                *("  " + line for line in nest),
                *(w.report(pad + "  ") if w.chance(2) else []),
                f"{pad}end do",
            ]
        lines += nest + w.report(pad)
    own = {v: w.chance(3) for v in SCALARS}
    scalars = f"{pad}integer :: i, j, l, step, {', '.join(SCALARS)}, s, big, small, bits, count\n{pad}logical :: any_of\n{pad}real(8) :: r8\n"
    scalars += f"{pad}type(cell) :: one\n"
    if own["u"] and w.chance(2):
        scalars += f"{pad}equivalence (t, u)\n"
    elif own["v"] and w.chance(2):
        scalars += f"{pad}common /store/ v, t\n"
    start = "".join(
        f"{pad}{v} = {k}\n" for v, k in (("i", 50), ("j", 51), ("l", 52), ("t", 7), ("u", 8), ("v", 9), ("s", 3), ("big", -50), ("small", 60), ("bits", 21), ("count", 0))
    )  # fmt: skip
    start += f"{pad}any_of = .false.\n{pad}r8 = 2\n{pad}one = cell(31, 32)\n"
    end = f"{pad}print *, {', '.join(SCALARS)}, s, big, small, bits, count, any_of, r8, one\n" if w.chance(2) else ""
    text = "\n".join(lines) + "\n"
    arrays = "integer :: a(-20:40), b(-20:40), c(-6:20, -6:20)"
    fill = (
        "  do i = -20, 40\n    a(i) = mod(i*i + 7, 53)\n    b(i) = mod(11*i, 41) + 20\n  end do\n"
        "  do j = -6, 20\n    do i = -6, 20\n      c(i, j) = mod(i*3 + j*j, 37)\n    end do\n    p(j) = cell(j, mod(j*j, 19))\n  end do\n"
    )
    sums = "  print *, a\n  print *, b\n  print *, sum(c), sum(c(:, 3)), sum(c(4, :)), p%x, p%y\n"
    declared = "  integer :: n, m, idx(9)\n  type(cell) :: p(-6:20)\n"
    idx = "  idx = [3, 1, 4, 9, 5, 2, 6, 8, 7]\n" if w.chance(2) else "  idx = [3, 1, 4, 1, 5, 9, 2, 6, 5]\n"
    sizes = f"  n = {r.choice((7, 8, 9, 1))}\n  m = {r.choice((4, 5, 3))}\n"
    if not inside:
        return (
            HEAD
            + f"program p_\n  use parts\n  implicit none\n  {arrays}\n{declared}{scalars}{sizes}{idx}{fill}{start}{text}{end}{sums}end program\n"
        ).replace("program p_", "program random_loops")
    shape = r.choice(("a(-20:40), b(-20:40), c(-6:20, -6:20)", "a(-20:), b(-20:), c(-6:, -6:)"))
    if re.search(r"fill\(a\([^:]*\), 2", text):  # an element of an assumed-shape array is no sequence
        shape = "a(-20:40), b(-20:40), c(-6:20, -6:20)"
    return (
        HEAD
        + f"program random_loops\n  use parts\n  implicit none\n  {arrays}\n{declared}  integer :: i, j\n{sizes}{idx}{fill}"
        f"  call work(a, b, c, p, n, m, idx)\n{sums}contains\n  subroutine work(a, b, c, p, n, m, idx)\n"
        f"    integer, intent(inout) :: {shape}\n    integer, intent(in) :: n, m, idx(9)\n    type(cell), intent(inout) :: p(-6:20)\n"
        f"{scalars}{start}{text}{end}  end subroutine\nend program\n"
    )
