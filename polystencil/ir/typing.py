"""From an expression to its type and rank; every node carries enough to answer without a symbol table."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, LOGICAL, Intrinsic, NoType, ProcedureType, Type

COMPARISONS = frozenset({"==", "/=", "<", "<=", ">", ">="})
LOGICALS = frozenset({".and.", ".or.", ".eqv.", ".neqv."})


def type_of(e: x.Expression) -> Type:
    """The type of one element of `e`."""
    match e:
        case x.Literal() | x.NamedConstant() | x.Ref() | x.Component() | x.Convert() | x.IntrinsicCall():
            return e.type
        case x.FunctionCall() | x.ArrayConstructor() | x.StructureConstructor():
            return e.type
        case x.Element() | x.Section():
            return type_of(e.base)
        case x.Substring():
            return Intrinsic("character", 1, _substring_length(e))
        case x.Unary() | x.Paren():
            return type_of(e.operand)
        case x.Binary():
            return _binary_type(e)
        case x.ImpliedDo():
            return type_of(e.items[0])
        case x.Boz():
            return Intrinsic("integer", 8)
        case x.ProcedureRef() | x.BoundProcedure():
            return ProcedureType(e.id if isinstance(e, x.ProcedureRef) else None)
        case _:
            return NoType()


def _binary_type(e: x.Binary) -> Type:
    left = type_of(e.left)
    if e.operator in COMPARISONS:
        return LOGICAL
    if e.operator == "//" and isinstance(left, Intrinsic):
        right = type_of(e.right)
        a, b = left.length, right.length if isinstance(right, Intrinsic) else None
        if isinstance(a, x.Literal) and isinstance(b, x.Literal):
            return Intrinsic("character", left.kind, x.Literal(int(a.value.real) + int(b.value.real), INTEGER))  # type: ignore[union-attr]  # lengths are integers
        return Intrinsic("character", left.kind, None)
    return left


def _substring_length(e: x.Substring) -> x.Expression | None:
    lower, upper = e.lower, e.upper
    if isinstance(lower, x.Literal | x.NamedConstant) and isinstance(upper, x.Literal | x.NamedConstant):
        return x.Literal(max(0, int(upper.value.real) - int(lower.value.real) + 1), INTEGER)  # type: ignore[union-attr]  # bounds are integers
    if lower == upper and lower is not None:
        return x.Literal(1, INTEGER)
    return None


def rank_of(e: x.Expression) -> int:
    """The number of dimensions of `e`; 0 for a scalar."""
    match e:
        case x.Ref() | x.IntrinsicCall() | x.FunctionCall():
            return e.rank
        case x.Component():
            return e.rank or rank_of(e.base)
        case x.Section():
            return sum(1 for s in e.subscripts if isinstance(s, x.Range) or rank_of(s) == 1)
        case x.Element():
            # an element of a component of an array of records keeps the parent's rank
            return rank_of(e.base.base) if isinstance(e.base, x.Component) and e.base.rank else 0
        case x.Unary() | x.Paren() | x.Convert():
            return rank_of(e.operand)
        case x.Binary():
            return max(rank_of(e.left), rank_of(e.right))
        case x.Substring():
            return rank_of(e.base)
        case x.ArrayConstructor():
            return 1
        case _:
            return 0
