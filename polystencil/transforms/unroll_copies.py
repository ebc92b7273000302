"""The text of an unrolled loop: copies of its body, the test in 64 bits, and the original loop for what is left."""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, compare, divided, integer, minus, plus, times
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import map_body, map_body_expressions, walk_statements
from polystencil.ir.types import INTEGER, INTEGER8, Intrinsic
from polystencil.transforms.unrollable import Found


def unrolled_count(st: s.Do, found: Found, factor: int, prefix: str) -> s.Body:
    """A counted loop. `next` is the first iteration that is left, in 64 bits, so that no bound makes it wrap."""
    step, span = found.step, st.span
    first, last = _symbol(prefix, "first", INTEGER), _symbol(prefix, "last", INTEGER)
    following = _symbol(prefix, "next", INTEGER8)
    a, b, n = (x.Ref(v.id, v.type) for v in (first, last, following))
    a8, b8 = as_kind(a, 8), as_kind(b, 8)
    distance = minus(b8, a8) if step > 0 else minus(a8, b8)
    trip, reach = factor * abs(step), (factor - 1) * abs(step)
    copies: list[s.Statement] = []
    for k in range(factor):
        copies += _iteration(st, k * step, k, prefix)
    upper = minus(b, integer(reach)) if step > 0 else plus(b, integer(reach))
    main = s.Do(st.index, a, upper, integer(factor * step), tuple(copies), f"{prefix}.main", span=span)
    trips = plus(
        divided(x.Paren(minus(distance, integer(reach, INTEGER8))), integer(trip, INTEGER8)), integer(1, INTEGER8)
    )
    after = plus(n, times(x.Paren(trips), integer(factor * step, INTEGER8)))
    enough = compare(">=", distance, integer(reach, INTEGER8))
    left = compare("<=" if step > 0 else ">=", n, b8)
    untouched = compare("==", n, a8)
    rest = dataclasses.replace(st, lower=as_kind(n, 4), upper=b, directives=_done(st.directives))
    body = (
        s.Assign(a, st.lower, span=span),
        s.Assign(b, st.upper, span=span),
        s.Assign(n, a8, span=span),
        s.If((s.Branch(enough, (main, s.Assign(n, after, span=span)), span),), span=span),
        s.If((s.Branch(x.Binary(".or.", left, untouched), (rest,), span),), span=span),
    )
    return (s.Block((first, last, following), body, span=span),)


def unrolled_while(st: s.DoWhile, found: Found, factor: int, prefix: str) -> s.Body:
    """A while loop: its copies keep the statement that moves the index."""
    assert found.bound is not None
    last = st.body[-1]
    assert isinstance(last, s.Assign)
    remaining = minus(as_kind(found.bound, 8), as_kind(last.target, 8))
    reach = integer((factor - 1) * found.step, INTEGER8)
    condition = compare(">=" if found.inclusive else ">", remaining, reach)
    copies: list[s.Statement] = []
    for k in range(factor):
        copies += _copy(st.body, None, 0, k, prefix)
    main = s.DoWhile(condition, tuple(copies), f"{prefix}.main", span=st.span)
    return (main, dataclasses.replace(st, directives=_done(st.directives)))


def _done(directives: tuple[str, ...]) -> tuple[str, ...]:
    """Directives without those that are followed now."""
    return tuple(d for d in directives if "unroll" not in d)


def _symbol(prefix: str, name: str, t: Intrinsic) -> Symbol:
    return Symbol(f"{prefix}.{name}", f"unroll_{name}", t)


def _iteration(st: s.Do, by: int, k: int, prefix: str) -> s.Body:
    """The body for index + by; a cycle leaves the copy."""
    assert isinstance(st.index, x.Ref)
    body = _copy(st.body, st.index.id, by, k, prefix)
    if not any(isinstance(i, s.Cycle) and i.target == st.name for i in walk_statements(body)):
        return body
    name = f"{prefix}.copy{k}"

    def leave(i: s.Statement) -> s.Body:
        return (s.Exit(name, span=i.span),) if isinstance(i, s.Cycle) and i.target == st.name else (i,)

    return (s.Block((), map_body(body, leave), name, span=st.span),)


def _copy(body: s.Body, index: str | None, by: int, k: int, prefix: str) -> s.Body:
    """Copy number `k` of a body, with block variables and names of its own."""
    inner = [b for b in walk_statements(body) if isinstance(b, s.Block)]
    ids = {v.id: f"{prefix}.copy{k}.{v.id.rsplit('.', 1)[-1]}" for b in inner for v in b.declarations}
    if len(set(ids.values())) < len(ids):
        ids = {old: f"{prefix}.copy{k}.{n}.{old.rsplit('.', 1)[-1]}" for n, old in enumerate(ids)}
    names = {b.name: f"{prefix}.copy{k}.{b.name}" for b in inner if b.name}

    def expression(e: x.Expression) -> x.Expression:
        if isinstance(e, x.Ref):
            if e.id == index and by:
                return plus(e, integer(by, e.type))
            return dataclasses.replace(e, id=ids[e.id]) if e.id in ids else e
        if isinstance(e, x.Binary) and e.operator in ("+", "-") and isinstance(e.left, x.Binary) and by:
            if isinstance(e.right, x.Literal) and e.right.type == INTEGER and _moved(e.left, index):
                return plus(e.left, e.right) if e.operator == "+" else minus(e.left, e.right)
        return e

    def statement(i: s.Statement) -> s.Body:
        if isinstance(i, s.Block):
            declared = tuple(dataclasses.replace(v, id=ids[v.id]) for v in i.declarations)
            return (dataclasses.replace(i, declarations=declared, name=names.get(i.name, "")),)
        if isinstance(i, (s.Exit, s.Cycle)) and i.target in names:
            return (dataclasses.replace(i, target=names[i.target]),)
        return (i,)

    return map_body(map_body_expressions(body, expression), statement)


def _moved(e: x.Binary, index: str | None) -> bool:
    """index + constant, as the substitution writes it."""
    return e.operator in ("+", "-") and isinstance(e.left, x.Ref) and e.left.id == index


__all__ = ["unrolled_count", "unrolled_while"]
