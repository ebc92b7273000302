"""From a fused loop to the program that chooses it: saved ends of the loops around, copies, and the last iteration."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, TRUE, all_of, compare
from polystencil.ir.program import Symbol, TypeDefinition
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body, map_body_expressions, map_statement
from polystencil.transforms.fusion_buffers import Buffers
from polystencil.transforms.fusion_coverage import RuntimeCheck
from polystencil.transforms.fusion_paths import path_of
from polystencil.transforms.fusion_renaming import Renamed
from polystencil.transforms.splittable import KEEP
from polystencil.transforms.time_chain import Chain


@dataclass(frozen=True, eq=False)
class FusedGroup:
    """Adjacent loops `group` (the consumer last), the fused loop for them, and what it needs around it.

    `dead`: nothing reads the intermediate arrays but the group, so no iteration has to run the original loops.
    """

    group: tuple[s.ParallelLoop, ...]
    fused: s.ParallelLoop
    renamed: tuple[Renamed, ...]
    chain: Chain
    checks: tuple[RuntimeCheck, ...]
    takes_turns: bool
    dead: bool
    prefix: str


def place_fused(whole: s.Body, g: FusedGroup, table: SymbolTable) -> tuple[s.Body, tuple[TypeDefinition, ...]]:
    """The procedure's body with the group replaced, and the types of its copies."""
    placement = _Placement(g, table)
    return placement.body(whole), placement.buffers.types


class _Placement:
    def __init__(self, g: FusedGroup, table: SymbolTable) -> None:
        self.g, self.table = g, table
        self.buffers = Buffers(g.renamed, g.fused, g.chain, g.takes_turns, g.prefix, table)
        self.last: dict[int, Symbol] = {}
        for k, loop in enumerate(g.chain.loops):
            name = loop.index.id.rsplit(".", 1)[-1]
            self.last[id(loop)] = Symbol(f"{g.prefix}.{name}_last{k}", f"{name}_last", loop.index.type)

    def body(self, body: s.Body) -> s.Body:
        out: list[s.Statement] = []
        for st in body:
            if any(st is m for m in self.g.group):
                if st is self.g.group[0]:
                    out.extend(self.choice())
            elif any(st is loop for loop in self.g.chain.loops):
                out.append(self.loop(st))  # type: ignore[arg-type]  # a Do
            else:
                out.append(map_statement(st, lambda e: e, self.body))
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else tuple(out)

    def loop(self, st: s.Do) -> s.Block:
        """A loop of the chain with its end saved before it; the outermost one makes the copies."""
        last = self.last[id(st)]
        ref = x.Ref(last.id, last.type)
        inner = self.body(st.body)
        outermost = st is self.g.chain.loops[-1]
        if self.g.takes_turns and st is not self.g.chain.loops[0]:
            inner = self.buffers.settled(inner)
        loop = dataclasses.replace(st, upper=ref, body=inner)
        declared: tuple[Symbol, ...] = (last,)
        before: list[s.Statement] = [s.Assign(ref, st.upper, span=st.span)]
        if outermost:
            declared += self.buffers.declared
            before += self.buffers.made(st)
        after: s.Body = ()
        if outermost and self.g.takes_turns and (self.g.dead or self.buffers.way is not None):
            after = self.buffers.all_back(st)
        return s.Block(declared, (*before, loop, *after), span=st.span)

    def choice(self) -> s.Body:
        """The original loops in the last iteration, the fused loop in all others."""
        g = self.g
        span = g.group[0].span
        tests = [
            compare("==", loop.index, x.Ref(self.last[id(loop)].id, loop.index.type)) for loop in reversed(g.chain.loops)
        ]
        condition = FALSE if g.dead else all_of(*tests)
        if g.checks:
            fails = x.Unary(".not.", x.Paren(all_of(*(c.condition for c in g.checks))))
            condition = fails if g.dead else x.Binary(".or.", condition, fails)
        originals: s.Body = tuple(dataclasses.replace(m, directives=(*m.directives, KEEP)) for m in g.group)
        if g.takes_turns:
            originals = (*self.buffers.back(g.group[0]), *originals)
            otherwise = self.turns()
        else:
            fused = _writing(g.fused, self.buffers.refs)
            otherwise = (fused, *self.buffers.copies_back())
        if condition == FALSE:
            return otherwise
        taken = s.Choice("fuse", tuple(sorted({m.span.line for m in g.group})), original_first=True)
        return (s.If((s.Branch(condition, originals, span),), otherwise, taken, span=span),)

    def turns(self) -> s.Body:
        """Two copies of the fused loop, from the array to the copy and from the copy to the array."""
        g = self.g
        forth = _writing(g.fused, self.buffers.refs)
        back = _reading(g.fused, self.buffers.refs)
        span, flag = g.fused.span, self.buffers.flag_ref
        flip_on, flip_off = (s.Assign(flag, v, span=span) for v in (TRUE, FALSE))
        return (s.If((s.Branch(flag, (back, flip_off), span),), (forth, flip_on), span=span),)


def _writing(loop: s.ParallelLoop, copies: dict[str, x.Expression]) -> s.ParallelLoop:
    """The loop with its writes of renamed arrays to the copies."""

    def rename(st: s.Statement) -> s.Body:
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element) and path_of(st.target.base) in copies:
            target = x.Element(copies[path_of(st.target.base) or ""], st.target.indices)
            return (dataclasses.replace(st, target=target),)
        return (st,)

    return dataclasses.replace(loop, body=map_body(loop.body, rename))


def _reading(loop: s.ParallelLoop, copies: dict[str, x.Expression]) -> s.ParallelLoop:
    """The loop with its reads of renamed arrays from the copies; its writes stay. Names of its own for locals."""

    def swapped(e: x.Expression) -> x.Expression:
        path = path_of(e) if isinstance(e, (x.Ref, x.Component)) else None
        return e if path is None else copies.get(path, e)

    def keep_target(st: s.Statement, new: s.Statement) -> s.Statement:
        if isinstance(st, s.Assign) and isinstance(new, s.Assign) and isinstance(st.target, x.Element):
            if path_of(st.target.base) in copies:
                return dataclasses.replace(new, target=st.target)
        return new

    def statement(st: s.Statement) -> s.Body:
        new = map_statement(st, lambda e: map_body_expressions((s.Assign(e, e),), swapped)[0].value, lambda b: b)  # type: ignore[attr-defined]  # an assignment stays one
        return (keep_target(st, new),)

    return dataclasses.replace(loop, body=map_body(loop.body, statement))
