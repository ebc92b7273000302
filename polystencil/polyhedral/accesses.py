"""What a modelled region touches: loops, accesses in may and must form, and what the model cannot follow."""

from __future__ import annotations

from dataclasses import dataclass, field

import islpy as isl

from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.polyhedral.parameters import Parameters


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop around an access. `direction` is 1 or -1 by the sign of the step, 0 where that is not known.

    `number` tells loops of a model apart; `position` counts the loops around it. `exact` says whether `domain` is
    both the may and the must form of its iterations.
    """

    number: int
    position: int
    index: str
    statement: s.Statement
    direction: int
    exact: bool


@dataclass(frozen=True, eq=False)
class Access:
    """One reference to storage. `may` and `must` map iterations of `loops` to subscripts.

    `place` is the textual position: one number per level of loops plus one. Storage that is declared inside the
    region is private to the iterations of the first `private_depth` loops. `why` names what the must form lacks.
    """

    array: str
    is_write: bool
    loops: tuple[Loop, ...]
    may: isl.Map
    must: isl.Map
    place: tuple[int, ...]
    expression: x.Expression
    span: Span
    private_depth: int = 0
    why: str = ""


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something in the region that the model cannot follow (input/output, an impure call, leaving the loop)."""

    reason: str
    span: Span
    loops: tuple[Loop, ...]


@dataclass(eq=False)
class LoopModel:
    """A region of nested loops. Domains are those of the accesses' relations."""

    parameters: Parameters
    accesses: list[Access] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    domains: dict[int, tuple[isl.Set, isl.Set]] = field(default_factory=dict)
