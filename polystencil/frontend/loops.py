"""do, do while, labelled do, do concurrent."""

from __future__ import annotations

from tree_sitter import Node

from polystencil.frontend.constructs import Construct
from polystencil.frontend.context import Context, first, named, text_of
from polystencil.frontend.control import construct_name
from polystencil.frontend.designators import index_variable
from polystencil.frontend.entities import Alias, Variable
from polystencil.frontend.expressions import as_index, describe, lower_scalar, lower_value
from polystencil.frontend.labels import TRUE, Item, items_of, lower_items
from polystencil.frontend.scopes import Scope
from polystencil.frontend.statements import register
from polystencil.frontend.type_specs import read_type
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_expression
from polystencil.ir.types import INTEGER, Intrinsic, Type
from polystencil.ir.typing import rank_of, type_of

REDUCTIONS = frozenset({"+", "*", "max", "min", "iand", "ior", "ieor", ".and.", ".or.", ".eqv.", ".neqv."})


def _do_loop(ctx: Context, item: Item) -> None:
    node = item.node
    statement = first(node, "do_statement")
    assert statement is not None
    control = [c for c in named(statement) if c.type != "statement_label_reference"]
    construct = Construct("loop", construct_name(node))
    targets: dict[str, Construct] = {}
    for child in node.children:
        if child.type == "statement_label":
            label = text_of(child).lstrip("0")
        elif child.type == "end_do_loop_statement":
            break
        else:
            label = ""
    last = _terminal(ctx, node)
    if last is not None:
        label = last.label
    if label:
        targets[label] = construct
        construct.cycles = True
    children = node.children
    if control and control[0].type == "concurrent_statement":
        construct.kind = "parallel"
        _concurrent(ctx, item, control[0], construct, targets, last)
        return
    body = items_of(ctx, children)
    if last is not None and last.node.id != node.id:
        body.append(last)
    _plain(ctx, item, control[0] if control else None, construct, targets, body, label)


def _terminal(ctx: Context, node: Node) -> Item | None:
    """The last statement of a labelled do; one that loops share belongs to the innermost.

    An item of the loop's own node means that there is a label and no statement to run.
    """
    end = node.children[-1]
    if end.type != "end_do_label_loop_statement":
        return None
    statement = first(node, "do_statement")
    reference = None if statement is None else statement.child_by_field_name("do_label")
    assert reference is not None
    label = text_of(reference).lstrip("0")
    last = ctx.terminals.pop(node.id, None)
    for child in named(end):
        if child.type not in ("statement_label", "do_label_virtual") and text_of(child) != "continue":
            last = child
    inner = next((c for c in reversed(node.children[:-1]) if c.is_named and c.type != "comment"), None)
    if inner is not None and inner.type == "do_loop" and first(inner.children[-1], "do_label_virtual") is not None:
        if last is not None:
            ctx.terminals[inner.id] = last
        last = None
    return Item(label, last or node)


def _plain(
    ctx: Context, item: Item, control: Node | None, construct: Construct, targets: dict[str, Construct],
    body_items: list[Item], terminal: str,
) -> None:  # fmt: skip
    span = ctx.span(item.node)
    index: x.Ref | None = None
    bounds: list[x.Expression] = []
    condition: x.Expression = TRUE
    if control is not None and control.type == "loop_control_expression":
        parts = named(control)
        index = index_variable(ctx, parts[0])
        if isinstance(index.type, Intrinsic) and index.type.base == "real":
            raise ctx.unsupported(parts[0], "a real loop index", "count with an integer and compute the real value from it")
        if any(index.id == c.index or index.id in c.indices for c in ctx.constructs):
            raise ctx.error(parts[0], f"'{text_of(parts[0])}' is already the index of an outer loop")
        for part in parts[1:]:
            bound = lower_value(ctx, part)
            t = type_of(bound)
            if not isinstance(t, Intrinsic) or t.base != "integer" or rank_of(bound):
                raise ctx.error(part, f"a loop bound must be a scalar integer, this is {describe(bound)}")
            bounds.append(as_index(ctx, part, bound, index.type))
        if len(bounds) == 2:
            bounds.append(x.Literal(1, index.type))
        elif isinstance(bounds[2], x.Literal) and bounds[2].value == 0:
            raise ctx.error(parts[3], "the step of a loop cannot be zero")
        construct.index = index.id
    elif control is not None and control.type == "while_statement":
        inner = first(control, "parenthesized_expression")
        assert inner is not None
        condition = lower_scalar(ctx, named(inner)[0], "logical", "a condition")
    elif control is not None:
        raise ctx.unsupported(control, f"this form of do ('{text_of(control)}')")
    ctx.constructs.append(construct)
    ctx.jumps.append(targets)
    body = lower_items(ctx, body_items, terminal)
    ctx.jumps.pop()
    ctx.constructs.pop()
    directives = tuple(d for d in item.directives if d)
    name = construct.target or _own_name(ctx, construct)
    if index is not None:
        ctx.out.append(s.Do(index, bounds[0], bounds[1], bounds[2], body, name, directives, span=span))
    else:
        ctx.out.append(s.DoWhile(condition, body, name, directives, span=span))


def _own_name(ctx: Context, construct: Construct) -> str:
    return construct.use(ctx) if construct.name else ""


# --- do concurrent ------------------------------------------------------------------------------------------------


def index_type(ctx: Context, node: Node, declared: Type | None) -> Intrinsic:
    """The type of an index that belongs to its construct: that of the type-spec, else that of the outer name."""
    name = text_of(node)
    t = declared
    if t is None:
        outer = ctx.scope.lookup(name)
        if isinstance(outer, Variable):
            t = outer.full_type
        elif isinstance(outer, Alias):
            t = type_of(outer.expression)
        else:
            t = ctx.scope.implicit_type(name)
        if t is None:
            raise ctx.error(node, f"index '{name}' is not declared",
                            ctx.scope.similar(name) or f"declare it, or write (integer :: {name} = ...)")
    if not isinstance(t, Intrinsic) or t.base != "integer":
        raise ctx.error(node, f"the index '{name}' must be an integer")
    return t


def implied_variable(ctx: Context, node: Node, declared: Type | None) -> tuple[Context, x.Ref]:
    """The variable of an implied do in an array constructor, and the place that sees it."""
    name = text_of(node)
    t = index_type(ctx, node, declared)
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('ac')}", "construct", ctx.scope)
    variable = Variable(f"{scope.id}.{name}", name, t, span=ctx.span(node))
    scope.names[name] = variable
    scope.registry[variable.id] = variable
    unit.order.append(variable)
    return ctx.inner(scope), x.Ref(variable.id, t)


def read_index(ctx: Context, scope: Scope, name_node: Node, bounds: list[Node], declared: Type | None) -> s.LoopIndex:
    """One `i = lower:upper:step`; the index is a variable of the construct."""
    name = text_of(name_node)
    t = index_type(ctx, name_node, declared)
    if name in scope.names:
        raise ctx.error(name_node, f"index '{name}' stands twice in the header")
    values = []
    for node in bounds:
        value = lower_scalar(ctx, node, "integer", "a loop bound")
        values.append(as_index(ctx, node, value, t))
    if len(values) == 2:
        values.append(x.Literal(1, t))
    elif isinstance(values[2], x.Literal) and values[2].value == 0:
        raise ctx.error(bounds[2], "the step of a loop cannot be zero")
    variable = Variable(f"{scope.id}.{name}", name, t, span=ctx.span(name_node))
    scope.names[name] = variable
    scope.registry[variable.id] = variable
    return s.LoopIndex(x.Ref(variable.id, t), values[0], values[1], values[2])


def _concurrent(
    ctx: Context, item: Item, statement: Node, construct: Construct, targets: dict[str, Construct], last: Item | None
) -> None:
    header = first(statement, "concurrent_header")
    assert header is not None
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('dc')}", "construct", ctx.scope)
    type_node = header.child_by_field_name("type")
    declared = None if type_node is None else read_type(ctx, type_node)
    indices = []
    mask_node: Node | None = None
    for child in header.children:
        if child.type == "concurrent_control":
            parts = named(child)
            indices.append(read_index(ctx, scope, parts[0], parts[1:], declared))
        elif child.type == "concurrent_mask":
            mask_node = child
    index_variables = [v for v in scope.names.values() if isinstance(v, Variable)]
    inner = ctx.inner(scope)
    mask = None
    if mask_node is not None:
        mask = lower_scalar(inner, named(mask_node)[0], "logical", "the mask of do concurrent")
    locality = _Locality(ctx, statement, scope)
    construct.indices = tuple(i.ref.id for i in indices)
    ctx.constructs.append(construct)
    ctx.jumps.append(targets)
    items = items_of(inner, item.node.children)
    if last is not None and last.node.id != item.node.id:
        items.append(last)
    body = lower_items(inner, items, "" if last is None else last.label)
    ctx.jumps.pop()
    ctx.constructs.pop()
    loop = s.ParallelLoop(
        tuple(indices), mask, (*(v.symbol() for v in index_variables), *locality.locals), tuple(locality.reductions),
        body, "do concurrent", frozenset(locality.init), frozenset(locality.shared), locality.default_none,
        construct.target or _own_name(ctx, construct), tuple(d for d in item.directives if d), span=ctx.span(item.node),
    )  # fmt: skip
    if locality.default_none:
        _check_none(ctx, item.node, loop)
    ctx.out.append(loop)


class _Locality:
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
                raise ctx.error(operator_node, f"'{operator}' is no reduction operator", f"one of {', '.join(sorted(REDUCTIONS))}")
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
        from polystencil.frontend.designators import find

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
        if variable.shape and any(d.upper is None or d.upper == "*" for d in variable.shape) and "pointer" not in variable.attributes:
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


def _check_none(ctx: Context, node: Node, loop: s.ParallelLoop) -> None:
    """default(none): every outer variable of the body has a locality."""
    own = {i.ref.id for i in loop.indices} | {v.id for v in loop.locals} | {r.ref.id for r in loop.reductions} | loop.shared
    own |= {v.id for v in symbols_in_body(loop.body)}
    masked = () if loop.mask is None else walk_expression(loop.mask)
    for e in (*masked, *walk_body_expressions(loop.body)):
        if isinstance(e, x.Ref) and e.id not in own:
            variable = ctx.reader.variable(e.id)
            if variable is not None and "parameter" not in variable.attributes:
                raise ctx.error(node, f"default(none): '{variable.name}' has no locality", f"add shared({variable.name})")


register("do_loop", _do_loop)
__all__ = ["INTEGER"]
