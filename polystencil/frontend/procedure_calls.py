"""call statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.arguments import matched, read_actuals
from polystencil.frontend.bound_calls import bound_target
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import Generic, IntrinsicName, Variable
from polystencil.frontend.generics import choose, no_match
from polystencil.frontend.intrinsic_names import SUBROUTINES, UNSUPPORTED_SUBROUTINES
from polystencil.frontend.intrinsics import intrinsic_subroutine
from polystencil.frontend.lowering import lower
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.statement_lists import register_statement
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import ProcedureType

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _call(ctx: Context, item: Item) -> None:
    node = item.node
    target = field_of(node, "subroutine")
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
            entity.retype(ProcedureType(None))
            entity.attributes.add("external")
        unit_ = ctx.reader.interface_of(entity.full_type)
        actuals = read_actuals(ctx, arguments)
        given = tuple(a.value for a in actuals) if unit_ is None else matched(ctx, node, unit_, actuals)
        ctx.out.append(s.Call(x.Ref(entity.id, entity.full_type), given, span=span))
        return
    if entity is None or isinstance(entity, IntrinsicName):
        if name in SUBROUTINES:
            values = intrinsic_subroutine(ctx, node, name, read_actuals(ctx, arguments))
            ctx.out.append(s.CallIntrinsic(name, values, span=span))
            return
        if name in UNSUPPORTED_SUBROUTINES:
            raise ctx.unsupported(node, f"the intrinsic subroutine {name}")
    if entity is None:
        raise ctx.error(
            target, f"subroutine '{name}' is not known", ctx.scope.similar(name) or "give the file that defines it, too"
        )
    raise ctx.error(target, f"'{name}' is no subroutine")


register_statement("subroutine_call", _call)
