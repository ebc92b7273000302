"""From statement nodes to IR statements: assignments, calls and jumps, and the way to everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tree_sitter import Node

from polystencil.frontend import intrinsic_names
from polystencil.frontend.calls import bound_target, matched, read_actuals
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.designators import lower_variable, pointer_attributes
from polystencil.frontend.entities import Alias, Generic, IntrinsicName, Variable
from polystencil.frontend.expressions import assign_convert, describe, describe_type, lower, lower_value
from polystencil.frontend.generics import choose, defined_assignment, no_match
from polystencil.frontend.intrinsics import intrinsic_subroutine
from polystencil.frontend.labels import Item, items_of, jump, lower_items
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.scopes import Scope
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic, NoType, ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of

Handler = Callable[[Context, Item], None]
_HANDLERS: dict[str, Handler] = {}


def lower_statement(ctx: Context, item: Item) -> None:
    """Append the IR of one statement to `ctx.out`."""
    if item.terminal == "end":
        return
    handler = _HANDLERS.get(item.node.type)
    if handler is None:
        raise ctx.unsupported(item.node, f"the statement '{item.node.type.replace('_statement', '').replace('_', ' ')}'")
    handler(ctx, item)


def lower_body(ctx: Context, nodes: Iterable[Node], scope: Scope | None = None) -> s.Body:
    """The statements among `nodes`."""
    inner = ctx if scope is None else ctx.inner(scope)
    return lower_items(inner, items_of(inner, nodes))


def register(kind: str, handler: Handler) -> None:
    """Add the handler of a statement node."""
    _HANDLERS[kind] = handler


# --- assignment -------------------------------------------------------------------------------------------------


def _assignment(ctx: Context, item: Item) -> None:
    node = item.node
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    assert left is not None and right is not None
    target = lower_variable(ctx, left)
    value = lower(ctx, right)
    ctx.out.append(assign(ctx, node, right, target, value))


def assign(ctx: Context, node: Node, value_node: Node, target: x.Expression, value: x.Expression) -> s.Statement:
    """`target = value`, intrinsic or defined."""
    span = ctx.span(node)
    t = type_of(target)
    source = type_of(value)
    if isinstance(t, ProcedureType):
        raise ctx.error(node, "a procedure pointer is set with =>")
    if isinstance(source, (ProcedureType, NoType)):
        raise ctx.error(value_node, "a value is needed on the right of =", "pointers are set with =>")
    if isinstance(t, Record) or isinstance(source, Record) or (
        isinstance(t, Intrinsic) and isinstance(source, Intrinsic) and t.base != source.base
    ):
        defined = defined_assignment(ctx, node, target, value)
        if defined is not None:
            return s.Call(defined[0], defined[1], span=span)
    value = assign_convert(ctx, value_node, value, t)
    if rank_of(value) and rank_of(value) != rank_of(target):
        raise ctx.error(value_node, f"a value of rank {rank_of(value)} is assigned to {describe(target)}"
                        + ("" if rank_of(target) else ", a scalar"))
    return s.Assign(target, value, span=span)


def _pointer_assignment(ctx: Context, item: Item) -> None:
    node = item.node
    left, right = named(node)
    bounds: tuple[tuple[x.Expression, x.Expression | None], ...] = ()
    target: x.Expression | None = None
    if left.type == "call_expression":
        base, arguments = named(left)[0], named(left)[-1]
        target = lower_variable(ctx, base)
        from polystencil.frontend.designators import read_range

        pairs = []
        for part in named(arguments):
            if part.type != "extent_specifier":
                raise ctx.error(part, "bounds of a pointer are written lower: or lower:upper")
            range_ = read_range(ctx, part)
            if range_.lower is None or range_.step is not None:
                raise ctx.error(part, "bounds of a pointer are written lower: or lower:upper")
            pairs.append((range_.lower, range_.upper))
        bounds = tuple(pairs)
    else:
        target = lower_variable(ctx, left, "point with")
    if "pointer" not in pointer_attributes(ctx, target):
        raise ctx.error(left, f"'{text_of(left)}' is no pointer", "declare it with the attribute pointer")
    value = lower(ctx, right)
    t, source = type_of(target), type_of(value)
    if not isinstance(t, ProcedureType) and not isinstance(source, NoType):
        if isinstance(source, ProcedureType) or not _pointable(ctx, t, source):
            raise ctx.error(right, f"a pointer to {describe_type(t)} cannot point to {describe(value)}")
        remaps = bool(bounds) and bounds[0][1] is not None
        if not remaps and rank_of(value) != rank_of(target):
            raise ctx.error(right, f"a pointer of rank {rank_of(target)} cannot point to a target of rank {rank_of(value)}")
    ctx.out.append(s.PointerAssign(target, value, bounds, span=ctx.span(node)))


def _pointable(ctx: Context, target: object, source: object) -> bool:
    if isinstance(target, Intrinsic) and isinstance(source, Intrinsic):
        return (target.base, target.kind) == (source.base, source.kind)
    if isinstance(target, Record) and isinstance(source, Record):
        return target.id in (source.id, "*") or ctx.reader.extends(source.id, target.id)
    return isinstance(target, Record) and target.id == "*"


# --- calls ------------------------------------------------------------------------------------------------------


def _call(ctx: Context, item: Item) -> None:
    node = item.node
    target = node.child_by_field_name("subroutine")
    assert target is not None
    arguments = next((c for c in node.children if c.type == "argument_list"), None)
    if target.type == "call_expression":
        # the grammar sometimes takes the list into the designator
        arguments = named(target)[-1]
        target = named(target)[0]
    if any(c.type == "cuda_kernel_argument_list" for c in node.children):
        raise ctx.unsupported(node, "a CUDA Fortran launch", "write a do concurrent loop")
    span = ctx.span(node)
    if target.type == "derived_type_member_expression":
        found = bound_target(ctx, node, target, arguments)
        if found is None:
            lower(ctx, target)
            raise ctx.error(target, f"'{text_of(target)}' is no procedure")
        unit, procedure, values = found
        if unit.kind == "function":
            raise ctx.error(target, f"'{unit.name}' is a function", "use it in an expression")
        ctx.out.append(s.Call(procedure, values, span=span))
        return
    name = text_of(target)
    entity = ctx.scope.lookup(name)
    if isinstance(entity, Generic):
        actuals = read_actuals(ctx, arguments)
        chosen = choose(ctx, entity, actuals)
        if chosen is None:
            raise no_match(ctx, node, entity, actuals)
        ctx.out.append(s.Call(x.ProcedureRef(chosen[0].id), chosen[1], span=span))
        return
    if isinstance(entity, ProcedureUnit) or (entity is None and name in ctx.reader.externals):
        unit = entity if isinstance(entity, ProcedureUnit) else ctx.reader.externals[name]
        unit.declare()
        if unit.kind == "function":
            raise ctx.error(target, f"'{name}' is a function", "use it in an expression")
        ctx.reader.check_defined(ctx, target, unit)
        values = matched(ctx, node, unit, read_actuals(ctx, arguments))
        ctx.out.append(s.Call(x.ProcedureRef(unit.id), values, span=span))
        return
    if isinstance(entity, Variable) and ("dummy" in entity.attributes or entity.is_procedure):
        if not entity.is_procedure:
            entity.type, entity._symbol = ProcedureType(None), None
            entity.attributes.add("external")
        unit_ = ctx.reader.interface_of(entity.full_type)
        actuals = read_actuals(ctx, arguments)
        given = tuple(a.value for a in actuals) if unit_ is None else matched(ctx, node, unit_, actuals)
        ctx.out.append(s.Call(x.Ref(entity.id, entity.full_type), given, span=span))
        return
    if entity is None or isinstance(entity, IntrinsicName):
        if name in intrinsic_names.SUBROUTINES:
            values = intrinsic_subroutine(ctx, node, name, read_actuals(ctx, arguments))
            ctx.out.append(s.CallIntrinsic(name, values, span=span))
            return
        if name in intrinsic_names.UNSUPPORTED_SUBROUTINES:
            raise ctx.unsupported(node, f"the intrinsic subroutine {name}")
    if entity is None:
        raise ctx.error(target, f"subroutine '{name}' is not known",
                        ctx.scope.similar(name) or "give the file that defines it, too")
    raise ctx.error(target, f"'{name}' is no subroutine")


# --- jumps and the like -------------------------------------------------------------------------------------------


def _keyword(ctx: Context, item: Item) -> None:
    node = item.node
    word = node.children[0].type
    span = ctx.span(node)
    name_node = next((c for c in node.children if c.type == "identifier"), None)
    name = "" if name_node is None else text_of(name_node)
    if word == "continue":
        return
    if word == "return":
        if len(named(node)):
            raise ctx.unsupported(node, "an alternate return", "return a status and branch on it")
        if ctx.scope.unit().kind == "program":
            ctx.out.append(s.Stop(span=span))
            return
        ctx.out.append(s.Return(span=span))
        return
    if word == "cycle":
        construct = _find_construct(ctx, node, name, True)
        ctx.out.append(s.Cycle(construct, span=span))
        return
    if word == "exit":
        ctx.out.append(s.Exit(_find_construct(ctx, node, name, False), span=span))
        return
    _go_to(ctx, node)


def _find_construct(ctx: Context, node: Node, name: str, cycle: bool) -> str:
    for construct in reversed(ctx.constructs):
        loop = construct.kind in ("loop", "parallel")
        if construct.kind == "jump":
            continue
        if (name and construct.name == name) or (not name and loop):
            if cycle and not loop:
                raise ctx.error(node, f"cycle needs a loop, '{name}' is none")
            if construct.kind == "parallel" and not cycle:
                raise ctx.error(node, "exit cannot leave a do concurrent loop", "use a plain do loop")
            return construct.use(ctx)
        if construct.kind == "parallel":
            raise ctx.error(node, f"{'cycle' if cycle else 'exit'} cannot leave a do concurrent loop")
    what = f"the construct '{name}'" if name else "a loop"
    raise ctx.error(node, f"{'cycle' if cycle else 'exit'} is not inside {what}")


def _go_to(ctx: Context, node: Node) -> None:
    labels = [c for c in node.children if c.type == "statement_label_reference"]
    others = [c for c in named(node) if c.type != "statement_label_reference"]
    if not others:
        ctx.out.append(jump(ctx, node, text_of(labels[0])))
        return
    first_label = next(k for k, c in enumerate(node.children) if c.type == "statement_label_reference")
    if any(c.id == others[0].id for c in node.children[:first_label]):
        raise ctx.unsupported(node, "an assigned go to", "use select case")
    selector = lower_value(ctx, others[0])
    t = type_of(selector)
    if not isinstance(t, Intrinsic) or t.base != "integer":
        raise ctx.error(others[0], f"a computed go to needs an integer, this is {describe(selector)}")
    cases = []
    for k, label in enumerate(labels, 1):
        value = x.Literal(k, t)
        cases.append(s.Case((s.CaseRange(value, value),), (jump(ctx, label, text_of(label)),), ctx.span(label)))
    ctx.out.append(s.SelectCase(selector, tuple(cases), span=ctx.span(node)))


def _stop(ctx: Context, item: Item) -> None:
    node = item.node
    error = node.children[0].type == "error"
    parts = named(node)
    quiet: x.Expression | None = None
    code: x.Expression | None = None
    after_quiet = False
    for child in node.children:
        if child.type == "quiet":
            after_quiet = True
        elif child.is_named and child.type != "comment":
            if after_quiet:
                quiet = lower_value(ctx, child)
            else:
                code = lower_value(ctx, child)
                t = type_of(code)
                if not isinstance(t, Intrinsic) or t.base not in ("integer", "character") or rank_of(code):
                    raise ctx.error(child, f"a stop code is an integer or text, this is {describe(code)}")
    del parts
    ctx.out.append(s.Stop(code, error, quiet, span=ctx.span(node)))


def _no_statement(ctx: Context, item: Item) -> None:
    raise ctx.error(item.node, "this is no statement", "to call a subroutine write call name(...)")


register("assignment_statement", _assignment)
register("pointer_association_statement", _pointer_assignment)
register("subroutine_call", _call)
register("keyword_statement", _keyword)
register("stop_statement", _stop)
register("call_expression", _no_statement)
__all__ = ["Alias", "lower_body", "lower_statement"]
