"""Locality specifications of do concurrent: local, local_init, shared, reduce, default(none)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import first, text_of
from polystencil.frontend.entities import Alias, Variable
from polystencil.frontend.lowering import describe
from polystencil.frontend.names import find
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_expression
from polystencil.ir.types import Intrinsic

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.scopes import Scope


REDUCTIONS = frozenset({"+", "*", "max", "min", "iand", "ior", "ieor", ".and.", ".or.", ".eqv.", ".neqv."})


class Locality:
    """The locality specifications of a header."""

    def __init__(self, ctx: Context, statement: Node, scope: Scope) -> None:
        self.locals: list[Symbol] = []
        self.init: set[str] = set()
        self.shared: set[str] = set()
        self.reductions: list[s.Reduction] = []
        self.default_none = False
        self._seen: set[str] = set()
        for child in statement.children:
            if child.type == "concurrent_locality":
                self._one(ctx, child, scope)

    def _one(self, ctx: Context, node: Node, scope: Scope) -> None:
        word = node.children[0].type
        if word == "default":
            self.default_none = True
            return
        operator = ""
        operator_node = first(node, "binary_op")
        if operator_node is not None:
            operator = text_of(operator_node)
            if operator not in REDUCTIONS:
                raise ctx.error(
                    operator_node, f"'{operator}' is no reduction operator", f"one of {', '.join(sorted(REDUCTIONS))}"
                )
        for name_node in (c for c in node.children if c.type == "identifier"):
            variable = self._variable(ctx, name_node, scope)
            if word in ("local", "local_init"):
                self._local(ctx, name_node, variable)
                if word == "local_init":
                    self.init.add(variable.id)
            elif word == "shared":
                self.shared.add(variable.id)
            else:
                ref = variable.reference()
                assert isinstance(ref, x.Ref)
                self._check_reduction(ctx, name_node, operator, ref)
                self.reductions.append(s.Reduction(operator, ref))

    def _variable(self, ctx: Context, node: Node, scope: Scope) -> Variable:

        name = text_of(node)
        if name in scope.names:
            raise ctx.error(node, f"index '{name}' cannot have a locality")
        found = find(ctx, node, name)
        if isinstance(found, Alias) and isinstance(found.expression, x.Ref):
            found = ctx.reader.variable(found.expression.id) or found
        if not isinstance(found, Variable) or "parameter" in found.attributes:
            raise ctx.error(node, f"'{name}' is no variable")
        if found.id in self._seen:
            raise ctx.error(node, f"'{name}' has two localities")
        self._seen.add(found.id)
        return found

    def _local(self, ctx: Context, node: Node, variable: Variable) -> None:
        if variable.attributes & {"allocatable", "optional"}:
            raise ctx.error(node, f"'{variable.name}' is allocatable or optional and cannot be local")
        if (
            variable.shape
            and any(d.upper is None or d.upper == "*" for d in variable.shape)
            and "pointer" not in variable.attributes
        ):
            raise ctx.error(node, f"'{variable.name}' has no shape of its own and cannot be local")
        symbol = variable.symbol()
        kept = frozenset(symbol.attributes & {"pointer", "target"})
        self.locals.append(Symbol(symbol.id, symbol.name, symbol.type, symbol.shape, kept, span=symbol.span))

    def _check_reduction(self, ctx: Context, node: Node, operator: str, ref: x.Ref) -> None:
        t = ref.type
        base = t.base if isinstance(t, Intrinsic) else ""
        allowed = {
            "+": ("integer", "real", "complex"), "*": ("integer", "real", "complex"), "max": ("integer", "real"),
            "min": ("integer", "real"), "iand": ("integer",), "ior": ("integer",), "ieor": ("integer",),
        }.get(operator, ("logical",))  # fmt: skip
        if base not in allowed:
            raise ctx.error(node, f"a reduction with {operator} needs {' or '.join(allowed)}, this is {describe(ref)}")


def check_default_none(ctx: Context, node: Node, loop: s.ParallelLoop) -> None:
    """default(none): every outer variable of the body has a locality."""
    own = (
        {i.ref.id for i in loop.indices}
        | {v.id for v in loop.locals}
        | {r.ref.id for r in loop.reductions}
        | loop.shared
    )
    own |= {v.id for v in symbols_in_body(loop.body)}
    masked = () if loop.mask is None else walk_expression(loop.mask)
    for e in (*masked, *walk_body_expressions(loop.body)):
        if isinstance(e, x.Ref) and e.id not in own:
            variable = ctx.reader.variable(e.id)
            if variable is not None and "parameter" not in variable.attributes:
                raise ctx.error(
                    node, f"default(none): '{variable.name}' has no locality", f"add shared({variable.name})"
                )
