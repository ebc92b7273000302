"""Random stencils with tests near the bounds of their loops, in one to three dimensions, for index-set splitting.

Tests through inlined functions, else-if chains, select case, min and max clamps, wrap-around by mod and modulo.
"""

from __future__ import annotations

from random import Random

MODULE = """module parts
  implicit none
  integer, parameter :: rk = kind(1d0)
contains
  pure real(rk) function slope1(a, i, n)
    real(rk), intent(in) :: a(:)
    integer, intent(in) :: i, n
    if (i == 1) then
      slope1 = a(2) - a(1)
    else if (i >= n) then
      slope1 = a(n) - a(n - 1)
    else
      slope1 = 0.5_rk*(a(i + 1) - a(i - 1))
    end if
  end function
  pure real(rk) function left(a, i)
    real(rk), intent(in) :: a(:)
    integer, intent(in) :: i
    left = a(max(i - 1, 1))
  end function
  pure integer function wrapped(i, n)
    integer, intent(in) :: i, n
    wrapped = modulo(i - 1, n) + 1
  end function
end module
"""
INDICES = ("i", "j", "k")
SIZES = ("n", "m", "l")


class _Writer:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.rank = r.choice((1, 1, 2, 2, 2, 3))
        self.indices = INDICES[: self.rank]
        self.temporaries: list[str] = []

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    def shifted(self, d: int) -> str:
        """A subscript that lies within 1..size whatever the index is."""
        i, n = self.indices[d], SIZES[d]
        c = self.r.randint(1, 2)
        return self.r.choice((
            f"max({i} - {c}, 1)", f"min({i} + {c}, {n})", f"modulo({i} - {c + 1}, {n}) + 1", f"mod({i} + {c} - 1, {n}) + 1",
            f"wrapped({i} + {c}, {n})", f"merge({i} - 1, {n}, {i} > 1)", f"merge(1, {i} + 1, {i} == {n})", f"mod({i} - 2 + {n}, {n}) + 1",
        ))  # fmt: skip

    def at(self, moved: int | None = None, shift: str = "") -> str:
        return ", ".join(shift if d == moved else i for d, i in enumerate(self.indices))

    def term(self) -> str:
        d = self.r.randrange(self.rank)
        if self.rank == 1 and self.chance(4):
            return self.r.choice(("slope1(a, i, n)", "left(a, i)"))
        return f"a({self.at(d, self.shifted(d))})"

    def value(self) -> str:
        terms = [f"a({self.at()})", *(self.term() for _ in range(self.r.randint(0, 2)))]
        return self.r.choice((" + ", " - ", " + 0.5_rk*")).join(terms)

    def guard(self, d: int) -> str:
        i, n = self.indices[d], SIZES[d]
        c = self.r.choice((0, 0, 1, 2, 3))
        test = self.r.choice((
            f"{i} == {1 + c}", f"{i} == {n} - {c}", f"{i} <= {1 + c}", f"{i} < {n} - {c}", f"{i} > {2 + c}", f"{i} /= 1", f"{n} - {i} > {c}",
            f"{i} - 1 > {c}", f"{i} == {n}", f"mod({i}, 2) == 0", f"{i} > 4 .or. {i} == 1", f".not. {i} == {n} - {c}", f"a({self.at()}) > 2",
            f"2*{i} > {n}",
        ))  # fmt: skip
        if self.chance(5):
            other = self.r.randrange(self.rank)
            test += f"{self.r.choice((' .and. ', ' .or. '))}{self.indices[other]} {self.r.choice(('> 1', '== 1', '< ' + SIZES[other]))}"
        return test

    def neighbours(self, d: int) -> str:
        """Reads of neighbours that the guard around them keeps inside."""
        i = self.indices[d]
        return self.r.choice(
            (f"a({self.at(d, i + ' - 1')})", f"a({self.at(d, i + ' + 1')}) - a({self.at(d, i + ' - 1')})")
        )

    def statement(self, depth: int, pad: str) -> list[str]:
        target = self.r.choice((f"b({self.at()})", f"b({self.at()})", "t"))
        d = self.r.randrange(self.rank)
        i, n = self.indices[d], SIZES[d]
        more = pad + "  "
        match self.r.randrange(9) if depth < 2 else 8:
            case 0 | 1:
                return [
                    f"{pad}if ({self.guard(d)}) then",
                    *self.statement(depth + 1, more),
                    f"{pad}else",
                    *self.statement(depth + 1, more),
                    f"{pad}end if",
                ]
            case 2:
                return [
                    f"{pad}if ({i} == 1) then", *self.statement(depth + 1, more), f"{pad}else if ({i} == {n}) then",
                    *self.statement(depth + 1, more), f"{pad}else", f"{more}{target} = {self.neighbours(d)} + {self.value()}", f"{pad}end if",
                ]  # fmt: skip
            case 3:
                return [
                    f"{pad}select case ({i})", f"{pad}case (:2)", *self.statement(depth + 1, more), f"{pad}case (5, 7:8)",
                    *self.statement(depth + 1, more), f"{pad}case default", *self.statement(depth + 1, more), f"{pad}end select",
                ]  # fmt: skip
            case 4:
                return [f"{pad}if ({i} > 1 .and. {i} < {n}) {target} = {target} + {self.neighbours(d)}"]
            case 5:
                return [f"{pad}if ({self.guard(d)}) {target} = {self.value()}"]
            case 6:
                return [
                    f"{pad}t = {self.value()}",
                    f"{pad}if ({self.guard(d)}) t = t*0.5_rk",
                    f"{pad}b({self.at()}) = t",
                ]
            case _:
                return [f"{pad}{target} = {self.value()}"]

    def loop(self) -> list[str]:
        order = list(range(self.rank))
        if self.chance(2):
            order.reverse()
        low, high = self.r.choice(("1", "1", "2")), self.r.choice(("", "", " - 1"))
        heads = ", ".join(f"{self.indices[d]} = {low}:{SIZES[d]}{high}" for d in order)
        body = [line for _ in range(self.r.randint(1, 3)) for line in self.statement(0, "      ")]
        return [
            f"  do concurrent ({heads})", "    block", "      real(rk) :: t", f"      t = 0.25_rk*{self.indices[0]}", *body,
            f"      b({self.at()}) = b({self.at()}) + t", "    end block", "  end do",
        ]  # fmt: skip

    def program(self) -> str:
        size = {1: (self.r.choice((1, 2, 5, 9, 23, 40)),), 2: (self.r.choice((1, 3, 6, 12, 17)), self.r.choice((2, 5, 9, 13))),
                3: (self.r.choice((1, 4, 6)), self.r.choice((3, 5)), self.r.choice((2, 6)))}[self.rank]  # fmt: skip
        shape = f"({', '.join(SIZES[: self.rank])})"
        loops = self.loop() + (self.loop() if self.chance(3) else [])
        text = "\n".join("  " + line for line in loops)
        dims = f"({', '.join(str(s) for s in size)})"
        k = "mod(7*i" + (" + 3*j" if self.rank > 1 else "") + (" + 5*k" if self.rank > 2 else "") + ", 13)*0.375_rk"
        fill = "".join(f"  do {i} = 1, {s}\n" for i, s in zip(reversed(self.indices), reversed(size), strict=True))
        fill += f"    a({self.at()}) = {k}\n    b({self.at()}) = -1\n" + "  end do\n" * self.rank
        return (
            MODULE
            + f"program random_stencil\n  use parts\n  implicit none\n  real(rk) :: a{dims}, b{dims}\n  integer :: {', '.join(INDICES)}, step\n{fill}"
            f"  do step = 1, 2\n    call sweep(a, b, {', '.join(str(s) for s in size)})\n    a = a + 0.125_rk*b\n  end do\n  print *, a\n  print *, b\ncontains\n"
            f"  subroutine sweep(a, b, {', '.join(SIZES[: self.rank])})\n    integer, intent(in) :: {', '.join(SIZES[: self.rank])}\n"
            f"    real(rk), intent(in) :: a{shape}\n    real(rk), intent(inout) :: b{shape}\n    integer :: {', '.join(self.indices)}\n{text}\n"
            "  end subroutine\nend program\n"
        )


def random_stencil_program(r: Random) -> str:
    """A complete program that prints its arrays."""
    return _Writer(r).program()
