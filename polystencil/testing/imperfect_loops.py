"""Random do loops whose bodies mix recurrences, scalars, tests and inner loops: what loop distribution cuts or leaves."""

from __future__ import annotations

from random import Random

HEAD = """program loops
  implicit none
  integer, parameter :: n = 12
  real :: a(-4:n+5), b(-4:n+5), c(-4:n+5), d(-4:n+5), w(0:4), e(-4:n+5,0:4), t, u
  integer :: i, j, k, m, ix(-4:n+5), low, high
  do i = -4, n+5
    a(i) = 0.25*i
    b(i) = 1.0 + mod(i*i + 40, 7)
    c(i) = 2.0 - 0.5*i
    d(i) = mod(3*i + 60, 11)
    ix(i) = mod(5*i + 60, n) + 1
    e(i,:) = 0.125*i
  end do
  w = 1.0
  t = 0.5
  u = 1.5
  j = 3
  k = 2
  low = 1
  high = n
"""
TAIL = """  print *, a
  print *, b
  print *, c
  print *, d
  print *, e
  print *, w
"""


def random_imperfect_loop(random: Random) -> str:
    """A whole program with one loop (now and then in an outer one) of two to six statements."""
    headers = ("1, n", "1, n", "low, high", "n, 1, -1", "1, n, 2", "n, 1, -3", "low + 1, high - 1", "t_bound, n")
    header = random.choice(headers).replace("t_bound", "k")
    body = [line for _ in range(random.randint(2, 6)) for line in _statement(random, 0)]
    loop = [f"do i = {header}", *("  " + line for line in body), "end do"]
    if random.random() < 0.2:
        loop = ["do m = 1, 2", *("  " + line for line in loop), "end do"]
    shown = random.choice(
        ("", "  print *, t\n", "  print *, t, u, j, i\n", "  print *, j\n", "  print *, low, high, k, i\n")
    )
    return HEAD + "".join(f"  {line}\n" for line in loop) + shown + TAIL + "end program\n"


def _element(random: Random) -> str:
    name = random.choice("abcd")
    roll = random.random()
    if roll < 0.08:
        return f"{name}(ix(i))"
    if roll < 0.16:
        return f"e(i{random.randint(-2, 2):+d},{random.randint(0, 4)})"
    return f"{name}(i{random.randint(-3, 3):+d})" if random.random() < 0.6 else f"{name}(i)"


def _value(random: Random) -> str:
    terms = [random.choice((_element(random), _element(random), "t", "u", "0.5", "w(2)", "real(i)")) for _ in range(2)]
    return f"0.5*{terms[0]} + 0.25*{terms[1]}"


def _statement(random: Random, depth: int) -> list[str]:
    roll = random.random()
    if roll < 0.4:
        return [f"{_element(random)} = {_value(random)}"]
    if roll < 0.6:
        scalar = random.choice("tu")
        return [f"{scalar} = {random.choice((_value(random), scalar + ' + ' + _element(random)))}"]
    if roll < 0.65:
        return [random.choice(("low = low + 1", "high = i", "k = i", "j = i - 1"))]
    if roll < 0.8 and depth == 0:
        test = random.choice((f"i > {random.randint(1, 12)}", f"{_element(random)} > 1.0", "mod(i, 3) == 0", "t > u"))
        inner = [line for _ in range(random.randint(1, 2)) for line in _statement(random, 1)]
        other = ["else", *("  " + line for line in _statement(random, 1))] if random.random() < 0.4 else []
        return [f"if ({test}) then", *("  " + line for line in inner), *other, "end if"]
    target = random.choice(("e(i,j)", "w(j)", "e(i,j)", "t"))
    value = random.choice(("e(i-1,j)", "w(j)", "a(i+j)", "e(i,max(j-1,0))", "t"))
    return ["do j = 0, 4", f"  {target} = 0.5*{value} + 0.25*{_element(random)}", "end do"]
