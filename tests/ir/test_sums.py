"""Integer sums with what cancels left out: the same value, and the shapes that fusion and inlining rely on."""

from __future__ import annotations

from random import Random

import pytest

from polystencil.ir import expressions as x
from polystencil.ir.sums import constant_distance, folded_sum, minus_cancelled
from polystencil.ir.types import INTEGER
from polystencil.testing.enumeration import evaluate

NAMES = ("i", "n", "l")
I, L = x.Ref("i", INTEGER), x.Ref("l", INTEGER)


def _number(value: int) -> x.Literal:
    return x.Literal(value, INTEGER)


def _sum(r: Random, depth: int) -> x.Expression:
    if depth == 0 or r.randrange(4) == 0:
        return x.Ref(r.choice(NAMES), INTEGER) if r.randrange(2) else _number(r.randint(-3, 3))
    match r.randrange(6):
        case 0:
            return x.Paren(_sum(r, depth - 1))
        case 1:
            return x.Unary("-", _sum(r, depth - 1))
        case 2:
            return x.Binary("*", _sum(r, depth - 1), _number(2))
        case _:
            return x.Binary(r.choice("+-"), _sum(r, depth - 1), _sum(r, depth - 1))


@pytest.mark.parametrize("seed", range(100))
def test_values_stay(seed: int) -> None:
    r = Random(seed)
    a, b = _sum(r, 4), _sum(r, 3)
    for values in ({"i": 3, "n": 11, "l": -2}, {"i": -5, "n": 0, "l": 7}):
        left, right = evaluate(a, values), evaluate(b, values)
        assert evaluate(folded_sum(a), values) == left
        assert evaluate(minus_cancelled(a, b), values) == left - right  # type: ignore[operator]  # integers
        distance = constant_distance(a, b)
        assert distance is None or distance == left - right  # type: ignore[operator]  # integers


def test_what_stands_twice_cancels() -> None:
    shifted = x.Binary("+", x.Binary("-", x.Binary("-", I, _number(1)), _number(0)), L)
    assert minus_cancelled(shifted, L) == x.Binary("-", I, _number(1))
    assert constant_distance(shifted, x.Binary("+", L, I)) == -1
    assert constant_distance(shifted, I) is None
