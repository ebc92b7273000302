"""Names, components, elements, sections, substrings - and function references, which look the same in Fortran."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from polystencil.frontend import intrinsic_names
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.entities import (
    Alias, Ambiguous, Entity, Generic, IntrinsicName, NamelistGroup, StatementFunction, Variable,
)  # fmt: skip
from polystencil.frontend.expressions import describe, lower, lower_scalar, lower_value, register
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.sections import subscript_section
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, ProcedureType, Record, Type
from polystencil.ir.typing import rank_of, type_of


def find(ctx: Context, node: Node, name: str) -> Entity:
    """What `name` means at this place; undeclared names become variables where implicit typing allows it."""
    found = ctx.scope.lookup(name)
    if found is not None:
        if isinstance(found, Ambiguous):
            raise ctx.error(node, f"'{name}' comes from several modules: {', '.join(found.modules)}",
                            "rename one of them or use only: lists")
        return found
    if name in intrinsic_names.FUNCTIONS or name in intrinsic_names.SPECIFIC:
        return IntrinsicName(name)
    return implicit_variable(ctx, node, name)


def implicit_variable(ctx: Context, node: Node, name: str) -> Variable:
    """A variable that nothing declares, by implicit typing."""
    t = ctx.scope.implicit_type(name)
    if t is None:
        hint = ctx.scope.similar(name) or "declare it"
        raise ctx.error(node, f"'{name}' is not declared", hint)
    unit = ctx.scope.unit()
    variable = Variable(f"{unit.id}.{name}", name, t, span=ctx.span(node))
    if unit.save_all:
        variable.attributes.add("save")
    return unit.declare(variable)


def lower_identifier(ctx: Context, node: Node) -> x.Expression:
    """A name by itself."""
    name = text_of(node)
    entity = find(ctx, node, name)
    if isinstance(entity, Variable):
        if "external" in entity.attributes and "dummy" not in entity.attributes:
            unit = ctx.reader.externals.get(name)
            if unit is not None:
                return x.ProcedureRef(unit.id)
        return entity.reference()
    if isinstance(entity, Alias):
        return entity.expression
    if isinstance(entity, ProcedureUnit):
        return x.ProcedureRef(entity.id)
    if isinstance(entity, IntrinsicName) and entity.name.startswith("ieee_"):
        raise ctx.error(node, f"'{name}' is a procedure, a value is needed")
    if isinstance(entity, IntrinsicName):
        if ctx.scope.implicit_type(name) is not None and ctx.scope.lookup(name) is None:
            return implicit_variable(ctx, node, name).reference()
        raise ctx.unsupported(node, f"the intrinsic '{name}' as a value", "wrap it in a function of your own")
    if isinstance(entity, Generic):
        for specific in entity.specifics:
            if isinstance(specific, ProcedureUnit) and specific.name == name:
                return x.ProcedureRef(specific.id)
        raise ctx.error(node, f"generic '{name}' needs arguments to choose a procedure")
    raise ctx.error(node, f"'{name}' has no value: it is {_kind_of(entity)}")


def _kind_of(entity: Entity) -> str:
    if isinstance(entity, TypeEntity):
        return "a derived type"
    if isinstance(entity, NamelistGroup):
        return "a namelist group"
    return "a statement function" if isinstance(entity, StatementFunction) else "not a variable"


def lower_member(ctx: Context, node: Node) -> x.Expression:
    """`base%name`: a component, the parent part of an extended type, or an inquiry (%re, %kind, ...)."""
    parts = named(node)
    return component(ctx, node, lower_value(ctx, parts[0]), text_of(parts[-1]))


def component(ctx: Context, node: Node, base: x.Expression, name: str, subscripted: bool = False) -> x.Expression:
    """A component of a lowered object."""
    t = type_of(base)
    if not isinstance(t, Record):
        return _part(ctx, node, base, t, name)
    entity = ctx.reader.types.get(t.id)
    if entity is None:
        raise ctx.error(node, f"class(*) has no component '{name}'", "use select type")
    found = entity.component(name)
    if isinstance(base, x.Convert):
        base = base.operand
    if found is not None:
        if found.rank and rank_of(base) and not subscripted:
            raise ctx.error(node, f"component '{name}' and the object before it both have a rank")
        if name in entity.private_components and entity.id.rsplit(".", 1)[0] not in {s.id for s in ctx.scope.chain()}:
            raise ctx.error(node, f"component '{name}' of type {entity.name} is private")
        return x.Component(base, name, found.full_type, found.rank)
    ancestor = entity.ancestor(name)
    if ancestor is not None:
        return x.Convert(base, Record(ancestor.id))
    if entity.binding(name) is not None or entity.generic(name):
        raise ctx.error(node, f"'{name}' is a type-bound procedure, call it with parentheses")
    known = {v.name for v in entity.components()}
    import difflib

    close = difflib.get_close_matches(name, known, 1, 0.6)
    hint = f"did you mean '{close[0]}'?" if close else f"its components are {', '.join(sorted(known))}" if known else ""
    raise ctx.error(node, f"type {entity.name} has no component '{name}'", hint)


def _part(ctx: Context, node: Node, base: x.Expression, t: Type, name: str) -> x.Expression:
    if isinstance(t, Intrinsic):
        if t.base == "complex" and name in ("re", "im"):
            real = Intrinsic("real", t.kind)
            if name == "re":
                return x.Convert(base, real)
            return x.IntrinsicCall("aimag", (base,), real, rank_of(base))
        if name == "kind":
            return x.Literal(t.kind, Intrinsic("integer", 4))
        if name == "len" and t.base == "character":
            return x.IntrinsicCall("len", (base,), Intrinsic("integer", 4))
    raise ctx.error(node, f"{describe(base)} has no component '{name}'", "only derived types have components")


def lower_call(ctx: Context, node: Node) -> x.Expression:
    """`base(...)`: element, section, substring, function reference or structure constructor."""
    children = [c for c in node.children if c.is_named and c.type != "comment"]
    base, lists = children[0], children[1:]
    e = _first_list(ctx, node, base, lists[0])
    for arguments in lists[1:]:
        e = _second_list(ctx, e, arguments)
    return e


def _first_list(ctx: Context, node: Node, base: Node, arguments: Node) -> x.Expression:
    from polystencil.frontend import calls

    if base.type == "identifier":
        name = text_of(base)
        entity: Entity | None = ctx.scope.lookup(name)
        if isinstance(entity, Variable):
            return _variable_with_list(ctx, node, base, entity, arguments)
        if isinstance(entity, Alias):
            return subscript(ctx, node, entity.expression, arguments)
        return calls.function_reference(ctx, node, base, name, entity, arguments)
    if base.type == "derived_type_member_expression":
        bound = calls.bound_reference(ctx, node, base, arguments)
        if bound is not None:
            return bound
        parts = named(base)
        array = component(ctx, base, lower_value(ctx, parts[0]), text_of(parts[-1]), True)
        e = subscript(ctx, node, array, arguments)
        if isinstance(e, x.Section) and isinstance(array, x.Component) and rank_of(array.base):
            raise ctx.error(node, "the object and its component both have a rank here")
        return e
    if base.type == "call_expression":
        return _second_list(ctx, lower(ctx, base), arguments)
    return subscript(ctx, node, lower(ctx, base), arguments)


def _second_list(ctx: Context, e: x.Expression, arguments: Node) -> x.Expression:
    """`base(...)(a:b)`"""
    t = type_of(e)
    if not (isinstance(t, Intrinsic) and t.base == "character" and first_is_range(arguments)):
        raise ctx.error(arguments, "a second list in parentheses can only be a substring (a:b) of a character value")
    return _substring(ctx, e, named(arguments)[0])


def _variable_with_list(ctx: Context, node: Node, base: Node, variable: Variable, arguments: Node) -> x.Expression:
    from polystencil.frontend import calls

    if variable.is_procedure:
        return calls.procedure_variable_call(ctx, node, variable, arguments)
    if variable.rank or (isinstance(variable.type, Intrinsic) and variable.type.base == "character" and first_is_range(arguments)):
        return subscript(ctx, node, variable.reference(), arguments)
    if "result" in variable.attributes and ctx.scope.unit().id == variable.id.rsplit(".", 1)[0]:
        unit = ctx.scope.unit()
        outer = unit.host.lookup(variable.name) if unit.host is not None else None
        if isinstance(outer, ProcedureUnit):
            return calls.function_reference(ctx, node, base, variable.name, outer, arguments)
    external = calls.external_function(ctx, node, base, variable, arguments)
    if external is not None:
        return external
    raise ctx.error(base, f"'{variable.name}' is a scalar, it takes no subscripts", "declare it as an array or a function")


def first_is_range(arguments: Node) -> bool:
    """Whether a list starts with `a:b`."""
    items = named(arguments)
    return len(items) == 1 and items[0].type == "extent_specifier"


def subscript(ctx: Context, node: Node, base: x.Expression, arguments: Node) -> x.Expression:
    """`base(arguments)` for an array or character base."""
    items = named(arguments)
    t = type_of(base)
    own_rank = base.rank if isinstance(base, x.Component) else rank_of(base)
    if isinstance(base, (x.Element, x.Substring)) or (own_rank == 0 and rank_of(base)):
        own_rank = 0
    if own_rank == 0:
        if isinstance(t, Intrinsic) and t.base == "character" and first_is_range(arguments):
            return _substring(ctx, base, items[0])
        raise ctx.error(node, f"{describe(base)} takes no subscripts")
    if len(items) != own_rank:
        raise ctx.error(arguments, f"{len(items)} subscripts for an array of rank {own_rank}")
    subscripts = tuple(_subscript(ctx, item) for item in items)
    if isinstance(base, x.Section):
        return subscript_section(ctx, base, subscripts)
    if not isinstance(base, (x.Ref, x.Component)):
        raise ctx.error(node, "only variables have elements", "assign the value to an array first")
    if any(isinstance(s, x.Range) or rank_of(s) for s in subscripts):
        return x.Section(base, subscripts)
    return x.Element(base, subscripts)


def _subscript(ctx: Context, item: Node) -> x.Expression:
    if item.type == "extent_specifier":
        return read_range(ctx, item)
    e = lower_value(ctx, item)
    t = type_of(e)
    if not isinstance(t, Intrinsic) or t.base != "integer" or rank_of(e) > 1:
        raise ctx.error(item, f"a subscript must be an integer, this is {describe(e)}",
                        "convert it with int() or nint()" if isinstance(t, Intrinsic) and t.base == "real" else "")
    return e


def read_range(ctx: Context, item: Node) -> x.Range:
    """`a:b:c` with parts left out."""
    parts: list[x.Expression | None] = [None, None, None]
    k = 0
    for child in item.children:
        if child.type == ":":
            k += 1
        elif child.is_named and child.type != "comment":
            parts[k] = lower_scalar(ctx, child, "integer", "a bound of a section")
    return x.Range(parts[0], parts[1], parts[2])


def _substring(ctx: Context, base: x.Expression, item: Node) -> x.Expression:
    bounds = read_range(ctx, item)
    if bounds.step is not None:
        raise ctx.error(item, "a substring has no stride")
    return x.Substring(base, bounds.lower, bounds.upper)


def is_variable(e: x.Expression) -> bool:
    """Whether `e` names storage."""
    if isinstance(e, x.Convert) and isinstance(e.type, Record):
        return is_variable(e.operand)
    return isinstance(e, (x.Ref, x.Element, x.Section, x.Component, x.Substring))


def root_of(e: x.Expression) -> x.Expression:
    """The Ref (or other expression) at the bottom of a designator."""
    while isinstance(e, (x.Element, x.Section, x.Component, x.Substring)) or (
        isinstance(e, x.Convert) and isinstance(e.type, Record)
    ):
        e = e.operand if isinstance(e, x.Convert) else e.base
    return e


def lower_variable(ctx: Context, node: Node, what: str = "assign to") -> x.Expression:
    """A designator that may be written."""
    e = lower(ctx, node)
    if isinstance(e, x.Convert) and node.type == "derived_type_member_expression" and not isinstance(e.type, Record):
        raise ctx.unsupported(node, "writing a part (%re, %im) of a complex variable", "assign cmplx(...) to the variable")
    if not is_variable(e):
        if isinstance(e, x.NamedConstant):
            raise ctx.error(node, f"cannot {what} '{text_of(node)}': it is a parameter")
        raise ctx.error(node, f"cannot {what} '{text_of(node)[:40]}': it is not a variable")
    root = root_of(e)
    if isinstance(root, x.Ref):
        variable = ctx.reader.variable(root.id)
        if variable is not None:
            check_writable(ctx, node, e, variable, what)
    return e


def check_writable(ctx: Context, node: Node, e: x.Expression, variable: Variable, what: str) -> None:
    """SourceError when the source may not change this variable."""
    if "parameter" in variable.attributes:
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is a parameter")
    if isinstance(e, x.Ref) and any(e.id == c.index or e.id in c.indices for c in ctx.constructs):
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is the index of a loop around this statement")
    if variable.intent == "in" and "pointer" not in variable.attributes and not _through_pointer(ctx, e):
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is a dummy argument with intent(in)")
    if "protected" in variable.attributes:
        module = variable.id.rsplit(".", 1)[0]
        if all(s.id != module for s in ctx.scope.chain()):
            raise ctx.error(node, f"cannot {what} '{variable.name}': it is protected in module {module}")


def _through_pointer(ctx: Context, e: x.Expression) -> bool:
    while not isinstance(e, x.Ref):
        if isinstance(e, x.Component):
            t = type_of(e.base)
            entity = ctx.reader.types.get(t.id) if isinstance(t, Record) else None
            found = entity.component(e.field) if entity is not None else None
            if found is not None and "pointer" in found.attributes:
                return True
        if isinstance(e, (x.Element, x.Section, x.Component, x.Substring)):
            e = e.base
        elif isinstance(e, x.Convert):
            e = e.operand
        else:
            return False
    return False


def index_variable(ctx: Context, node: Node) -> x.Ref:
    """The variable of a do loop or implied do."""
    name = text_of(node)
    e = lower_variable(ctx, node, "loop over")
    t = type_of(e)
    if not isinstance(e, x.Ref) or e.rank:
        raise ctx.error(node, "a loop index must be a scalar variable")
    if not isinstance(t, Intrinsic) or t.base not in ("integer", "real"):
        raise ctx.error(node, f"a loop index must be an integer, '{name}' is {describe(e)}")
    return e


def pointer_attributes(ctx: Context, e: x.Expression) -> set[str]:
    """The attributes of the variable or component that a whole-object designator names."""
    if isinstance(e, x.Ref):
        variable = ctx.reader.variable(e.id)
        return set() if variable is None else variable.attributes
    if isinstance(e, x.Component):
        t = type_of(e.base)
        entity = ctx.reader.types.get(t.id) if isinstance(t, Record) else None
        found = entity.component(e.field) if entity is not None else None
        return set() if found is None else found.attributes
    return set()


register("identifier", lower_identifier)
register("derived_type_member_expression", lower_member)
register("call_expression", lower_call)
__all__ = ["ProcedureType", "replace"]
