"""Procedures and main programs while they are read: header, specification part, then the body."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.errors import NOWHERE, Span
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.entities import Variable
from polystencil.frontend.scopes import Scope
from polystencil.frontend.type_specs import read_type
from polystencil.ir.types import ProcedureType, Type

if TYPE_CHECKING:
    from polystencil.frontend.parse import SyntaxTree
    from polystencil.frontend.reader import Reader
    from polystencil.frontend.specification import Specification
    from polystencil.ir.program import Procedure


PREFIXES = frozenset({"pure", "elemental", "impure", "recursive", "simple", "module", "non_recursive"})


class ProcedureUnit:
    """A main program, subroutine, function or interface body. `declare` reads the specification part, once."""

    def __init__(
        self, reader: Reader, tree: SyntaxTree, node: Node, kind: str, name: str, id: str, host: Scope | None
    ) -> None:
        self.reader, self.tree, self.node = reader, tree, node
        self.kind, self.name, self.id = kind, name, id
        self.scope = Scope(id, "procedure" if kind != "program" else "program", host)
        self.scope.registry = reader.variables
        self.ctx = Context(reader, tree, self.scope, node)
        self.prefixes: set[str] = set()
        self.dummies: list[Variable | str] = []
        self.result: Variable | None = None
        self.contained: list[ProcedureUnit] = []
        self.interface_only = False
        self.implicit_interface = host is None
        self.specification: Specification | None = None
        self.separate: Callable[[], ProcedureUnit] | None = None  # the interface of a `module procedure`
        self.statement: Node | None = None
        self.lowered: Procedure | None = None
        self._state = 0
        self._read_prefixes()

    # --- header ---

    def _read_prefixes(self) -> None:
        """The header's first words are needed before anything else is read (pure, elemental, module)."""
        for child in self.node.children:
            if child.type in (
                "function_statement",
                "subroutine_statement",
                "module_procedure_statement",
                "program_statement",
            ):
                self.statement = child
                break
        if self.statement is None:
            return
        for child in self.statement.children:
            if child.type == "procedure_qualifier":
                self.prefixes.add(text_of(child))

    @property
    def elemental(self) -> bool:
        """Whether arguments may be arrays where dummies are scalars."""
        return "elemental" in self.prefixes

    @property
    def span(self) -> Span:
        """The place of the header."""
        return self.tree.span(self.statement) if self.statement is not None else NOWHERE

    def dummy_names(self) -> list[str]:
        """Names of the dummy arguments in order."""
        self.declare()
        return [d.name if isinstance(d, Variable) else "*" for d in self.dummies]

    def declare(self) -> None:
        """Read the header and the specification part."""
        if self._state:
            return
        self._state = 1
        from polystencil.frontend.declarations import read_specification

        if self.separate is not None:
            self._take_interface(self.separate())
        self._header()
        read_specification(self)
        self._state = 2

    def _take_interface(self, interface: ProcedureUnit) -> None:
        interface.declare()
        self.kind, self.prefixes = interface.kind, self.prefixes | interface.prefixes
        self.dummies, self.result = list(interface.dummies), interface.result
        for variable in interface.scope.order:
            self.scope.declare(variable)
        self.scope.implicit, self.scope.implicit_none = interface.scope.implicit, interface.scope.implicit_none

    def _header(self) -> None:
        statement = self.statement
        if statement is None or self.separate is not None:
            return
        result_name = self.name
        declared: Type | None = None
        pending: Node | None = None
        for child in statement.children:
            if child.type == "parameters":
                for parameter in child.children:
                    if parameter.type == "identifier":
                        self._dummy(parameter)
                    elif parameter.type not in ("(", ")", ",", "comment", "&"):
                        raise self.ctx.unsupported(parameter, "an alternate return", "return a status and branch on it")
            elif child.type == "function_result":
                result_name = text_of(named(child)[0])
            elif child.type in ("intrinsic_type", "derived_type"):
                pending = child
            elif child.type == "procedure_attributes":
                raise self.ctx.unsupported(child, "a CUDA Fortran attribute", "write plain do concurrent loops")
        if self.kind == "function":
            self.result = Variable(f"{self.id}.{result_name}", result_name, declared, {"result"}, span=self.span)
            self.scope.declare(self.result)
            if pending is not None:
                self._pending_type(pending)

    def _dummy(self, node: Node) -> None:
        name = text_of(node)
        if name in self.scope.names:
            raise self.ctx.error(node, f"dummy argument '{name}' stands twice in the list")
        variable = Variable(f"{self.id}.{name}", name, None, {"dummy"}, span=self.ctx.span(node))
        self.dummies.append(variable)
        self.scope.declare(variable)

    def _pending_type(self, node: Node) -> None:
        """The type of a function's header may use names of its specification part."""
        self.result_type_node = node

    result_type_node: Node | None = None

    def finish_result(self) -> None:
        """Type the result from the header, once the specification part has named its parameters."""

        if self.result_type_node is not None and self.result is not None and self.result.type is None:
            self.result.type = read_type(self.ctx, self.result_type_node)

    def type_of_dummy_procedure(self, name: str) -> ProcedureType | None:
        """The type of a dummy procedure with an interface body."""
        found = self.scope.names.get(name)
        return found.type if isinstance(found, Variable) and isinstance(found.type, ProcedureType) else None
