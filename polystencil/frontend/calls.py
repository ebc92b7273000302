"""References to procedures: arguments matched to dummies, generics and bindings resolved."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from polystencil.frontend import intrinsic_names
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.entities import Ambiguous, Entity, Generic, IntrinsicName, StatementFunction, Variable
from polystencil.frontend.expressions import assign_convert, describe, describe_type, lower, lower_value
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, NoType, ProcedureType, Record, Type
from polystencil.ir.typing import rank_of, type_of


@dataclass(frozen=True, eq=False)
class Actual:
    """One actual argument."""

    keyword: str
    value: x.Expression
    node: Node


def read_actuals(ctx: Context, arguments: Node | None) -> list[Actual]:
    """The arguments of a list, lowered."""
    out: list[Actual] = []
    if arguments is None:
        return out
    for item in named(arguments):
        if item.type == "keyword_argument":
            name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
            assert name is not None and value is not None
            out.append(Actual(text_of(name), lower(ctx, value), value))
            continue
        if item.type == "assumed_size":
            raise ctx.unsupported(item, "an alternate return", "return a status and branch on it")
        if item.type == "extent_specifier":
            raise ctx.error(item, "a range a:b is no argument of a procedure", "is the name declared as an array?")
        if out and out[-1].keyword:
            raise ctx.error(item, "a positional argument cannot follow one with a keyword")
        out.append(Actual("", lower(ctx, item), item))
    return out


# --- matching ---------------------------------------------------------------------------------------------------


class Mismatch(Exception):
    """Why the arguments do not fit; `node` is the argument's."""

    def __init__(self, reason: str, node: Node | None = None) -> None:
        super().__init__(reason)
        self.reason, self.node = reason, node


def match(
    ctx: Context, unit: ProcedureUnit, actuals: list[Actual], strict_rank: bool
) -> tuple[x.Expression | None, ...]:
    """The arguments in the order of the dummies, None for absent ones; Mismatch when they do not fit."""
    names = unit.dummy_names()
    dummies = unit.dummies
    slots: list[Actual | None] = [None] * len(dummies)
    for k, actual in enumerate(actuals):
        if actual.keyword:
            if actual.keyword not in names:
                raise Mismatch(f"{unit.name} has no dummy argument '{actual.keyword}'", actual.node)
            k = names.index(actual.keyword)
        if k >= len(dummies):
            raise Mismatch(f"{unit.name} takes {len(dummies)} arguments, {len(actuals)} are given", actual.node)
        if slots[k] is not None:
            raise Mismatch(f"argument '{names[k]}' of {unit.name} is given twice", actual.node)
        slots[k] = actual
    out: list[x.Expression | None] = []
    for slot, dummy in zip(slots, dummies, strict=True):
        if slot is None:
            if isinstance(dummy, Variable) and "optional" in dummy.attributes:
                out.append(None)
                continue
            raise Mismatch(f"argument '{dummy.name if isinstance(dummy, Variable) else '*'}' of {unit.name} is missing")
        if not isinstance(dummy, Variable):
            raise Mismatch("alternate returns are not supported", slot.node)
        _check(ctx, unit, dummy, slot, strict_rank)
        out.append(slot.value)
    return tuple(out)


def _check(ctx: Context, unit: ProcedureUnit, dummy: Variable, actual: Actual, strict: bool) -> None:
    wanted, given = dummy.full_type, type_of(actual.value)
    rank = rank_of(actual.value)
    if isinstance(wanted, ProcedureType):
        if not isinstance(given, ProcedureType):
            raise Mismatch(f"'{dummy.name}' of {unit.name} needs a procedure", actual.node)
        return
    if isinstance(given, ProcedureType):
        raise Mismatch(f"'{dummy.name}' of {unit.name} needs a value, a procedure is given", actual.node)
    if isinstance(given, NoType):
        return
    if not _compatible(ctx, wanted, given):
        raise Mismatch(f"argument '{dummy.name}' of {unit.name} is {describe_type(wanted)}, given is {describe(actual.value)}",
                       actual.node)
    if dummy.rank == rank or dummy.rank < 0:
        return
    if dummy.rank == 0 and rank and unit.elemental:
        return
    if not strict and dummy.rank and _by_sequence(dummy) and _has_sequence(actual.value, rank):
        return
    if not strict and dummy.rank == 0 and rank and unit.implicit_interface and not unit.interface_only:
        raise Mismatch(f"argument '{dummy.name}' of {unit.name} is a scalar, an array is given", actual.node)
    shape = "a scalar" if dummy.rank == 0 else f"an array of rank {dummy.rank}"
    raise Mismatch(f"argument '{dummy.name}' of {unit.name} is {shape}, given is {describe(actual.value)}"
                   + ("" if rank else ", a scalar"), actual.node)


def _by_sequence(dummy: Variable) -> bool:
    """Explicit-shape and assumed-size dummies take any sequence of elements."""
    return dummy.shape is not None and all(d.upper is not None for d in dummy.shape)


def _has_sequence(e: x.Expression, rank: int) -> bool:
    if rank:
        return True
    base = e.base if isinstance(e, x.Substring) else e
    t = type_of(e)
    return isinstance(base, x.Element) or (isinstance(t, Intrinsic) and t.base == "character")


def _compatible(ctx: Context, wanted: Type, given: Type) -> bool:
    if isinstance(wanted, Intrinsic) and isinstance(given, Intrinsic):
        return wanted.base == given.base and wanted.kind == given.kind
    if isinstance(wanted, Record):
        if wanted.id == "*":
            return True
        if isinstance(given, Record):
            return given.id == wanted.id or (wanted.polymorphic and ctx.reader.extends(given.id, wanted.id))
    return False


def matched(ctx: Context, node: Node, unit: ProcedureUnit, actuals: list[Actual]) -> tuple[x.Expression | None, ...]:
    """As `match`, a SourceError at the argument when they do not fit; also checks that outputs are variables."""
    from polystencil.frontend.designators import check_writable, is_variable, root_of

    try:
        out = match(ctx, unit, actuals, False)
    except Mismatch as mismatch:
        raise ctx.error(mismatch.node or node, mismatch.reason) from None
    for value, dummy in zip(out, unit.dummies, strict=True):
        if value is None or not isinstance(dummy, Variable) or dummy.intent not in ("out", "inout"):
            continue
        if not is_variable(value) and not isinstance(value, x.Null) and "value" not in dummy.attributes:
            place = next((a.node for a in actuals if a.value is value), node)
            raise ctx.error(place, f"argument '{dummy.name}' of {unit.name} is written (intent({dummy.intent})), "
                            "a variable is needed", "assign the value to a variable first")
        root = root_of(value)
        variable = ctx.reader.variable(root.id) if isinstance(root, x.Ref) else None
        if variable is not None:
            place = next((a.node for a in actuals if a.value is value), node)
            check_writable(ctx, place, value, variable, f"pass to an intent({dummy.intent}) argument")
    return out


def function_call(
    ctx: Context, node: Node, unit: ProcedureUnit, arguments: tuple[x.Expression | None, ...],
    target: x.Expression | None = None,
) -> x.Expression:
    """The reference to a function whose arguments are matched."""
    unit.declare()
    if unit.result is None:
        raise ctx.error(node, f"'{unit.name}' is a subroutine", f"write call {unit.name}(...)")
    rank = unit.result.rank
    if unit.elemental:
        rank = max((rank_of(a) for a in arguments if a is not None), default=0)
    t = unit.result.full_type
    if isinstance(t, Intrinsic) and t.base == "character" and not isinstance(t.length, (x.Literal, x.NamedConstant)):
        t = Intrinsic("character", 1, ":" if t.length == ":" else None)
    return x.FunctionCall(target or x.ProcedureRef(unit.id), arguments, t, rank)


# --- references -------------------------------------------------------------------------------------------------


def function_reference(
    ctx: Context, node: Node, base: Node, name: str, entity: Entity | None, arguments: Node
) -> x.Expression:
    """`name(arguments)` where `name` is no variable."""
    from polystencil.frontend.generics import resolve_function
    from polystencil.frontend.intrinsics import intrinsic_function

    if isinstance(entity, ProcedureUnit):
        return function_call(ctx, node, entity, matched(ctx, node, entity, read_actuals(ctx, arguments)))
    if isinstance(entity, Generic):
        return resolve_function(ctx, node, base, entity, arguments)
    if isinstance(entity, TypeEntity):
        return structure(ctx, node, entity, arguments)
    if isinstance(entity, StatementFunction):
        return expand_statement_function(ctx, node, entity, arguments)
    if isinstance(entity, Ambiguous):
        raise ctx.error(base, f"'{name}' comes from several modules: {', '.join(entity.modules)}")
    if isinstance(entity, IntrinsicName) or (
        entity is None and (name in intrinsic_names.FUNCTIONS or name in intrinsic_names.SPECIFIC)
    ):
        real_name = entity.name if isinstance(entity, IntrinsicName) else name
        return intrinsic_function(ctx, node, real_name, read_actuals(ctx, arguments))
    if entity is None:
        unit = ctx.reader.externals.get(name)
        t = ctx.scope.implicit_type(name)
        if unit is not None and unit.kind == "function" and t is not None:
            return function_call(ctx, node, unit, matched(ctx, node, unit, read_actuals(ctx, arguments)))
        if name in intrinsic_names.SUBROUTINES:
            raise ctx.error(base, f"'{name}' is a subroutine", f"write call {name}(...)")
        if name in intrinsic_names.UNSUPPORTED:
            raise ctx.unsupported(base, f"the intrinsic function {name}")
        if unit is not None and t is None:
            raise ctx.error(base, f"the type of function '{name}' is not declared", f"declare it: external, or use a module")
        raise ctx.error(base, f"'{name}' is neither an array nor a known function",
                        ctx.scope.similar(name) or "declare it, or give the file that defines it")
    raise ctx.error(base, f"'{name}' cannot be referenced with arguments")


def external_function(ctx: Context, node: Node, base: Node, variable: Variable, arguments: Node) -> x.Expression | None:
    """A reference to an external function (or an intrinsic) of which only the type is declared."""
    from polystencil.frontend.intrinsics import intrinsic_function

    name = variable.name
    if "dummy" in variable.attributes:
        variable.attributes.add("external")
        result = variable.full_type
        variable.type = ProcedureType(None)
        ctx.reader.result_types[variable.id] = result
        variable._symbol = None
        return procedure_variable_call(ctx, node, variable, arguments)
    unit = ctx.reader.externals.get(name)
    if unit is not None and "intrinsic" not in variable.attributes:
        _forget(ctx, variable)
        return function_call(ctx, node, unit, matched(ctx, node, unit, read_actuals(ctx, arguments)))
    if name in intrinsic_names.FUNCTIONS or name in intrinsic_names.SPECIFIC:
        _forget(ctx, variable)
        return intrinsic_function(ctx, node, name, read_actuals(ctx, arguments))
    if "external" in variable.attributes:
        raise ctx.error(base, f"no source of external function '{name}' is given", "give the file that defines it")
    return None


def _forget(ctx: Context, variable: Variable) -> None:
    for scope in ctx.scope.chain():
        if variable in scope.order:
            scope.order.remove(variable)


def procedure_variable_call(ctx: Context, node: Node, variable: Variable, arguments: Node | None) -> x.Expression:
    """A call through a dummy procedure or procedure pointer."""
    target = x.Ref(variable.id, variable.full_type)
    return through(ctx, node, target, variable.id, arguments)


def through(ctx: Context, node: Node, target: x.Expression, id: str, arguments: Node | None) -> x.Expression:
    """A function call through a procedure-typed designator."""
    t = type_of(target)
    actuals = read_actuals(ctx, arguments)
    unit = ctx.reader.interface_of(t)
    if unit is not None:
        return function_call(ctx, node, unit, matched(ctx, node, unit, actuals), target)
    result = ctx.reader.result_types.get(id)
    if result is None:
        raise ctx.unsupported(node, "a function without an interface whose type is unknown", "give it an interface block")
    return x.FunctionCall(target, tuple(a.value for a in actuals), result)


def bound_reference(ctx: Context, node: Node, base: Node, arguments: Node | None) -> x.Expression | None:
    """`object%name(arguments)` as a function reference, None when `name` is a component with subscripts."""
    found = bound_target(ctx, node, base, arguments)
    if found is None:
        return None
    unit, target, values = found
    return function_call(ctx, node, unit, values, target)


def bound_target(
    ctx: Context, node: Node, base: Node, arguments: Node | None
) -> tuple[ProcedureUnit, x.Expression, tuple[x.Expression | None, ...]] | None:
    """Procedure, target and matched arguments of a reference through an object."""
    from polystencil.frontend.designators import component

    parts = named(base)
    name = text_of(parts[-1])
    object_ = lower_value(ctx, parts[0])
    t = type_of(object_)
    if not isinstance(t, Record):
        return None
    entity = ctx.reader.types.get(t.id)
    if entity is None:
        return None
    found = entity.component(name)
    if found is not None:
        if not isinstance(found.type, ProcedureType):
            return None
        target = component(ctx, base, object_, name)
        unit = ctx.reader.interface_of(found.full_type)
        if unit is None:
            raise ctx.unsupported(node, "a procedure pointer component without an interface")
        actuals = read_actuals(ctx, arguments)
        if "pass" in found.attributes:
            actuals.insert(0, Actual("", object_, parts[0]))
        return unit, target, matched(ctx, node, unit, actuals)
    candidates = [name] if entity.binding(name) is not None else entity.generic(name)
    if not candidates:
        return None
    actuals = read_actuals(ctx, arguments)
    reasons: list[Mismatch] = []
    for strict in (True, False) if len(candidates) > 1 else (False,):
        for candidate in candidates:
            bound = entity.binding(candidate)
            if bound is None:
                raise ctx.error(base, f"type {entity.name} has no binding '{candidate}'")
            unit = bound.signature()
            index = bound.pass_index()
            unit.declare()
            try:
                values = match(ctx, unit, _with_object(actuals, object_, parts[0], index, unit), strict)
            except Mismatch as mismatch:
                reasons.append(mismatch)
                continue
            procedure = bound.procedure()
            if t.polymorphic and (procedure is None or entity.overridden_below(candidate)):
                return unit, x.BoundProcedure(object_, candidate, index), values
            if procedure is None:
                raise ctx.error(base, f"'{candidate}' is deferred in {entity.name}")
            return procedure, x.ProcedureRef(procedure.id), values
    if len(candidates) == 1:
        raise ctx.error(reasons[0].node or node, reasons[0].reason)
    raise ctx.error(node, f"no procedure of generic '{name}' takes these arguments: "
                    + ", ".join(describe(a.value) for a in actuals))


def _with_object(
    actuals: list[Actual], object_: x.Expression, node: Node, index: int | None, unit: ProcedureUnit
) -> list[Actual]:
    if index is None:
        return actuals
    me = Actual("", object_, node)
    positional = [a for a in actuals if not a.keyword]
    if len(positional) >= index:
        return [*actuals[:index], me, *actuals[index:]]
    return [*actuals, Actual(unit.dummy_names()[index], object_, node)]


# --- structure constructors and statement functions ----------------------------------------------------------------


def structure(ctx: Context, node: Node, entity: TypeEntity, arguments: Node) -> x.Expression:
    """`type_name(values)`"""
    if entity.abstract:
        raise ctx.error(node, f"type {entity.name} is abstract, it has no values")
    components = list(entity.components())
    names = [c.name for c in components]
    slots: list[x.Expression | None] = [None] * len(components)
    for k, actual in enumerate(read_actuals(ctx, arguments)):
        if actual.keyword:
            if actual.keyword not in names:
                raise ctx.error(actual.node, f"type {entity.name} has no component '{actual.keyword}'",
                                f"its components are {', '.join(names)}")
            k = names.index(actual.keyword)
        if k >= len(components):
            raise ctx.error(actual.node, f"type {entity.name} has {len(components)} components")
        target = components[k]
        value = actual.value
        if not isinstance(value, (x.Null, x.ProcedureRef)):
            value = assign_convert(ctx, actual.node, value, target.full_type)
            if rank_of(value) not in (0, target.rank):
                raise ctx.error(actual.node, f"component '{target.name}' has rank {target.rank}, the value {rank_of(value)}")
        slots[k] = value
    for slot, target in zip(slots, components, strict=True):
        if slot is None and target.initial is None and not target.attributes & {"allocatable", "pointer"}:
            raise ctx.error(node, f"component '{target.name}' of {entity.name} has no default, give its value")
    return x.StructureConstructor(Record(entity.id), tuple(slots))


def expand_statement_function(ctx: Context, node: Node, function: StatementFunction, arguments: Node) -> x.Expression:
    """The expression of a statement function with the arguments in place of its dummies."""
    from polystencil.frontend.entities import Alias
    from polystencil.frontend.scopes import Scope

    actuals = read_actuals(ctx, arguments)
    if len(actuals) != len(function.dummies):
        raise ctx.error(node, f"{function.name} takes {len(function.dummies)} arguments, {len(actuals)} are given")
    scope = Scope(function.scope.id, "construct", function.scope)
    for name, actual in zip(function.dummies, actuals, strict=True):
        declared = function.scope.names.get(name)
        t = declared.full_type if isinstance(declared, Variable) else function.scope.implicit_type(name)
        if t is None:
            raise ctx.error(function.node, f"the type of '{name}' is not declared")
        value = assign_convert(ctx, actual.node, actual.value, t)
        simple = isinstance(value, (x.Ref, x.Literal, x.NamedConstant, x.Element, x.Component, x.Paren, x.FunctionCall,
                                    x.IntrinsicCall))
        scope.names[name] = Alias(name, value if simple else x.Paren(value))
    inner = lower_value(ctx.inner(scope), function.node)
    value = assign_convert(ctx, node, inner, function.type)
    return value if isinstance(value, (x.Convert, x.Literal)) else x.Paren(value)
