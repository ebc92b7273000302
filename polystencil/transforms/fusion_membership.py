"""From a definition to the tests whether the producer writes an element, at the subscripts of a read and as isl sets.

    do concurrent (i = 2:n - 2)                        f(e): e >= 2, e <= n - 2
      f(i) = ...
    do concurrent (j = 1:m); f(1, j) = ...      -->    f(d, e): d == 1, e >= 1, e <= m
"""

from __future__ import annotations

import islpy as isl

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, compare
from polystencil.ir.sums import from_sum, sum_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.polyhedral.affine import Known, Scope, Truth, to_affine
from polystencil.polyhedral.bounds import bound_expression
from polystencil.polyhedral.conditions import to_sets
from polystencil.polyhedral.parameters import Parameters, index
from polystencil.transforms.fusion_definition import Definition
from polystencil.transforms.fusion_refusal import NotFused


def membership_tests(d: Definition, loop: s.ParallelLoop) -> list[x.Expression]:
    """The conditions on the loop's indices, and on subscripts that no index moves along, under which `d` writes.

    A subscript that no index moves along reads as the element's (`element_ref`).
    """
    moving = {position for position, _, _, _ in d.solve}
    out: list[x.Expression] = []
    for position, e in enumerate(d.subscripts):
        if position not in moving:
            out.append(_compare("==", element_ref(d, position), e))
    for i in loop.indices:
        out.append(_compare(">=", i.ref, i.lower))
        out.append(_compare("<=", i.ref, i.upper))
    return [*out, *d.tests]


def element_ref(d: Definition, position: int) -> x.Ref:
    """The name under which tests see a subscript of the element."""
    kind = type_of(d.subscripts[position])
    return x.Ref(f"{d.path}.subscript{position}", kind)


def at_element(
    test: x.Expression, d: Definition, subscripts: tuple[x.Expression, ...], at: dict[str, x.Expression]
) -> x.Expression:
    """A test where a read stands: `subscripts` are the read's, `at` the producer's indices for them."""
    own = {element_ref(d, k).id: e for k, e in enumerate(subscripts)}

    def replace(e: x.Expression) -> x.Expression:
        if isinstance(e, x.Ref):
            return own.get(e.id) or at.get(e.id) or e
        return e

    return _tidied(map_expression(test, replace))


def _tidied(e: x.Expression) -> x.Expression:
    """`i - 1 >= n - 2` as `i >= n - 1`: what stands on both sides left out, constants on the right."""
    if not isinstance(e, x.Binary) or e.operator not in ("==", ">=", "<="):
        return e
    (left, c), (right, d) = sum_of(e.left), sum_of(e.right)
    kind = type_of(e.left)
    if not isinstance(kind, Intrinsic) or kind.base != "integer" or type_of(e.right) != kind:
        return e
    both = {t: min(n, right[t]) for t, n in left.items() if n > 0 and right.get(t, 0) > 0}
    one, other = ({t: m for t, n in side.items() if (m := n - both.get(t, 0))} for side in (left, right))
    return x.Binary(e.operator, from_sum(one, 0, kind), from_sum(other, d - c, kind))


def _compare(operator: str, a: x.Expression, b: x.Expression) -> x.Expression:
    kinds = [t.kind for e in (a, b) if isinstance(t := type_of(e), Intrinsic)]
    widest = max(kinds, default=4)
    return compare(operator, as_kind(a, widest), as_kind(b, widest))


def sets_of_tests(
    d: Definition, tests: list[x.Expression], body: s.Body, table: SymbolTable, procedure: str, parameters: Parameters
) -> list[Truth]:
    """The elements for which each test holds, in the parameters of a model of `body`."""
    invariance = Invariance(table, defined_in(body, table), procedure)
    rank = len(d.subscripts)
    scope = Scope(parameters, invariance, bound_of=lambda e: bound_expression(e, table, invariance), depth=rank)
    values: dict[str, Known] = {}
    for position in range(rank):
        values[element_ref(d, position).id] = index(position, rank)
    for position, name, sign, rest in d.solve:
        e: isl.PwAff = index(position, rank)
        if rest is not None:
            shift = to_affine(rest, scope)
            if shift is None:
                raise NotFused("a subscript of a producer is not affine")
            e = e.sub(shift)
        values[name] = e if sign == 1 else e.neg()
    scope.values = values
    return [to_sets(t, scope) for t in tests]
