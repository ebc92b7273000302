"""Which ids a scope names: variables, constants, procedures and types, in code and in declarations."""

from __future__ import annotations

from collections.abc import Iterator

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Module, Procedure, Symbol, TypeDefinition
from polystencil.ir.symbols import symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic, ProcedureType, Record, Type


def _in_type(t: Type) -> Iterator[str]:
    if isinstance(t, Record):
        yield t.id
    elif isinstance(t, ProcedureType) and t.interface is not None:
        yield t.interface
    elif isinstance(t, Intrinsic) and isinstance(t.length, x.Expression):
        yield from _in_expression(t.length)


def _in_expression(e: x.Expression) -> Iterator[str]:
    for node in walk_expression(e):
        yield from _in_node(node)


def _in_node(node: x.Expression) -> Iterator[str]:
    if isinstance(node, (x.Ref, x.NamedConstant, x.ProcedureRef)):
        yield node.id
    if isinstance(node, (x.StructureConstructor, x.ArrayConstructor)):
        yield from _in_type(node.type)


def _in_symbol(v: Symbol) -> Iterator[str]:
    yield from _in_type(v.type)
    if v.initial is not None:
        yield from _in_expression(v.initial)
    for d in v.shape or ():
        for bound in (d.lower, d.upper):
            if isinstance(bound, x.Expression):
                yield from _in_expression(bound)


def _in_definition(t: TypeDefinition) -> Iterator[str]:
    if t.extends is not None:
        yield t.extends
    for c in t.components:
        yield from _in_symbol(c)


def references_of_procedure(p: Procedure) -> set[str]:
    """Ids named in a procedure itself; contained procedures are scopes of their own."""
    out: set[str] = set()
    for v in (*p.symbols, *symbols_in_body(p.body)):
        out.update(_in_symbol(v))
    for t in p.types:
        out.update(_in_definition(t))
    for e in walk_body_expressions(p.body):
        out.update(_in_node(e))
    for statement in walk_statements(p.body):
        if isinstance(statement, s.Allocate) and statement.type is not None:
            out.update(_in_type(statement.type))
        if isinstance(statement, s.SelectType):
            for g in statement.guards:
                out.update(_in_type(g.type))
    for d in p.data:
        out.update(_in_expression(d.target))
        out.update(_in_expression(d.value))
    return out


def references_of_module(m: Module) -> set[str]:
    """Ids named in the specification part of a module."""
    out: set[str] = set()
    for v in m.symbols:
        out.update(_in_symbol(v))
    for t in m.types:
        out.update(_in_definition(t))
    for d in m.data:
        out.update(_in_expression(d.target))
        out.update(_in_expression(d.value))
    return out


def references_of_body(body: s.Body, symbols: tuple[Symbol, ...] = ()) -> set[str]:
    """Ids named in a body and in the declarations given; names declared for inner blocks must not hide them."""
    out: set[str] = set()
    for v in (*symbols, *symbols_in_body(body)):
        out.update(_in_symbol(v))
    for e in walk_body_expressions(body):
        out.update(_in_node(e))
    return out
