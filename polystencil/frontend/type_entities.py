"""Derived types while they are read: components, bindings, generics, inheritance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.errors import NOWHERE, Span
from polystencil.ir.program import Binding, TypeDefinition

if TYPE_CHECKING:
    from polystencil.frontend.entities import Variable
    from polystencil.frontend.procedures import ProcedureUnit


@dataclass(eq=False)
class BoundEntity:
    """One binding of a type; the procedure is looked up when it is first needed."""

    name: str
    find: Callable[[], ProcedureUnit] | None  # None: deferred
    interface: Callable[[], ProcedureUnit] | None = None
    passes: bool = True
    pass_name: str = ""
    private: bool = False

    def procedure(self) -> ProcedureUnit | None:
        """The procedure, None when deferred."""
        return None if self.find is None else self.find()

    def signature(self) -> ProcedureUnit:
        """The procedure, or the abstract interface of a deferred binding."""
        source = self.find or self.interface
        assert source is not None
        return source()

    def pass_index(self) -> int | None:
        """Where the object stands among the arguments; None for nopass."""
        if not self.passes:
            return None
        if not self.pass_name:
            return 0
        names = self.signature().dummy_names()
        return names.index(self.pass_name) if self.pass_name in names else 0


@dataclass(eq=False)
class TypeEntity:
    """A derived type."""

    id: str
    name: str
    parent: TypeEntity | None = None
    own: dict[str, Variable] = field(default_factory=dict)
    bindings: dict[str, BoundEntity] = field(default_factory=dict)
    generics: dict[str, list[str]] = field(default_factory=dict)
    children: list[TypeEntity] = field(default_factory=list)
    abstract: bool = False
    private_components: set[str] = field(default_factory=set)
    final: list[str] = field(default_factory=list)
    span: Span = NOWHERE
    node: Node | None = None
    _definition: TypeDefinition | None = None

    def components(self) -> Iterator[Variable]:
        """All components, inherited ones first."""
        if self.parent is not None:
            yield from self.parent.components()
        yield from self.own.values()

    def component(self, name: str) -> Variable | None:
        """The component called `name`."""
        if name in self.own:
            return self.own[name]
        return self.parent.component(name) if self.parent is not None else None

    def ancestor(self, name: str) -> TypeEntity | None:
        """The ancestor whose name is used like a component (`self%parent`)."""
        if self.parent is None:
            return None
        return self.parent if self.parent.name == name else self.parent.ancestor(name)

    def binding(self, name: str) -> BoundEntity | None:
        """The binding called `name`, own or inherited."""
        if name in self.bindings:
            return self.bindings[name]
        return self.parent.binding(name) if self.parent is not None else None

    def generic(self, name: str) -> list[str]:
        """Names of the bindings behind a generic name, own and inherited."""
        inherited = self.parent.generic(name) if self.parent is not None else []
        return [*self.generics.get(name, ()), *(n for n in inherited if n not in self.generics.get(name, ()))]

    def extends(self, other_id: str) -> bool:
        """Whether this type is, or extends, the type with that id."""
        return self.id == other_id or (self.parent is not None and self.parent.extends(other_id))

    def overridden_below(self, name: str) -> bool:
        """Whether a type that extends this one overrides the binding."""
        return any(name in child.bindings or child.overridden_below(name) for child in self.children)

    def definition(self) -> TypeDefinition:
        """The definition for the IR."""
        if self._definition is None:
            names: dict[str, None] = {}
            if self.parent is not None:
                names.update((b.name, None) for b in self.parent.definition().bindings)
            names.update((n, None) for n in self.bindings)
            bindings = []
            for name in names:
                bound = self.binding(name)
                assert bound is not None
                procedure = bound.procedure()
                interface = bound.signature().id if procedure is None else None
                bindings.append(
                    Binding(name, None if procedure is None else procedure.id, bound.pass_index(), interface)
                )
            self._definition = TypeDefinition(
                self.id,
                self.name,
                tuple(v.symbol() for v in self.components()),
                None if self.parent is None else self.parent.id,
                tuple(bindings),
                self.abstract,
                tuple(self.final),
                self.span,
            )
        return self._definition
