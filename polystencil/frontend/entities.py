"""What a name can stand for while a program is read. Entities are mutable; the IR made from them is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from tree_sitter import Node

from polystencil.errors import NOWHERE, Span
from polystencil.ir import expressions as x
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.types import ProcedureType, Type

if TYPE_CHECKING:
    from polystencil.frontend.procedures import ProcedureUnit
    from polystencil.frontend.scopes import Scope
    from polystencil.frontend.type_entities import TypeEntity


@dataclass(eq=False)
class Variable:
    """A variable, dummy, result, component or named constant. `constant` is the value of a scalar parameter."""

    id: str
    name: str
    type: Type | None = None
    attributes: set[str] = field(default_factory=set)
    intent: str = ""
    initial: x.Expression | None = None
    block: str | None = None
    offset: int = 0
    span: Span = NOWHERE
    constant: Any = None
    rank: int = 0
    pending_shape: Callable[[], tuple[Dimension, ...]] | None = None
    pending_type: Callable[[], Type] | None = None
    node: Node | None = None
    _shape: tuple[Dimension, ...] | None = None
    _symbol: Symbol | None = None

    @property
    def shape(self) -> tuple[Dimension, ...] | None:
        """The declared shape; bounds are read when they are first asked for."""
        if self.pending_shape is not None:
            compute, self.pending_shape = self.pending_shape, None
            self._shape = compute()
        return self._shape

    @shape.setter
    def shape(self, value: tuple[Dimension, ...] | None) -> None:
        self._shape, self.pending_shape = value, None
        self.rank = len(value) if value else 0

    @property
    def full_type(self) -> Type:
        """The type with everything that is only read when it is first asked for."""
        if self.pending_type is not None:
            compute, self.pending_type = self.pending_type, None
            self.type = compute()
        assert self.type is not None, self.name
        return self.type

    def retype(self, t: Type) -> None:
        """Give it another type: its use showed that it is a procedure."""
        self.type, self._symbol = t, None

    def reference(self) -> x.Expression:
        """The expression that names it."""
        if self.constant is not None and self.rank == 0 and not isinstance(self.constant, x.Expression):
            return x.NamedConstant(self.id, self.constant, self.full_type)
        return x.Ref(self.id, self.full_type, self.rank)

    def symbol(self) -> Symbol:
        """The entry of the IR, made once all declarations are read."""
        if self._symbol is None:
            self._symbol = Symbol(
                self.id,
                self.name,
                self.full_type,
                self.shape,
                frozenset(self.attributes),
                self.intent,
                self.initial,
                self.block,
                self.offset,
                self.span,
            )
        return self._symbol

    @property
    def is_procedure(self) -> bool:
        """A dummy procedure or procedure pointer."""
        return isinstance(self.type, ProcedureType)


@dataclass(eq=False)
class Generic:
    """A generic name, operator(...) or assignment(=). `type` is set when a derived type has the same name."""

    name: str
    specifics: list[ProcedureUnit | Variable | str] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    type: TypeEntity | None = None
    intrinsic: bool = False
    node: Node | None = None


@dataclass(eq=False)
class Alias:
    """An associate name: stands for an expression. `bounds`: lower bounds start at those of a whole array."""

    name: str
    expression: x.Expression
    writable: bool = True


@dataclass(eq=False)
class StatementFunction:
    """`name(dummies) = expression`; expanded at every use."""

    name: str
    dummies: tuple[str, ...]
    node: Node
    scope: Scope
    type: Type


@dataclass(eq=False)
class NamelistGroup:
    """A namelist group and its members' names."""

    name: str
    members: list[str]


@dataclass(eq=False)
class IntrinsicName:
    """A name that is known to be an intrinsic procedure (also those of intrinsic modules)."""

    name: str


@dataclass(eq=False)
class Ambiguous:
    """The same name from two modules; an error only where it is used."""

    name: str
    modules: tuple[str, ...]


Entity = Union[
    Variable, Generic, Alias, StatementFunction, NamelistGroup, IntrinsicName, Ambiguous, "ProcedureUnit", "TypeEntity"
]
