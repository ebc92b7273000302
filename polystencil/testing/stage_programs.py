"""Random programs of producer and consumer loops inside time loops, with what may stand around them.

Flux loops and update loops in one and two dimensions; shifted bounds, guards, several producers, functions; arrays of
the main program, of a module, dummies, allocatables and components; names that share storage; other host statements.
Most choices are legal ones, so that many of the programs can be fused.

One grammar, so one file.
"""

from __future__ import annotations

from random import Random

MODULE = """module parts
  implicit none
  integer, parameter :: rk = kind(1d0)
  integer :: calls = 0
  real(rk) :: outside = 0.75_rk
contains
  pure real(rk) function flux(a, b)
    real(rk), intent(in) :: a, b
    flux = 0.5_rk*(a + b)
    if (a > b) flux = a - 0.25_rk*b
  end function
  pure real(rk) function face(w, k)
    real(rk), intent(in) :: w(:)
    integer, intent(in) :: k
    face = w(k + 4) - w(k + 3)
  end function
  pure real(rk) function weighted(a)
    real(rk), intent(in) :: a
    weighted = a*outside
  end function
  pure subroutine tick(x)
    real(rk), intent(inout) :: x
    x = x*0.5_rk + 1
  end subroutine
  pure subroutine add(x, y)
    real(rk), intent(inout) :: x
    real(rk), intent(in) :: y
    x = x + y
  end subroutine
  subroutine noisy(x)
    real(rk), intent(inout) :: x
    calls = calls + 1
    outside = outside + 0.125_rk
    x = x + calls
  end subroutine
end module
"""
ARRAYS = ("q", "f", "g", "r", "w")


class _Writer:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.two = r.randrange(3) == 0
        self.style = r.choice(
            (
                "local",
                "local",
                "local",
                "local",
                "module",
                "dummy",
                "assumed",
                "allocatable",
                "component",
                "component_alloc",
            )
        )
        self.hazard = r.choice(
            ("",) * 16
            + ("pointer", "target", "equivalence", "common", "volatile", "same_pointer", "bound_common", "bound_target")
        )
        prefix = "s%" if self.style.startswith("component") else ""
        self.names = {a: prefix + a for a in ARRAYS}
        self.dead = self.style == "local" and self.hazard == "" and r.randrange(3) > 0  # nothing else reads f and g
        self.top = r.choice(("n", "n", "n", "nn", "12"))

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    def at(self, array: str, i: int = 0, j: int = 0) -> str:
        parts = [f"i {'+' if i > 0 else '-'} {abs(i)}" if i else "i"]
        if self.two:
            parts.append(f"j {'+' if j > 0 else '-'} {abs(j)}" if j else "j")
        return f"{self.names[array]}({', '.join(parts)})"

    def near(self, array: str) -> str:
        i = self.r.choice((-1, 0, 0, 1))
        j = self.r.choice((-1, 0, 1)) if self.two and i == 0 else 0
        return self.at(array, i, j)

    def source(self, array: str) -> str:
        """A producer's expression in `array`."""
        a, b = self.near(array), self.near(array)
        return self.r.choice((
            f"{a} - {b}", f"0.5_rk*({a} + {b})*dt", f"flux({a}, {b})", f"merge({a}, {b}, {a} > 0.25_rk)", f"c(i)*{a}",
            f"real(i, rk)*{a}", f"max({a}, 0.125_rk) - {b}", f"{a}*{a}", f"sqrt(abs({a}))", f"outside*{a}",
            f"weighted({a})" if self.chance(4) else f"({a} - {b})*x",
        ))  # fmt: skip

    def head(self, low: str, high: str, jlow: str = "1", jhigh: str = "m") -> str:
        if not self.two:
            return f"do concurrent (i = {low}:{high})"
        first, second = f"j = {jlow}:{jhigh}", f"i = {low}:{high}"
        return f"do concurrent ({first}, {second})" if self.chance(2) else f"do concurrent ({second}, {first})"

    def producer(self, array: str, reads: str) -> list[str]:
        low = self.r.choice(("-1", "-1", "-1", "0", "1"))
        high = self.r.choice((f"{self.top} + 2",) * 4 + (f"{self.top} + 1", self.top))
        shift = self.r.choice((0, 0, 0, 0, 1, -1))
        if self.dead:
            low, high, shift = "-1", "n + 2", 0
        target = self.at(array, shift)
        if self.chance(14) and not self.dead and not self.two:
            target, high = f"{self.names[array]}(n + 1 - i)", "n + 2"
        lines = [f"{target} = {self.source(reads)}"]
        match self.r.randrange(14):
            case 0:
                test = self.r.choice(("i > 2", "i == n", "mod(i, 2) == 0", "i > 1 .and. i < n"))
                lines = [
                    f"if ({test}) then",
                    f"  {target} = {self.source(reads)}",
                    "else",
                    f"  {target} = {self.source(reads)}",
                    "end if",
                ]
            case 1:
                lines = ["block", "  real(rk) :: y", f"  y = {self.near(reads)}", f"  if (i > 3) y = y*0.5_rk + {self.near(reads)}",
                         f"  {target} = y*y", "end block"]  # fmt: skip
            case 2:
                lines = [f"{target} = {self.source(reads)}", f"if (i == 3) {target} = {self.source(reads)}"]
            case _:
                pass
        if self.chance(8) and not self.dead and len(lines) == 1:
            lines = [
                f"{self.r.choice(('if (i > 1) ', 'if (i <= n + 1) ', 'if (mod(i, 2) == 0) ', 'if (c(i) > 0) '))}{lines[0]}"
            ]
        if self.chance(12):
            lines.append(f"{self.at('g' if array == 'f' else 'w', shift)} = {self.source(reads)}")
        if self.chance(20) and len(lines) == 1:
            lines = ["t = dt", f"{lines[0]} + t"]
        return [self.head(low, high, "-1", "m + 2"), *("  " + line for line in lines), "end do"]

    def update(self, fluxes: list[str]) -> str:
        """A consumer's expression."""
        terms = []
        for f in fluxes:
            i = self.r.choice((-1, -1, 0, 1))
            other = self.at(f, 0, -1) if self.two and self.chance(2) else self.at(f, i)
            terms.append(
                self.r.choice((f"dt*({self.at(f)} - {other})", f"{self.at(f)} + {other}", f"0.5_rk*{self.at(f, i)}"))
            )
        if self.chance(12) and not self.two:
            terms.append(f"face({self.names[fluxes[0]]}, i)")
        return " + ".join(terms)

    def consumer(self, fluxes: list[str]) -> tuple[list[str], str]:
        target = self.r.choice(("q", "q", "q", "r"))
        own = self.at("q") if target == "q" or not self.chance(5) else self.near("q")
        low = self.r.choice(("1", "1", "2", "0"))
        high = self.r.choice((self.top, self.top, f"{self.top} - 1", f"{self.top} + 1"))
        value = f"{own} + {self.update(fluxes)}"
        write = f"{self.at(target)} = {value}"
        match self.r.randrange(9):
            case 0:
                body = ["if (i == 1) then", f"  {self.at(target)} = {own}", "else", f"  {write}", "end if"]
            case 1:
                body = [
                    f"if (i > 2 .and. i < {self.top}) then",
                    f"  {write}",
                    "else",
                    f"  {self.at(target)} = {self.update(fluxes)}",
                    "end if",
                ]
            case 2:
                body = [
                    "block",
                    "  real(rk) :: x",
                    f"  x = {self.update(fluxes)}",
                    f"  {self.at(target)} = {own} + x",
                    "end block",
                ]
            case 3 if self.chance(2):
                body = [f"if (i > 1) {write}"]
            case 5 if self.chance(3):
                at = self.at(target).replace("(i", "(i:i")
                body = [f"{at} = {value}"]
            case 6 if self.chance(3):
                body = [f"call add({self.at(target)}, {self.update(fluxes)})"]
            case 7 if self.chance(3):
                body = [
                    "block",
                    "  integer :: e",
                    "  e = mod(i, 2)*0",
                    f"  {self.at(target).replace('(i', '(i + e')} = {value}",
                    "end block",
                ]
            case 8 if self.chance(3):
                body = [f"if (i == 4) {self.r.choice(('cycle', 'cycle'))}", write]
            case 4 if self.chance(2):
                body = [write, f"{self.at('w')} = {self.at('q')} + {self.at(fluxes[0])}"]
            case _:
                body = [write]
        return [self.head(low, high), *("  " + line for line in body), "end do"], target

    def host(self) -> list[str]:
        """A statement of the time loop besides the launches."""
        q, f, w = self.names["q"], self.names["f"], self.names["w"]
        e = "(3, 2)" if self.two else "(3)"
        f_uses = () if self.dead else (f"print *, {f}{e}", f"{f}{e} = 1")
        return [self.r.choice((
            *f_uses, "dt = dt*0.5_rk", "count = count + 1", f"print *, count, x, {w}{e}", "call tick(x)", "call tick(dt)", "x = x + dt",
            f"print *, {q}{e}", f"x = sum({w})", f"x = {q}{e}", f"{q}{e} = 0.5_rk", f"{q} = {q}*0.5_rk",
            "call noisy(x)", "if (count == 2) exit", "if (count == 1) cycle", "nn = nn - 1", "write (line, *) count", "outside = outside*0.5_rk",
            f"if (count > 1) {q}{e} = x", f"{w} = {w} + 1", "call noisy(outside)", f"call tick({q}{e})", f"call tick({w}{e})",
        ))]  # fmt: skip

    def group(self) -> list[str]:
        fluxes = ["f"]
        lines = self.producer("f", "q")
        if self.chance(4):
            lines += self.producer("g", self.r.choice(("q", "q", "f")))
            fluxes.append("g")
        if self.chance(14):
            lines += self.host()
        consumer, target = self.consumer(fluxes)
        lines += consumer
        if target == "r":
            lines += [self.head("1", self.top), f"  {self.at('q')} = {self.at('r')}", "end do"]
        if self.chance(6):
            lines += [self.head("1", "n"), f"  {self.at('w')} = {self.near('q')} + {self.at('w')}", "end do"]
        return lines

    def time_loops(self) -> list[str]:
        body = self.group()
        if self.chance(3):
            body = self.host() + body
        if self.chance(3):
            body += self.host()
        if self.chance(14):
            body = ["if (count < 9) then", *("  " + line for line in body), "end if"]
        inner = self.r.choice(
            ("do step = 1, nt",) * 16 + ("do step = nt, 1, -1", "do step = 1, nt, 2", "do step = 1, calls + 2")
        )
        lines = [inner, *("  " + line for line in body), "end do"]
        if self.chance(3):
            outer = self.r.choice(("do stage = 1, 2", "do stage = 1, 2", "do stage = 2, nt"))
            extra = self.host() if self.chance(4) else []
            if self.chance(8):
                lines[0] = "do step = 1, stage"
            lines = [outer, *("  " + line for line in (lines + extra if self.chance(2) else extra + lines)), "end do"]
        return lines

    # -- declarations ------------------------------------------------------------------------------------------

    def shape(self, explicit: bool = True) -> str:
        if not explicit:
            return "(-3:, -3:)" if self.two else "(-3:)"
        return "(-3:n + 4, -3:m + 4)" if self.two else "(-3:n + 4)"

    def program(self) -> str:
        work = self.time_loops()
        if self.chance(6):
            work += self.time_loops()
        colons = "(:, :)" if self.two else "(:)"
        fixed = self.shape().replace("n + 4", "16").replace("m + 4", "9")
        own = "  integer :: i, j, step, stage, count\n  real(rk) :: dt, x, t, c(-3:16)\n  character(40) :: line\n"
        begin = "  count = 0\n  dt = 0.25_rk\n  x = 1.5_rk\n  t = 0\n  stage = 0\n  do i = -3, 16\n    c(i) = 0.5_rk*i - 1\n  end do\n"
        e = "(i, j)" if self.two else "(i)"
        loops = (
            ("  do j = -3, m + 4\n  do i = -3, n + 4\n", "  end do\n  end do\n")
            if self.two
            else ("  do i = -3, n + 4\n", "  end do\n")
        )
        k = "mod(i*i + 3*j, 11)" if self.two else "mod(i*i + 3*i, 11)"
        fill = loops[0] + "".join(
            f"    {self.names[a]}{e} = {v}\n" for a, v in (("q", f"0.25_rk*{k}"), ("f", "i + 0.5_rk"), ("g", "2*i"), ("r", "-i"), ("w", "0.125_rk"))
            if not (self.dead and a in "fg")
        ) + loops[1]  # fmt: skip
        result = (
            "".join(f"  print *, {self.names[a]}\n" for a in ARRAYS if not (self.dead and a in "fg"))
            + "  print *, count, dt, x, outside, calls, nn\n"
        )
        indented = "\n".join("  " + line for line in work) + "\n"
        sizes = f"  n = 12\n  m = 5\n  nn = 12\n  nt = {self.r.choice((3, 3, 4, 1, 0))}\n"
        extra, special = self.special(fixed)
        arrays = ", ".join(a for a in ARRAYS if a not in special)
        main = "program random_stages\n  use parts\n  implicit none\n"
        match self.style:
            case "local":
                return (
                    MODULE
                    + main
                    + f"  integer :: n, m, nt, nn\n{extra}{own}  real(rk), dimension{fixed} :: {arrays}\n{self.starts(special)}{sizes}{begin}{fill}{indented}{result}end program\n"
                )
            case "module":
                fields = f"module fields\n  use parts\n  implicit none\n  integer :: n, m, nt, nn\n  real(rk), dimension{fixed} :: {arrays}\n{extra}end module\n"
                return (
                    MODULE
                    + fields
                    + main.replace("use parts", "use parts\n  use fields")
                    + f"{own}{self.starts(special)}{sizes}{begin}{fill}{indented}{result}end program\n"
                )
            case "allocatable":
                low = self.r.choice(("-3:n + 4", "-3:n + 4", "-4:n + 5"))
                bounds = f"({low}, -3:m + 4)" if self.two else f"({low})"
                allocate = "".join(f"  allocate ({a}{bounds}, source=0.0_rk)\n" for a in ARRAYS if a not in special)
                return (
                    MODULE
                    + main
                    + f"  integer :: n, m, nt, nn\n{extra}{own}  real(rk), allocatable, dimension{colons} :: {arrays}\n{self.starts(special)}{sizes}{allocate}{begin}{fill}{indented}{result}end program\n"
                )
            case "component" | "component_alloc":
                field = f"    real(rk) :: {', '.join(a + fixed for a in ARRAYS)}\n"
                allocate = ""
                if self.style == "component_alloc":
                    field = f"    real(rk), allocatable :: {', '.join(a + colons for a in ARRAYS)}\n"
                    allocate = "".join(f"  allocate (s%{a}{self.shape()}, source=0.0_rk)\n" for a in ARRAYS)
                attribute = ", target" if self.hazard == "target" else ""
                return (
                    MODULE
                    + main
                    + f"  type :: state\n{field}  end type\n  type(state){attribute} :: s\n  integer :: n, m, nt, nn\n{own}{sizes}{allocate}{begin}{fill}{indented}{result}end program\n"
                )
            case _:
                shape = self.shape(self.style == "dummy")
                attribute = ", target" if self.hazard == "target" else ""
                listed = ", &\n      ".join(a + shape for a in ARRAYS)
                dummies = f"    real(rk), intent(inout){attribute} :: {listed}\n    integer, intent(in) :: n, m, nt\n    integer, intent(inout) :: nn\n"
                return (
                    MODULE
                    + main
                    + f"  integer :: n, m, nt, nn, i, j\n  real(rk), dimension{fixed} :: {', '.join(ARRAYS)}\n{sizes}{fill}"
                    f"  call advance({', '.join(ARRAYS)}, n, m, nt, nn)\n{result.splitlines(True)[0]}{''.join(result.splitlines(True)[1:-1])}contains\n"
                    f"  subroutine advance({', '.join(ARRAYS)}, n, m, nt, nn)\n{dummies}{own}{begin}{indented}  print *, count, dt, x, outside, calls, nn\n"
                    "  end subroutine\nend program\n"
                )

    def special(self, fixed: str) -> tuple[str, set[str]]:
        """Declarations by which one array has another name, and which arrays they declare."""
        a = self.r.choice(("q", "f", "w"))
        match self.hazard:
            case "pointer":
                return (
                    f"  real(rk), target :: {a}_store{fixed}\n  real(rk), pointer :: {a}{'(:, :)' if self.two else '(:)'}\n",
                    {a},
                )
            case "target" if self.style in ("local", "module"):
                return f"  real(rk), target :: {a}{fixed}\n", {a}
            case "equivalence" if self.style in ("local", "module"):
                return f"  real(rk) :: {a}{fixed}, {a}_too{fixed}\n  equivalence ({a}, {a}_too)\n", {a}
            case "common" if self.style in ("local", "module"):
                return f"  real(rk) :: {a}{fixed}\n  common /store/ {a}\n", {a}
            case "volatile" if self.style in ("local", "module"):
                return f"  real(rk), volatile :: {a}{fixed}\n", {a}
            case "same_pointer" if self.style == "local":
                colons = "(:, :)" if self.two else "(:)"
                return f"  real(rk), target :: f{fixed}\n  real(rk), pointer :: w{colons}\n", {"f", "w"}
            case _:
                return "", set()

    def starts(self, special: set[str]) -> str:
        if self.hazard == "pointer":
            (a,) = special
            low = "(-3:, -3:)" if self.two else "(-3:)"
            return f"  {a}{low} => {a}_store\n"
        if self.hazard == "same_pointer" and special:
            return f"  w{'(-3:, -3:)' if self.two else '(-3:)'} => f\n"
        return ""


def random_stage_program(r: Random) -> str:
    """A complete program that prints all its arrays at the end."""
    return _Writer(r).program()
