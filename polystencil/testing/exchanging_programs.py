"""Random programs whose time loops exchange allocatable arrays by move_alloc, for tests of rotation."""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c", "d")


def random_exchange_program(random: Random) -> str:
    """A program: two to four arrays of different bounds, launches of stencils, branches on the step, an exchange at the
    end of the loop, written out or in a subroutine; it prints every array and the loop's variable."""
    arrays = NAMES[: random.randint(2, 4)]
    order = list(arrays)
    while order == list(arrays):
        random.shuffle(order)
    n, steps = random.randint(6, 20), random.randint(0, 11)
    first = random.choice((1, 1, 0, -2, 5))
    body: list[str] = []
    for k in range(random.randint(1, 3)):
        target = random.choice(arrays)
        source = random.choice([x for x in arrays if x != target])
        loop = [
            "do concurrent (i = 2:n - 1)",
            f"  {target}(i) = 0.5d0*{target}(i) + 0.25d0*({source}(i - 1) + {source}(i + {random.randint(0, 1)})) + w*t",
            "end do",
        ]
        if random.randrange(4) == 0:
            loop = [f"if (mod(t, {random.randint(2, 3)}) == 0) then", *("  " + line for line in loop), "end if"]
        body += loop
        if random.randrange(4) == 0:
            body.append(random.choice(("w = 0.5d0*w + 0.125d0", f"{target}({k + 1}) = w", "w = 0.125d0*t")))
    moves = _moves(arrays, order)
    inside = random.randrange(2) == 0
    text = ["program exchange", "  implicit none", f"  integer, parameter :: n = {n}", "  integer :: t, i",
            "  real(8) :: w", f"  real(8), allocatable :: {', '.join(x + '(:)' for x in (*arrays, 'spare'))}"]  # fmt: skip
    for k, x in enumerate(arrays):
        text += [f"  allocate ({x}({-k}:{n + k}))", f"  do i = {-k}, {n + k}", f"    {x}(i) = mod(i*i + {3*k + 1}, 7)", "  end do"]
    text += ["  w = 0.25d0", f"  do t = {first}, {first + steps - 1}", *("    " + line for line in body)]
    text += ["    call rotate(" + ", ".join(arrays) + ")"] if inside else ["    " + line for line in moves]
    text += ["  end do", "  print *, t, w"]
    text += [f"  print *, lbound({x}), {x}" for x in arrays]
    if inside:
        declared = ", ".join(x + "(:)" for x in arrays)
        text += ["contains", f"  subroutine rotate({', '.join(arrays)})", f"    real(8), allocatable, intent(inout) :: {declared}",
                 "    real(8), allocatable :: spare(:)", *("    " + line for line in moves), "  end subroutine"]  # fmt: skip
    return "\n".join([*text, "end program"]) + "\n"


def _moves(arrays: tuple[str, ...], order: list[str]) -> list[str]:
    """Moves after which each array of `arrays` holds what the one at its place in `order` held, cycle by cycle."""
    source = dict(zip(arrays, order, strict=True))
    out: list[str] = []
    done: set[str] = set()
    for start in arrays:
        if start in done or source[start] == start:
            continue
        out.append(f"call move_alloc({start}, spare)")
        here = start
        while source[here] != start:
            out.append(f"call move_alloc({source[here]}, {here})")
            done.add(here)
            here = source[here]
        out.append(f"call move_alloc(spare, {here})")
        done.add(here)
    return out
