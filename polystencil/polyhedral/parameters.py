"""From invariant expressions to isl parameters and back to source text.

A parameter stands for a value that does not change while the modelled region runs: a scalar that the region does not
assign, a bound of an array, or any other invariant expression, opaque to isl. Equal expressions share a parameter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import islpy as isl

from polystencil.ir import expressions as x


@dataclass(eq=False)
class Parameters:
    """The parameters of one model; `expressions` maps a parameter's name to what it stands for."""

    expressions: dict[str, x.Expression] = field(default_factory=dict)
    _names: dict[x.Expression, str] = field(default_factory=dict)

    def name(self, e: x.Expression) -> str:
        """The parameter of an invariant expression, made on first use and named after it where it is a variable."""
        if e not in self._names:
            base = re.sub(r"\W", "_", _title(e)) or "e"
            name, n = base, 1
            while name in self.expressions or name in _RESERVED:
                n += 1
                name = f"{base}_{n}"
            self._names[e] = name
            self.expressions[name] = e
        return self._names[e]

    def affine(self, e: x.Expression, depth: int) -> isl.PwAff:
        """The parameter of `e` as a function on iterations of `depth` loops."""
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 1, depth)
        space = space.set_dim_name(isl.dim_type.param, 0, self.name(e))
        return isl.PwAff.var_on_domain(isl.LocalSpace.from_space(space), isl.dim_type.param, 0)


_RESERVED = {"mod", "floor", "ceil", "floord", "ceild", "min", "max", "exists", "not", "and", "or", "implies", "true"}
_RESERVED |= {"false", "infty", "NaN", "rat"}


def _title(e: x.Expression) -> str:
    if isinstance(e, (x.Ref, x.NamedConstant)):
        return e.id.rsplit(".", 1)[-1]
    if isinstance(e, x.Component):
        return f"{_title(e.base)}_{e.field}"
    if isinstance(e, x.IntrinsicCall) and e.arguments and e.arguments[0] is not None:
        dim = e.arguments[1] if len(e.arguments) > 1 else None
        return f"{e.name}_{_title(e.arguments[0])}" + (f"_{dim.value!r}" if isinstance(dim, x.Literal) else "")
    return "e"


def constant(value: int, depth: int) -> isl.PwAff:
    """A constant function on iterations of `depth` loops."""
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, depth))
    return isl.PwAff.from_aff(isl.Aff.zero_on_domain(space).set_constant_val(isl.Val(value)))


def index(position: int, depth: int) -> isl.PwAff:
    """The index of the loop at `position` (0 is outermost) as a function on iterations of `depth` loops."""
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, depth))
    return isl.PwAff.var_on_domain(space, isl.dim_type.set, position)


def lifted(f: isl.PwAff, depth: int) -> isl.PwAff:
    """`f` on iterations of more loops, which it does not read."""
    have = f.dim(isl.dim_type.in_)
    return f if have == depth else f.add_dims(isl.dim_type.in_, depth - have)


def constant_value(f: isl.PwAff) -> int | None:
    """The value of a function that is one integer everywhere; None for any other."""
    if f.n_piece() != 1 or not f.is_cst():
        return None
    value: list[isl.Val] = []
    f.foreach_piece(lambda _, aff: value.append(aff.get_constant_val()))
    return int(value[0].to_python()) if value[0].is_int() else None
