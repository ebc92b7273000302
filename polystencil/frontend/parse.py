"""From text to the tree of tree-sitter-fortran; what the grammar cannot read is a located syntax error."""

from __future__ import annotations

import re
from dataclasses import dataclass

import tree_sitter_fortran
from tree_sitter import Language, Node, Parser, Tree

from polystencil.errors import SourceError, Span, UnsupportedError
from polystencil.frontend.keyword_names import hide_keyword_names
from polystencil.frontend.source import ParsedText
from polystencil.frontend.syntax_errors import diagnose

_RENAMED_OPERATOR = re.compile(rb"(operator)\(\.([a-z]+)\.\)([ \t]*=>[ \t]*)(operator)\(\.([a-z]+)\.\)", re.IGNORECASE)


_LANGUAGE = Language(tree_sitter_fortran.language())


@dataclass(frozen=True, eq=False)
class SyntaxTree:
    """One parsed file."""

    text: ParsedText
    tree: Tree

    @property
    def root(self) -> Node:
        """The translation unit."""
        return self.tree.root_node

    def span(self, node: Node) -> Span:
        """Where `node` stands in the user's file."""
        (row, column), (end_row, end_column) = node.start_point, node.end_point
        return self.text.span(row, column, end_row, end_column)

    def error(self, node: Node, message: str, hint: str = "") -> SourceError:
        """An error in the source at `node`, to be raised."""
        span = self.span(node)
        return SourceError(message, span, self.text.source_line(span), hint)

    def unsupported(self, node: Node, what: str, hint: str = "") -> UnsupportedError:
        """The message that `what` is not supported, to be raised."""
        span = self.span(node)
        return UnsupportedError(f"{what} is not supported", span, self.text.source_line(span), hint)


def parse(text: ParsedText) -> SyntaxTree:
    """The tree of a source; SourceError at the first place that is not Fortran."""
    parser = Parser(_LANGUAGE)
    tree = SyntaxTree(text, parser.parse(_readable(text.bytes())))
    if tree.root.has_error:
        hidden = hide_keyword_names(_readable(text.bytes()))
        again = tree if hidden is None else SyntaxTree(text, parser.parse(hidden))
        if not again.root.has_error:
            return again
        raise diagnose(text, lambda source: parser.parse(_readable(source)).root_node) or _syntax_error(tree)
    return tree


def _readable(source: bytes) -> bytes:
    """What the grammar cannot read, written so that it can, with every character in its place.

    A rename of defined operators, `operator(.a.) => operator(.b.)`, becomes `operator__a__ => operator__b__`.
    """
    if b"=>" in source and _RENAMED_OPERATOR.search(source):
        source = _RENAMED_OPERATOR.sub(rb"\1__\2__\3\4__\5__", source)
    return source


def operator_name(name: str) -> str:
    """The name of a use item, undoing what `_readable` did to it."""
    match = re.fullmatch(r"operator__([a-z]+)__", name)
    return name if match is None else f"operator(.{match.group(1)}.)"


def _syntax_error(tree: SyntaxTree) -> SourceError:
    node = _first_error(tree.root)
    if node.is_missing:
        return tree.error(node, f"syntax error: '{node.type}' is missing here", _hint(node))
    place = node
    words = (node.text or b"").split(b"\n")[0].decode("utf-8", "replace").strip()
    near = f" near '{words[:40]}'" if words else ""
    return tree.error(place, f"syntax error{near}", _hint(node))


def _hint(node: Node) -> str:
    parent = node.parent
    known = {
        "do_loop": "is an 'end do' missing, or one too many?",
        "if_statement": "is an 'end if' or 'then' missing?",
        "program": "is an 'end program' missing, or a declaration behind the first executable statement?",
        "module": "is an 'end module' or 'contains' missing?",
        "subroutine": "is an 'end subroutine' missing, or a declaration behind the first executable statement?",
        "function": "is an 'end function' missing, or a declaration behind the first executable statement?",
        "select_case_statement": "is an 'end select' missing?",
        "translation_unit": "is an 'end' statement missing?",
    }
    while parent is not None:
        if parent.type in known:
            return known[parent.type]
        parent = parent.parent
    return "check the statement against the Fortran syntax"


def _first_error(node: Node) -> Node:
    """The first smallest ERROR or MISSING node."""
    for child in node.children:
        if child.is_missing or (child.type == "ERROR" and not any(c.has_error for c in child.children)):
            return child
        if child.has_error:
            return _first_error(child)
    return node
