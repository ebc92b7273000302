"""Expressions: typed pymbolic nodes in the order in which Fortran evaluates them.

Everything a reader needs stands in the node: names are program-wide ids, operands of arithmetic and
comparison already have one type (`Convert` makes every mixed-mode conversion explicit), arguments of
procedures and intrinsics are in positional order with `None` for an absent one.
"""

from __future__ import annotations

from typing import Union

from pymbolic.primitives import ExpressionNode, expr_dataclass

from polystencil.ir.types import Type

Value = Union[int, float, complex, bool, bytes]


class Expression(ExpressionNode):
    """Base of all nodes."""


@expr_dataclass()
class Literal(Expression):
    """A constant. A real(4) value is a Python float already rounded to single precision; text is `bytes`."""

    value: Value
    type: Type


@expr_dataclass()
class NamedConstant(Expression):
    """A scalar `parameter`; `value` as in `Literal`. It reads as its name and counts as its value."""

    id: str
    value: Value
    type: Type


@expr_dataclass()
class Boz(Expression):
    """A binary, octal or hexadecimal constant, only ever an argument of int, real, cmplx, dble or a bit intrinsic."""

    value: int
    text: str


@expr_dataclass()
class Ref(Expression):
    """A variable (or whole array, or array-valued parameter) by its program-wide id."""

    id: str
    type: Type
    rank: int = 0


@expr_dataclass()
class Range(Expression):
    """`lower:upper:step` as a subscript of a section; `None` where it is left out."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@expr_dataclass()
class Element(Expression):
    """`base(indices)`: one array element. `base` is a Ref or Component of the same rank as there are indices."""

    base: Expression
    indices: tuple[Expression, ...]


@expr_dataclass()
class Section(Expression):
    """`base(subscripts)` with at least one Range or vector subscript (an expression of rank 1)."""

    base: Expression
    subscripts: tuple[Expression, ...]


@expr_dataclass()
class Component(Expression):
    """`base%field`. `type` and `rank` are the component's own; the node's rank is `rank` or the base's."""

    base: Expression
    field: str
    type: Type
    rank: int = 0


@expr_dataclass()
class Substring(Expression):
    """`base(lower:upper)` of a character value."""

    base: Expression
    lower: Expression | None
    upper: Expression | None


@expr_dataclass()
class Unary(Expression):
    """`operator` is one of - + .not. (elementwise on arrays)."""

    operator: str
    operand: Expression


@expr_dataclass()
class Binary(Expression):
    """`operator` is one of + - * / ** // == /= < <= > >= .and. .or. .eqv. .neqv. (elementwise on arrays).

    Both operands have the same type and kind, but for `**` with an integer exponent and for `//`.
    """

    operator: str
    left: Expression
    right: Expression


@expr_dataclass()
class Paren(Expression):
    """Parentheses of the source around an expression: a compiler must honour them."""

    operand: Expression


@expr_dataclass()
class Convert(Expression):
    """Conversion of a number (or logical kind) to `type`, as by int(), real(), cmplx() with one argument."""

    operand: Expression
    type: Type


@expr_dataclass()
class IntrinsicCall(Expression):
    """An intrinsic function by its lower-case generic name (dsqrt is sqrt); `rank` is the result's."""

    name: str
    arguments: tuple[Expression | None, ...]
    type: Type
    rank: int = 0


@expr_dataclass()
class ProcedureRef(Expression):
    """A procedure by its id, as the target of a call or as an actual argument."""

    id: str


@expr_dataclass()
class BoundProcedure(Expression):
    """`object%name` of a type-bound procedure whose target depends on the dynamic type of `object`.

    A binding that analysis can resolve (non-polymorphic object) is a ProcedureRef with the object among the
    arguments. `pass_index` is the position (0-based) of `object` among the arguments, None for nopass.
    """

    object: Expression
    name: str
    pass_index: int | None


@expr_dataclass()
class FunctionCall(Expression):
    """A reference to a user's function. `target`: ProcedureRef, BoundProcedure, or a procedure-typed Ref/Component."""

    target: Expression
    arguments: tuple[Expression | None, ...]
    type: Type
    rank: int = 0


@expr_dataclass()
class ImpliedDo(Expression):
    """`(items, variable = lower, upper, step)` in an array constructor, data statement or input/output list."""

    items: tuple[Expression, ...]
    variable: Ref
    lower: Expression
    upper: Expression
    step: Expression | None


@expr_dataclass()
class ArrayConstructor(Expression):
    """`[items]`, rank 1; items are scalars, arrays (taken in element order) and ImpliedDo; all of `type`."""

    items: tuple[Expression, ...]
    type: Type


@expr_dataclass()
class StructureConstructor(Expression):
    """`type_name(components)` in the order of the definition (inherited ones first); None takes the default."""

    type: Type
    components: tuple[Expression | None, ...]


@expr_dataclass()
class Null(Expression):
    """null(): a disassociated pointer, or the initial state of one."""
