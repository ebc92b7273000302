"""The end of a specification part: types that nothing declared, shapes, checks, storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.storage import lay_out
from polystencil.ir.types import ProcedureType, Record

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Variable
    from polystencil.frontend.specification import Specification


def finish(specification: Specification) -> None:
    """Types that nothing declared, shapes, storage and data."""
    ctx = specification.ctx
    scope = ctx.scope
    for variable in list(scope.order):
        if scope.save_all and not variable.attributes & {"dummy", "result", "parameter"}:
            variable.attributes.add("save")
        if "external" in variable.attributes and not isinstance(variable.type, ProcedureType):
            _external(specification, variable)
            continue
        if variable.type is None:
            t = scope.implicit_type(variable.name)
            if t is None:
                place = f"dummy argument '{variable.name}'" if "dummy" in variable.attributes else f"'{variable.name}'"
                line = ctx.tree.text.source_line(variable.span)
                from polystencil.errors import SourceError

                raise SourceError(
                    f"the type of {place} is not declared", variable.span, line, "declare it, implicit none is in force"
                )
            variable.type = t
    for variable in list(scope.order):
        _ = variable.shape
        _check(specification, variable)
    for entity in list(specification.types):
        for component in entity.own.values():
            _ = component.shape
    lay_out(specification)


def _check(specification: Specification, variable: Variable) -> None:
    ctx = specification.ctx
    if (
        isinstance(variable.type, Record)
        and variable.type.polymorphic
        and not variable.attributes & {"dummy", "allocatable", "pointer"}
    ):
        raise _at(ctx, variable, f"'{variable.name}' is class and must be a dummy, allocatable or pointer")
    if "parameter" in variable.attributes and variable.initial is None:
        raise _at(ctx, variable, f"parameter '{variable.name}' has no value")
    shape = variable.shape
    if shape and "allocatable" in variable.attributes and any(d.upper is not None for d in shape):
        raise _at(ctx, variable, f"allocatable '{variable.name}' must be declared with (:)")
    if (
        shape
        and not variable.attributes & {"dummy", "allocatable", "pointer", "parameter"}
        and any(d.upper in (None, "*") for d in shape)
    ):
        raise _at(
            ctx, variable, f"the bounds of '{variable.name}' are missing", "make it allocatable, or give its bounds"
        )


def _at(ctx: Context, variable: Variable, message: str, hint: str = "") -> Exception:
    from polystencil.errors import SourceError

    return SourceError(message, variable.span, ctx.tree.text.source_line(variable.span), hint)


def _external(specification: Specification, variable: Variable) -> None:
    """`external f`: a dummy procedure, or a procedure of another file."""
    ctx = specification.ctx
    if variable.type is not None:
        ctx.reader.result_types[variable.id] = variable.type
    elif (t := ctx.scope.implicit_type(variable.name)) is not None:
        ctx.reader.result_types[variable.id] = t
    if "dummy" in variable.attributes or "pointer" in variable.attributes:
        variable.type = ProcedureType(None, variable.type)
        return
    unit = ctx.reader.externals.get(variable.name)
    ctx.scope.order.remove(variable)
    if unit is not None:
        ctx.scope.names[variable.name] = unit
    else:
        del ctx.scope.names[variable.name]
        ctx.reader.missing_externals.add(variable.name)
