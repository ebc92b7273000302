"""Common blocks and equivalence: which variables share storage, at which byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import constant_integer
from polystencil.frontend.context import named, text_of
from polystencil.frontend.data_statements import data_values
from polystencil.frontend.entities import Variable
from polystencil.frontend.shapes import constant_extents
from polystencil.ir import expressions as x
from polystencil.ir.program import Dimension, StorageBlock
from polystencil.ir.types import INTEGER, Intrinsic, Record

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.specification import Specification


def lay_out(specification: Specification) -> None:
    """Storage blocks of a scope, then its data statements."""
    if specification.commons or specification.equivalences:
        _blocks(specification)
    if specification.data:
        specification.data_values = data_values(specification)


def element_bytes(ctx: Context, node: Node, variable: Variable) -> int:
    """The storage size of one element."""
    t = variable.full_type
    if isinstance(t, Intrinsic):
        if t.base == "character":
            if isinstance(t.length, x.Literal) and isinstance(t.length.value, int):
                return t.length.value
            raise ctx.error(node, f"the length of '{variable.name}' must be constant here")
        return t.kind * (2 if t.base == "complex" else 1)
    if isinstance(t, Record):
        raise ctx.unsupported(node, "a derived type in common or equivalence", "put its components there")
    raise ctx.error(node, f"'{variable.name}' cannot share storage")


def _size(ctx: Context, node: Node, variable: Variable) -> int:
    if variable.attributes & {"allocatable", "pointer"}:
        raise ctx.unsupported(node, "an allocatable or pointer in common or equivalence")
    extents = constant_extents(ctx, variable)
    if extents is None:
        raise ctx.error(node, f"the bounds of '{variable.name}' must be constant: it shares storage")
    count = 1
    for low, high in extents:
        count *= max(0, high - low + 1)
    return count * element_bytes(ctx, node, variable)


def _variable(ctx: Context, node: Node) -> Variable:
    found = ctx.scope.names.get(text_of(node))
    if not isinstance(found, Variable):
        raise ctx.error(node, f"'{text_of(node)}' is no variable of this scope")
    return found


def _blocks(specification: Specification) -> None:
    ctx = specification.ctx
    commons = _common_members(specification)
    # every variable has a place (root, offset); equivalence joins them
    place: dict[str, tuple[str, int]] = {}
    variables: dict[str, tuple[Variable, Node]] = {}
    sizes: dict[str, int] = {}
    for id, members in commons.items():
        offset = 0
        for variable, node in members:
            if variable.id in place:
                raise ctx.error(node, f"'{variable.name}' is in common twice")
            place[variable.id] = (id, offset)
            variables[variable.id] = (variable, node)
            sizes[variable.id] = _size(ctx, node, variable)
            offset += sizes[variable.id]
    for statement in specification.equivalences:
        for group in named(statement):
            _join(specification, group, place, variables, sizes, set(commons))
    by_root: dict[str, list[str]] = {}
    for id, (root, _) in place.items():
        by_root.setdefault(root, []).append(id)
    out: list[StorageBlock] = []
    for number, (root, ids) in enumerate(by_root.items(), 1):
        low = 0 if root in commons else min(place[i][1] for i in ids)
        if root in commons and min(place[i][1] for i in ids) < 0:
            variable, node = variables[min(ids, key=lambda i: place[i][1])]
            raise ctx.error(node, f"equivalence would put '{variable.name}' before the start of the common block")
        name = root if root in commons else f"{ctx.scope.id}.equivalence{number}"
        size = max(place[i][1] - low + sizes[i] for i in ids)
        places: list[tuple[str, int]] = []
        saved = any("save" in variables[i][0].attributes for i in ids)
        for i in sorted(ids, key=lambda i: (place[i][1], i)):
            variable, _ = variables[i]
            variable.block, variable.offset = name, place[i][1] - low
            extents = constant_extents(ctx, variable)
            if extents:
                variable.shape = tuple(Dimension(x.Literal(a, INTEGER), x.Literal(b, INTEGER)) for a, b in extents)
            if saved:
                variable.attributes.add("save")
            places.append((i, variable.offset))
        out.append(StorageBlock(name, size, tuple(places), root in commons))
    specification.blocks = tuple(out)


def _common_members(specification: Specification) -> dict[str, list[tuple[Variable, Node]]]:
    ctx = specification.ctx
    commons: dict[str, list[tuple[Variable, Node]]] = {}
    for statement in specification.commons:
        for child in named(statement):
            declarators = [child]
            id = "//"
            if child.type == "variable_group":
                id = f"/{text_of(named(child)[0])}/"
                declarators = named(child)[1:]
            for declarator in declarators:
                base = declarator if declarator.type == "identifier" else named(declarator)[0]
                variable = _variable(ctx, base)
                if variable.attributes & {"dummy", "result"}:
                    raise ctx.error(declarator, f"dummy argument '{variable.name}' cannot be in common")
                commons.setdefault(id, []).append((variable, declarator))
    return commons


def _join(
    specification: Specification,
    group: Node,
    place: dict[str, tuple[str, int]],
    variables: dict[str, tuple[Variable, Node]],
    sizes: dict[str, int],
    commons: set[str],
) -> None:
    ctx = specification.ctx
    anchor: tuple[str, int] | None = None
    for member in named(group):
        base = named(member)[0] if member.type == "call_expression" else member
        variable = _variable(ctx, base)
        shift = 0
        if member.type == "call_expression":
            shift = _element_offset(ctx, member, variable)
        if variable.id not in place:
            place[variable.id] = (variable.id, 0)
            variables[variable.id] = (variable, member)
            sizes[variable.id] = _size(ctx, member, variable)
        root, offset = place[variable.id]
        here = (root, offset + shift)
        if anchor is None:
            anchor = here
        elif anchor[0] == here[0]:
            if anchor[1] != here[1]:
                raise ctx.error(member, "this equivalence contradicts an earlier one")
        else:
            if here[0] in commons and anchor[0] in commons:
                raise ctx.error(member, "equivalence cannot join two common blocks")
            if here[0] in commons:
                anchor, here = here, anchor
            delta = anchor[1] - here[1]
            for id, (root, at) in list(place.items()):
                if root == here[0]:
                    place[id] = (anchor[0], at + delta)


def _element_offset(ctx: Context, member: Node, variable: Variable) -> int:

    items = named(named(member)[1])
    size = element_bytes(ctx, member, variable)
    if variable.rank == 0 and items and items[0].type == "extent_specifier":
        return constant_integer(ctx, named(items[0])[0], "the start of a substring") - 1
    extents = constant_extents(ctx, variable)
    if extents is None or len(items) != len(extents):
        raise ctx.error(member, f"'{variable.name}' has {variable.rank} dimensions")
    offset, stride = 0, 1
    for item, (low, high) in zip(items, extents, strict=True):
        offset += (constant_integer(ctx, item, "a subscript in equivalence") - low) * stride
        stride *= high - low + 1
    return offset * size
