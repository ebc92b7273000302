"""Random programs whose flux and update loops stand in subroutines, with every form of argument that these may take.

Explicit and assumed shapes with any lower bound; whole arrays, sections with strides, rows and columns; locals,
allocatables, module variables and components; scalars by reference, by value, optional; kernels called by other
subroutines, contained ones, and what may stand between two calls. Most choices are legal and can be fused.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

SIZE = 9


@dataclass(frozen=True)
class Field:
    """An array of the caller: its declaration, how it is allocated, and as what it is passed (`SIZE` elements)."""

    name: str
    declaration: str
    allocation: str
    passed: str
    whole: str


def _field(r: Random, name: str, style: str) -> Field:
    low = r.choice((1, 1, 1, 0, -2, 3))
    high = low + SIZE - 1
    section = r.choice(("",) * 6 + ("part", "stride", "back", "row", "column"))
    match section:
        case "part":
            bounds, passed = f"{low - 1}:{high + 2}", f"({low}:{high})"
        case "stride":
            bounds, passed = f"{low}:{low + 2 * SIZE}", f"({low}:{low + 2 * SIZE - 2}:2)"
        case "back":
            bounds, passed = f"{low}:{high}", f"({high}:{low}:-1)"
        case "row":
            bounds, passed = f"3, {low}:{high}", f"({r.choice(('2', 'k'))}, :)"
        case "column":
            bounds, passed = f"{low}:{high}, 2", f"({low}:{high}, {r.choice(('1', 'k'))})"
        case _:
            bounds, passed = f"{low}:{high}", ""
    deferred = ", ".join(":" for _ in bounds.split(","))
    match style:
        case "component":
            return Field(name, "", f"allocate (s%{name}({bounds}))", f"s%{name}{passed}", f"s%{name}")
        case "records":
            return Field(name, "", f"allocate (t(k)%{name}({bounds}))", f"t(k)%{name}{passed}", f"t(k)%{name}")
        case "allocatable" | "module":
            return Field(name, f"real(rk), allocatable :: {name}({deferred})", f"allocate ({name}({bounds}))", name + passed, name)
        case _:
            return Field(name, f"real(rk) :: {name}({bounds})", "", name + passed, name)


class _Writer:
    def __init__(self, r: Random) -> None:
        self.r = r
        self.style = r.choice(("local", "allocatable", "allocatable", "allocatable", "module", "component", "records"))
        self.fields = {a: _field(r, a, self.style) for a in ("q", "f", "g")}
        self.host = r.choice(("module", "module", "module", "contained", "external"))
        self.extent = r.choice(("n", "n", "9", "m + 1"))

    def chance(self, one_in: int) -> bool:
        return self.r.randrange(one_in) == 0

    def shape(self) -> tuple[str, int]:
        low = self.r.choice((1, 1, 0, -3, 2))
        if self.host == "external" or self.chance(2):
            top = "n" if low == 1 else f"n {'+' if low > 1 else '-'} {abs(low - 1)}"
            return self.r.choice(((f"({low}:{top})", low), ("(n)", 1)))
        return (f"({low}:)", low) if low != 1 else ("(:)", 1)

    def kernel(self, name: str, writes: str, reads: str, update: bool) -> list[str]:
        """A subroutine with one or two loops; `writes` and `reads` are its array arguments."""
        r = self.r
        ws, wl = self.shape()
        rs, rl = self.shape()
        scalar = r.choice(("real(rk), intent(in) :: a", "real(rk), intent(in) :: a", "real(rk), value :: a"))
        self.by_value = "value" in scalar
        body: list[str] = []
        size = r.choice(("n", "n", "n", "n", "n", f"size({reads})"))
        factor = "a"
        local = []
        if self.chance(24):
            local.append("real(rk) :: half")
            body.append("half = 0.5_rk*a")
            factor = "half"
        if self.chance(20):
            body.append("if (present(extra)) then")
            body.append(f"  {writes}({wl}) = {writes}({wl}) + extra")
            body.append("end if")

        def at(array: str, low: int, offset: int = 0) -> str:
            shift = low - 1 + offset
            return f"{array}(i)" if shift == 0 else f"{array}(i {'+' if shift > 0 else '-'} {abs(shift)})"

        step = 0 if update else r.choice((1, 1, 1, -1))
        temporary = self.chance(20)
        first, last = ("2", f"{size} - 1") if update or step < 0 else ("1", f"{size} - 1")
        if not update and step > 0 and self.chance(10):
            last = size + " - 2"
        if update:
            value = f"{at(writes, wl)} + {factor}*({at(reads, rl)} - {at(reads, rl, -1)})"
            first = "3" if self.chance(3) else "2"
        else:
            value = f"{factor}*({at(reads, rl, step)} - {at(reads, rl)})"
        target = at(writes, wl)
        head = r.choice((f"do concurrent (i = {first}:{last})", f"do i = {first}, {last}"))
        if temporary:
            local.append("real(rk) :: work(n)")
            body += ["do concurrent (i = 1:n)", f"  work(i) = 0.5_rk*{at(reads, rl)}", "end do"]
            value = value.replace(f"{at(reads, rl)}", "work(i)") if update else f"{factor}*work(i)"
        line = f"{target} = {value}"
        if self.chance(12):
            line = f"if (i > 2) {line}"
        body += [head, f"  {line}", "end do"]
        if self.chance(20):
            body.append(self.r.choice(("print *, 'in'", f"{writes}({wl}) = 0.25_rk", "return")))
        intent = "inout"
        head_line = f"subroutine {name}({writes}, {reads}, n, a, extra)"
        out = [head_line, "  integer, intent(in) :: n", f"  real(rk), intent({intent}) :: {writes}{ws}",
               f"  real(rk), intent(in) :: {reads}{rs}", f"  {scalar}",
               "  real(rk), intent(in), optional :: extra", *("  " + i for i in local), "  integer :: i"]  # fmt: skip
        prefix = "pure " if self.chance(5) and not any("print" in b for b in body) else ""
        out[0] = prefix + out[0]
        return [*out, *("  " + b for b in body), "end subroutine"]

    def both(self) -> list[str]:
        """A subroutine that calls the two kernels."""
        (qs, _), (fs, _) = self.shape(), self.shape()
        return [
            "subroutine both(u, v, n, a, extra)", "  integer, intent(in) :: n", f"  real(rk), intent(inout) :: u{qs}",
            f"  real(rk), intent(inout) :: v{fs}", "  real(rk), intent(in) :: a", "  real(rk), intent(in), optional :: extra",
            "  call flux(v, u, n, a)", self.r.choice(("  call update(u, v, n, 0.5_rk*a)", "  call update(u, v, size(u), a)")),
            "end subroutine",
        ]  # fmt: skip

    def scalar(self) -> str:
        return self.r.choice(("0.25_rk", "dt", "dt", "0.5_rk*dt", "c(k)", "c(stage)", "twice(dt)", "-0.125_rk"))

    def call(self, name: str, writes: str, reads: str) -> str:
        whole = self.fields[reads].passed
        n = self.r.choice((self.extent, self.extent, self.extent, "9", f"size({whole})" if whole.endswith(reads) else "n"))
        extra = self.r.choice(("", "", "", ", dt", ", 0.5_rk"))
        return f"call {name}({self.fields[writes].passed}, {self.fields[reads].passed}, {n}, {self.scalar()}{extra})"


def random_called_stages(r: Random) -> str:
    """A program; it prints every element at its end."""
    w = _Writer(r)
    third = w.chance(6)
    kernels = [w.kernel("flux", "x", "y", False), w.kernel("update", "x", "y", True)]
    calls = [w.call("flux", "f", "q"), w.call("update", "q", "f")]
    if third:
        kernels.insert(1, w.kernel("second", "x", "y", False))
        calls.insert(r.choice((0, 0, 1)), w.call("second", "g", r.choice(("q", "f"))))
    if w.chance(9):
        calls.insert(1, r.choice(("dt = dt*0.5_rk", "stage = 3 - stage", "print *, 'between', dt", f"{w.fields['g'].whole} = 0.5_rk")))
    if len(calls) == 2 and w.chance(6):
        kernels.append(w.both())
        calls = [w.call("both", "q", "f")]
    body = [*calls]
    if w.chance(5):
        body = ["block", "  integer :: at", "  at = k", *("  " + i for i in body), "end block"]
    if w.chance(8):
        body = ["associate (z => dt)", *("  " + i.replace("dt", "z") if i.startswith("call") else "  " + i for i in body), "end associate"]
    lines = ["do step = 1, nt"]
    if w.chance(3):
        lines += ["  do stage = 1, 2", *("    " + b for b in body if not b.lstrip().startswith("stage =")), "  end do"]
    else:
        lines += ["  " + b for b in body]
    if w.chance(8):
        lines.append(f"  print '(a,es24.16)', 'now', sum({w.fields['q'].whole})")
    lines.append("end do")
    names = ("q", "f", "g")
    start: list[str] = ["k = 1", "n = 9", "m = 8", "stage = 1", "nt = " + str(r.randint(1, 5)), "dt = 0.375_rk", "c = [0.5_rk, 0.25_rk, 0.125_rk]"]
    if w.style == "records":
        start.append("allocate (t(2))")
    start += [w.fields[a].allocation for a in names if w.fields[a].allocation]
    for a in names:
        whole = w.fields[a].whole
        start.append(f"{whole} = reshape([(0.25_rk*mod(i*i + {3 + names.index(a)}*i, 7), i = 1, size({whole}))], shape({whole}))")
    prints = [f"print '(a,*(es24.16))', '{a}', {w.fields[a].whole}" for a in names]
    uses = ["type :: state", *(f"  real(rk), allocatable :: {a}({', '.join(':' for _ in range(_rank(w.fields[a])))})" for a in names), "end type"]
    scalars = ["integer :: n, m, k, stage, step, nt, i", "real(rk) :: dt, c(3)"]
    if w.style == "component":
        scalars.append("type(state) :: s")
    if w.style == "records":
        scalars.append("type(state), allocatable :: t(:)")
    declared = [w.fields[a].declaration for a in names if w.fields[a].declaration]
    module = ["module parts", "  implicit none", "  integer, parameter :: rk = kind(1d0)", *("  " + u for u in uses)]
    if w.style == "module":
        module += ["  " + d for d in declared]
        declared = []
    module += ["contains", "  pure real(rk) function twice(a)", "    real(rk), intent(in) :: a", "    twice = 2*a", "  end function"]
    inside = [line for kernel in kernels for line in kernel]
    if w.host == "module":
        module += ["  " + line for line in inside]
    module.append("end module")
    main = ["program p", "  use parts", "  implicit none", *("  " + i for i in (*scalars, *declared, *start, *lines, *prints))]
    external: list[str] = []
    if w.host == "contained":
        main += ["contains", *("  " + line for line in inside)]
    elif w.host == "external":
        module = module[:-1] + ["  " + line for line in inside] + ["end module"]  # explicit shapes only
    main.append("end program")
    return "\n".join([*module, *external, *main]) + "\n"


def _rank(field: Field) -> int:
    text = field.allocation or field.declaration
    inner = text[text.rindex("(", 0, text.rindex(":")) :]
    return 2 if "," in inner else 1
