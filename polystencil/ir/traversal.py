"""Walking and rebuilding programs; every analysis and rewrite stands on these few functions.

Children are found from the dataclass fields, so a node that is added later is walked without a change here.
Rebuilding gives back the same object where nothing changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from polystencil.ir.expressions import Boz, Expression, Literal, NamedConstant, Null, ProcedureRef, Ref
from polystencil.ir.program import Module, Procedure, Program
from polystencil.ir.statements import Body, Statement

S = TypeVar("S", bound=Statement)
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(node: object) -> tuple[str, ...]:
    cls = type(node)
    if cls not in _FIELDS:
        skip = {"span", "type", "shape"}  # types and declared shapes are walked by those who need them
        _FIELDS[cls] = tuple(f.name for f in dataclasses.fields(cls) if f.name not in skip)  # type: ignore[arg-type]  # nodes are dataclasses
    return _FIELDS[cls]


def _is_part(value: object) -> bool:
    """Parts of statements that are no statements themselves: branches, cases, loop indices, allocations, symbols."""
    return dataclasses.is_dataclass(value) and not isinstance(value, (Expression, Statement, type))


_LEAVES = (Ref, Literal, NamedConstant, ProcedureRef, Boz, Null)  # most nodes are leaves: they are told at once
_PLAIN = (str, int, float, bool, bytes, frozenset, type(None))


def child_expressions(node: object) -> list[Expression]:
    """The expressions directly in an expression, statement or part of one; nested statements are not entered."""
    if isinstance(node, _LEAVES):
        return []
    out: list[Expression] = []
    for name in _fields(node):
        value = getattr(node, name)
        if isinstance(value, Expression):
            out.append(value)
        elif not isinstance(value, _PLAIN):
            _collect(value, out)
    return out


def _collect(value: object, out: list[Expression]) -> None:
    if isinstance(value, Expression):
        out.append(value)
    elif isinstance(value, tuple):
        for item in value:
            if not isinstance(item, Statement):
                _collect(item, out)
    elif _is_part(value):
        out.extend(child_expressions(value))


def walk_expression(e: Expression) -> Iterator[Expression]:
    """`e` and everything in it, outside first."""
    stack = [e]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _LEAVES):
            stack.extend(reversed(child_expressions(node)))


def nested_bodies(statement: Statement) -> Iterator[Body]:
    """The statement lists directly inside a statement."""
    yield from _bodies_in(statement)


def _bodies_in(node: object) -> Iterator[Body]:
    for name in _fields(node):
        value = getattr(node, name)
        if isinstance(value, tuple) and value:
            if isinstance(value[0], Statement):
                yield value
            else:
                for item in value:
                    if _is_part(item):
                        yield from _bodies_in(item)


def walk_statements(body: Body) -> Iterator[Statement]:
    """Every statement of a body, nested ones after the one that holds them."""
    for statement in body:
        yield statement
        for inner in nested_bodies(statement):
            yield from walk_statements(inner)


def walk_body_expressions(body: Body) -> Iterator[Expression]:
    """Every expression, with everything in it, of every statement of a body."""
    for statement in walk_statements(body):
        for e in child_expressions(statement):
            yield from walk_expression(e)


def _rebuild(node: Any, on_expression: Callable[[Expression], Expression], on_body: Callable[[Body], Body]) -> Any:
    changes: dict[str, object] = {}
    for name in _fields(node):
        old = getattr(node, name)
        new = _rebuild_value(old, on_expression, on_body)
        if new is not old:
            changes[name] = new
    return dataclasses.replace(node, **changes) if changes else node


def _rebuild_value(value: Any, on_expression: Callable[[Expression], Expression], on_body: Callable[[Body], Body]) -> Any:
    if isinstance(value, Expression):
        return on_expression(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], Statement):
            return on_body(value)
        new = tuple(_rebuild_value(item, on_expression, on_body) for item in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    if _is_part(value):
        return _rebuild(value, on_expression, on_body)
    return value


def map_children(e: Expression, f: Callable[[Expression], Expression]) -> Expression:
    """`e` with `f` applied to the expressions directly in it."""
    return _rebuild(e, f, lambda body: body)  # type: ignore[no-any-return]  # same class as given


def map_expression(e: Expression, f: Callable[[Expression], Expression]) -> Expression:
    """`e` with `f` applied to every node, inside first."""
    return f(map_children(e, lambda child: map_expression(child, f)))


def map_statement(
    statement: S, on_expression: Callable[[Expression], Expression], on_body: Callable[[Body], Body] = lambda body: body
) -> S:
    """`statement` with `on_expression` applied to the expressions directly in it and `on_body` to its inner bodies.

    The two callbacks decide whether to go deeper; neither is applied inside what it returns.
    """
    return _rebuild(statement, on_expression, on_body)  # type: ignore[no-any-return]  # same class as given


def map_body(body: Body, f: Callable[[Statement], Body]) -> Body:
    """`body` with every statement, inner ones first, replaced by the statements that `f` gives."""
    out: list[Statement] = []
    for statement in body:
        inner = map_statement(statement, lambda e: e, lambda b: map_body(b, f))
        out.extend(f(inner))
    new = tuple(out)
    return body if len(new) == len(body) and all(a is b for a, b in zip(new, body, strict=True)) else new


def map_body_expressions(body: Body, f: Callable[[Expression], Expression]) -> Body:
    """`body` with `f` applied to every expression node, inner ones first, in all nested statements."""

    def rewrite(e: Expression) -> Expression:
        return map_expression(e, f)

    def go(b: Body) -> Body:
        new = tuple(map_statement(s, rewrite, go) for s in b)
        return new if any(a is not c for a, c in zip(new, b, strict=True)) else b

    return go(body)


def procedures_of(program: Program) -> Iterator[Procedure]:
    """All procedures: of modules, external, the main program, and those contained in any of them."""

    def inside(procedure: Procedure) -> Iterator[Procedure]:
        yield procedure
        for inner in procedure.contained:
            yield from inside(inner)

    for module in program.modules:
        for procedure in module.procedures:
            yield from inside(procedure)
    for procedure in (*program.procedures, *program.block_data):
        yield from inside(procedure)
    if program.main is not None:
        yield from inside(program.main)


def map_procedures(program: Program, f: Callable[[Procedure], Procedure]) -> Program:
    """`program` with `f` applied to every procedure, contained ones first."""

    def one(procedure: Procedure) -> Procedure:
        contained = tuple(one(inner) for inner in procedure.contained)
        if any(a is not b for a, b in zip(contained, procedure.contained, strict=True)):
            procedure = dataclasses.replace(procedure, contained=contained)
        return f(procedure)

    def module(m: Module) -> Module:
        return dataclasses.replace(m, procedures=tuple(one(p) for p in m.procedures))

    return dataclasses.replace(
        program,
        modules=tuple(module(m) for m in program.modules),
        procedures=tuple(one(p) for p in program.procedures),
        main=None if program.main is None else one(program.main),
    )
