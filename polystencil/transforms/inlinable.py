"""Which functions can be inlined, and how the subscripts of their array dummies become the caller's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polystencil.analysis.definitions import is_pure
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import add_constant, minus
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    map_expression,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import ONE, dimensions_of, lower_bound
from polystencil.polyhedral.parameters import Parameters
from polystencil.transforms.inline_refusal import NotInlined
from polystencil.transforms.inline_sections import SectionMapping, section_mapping

_ALLOWED = (s.Assign, s.If, s.SelectCase, s.Do, s.DoWhile, s.Block, s.Exit, s.Cycle, s.Continue)
_BOUNDS = ("size", "lbound", "ubound")


@dataclass(frozen=True)
class ArrayMapping:
    """`array(i...)` of the callee is `base` at `shift + i` in each dimension; `lower` are the dummy's lower bounds."""

    base: x.Expression
    lower: tuple[x.Expression, ...]
    base_lower: tuple[x.Expression, ...]


def why_not_inlinable(procedure: Procedure, table: SymbolTable) -> str:
    """Why calls of a function are never inlined; empty when they can be."""
    name = procedure.name
    if procedure.kind != "function" or procedure.result is None or procedure.interface_only:
        return f"{name} is no function with a body here"
    if not is_pure(procedure):
        return f"{name} is not pure"
    result = table.symbols[procedure.result]
    if result.shape is not None:
        return f"the result of {name} is an array, not a scalar"
    if not isinstance(result.type, Intrinsic) or result.type.base == "character":
        return f"the result of {name} is no number or logical"
    for symbol in procedure.symbols:
        why = _symbol_trouble(symbol, procedure, name)
        if why:
            return why
    for st in walk_statements(procedure.body):
        if isinstance(st, s.Return):
            return f"{name} has a return"
        if isinstance(st, (s.Write, s.Read, s.FileStatement)):
            return f"{name} does input/output"
        if isinstance(st, (s.Call, s.CallIntrinsic)):
            return f"{name} calls a subroutine"
        if not isinstance(st, _ALLOWED):
            return f"{name} has a statement that is not inlined ({type(st).__name__.lower()})"
        if isinstance(st, s.Block) and any(v.shape is not None for v in st.declarations):
            return f"{name} has a local array"
        for e in child_expressions(st):
            why = _expression_trouble(e, procedure, table)
            if why:
                return why
    return ""


def _symbol_trouble(symbol: Symbol, procedure: Procedure, name: str) -> str:
    if {"pointer", "allocatable", "optional"} & symbol.attributes:
        return f"{name} has an allocatable, pointer or optional variable"
    if symbol.id in procedure.dummies:
        return "" if isinstance(symbol.type, Intrinsic) else f"{name} has an argument of derived type"
    if "parameter" in symbol.attributes:
        return f"{name} has a local array" if symbol.shape is not None else ""
    if symbol.shape is not None:
        return f"{name} has a local array"
    if "save" in symbol.attributes or symbol.initial is not None:
        return f"{name} keeps a saved variable"
    if not isinstance(symbol.type, Intrinsic) or symbol.type.base == "character":
        return f"{name} has a local variable that is no number or logical"
    return ""


def _expression_trouble(e: x.Expression, procedure: Procedure, table: SymbolTable) -> str:
    """An array dummy may only be used element by element, or asked for its bounds."""
    inside: set[int] = set()
    for node in walk_expression(e):
        if isinstance(node, x.Element):
            inside.add(id(node.base))
        if isinstance(node, x.IntrinsicCall) and node.name in _BOUNDS and node.arguments[0] is not None:
            if isinstance(asked_dimension(node), x.Literal):
                inside.add(id(node.arguments[0]))
        if isinstance(node, x.FunctionCall):
            inside.update(id(a) for a in node.arguments if isinstance(a, x.Ref))
        if isinstance(node, x.Ref) and node.rank and node.id in procedure.dummies and id(node) not in inside:
            return f"{procedure.name} uses {table.symbols[node.id].name} as a whole array"
    return ""


def asked_dimension(e: x.IntrinsicCall) -> x.Expression | None:
    """The dimension that size, lbound or ubound asks for; size of a vector asks for its only one."""
    if len(e.arguments) > 1:
        return e.arguments[1]
    only = e.name == "size" and e.arguments[0] is not None and rank_of(e.arguments[0]) == 1
    return ONE if only else None


def array_mapping(
    actual: x.Expression,
    dummy: Symbol,
    procedure: Procedure,
    arguments: tuple[x.Expression | None, ...],
    table: SymbolTable,
    assume: Callable[[x.Expression], bool],
) -> ArrayMapping | SectionMapping:
    """How elements of an array dummy are elements of the actual argument; NotInlined where they may be others.

    `assume` is offered a condition on shapes where nothing proves it, and says whether the host will check it.
    """
    shape = dummy.shape or ()
    if "value" in dummy.attributes:
        raise NotInlined(f"{dummy.name} is a copy of its argument (value), which the function may change")
    if isinstance(actual, x.Section):
        first = tuple(ONE if d.lower is None else in_caller(d.lower, procedure, arguments) for d in shape)
        last = _uppers_that_matter(dummy, procedure, arguments)
        return section_mapping(actual, dummy.name, shape, first, last, table, assume)
    if not isinstance(actual, (x.Ref, x.Component)) or (isinstance(actual, x.Component) and not actual.rank):
        raise NotInlined(f"the argument for {dummy.name} is an expression, not an array or a section of one")
    if rank_of(actual) != len(shape):
        raise NotInlined(f"the argument for {dummy.name} has another rank")
    lower: list[x.Expression] = []
    base_lower: list[x.Expression] = []
    for k, d in enumerate(shape):
        own = ONE if d.lower is None else in_caller(d.lower, procedure, arguments)
        lower.append(own)
        known = lower_bound(actual, k, table)
        bound = x.IntrinsicCall("lbound", (actual, x.Literal(k + 1, INTEGER)), INTEGER)
        if known is None and isinstance(own, x.Literal) and assume(x.Binary("==", bound, own)):
            known = own
        base_lower.append(bound if known is None else known)
        if d.assumed or (k == len(shape) - 1 and not _shape_matters(dummy, procedure)):
            continue
        if not isinstance(d.upper, x.Expression):
            raise NotInlined(f"the shape of {dummy.name} is not known")
        upper = in_caller(d.upper, procedure, arguments)
        size = x.IntrinsicCall("size", (actual, x.Literal(k + 1, INTEGER)), INTEGER)
        same = _same_extent(actual, k, own, upper, table)
        if not same and not assume(x.Binary("==", size, add_constant(minus(upper, own), 1))):
            raise NotInlined(f"{dummy.name} may have another shape than its argument")
    return ArrayMapping(actual, tuple(lower), tuple(base_lower))


def _uppers_that_matter(
    dummy: Symbol, procedure: Procedure, arguments: tuple[x.Expression | None, ...]
) -> tuple[x.Expression | None, ...]:
    """The upper bounds that a section must agree with, in the caller's terms; None for dimensions that follow it."""
    shape = dummy.shape or ()
    out: list[x.Expression | None] = []
    for k, d in enumerate(shape):
        if d.assumed or (k == len(shape) - 1 and not _shape_matters(dummy, procedure)):
            out.append(None)
        elif isinstance(d.upper, x.Expression):
            out.append(in_caller(d.upper, procedure, arguments))
        else:
            raise NotInlined(f"the shape of {dummy.name} is not known")
    return tuple(out)


def _shape_matters(dummy: Symbol, procedure: Procedure) -> bool:
    """Whether a function asks for the shape of an array dummy, or passes it on to one that may."""
    return any(
        isinstance(e, (x.IntrinsicCall, x.FunctionCall)) and any(isinstance(a, x.Ref) and a.id == dummy.id for a in e.arguments)
        for e in walk_body_expressions(procedure.body)
    )


def in_caller(e: x.Expression, procedure: Procedure, arguments: tuple[x.Expression | None, ...]) -> x.Expression:
    """A specification expression of the callee in terms of the actual arguments."""
    actual = dict(zip(procedure.dummies, arguments, strict=False))

    def replace(node: x.Expression) -> x.Expression:
        return (actual.get(node.id) or node) if isinstance(node, x.Ref) else node

    return map_expression(e, replace)


def _same_extent(
    actual: x.Expression, dim: int, lower: x.Expression, upper: x.Expression, table: SymbolTable
) -> bool:
    known = dimensions_of(actual, table)
    if known is None:
        return False
    scope = Scope(Parameters(), lambda _: True)
    parts = [to_affine(e, scope) for e in (lower, upper, *known[dim])]
    if any(p is None for p in parts):
        return False
    lo, hi, a, b = (p for p in parts if p is not None)
    return bool(hi.sub(lo).ne_set(b.sub(a)).is_empty())
