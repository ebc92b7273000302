"""Random programs in which several loops produce one array: overlapping, with gaps, faces, guards, one after the other.

Arrays of one to three dimensions, plain, allocatable, components, or components of the record that a loop around
chooses; time loops; subscripts shifted by lower bounds as inlining shifts them; functions of elements and sections.
"""

from __future__ import annotations

from random import Random

FUNCTIONS = """module formulas
  implicit none
  integer, parameter :: rk = kind(1d0)
contains
  pure real(rk) function inner(w, x)
    real(rk), intent(in) :: w(-1:), x
    inner = x*(w(0) + w(1)) - 0.125_rk*(w(2) - w(-1))
    if (x > 1) inner = inner - w(ubound(w, 1))
  end function
  pure real(rk) function wall(w)
    real(rk), intent(in) :: w(:)
    wall = 0.5_rk*w(1) - 0.25_rk*w(2) + 0.125_rk*w(size(w))
  end function
  pure real(rk) function damp(x)
    real(rk), intent(in) :: x
    damp = 0.5_rk*x
    if (x > 2) damp = x - 1
  end function
end module
"""
TYPES = """  type :: field
    real(rk), allocatable :: q{colons}, r{colons}
  end type
  type :: state
    integer :: n = 0
    real(rk), allocatable :: f{colons}, g{colons}, w{colons}
    type(field), allocatable :: of(:)
    real(rk), allocatable :: q{colons}, r{colons}
  end type
"""
ARRAYS = ("q", "r", "f", "g", "w")
AXES = "ijk"


class _Writer:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.rank = r.choice((1, 1, 1, 2, 2, 3))
        self.n = r.choice((7, 8, 9)) if self.rank < 3 else 5
        self.style = r.choice(("explicit", "allocatable", "component", "record", "record", "records"))
        self.chosen = self.style in ("record", "records")  # a loop around chooses the record of q and r
        self.whole = "s%of" if self.style == "record" else "of"
        self.shifted = self.style != "explicit" and r.randrange(3) == 0
        self.top = "s%n" if self.style in ("component", "record") and r.randrange(2) else "n"

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    # -- names ---------------------------------------------------------------------------------------------------

    def name(self, array: str) -> str:
        if self.chosen and array in "qr":
            return f"s%of(m)%{array}" if self.style == "record" else f"of(m)%{array}"
        return f"s%{array}" if self.style in ("component", "record") else array

    def at(self, array: str, *subscripts: str) -> str:
        name = self.name(array)
        if self.shifted:  # as if a dummy array of lower bound -3 stood for it
            parts = [
                ":".join(f"{p} + 3 + lbound({name}, {d})" if k < 2 else p for k, p in enumerate(e.split(":")))
                for d, e in enumerate(subscripts, 1)
            ]
            return f"{name}({', '.join(parts)})"
        return f"{name}({', '.join(subscripts)})"

    def here(self, *offsets: int) -> tuple[str, ...]:
        return tuple(AXES[d] + (f" {'+' if o > 0 else '-'} {abs(o)}" if o else "") for d, o in enumerate(offsets))

    def near(self, array: str, reach: int = 1) -> str:
        offsets = [0]*self.rank
        offsets[self.r.randrange(self.rank)] = self.r.randint(-reach, reach)
        return self.at(array, *self.here(*offsets))

    # -- producers -----------------------------------------------------------------------------------------------

    def value(self, reads: str) -> str:
        a, b = self.near(reads), self.near(reads)
        axis = self.r.randrange(self.rank)
        own = list(self.here(*[0]*self.rank))
        section = list(own)
        x = AXES[axis]
        section[axis] = self.r.choice((f"{x} - 1:{x} + 2", f"{x} + 1:{x} - 2:-1"))
        wall = list(own)
        wall[axis] = self.r.choice(("1:4", f"{self.top}:{self.top} - 3:-1", f"{x} - 2:{x} + 2:2"))
        return self.r.choice((
            f"{a} - {b}", f"0.5_rk*({a} + {b})", f"damp({a})", f"inner({self.at(reads, *section)}, {b})",
            f"-wall({self.at(reads, *wall)})", f"real(i, rk)*0.0625_rk + {a}", f"{a} + 0.125_rk*t",
        ))  # fmt: skip

    def bounds(self, whole: bool = False) -> tuple[str, str]:
        if whole:
            return "-1", f"{self.top} + 2"
        low = self.r.choice(("0", "1", "1", "2", "2", "-1"))
        return low, f"{self.top}{self.r.choice((' - 2', ' - 2', ' - 1', '', '', ' + 1'))}"

    def producer(self, array: str, reads: str, kind: str) -> list[str]:
        axes = list(range(self.rank))
        fixed: int | None = None
        if kind == "faces" and self.rank > 1:
            fixed = self.r.randrange(self.rank)
            axes.remove(fixed)
        ranges = {d: self.bounds(kind == "whole") for d in axes}
        if kind == "faces" and self.rank == 1:
            ranges[0] = (e := self.r.choice(("1", "2", f"{self.top} - 1", self.top)), e)
        order = list(reversed(axes)) if self.chance(2) else axes
        head = ", ".join(f"{AXES[d]} = {ranges[d][0]}:{ranges[d][1]}" for d in order)
        lines: list[str] = []
        ends = self.r.choice((("1", f"{self.top} - 1"), ("0",), (self.top,), ("1", self.top), ("2", "1")))
        for end in ends if fixed is not None else ("",):
            own = [AXES[d] for d in range(self.rank)]
            value = self.value(reads)
            if fixed is not None:
                own[fixed] = end
                value = _with_index(value, AXES[fixed], end)
            elif kind == "shift":
                d = self.r.randrange(self.rank)
                own[d] += self.r.choice((" + 1", " - 1"))
            target = self.at(array, *own)
            line = f"{target} = {value}"
            if self.chance(6) and kind != "whole":
                a = AXES[self.r.choice(axes)]
                test = self.r.choice((f"{a} > 3", f"{a} /= 4", f"mod({a}, 2) == 0", f"{a} < {self.top} - 1"))
                line = f"if ({test}) {line}"
            elif self.chance(12) and kind != "whole":
                line = f"block; real(rk) :: y; y = {value}; {target} = y*y + 1; end block"
            lines.append(line)
        if kind != "whole" and self.rank == 1 and self.chance(8):
            lines.append(f"{self.at(array, f'{self.top} + 1 - i')} = {self.value(reads)}")
        return [f"do concurrent ({head})", *(part for line in lines for part in ("  " + line).split("; ")), "end do"]

    # -- consumer ------------------------------------------------------------------------------------------------

    def consumer(self, arrays: list[str]) -> list[str]:
        own = self.here(*[0]*self.rank)
        terms = []
        for a in arrays:
            x, y = self.at(a, *own), self.near(a)
            terms.append(self.r.choice((f"0.25_rk*({x} - {y})", f"{x} + 0.5_rk*{y}", f"damp({x}) - {y}", f"0.5_rk*{y}")))
        q = self.at("q", *own)
        target = self.r.choice(("q", "q", "q", "w"))
        line = f"{self.at(target, *own)} = 0.5_rk*{q} + {' + '.join(terms)}"
        match self.r.randrange(8):
            case 0:
                lines = ["if (i > 2) then", f"  {line}", "else", f"  {self.at(target, *own)} = {q}", "end if"]
            case 1:
                x = self.at(arrays[0], *own)
                lines = [f"if (i > 1 .and. {x} > 0.5_rk) then", f"  {line}", "else", f"  {line} - 1", "end if"]
            case 2:
                lines = [f"{self.at('r', *own)} = 0.5_rk*{self.at('r', *own)} + {self.near(arrays[0])}",
                         f"{self.at(target, *own)} = {q} + 0.125_rk*{self.at('r', *own)}"]  # fmt: skip
            case 3:
                e = self.at(arrays[0], *own)
                lines = ["if (i == 3) then", f"  {self.at(target, *own)} = {e}", f"else if ({e} > 1) then", f"  {line}",
                         "else", f"  {self.at(target, *own)} = merge({q}, {e}, i > 4)", "end if"]  # fmt: skip
            case _:
                lines = [line]
        ranges = []
        for d in range(self.rank):
            low = self.r.choice(("1", "1", "2", "0"))
            high = self.r.choice((self.top, self.top, f"{self.top} - 1"))
            if self.style != "explicit" and self.chance(3):
                high = f"size({self.name('f')}, {d + 1}) - 8"
            ranges.append(f"{AXES[d]} = {low}:{high}")
        head = ", ".join(reversed(ranges) if self.chance(2) else ranges)
        return [f"do concurrent ({head})", *("  " + e for e in lines), "end do"]

    def group(self) -> list[str]:
        kinds = [self.r.choice(("part", "part", "faces", "shift", "whole")) for _ in range(self.r.randint(2, 4))]
        if self.chance(2):
            kinds[0] = self.r.choice(("whole", "part"))
        lines: list[str] = []
        used = ["f"]
        for k, kind in enumerate(kinds):
            array, reads = "f", "q"
            if k and self.chance(3):
                array, reads = "g", self.r.choice(("q", "q", "f"))
                used = ["f", "g"]
            elif self.chance(10):
                reads = self.r.choice(("r", "g", "w"))
            lines += self.producer(array, reads, kind)
        self.r.shuffle(used)
        return lines + self.consumer(used)

    # -- the program ---------------------------------------------------------------------------------------------

    def program(self) -> str:
        body = self.group()
        if self.chance(4):
            body += [self.r.choice(("t = t + 1", "print *, 'step', step", f"{self.at('w', *('2',)*self.rank)} = 0.5_rk"))]
        if self.chosen:
            of = self.whole
            m = self.r.choice((f"do m = 1, size({of})", f"do m = 1, size({of})", "do m = 2, 3", f"do m = lbound({of}, 1), nm"))
            if self.chance(12):
                body.append(f"if (step == 2) {of}(2) = {of}(1)")
            body = [m, *("  " + e for e in body), "end do"]
        loops = [f"do step = 1, {self.r.choice(('nt', '3', '1', '0', 'nt'))}", *("  " + e for e in body), "end do"]
        if self.chance(3):
            extra = [f"{self.at('q', *('3',)*self.rank)} = 0.25_rk"] if self.chance(4) and not self.chosen else []
            loops = ["do stage = 1, 2", *("  " + e for e in extra + loops), "end do"]
        colons = f"({', '.join(':' for _ in range(self.rank))})"
        bounds = f"({', '.join('-3:n + 4' for _ in range(self.rank))})"
        lines = ["program several", "  use formulas", "  implicit none"]
        if self.style in ("component", "record"):
            lines += [TYPES.format(colons=colons).rstrip(), "  type(state) :: s"]
        elif self.style == "records":
            lines += [TYPES.format(colons=colons).rstrip(), "  type(field) :: of(3)"]
            lines.append(f"  real(rk), allocatable, dimension{colons} :: f, g, w")
        else:
            fixed = bounds.replace("n +", f"{self.n} +")
            shape = f", allocatable, dimension{colons}" if self.style == "allocatable" else f", dimension{fixed}"
            lines.append(f"  real(rk){shape} :: {', '.join(ARRAYS)}")
        lines.append("  integer :: n, nt, nm, m, step, stage, t, i, j, k")
        lines += [f"  n = {self.n}", f"  nt = {self.r.choice((2, 3, 4))}", "  nm = 3", "  t = 1", "  m = 1"]
        if self.style in ("component", "record"):
            lines += ["  s%n = n", "  allocate (s%of(3))"]
        lines += ["  " + e for e in self.filled(bounds)] + ["  " + e for e in loops]
        for a in ARRAYS:
            if self.chosen and a in "qr":
                lines += ["  do m = 1, 3", f"    print *, {self.name(a)}", "  end do"]
            else:
                lines.append(f"  print *, {self.name(a)}")
        return FUNCTIONS + "\n".join([*lines, "  print *, t, m, step", "end program"]) + "\n"

    def filled(self, bounds: str) -> list[str]:
        lines: list[str] = []
        allocates = self.style != "explicit"
        for number, a in enumerate(ARRAYS):
            own = ", ".join(AXES[: self.rank])
            value = f"0.125_rk*mod(i*i + {'3*j + ' if self.rank > 1 else ''}{'5*k + ' if self.rank > 2 else ''}{number}*i, 11)"
            fill = [f"{self.name(a)}({own}) = {value}"]
            for d in range(self.rank):
                fill = [f"do {AXES[d]} = -3, n + 4", *("  " + e for e in fill), "end do"]
            made = [f"allocate ({self.name(a)}{bounds})"] if allocates else []
            if self.chosen and a in "qr":
                lines += ["do m = 1, 3", *("  " + e for e in made + fill), "end do"]
            else:
                lines += made + fill
        return lines


def _with_index(text: str, index: str, value: str) -> str:
    """`text` with a loop index replaced by a constant."""
    out, word = "", ""
    for c in text + " ":
        if c.isalnum() or c in "_%":
            word += c
            continue
        out += (f"({value})" if word == index else word) + c
        word = ""
    return out.rstrip()


def random_several_producers(r: Random) -> str:
    """A complete program that prints all its arrays at the end."""
    return _Writer(r).program()
