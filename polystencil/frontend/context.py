"""What every step of the lowering carries: the scope, the tree, and where statements go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.errors import SourceError, Span, UnsupportedError
from polystencil.frontend.keyword_names import restored
from polystencil.ir.expressions import Expression
from polystencil.ir.statements import Statement

if TYPE_CHECKING:
    from polystencil.frontend.constructs import Construct
    from polystencil.frontend.parse import SyntaxTree
    from polystencil.frontend.reader import Reader
    from polystencil.frontend.scopes import Scope


@dataclass(eq=False)
class Context:
    """A place in the source: `scope` says what names mean, `reader` knows the whole program.

    `constructs` are the open constructs, outermost first; `jumps` says for the open labels how to get there.
    All but `scope` and `out` is shared by the contexts of one procedure.
    """

    reader: Reader
    tree: SyntaxTree
    scope: Scope
    root: Node | None = None
    constructs: list[Construct] = field(default_factory=list)
    jumps: list[dict[str, Construct]] = field(default_factory=list)
    formats: dict[str, Node] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    construct_names: set[str] = field(default_factory=set)
    operand_hooks: dict[int, Callable[[Expression], Expression]] = field(default_factory=dict)
    references: dict[int, frozenset[str]] = field(default_factory=dict)
    terminals: dict[int, Node] = field(default_factory=dict)  # last statements of labelled loops that share them
    out: list[Statement] = field(default_factory=list)

    def inner(self, scope: Scope | None = None) -> Context:
        """The same place with another scope; statements go to a list of their own."""
        return Context(
            self.reader, self.tree, scope or self.scope, self.root, self.constructs, self.jumps, self.formats,
            self.skipped, self.construct_names, self.operand_hooks, self.references, self.terminals,
        )  # fmt: skip

    def span(self, node: Node) -> Span:
        """Where `node` stands in the user's file."""
        return self.tree.span(node)

    def error(self, node: Node, message: str, hint: str = "") -> SourceError:
        """An error in the source, to be raised."""
        return self.tree.error(node, message, hint)

    def unsupported(self, node: Node, what: str, hint: str = "") -> UnsupportedError:
        """`what` is valid Fortran that is not supported, to be raised."""
        return self.tree.unsupported(node, what, hint)


def text_of(node: Node) -> str:
    """The source text of a node, lower case: names and keywords."""
    text = node.text
    if text is None:
        return ""
    name = text.decode("utf-8", "replace").lower()
    return restored(name) if name.startswith("_") else name


def named(node: Node) -> list[Node]:
    """The named children without comments."""
    return [c for c in node.children if c.is_named and c.type != "comment"]


def field_of(node: Node, name: str) -> Node:
    """The child in a field that the grammar always gives."""
    child = node.child_by_field_name(name)
    if child is None:
        raise LookupError(f"no field {name} in {node.type}")
    return child


def child_of(node: Node, kind: str) -> Node:
    """The first child of a type that the grammar always gives."""
    child = first(node, kind)
    if child is None:
        raise LookupError(f"no {kind} in {node.type}")
    return child


def first(node: Node, kind: str) -> Node | None:
    """The first child of a type."""
    for child in node.children:
        if child.type == kind:
            return child
    return None
