"""From a producer loop to what it writes: per array one definition, whose value can be evaluated anywhere.

    do concurrent (i = 1:n)
      if (i > 1) f(i) = q(i) - q(i - 1)      -->    f: at (i), value q(i) - q(i - 1), under the test i > 1
    end do
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from polystencil.analysis.definitions import base_id, defined_in, designated_path, is_pure
from polystencil.analysis.effects import called_targets, self_contained
from polystencil.analysis.storage import storage_class
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, map_statement, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.fusion_refusal import NotFused


@dataclass(frozen=True)
class Definition:
    """`array(subscripts) = value` in the producer's iteration; `solve` gives, per subscript position, the index of
    the loop that moves along it and the sign and rest of `sign*index + rest`.

    Where the value is not one expression (branches with else, private variables), `program` computes it into `result`.
    """

    array: x.Expression
    path: str
    subscripts: tuple[x.Expression, ...]
    value: x.Expression
    solve: tuple[tuple[int, str, int, x.Expression | None], ...]
    span: Span
    program: s.Body = ()
    result: Symbol | None = None


@dataclass(frozen=True)
class Producer:
    """A loop that can be evaluated element by element."""

    loop: s.ParallelLoop
    definitions: tuple[Definition, ...]

    def of(self, path: str) -> Definition:
        """The definition of an array."""
        return next(d for d in self.definitions if d.path == path)


def path_of(e: x.Expression) -> str | None:
    """The storage path of a whole variable or component; subscripts on the way are part of it."""
    if isinstance(e, x.Ref):
        return e.id
    if isinstance(e, x.Component):
        base = path_of(e.base)
        return None if base is None else f"{base}%{e.field}"
    if isinstance(e, x.Element):
        base = path_of(e.base)
        return None if base is None else f"{base}({', '.join(map(repr, e.indices))})"
    return None


def family(path: str) -> str:
    """A path without subscripts on the way: arrays of different families never overlap (storage class apart)."""
    out, depth = "", 0
    for c in path:
        depth += c == "("
        out += c if depth == 0 else ""
        depth -= c == ")"
    return out


def arrays_written(loop: s.ParallelLoop) -> set[str]:
    """Paths of the arrays that a loop assigns elements of."""
    out = set()
    for st in walk_statements(loop.body):
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element):
            path = path_of(st.target.base)
            if path is not None:
                out.add(path)
    return out


def arrays_named(body: s.Body) -> set[str]:
    """Paths of all arrays and variables that a body names."""
    from polystencil.ir.traversal import walk_body_expressions

    out = set()
    for e in walk_body_expressions(body):
        if isinstance(e, (x.Ref, x.Component)):
            path = path_of(e)
            if path is not None:
                out.add(path)
    return out


def as_producer(loop: s.ParallelLoop, table: SymbolTable) -> Producer:
    """The producer's definitions; NotFused where it is not of that form."""
    if loop.mask is not None:
        raise NotFused("the producer has a mask")
    if loop.reductions:
        raise NotFused("the producer accumulates into a scalar variable")
    if any(value_of(i.step) != 1 for i in loop.indices):
        raise NotFused("the producer has a step that is not one, so its iterations are not simply its elements")
    found: list[Definition] = []
    try:
        _collect(loop.body, loop, found)
        if len({d.path for d in found}) < len(found):
            raise NotFused("the producer assigns an array more than once (several assignments)")
    except NotFused as simple:
        found = sliced_definitions(loop, simple)
    if not found:
        raise NotFused("the producer assigns no array element by element")
    for d in found:
        check_storage(d.path, table, f"the intermediate array {_name(d.path)}")
    _check_reads(found, table, {d.path for d in found})
    changing = defined_in((loop,), table).ids - {i.ref.id for i in loop.indices}
    for d in found:
        named = {v.split("%", 1)[0] for e in (*d.subscripts, x.Element(d.array, d.subscripts)) for v in variables_in(e)}
        if (named - {d.path.split("%", 1)[0]}) & changing:
            raise NotFused(
                f"the producer assigns {_name(d.path)} not at its own iteration: a subscript reads a variable of the iteration"
            )
    return Producer(loop, tuple(found))


def sliced_definitions(loop: s.ParallelLoop, simple: NotFused) -> list[Definition]:
    """Definitions by the part of the body that computes each array; `simple` where that does not work either."""
    private = {v.id for v in loop.locals} - {i.ref.id for i in loop.indices}
    if loop.local_init:
        raise simple
    targets: dict[str, list[tuple[s.Assign, x.Element]]] = {}
    for st in walk_statements(loop.body):
        match st:
            case s.Block():
                if st.name or any(v.shape is not None or v.initial is not None for v in st.declarations):
                    raise simple
                private |= {v.id for v in st.declarations}
            case s.If() | s.SelectCase() | s.Continue():
                pass
            case s.Assign() if isinstance(st.target, x.Element):
                targets.setdefault(path_of(st.target.base) or "", []).append((st, st.target))
            case s.Assign() if isinstance(st.target, x.Ref) and st.target.rank == 0:
                pass
            case _:
                raise simple
    assigned = {st.target.id for st in walk_statements(loop.body)
                if isinstance(st, s.Assign) and isinstance(st.target, x.Ref)}  # fmt: skip
    if assigned - private or "" in targets:
        raise simple
    out = []
    for path, uses in targets.items():
        first = _definition(uses[0][0], uses[0][1], loop)
        if any(t.indices != uses[0][1].indices for _, t in uses):
            raise simple
        result = Symbol(f"{path}.value", f"{path.rsplit('.', 1)[-1].rsplit('%', 1)[-1]}_value", type_of(uses[0][1]))
        program = _slice(loop.body, path, x.Ref(result.id, result.type))
        out.append(dataclasses.replace(first, program=program, result=result))
    return out


def _slice(body: s.Body, path: str, result: x.Ref) -> s.Body:
    """What of a body computes the array at `path`, into `result`."""
    out: list[s.Statement] = []
    for st in body:
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element):
            if path_of(st.target.base) == path:
                out.append(dataclasses.replace(st, target=result))
        elif isinstance(st, s.Assign):
            out.append(st)
        elif not isinstance(st, s.Continue):
            out.append(map_statement(st, lambda e: e, lambda b: _slice(b, path, result)))
    return tuple(out)


def check_storage(path: str, table: SymbolTable, what: str) -> None:
    """Refuse arrays whose storage may have another name."""
    symbol = table.symbols.get(path.split("%", 1)[0])
    if symbol is not None and symbol.block is not None:
        raise NotFused(f"{what} stands in a common block or equivalence: its storage has another name (alias)")
    if symbol is not None and "volatile" in symbol.attributes:
        raise NotFused(f"{what} is volatile: it may change under another name of its storage")
    if storage_class(path, table) != path:
        raise NotFused(f"{what} is a pointer or target, or reached through a pointer: its storage may have another name")


def _name(path: str) -> str:
    id, *fields = path.split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])


def _collect(body: s.Body, loop: s.ParallelLoop, found: list[Definition]) -> None:
    for st in body:
        match st:
            case s.Assign() if isinstance(st.target, x.Element):
                found.append(_definition(st, st.target, loop))
            case s.Assign():
                raise NotFused("the producer assigns a private (local) scalar variable, not only elements of arrays")
            case s.If():
                if st.otherwise or len(st.branches) > 1:
                    raise NotFused("the producer assigns under an if with else branches, so not every element once")
                _collect(st.branches[0].body, loop, found)
            case s.Continue():
                pass
            case s.Block():
                if st.declarations:
                    raise NotFused("the producer uses private variables of a block (local temporaries)")
                _collect(st.body, loop, found)
            case _:
                raise NotFused(
                    f"the producer does not assign its arrays element by element ({type(st).__name__.lower()} in its body)"
                )


def _definition(st: s.Assign, target: x.Element, loop: s.ParallelLoop) -> Definition:
    path = path_of(target.base)
    indices = {i.ref.id for i in loop.indices}
    kind = type_of(target)
    if not isinstance(kind, Intrinsic) or kind.base == "character":
        raise NotFused("the producer assigns elements of a character or derived type")
    if path is None or any(isinstance(n, x.Ref) and n.id in indices for n in walk_expression(target.base)):
        raise NotFused("the producer assigns an element of an array that the iteration itself chooses")
    solve: list[tuple[int, str, int, x.Expression | None]] = []
    for position, subscript in enumerate(target.indices):
        inside = [n.id for n in walk_expression(subscript) if isinstance(n, x.Ref) and n.id in indices]
        if not inside:
            continue
        form = _signed(subscript, inside[0]) if len(inside) == 1 else None
        if form is None:
            raise NotFused(
                f"the producer assigns {_name(path)} not element by element at its own iteration: its subscript is no "
                "index plus or minus something fixed (not affine, or a permutation)"
            )
        solve.append((position, inside[0], *form))
    if sorted(index for _, index, _, _ in solve) != sorted(indices):
        raise NotFused(f"the producer assigns {_name(path)} not at its own iteration: two iterations may assign one element")
    return Definition(target.base, path, target.indices, st.value, tuple(solve), st.span)


def _signed(e: x.Expression, index: str) -> tuple[int, x.Expression | None] | None:
    """(sign, rest) with e = sign*index + rest; rest None is zero."""
    match e:
        case x.Ref() if e.id == index:
            return 1, None
        case x.Paren():
            return _signed(e.operand, index)
        case x.Convert():
            return _signed(e.operand, index)
        case x.Unary() if e.operator == "-":
            inner = _signed(e.operand, index)
            return None if inner is None or inner[1] is not None else (-1, None)
        case x.Binary() if e.operator in ("+", "-"):
            from polystencil.ir.building import minus, plus

            left, right = _signed(e.left, index), _signed(e.right, index)
            if left is not None and not _names(e.right, index):
                rest = e.right if e.operator == "+" else minus(_zero(e.right), e.right)
                return left[0], rest if left[1] is None else plus(left[1], rest)
            if right is not None and not _names(e.left, index):
                sign = right[0] if e.operator == "+" else -right[0]
                if right[1] is None:
                    return sign, e.left
                return sign, plus(e.left, right[1]) if e.operator == "+" else minus(e.left, right[1])
            return None
        case _:
            return None


def _zero(like: x.Expression) -> x.Expression:
    from polystencil.ir.building import integer
    from polystencil.ir.typing import type_of

    return integer(0, type_of(like))


def _names(e: x.Expression, id: str) -> bool:
    return any(isinstance(n, x.Ref) and n.id == id for n in walk_expression(e))


def _check_reads(found: list[Definition], table: SymbolTable, own: set[str]) -> None:
    for d in found:
        body: s.Body = d.program or (s.Assign(d.array, d.value),)
        for node in _values_in(body):
            if isinstance(node, (x.Ref, x.Component)) and path_of(node) in own:
                raise NotFused(f"the producer reads {_name(path_of(node) or '')}, one of the arrays it assigns itself")
            if rank_of(node) and not isinstance(node, (x.Ref, x.Component)):
                raise NotFused("the producer evaluates an array expression or section")
        for target in called_targets(body):
            procedure = table.procedures.get(getattr(target, "id", ""))
            if procedure is None or not is_pure(procedure):
                raise NotFused("the producer calls a function that is not known to be pure")
            why = self_contained(procedure, table)
            if why:
                raise NotFused(f"the producer calls a function that may read other variables: {why}")


def _values_in(body: s.Body) -> Iterator[x.Expression]:
    """Every expression that a definition evaluates, besides the places it assigns."""
    for st in walk_statements(body):
        for e in child_expressions(st):
            if not (isinstance(st, s.Assign) and e is st.target):
                yield from walk_expression(e)


def variables_in(e: x.Expression) -> set[str]:
    """Paths `variable%component%...` of what an expression reads."""
    if isinstance(e, (x.Component, x.Element, x.Section, x.Ref)) and (path := designated_path(e)) is not None:
        out = {path}
        while isinstance(e, (x.Component, x.Element, x.Section)):
            if not isinstance(e, x.Component):
                for i in e.indices if isinstance(e, x.Element) else e.subscripts:
                    out |= variables_in(i)
            e = e.base
        return out
    return {v for child in child_expressions(e) for v in variables_in(child)}


def touched(reads: set[str], defined: set[str] | frozenset[str]) -> list[str]:
    """The paths read that a definition may change: it is one of them, holds one, or is a part of one."""
    return sorted(
        r for r in reads if any(r == d or r.startswith(d + "%") or d.startswith(r + "%") for d in defined)
    )


__all__ = [
    "Definition", "Producer", "arrays_named", "arrays_written", "as_producer", "base_id",
    "check_storage", "family", "path_of", "touched", "variables_in",
]  # fmt: skip
