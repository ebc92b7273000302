"""From a fused loop to the program that chooses it: saved ends of the loops around, copies, and the last iteration."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.analysis.effects import effects_of
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, TRUE, all_of, compare
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body, map_body_expressions, map_statement
from polystencil.ir.types import LOGICAL, Record
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_copies import allocate_copy, copy_loop, copy_symbol, whole_copy
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


def place_fused(whole: s.Body, g: FusedGroup, table: SymbolTable) -> s.Body:
    """The procedure's body with the group replaced."""
    placement = _Placement(g, table)
    return placement.body(whole)


class _Placement:
    def __init__(self, g: FusedGroup, table: SymbolTable) -> None:
        self.g, self.table = g, table
        self.copies = {r.path: copy_symbol(r, g.prefix) for r in g.renamed}
        self.flag = Symbol(f"{g.prefix}.in_copy", "in_copy", LOGICAL)
        self.flag_ref = x.Ref(self.flag.id, LOGICAL)
        self.last: dict[int, Symbol] = {}
        for k, loop in enumerate(g.chain.loops):
            name = loop.index.id.rsplit(".", 1)[-1]
            self.last[id(loop)] = Symbol(f"{g.prefix}.{name}_last{k}", f"{name}_last", loop.index.type)

    def copy_ref(self, r: Renamed) -> x.Ref:
        symbol = self.copies[r.path]
        return x.Ref(symbol.id, symbol.type, len(symbol.shape or ()))

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
            inner = self.settled(inner)
        loop = dataclasses.replace(st, upper=ref, body=inner)
        declared: tuple[Symbol, ...] = (last,)
        before: list[s.Statement] = [s.Assign(ref, st.upper, span=st.span)]
        if outermost:
            declared += tuple(self.copies.values())
            for r in self.g.renamed:
                made = allocate_copy(r, self.copy_ref(r), _is_allocatable(r, self.table), st, self.table)
                before.append(self.with_start(made, r))
            if self.g.takes_turns:
                declared += (self.flag,)
                before.append(s.Assign(self.flag_ref, FALSE, span=st.span))
        after: list[s.Statement] = []
        if outermost and self.g.takes_turns and self.g.dead:
            after.append(self.back(st))
        return s.Block(declared, (*before, loop, *after), span=st.span)

    def with_start(self, made: s.Statement, r: Renamed) -> s.Statement:
        """The allocation of a copy; where it takes turns with the array, the copy starts equal to it."""
        if not self.g.takes_turns:
            return made
        start = whole_copy(self.copy_ref(r), r.array, f"{self.g.prefix}.start", made)
        if isinstance(made, s.If):
            branch = made.branches[0]
            return dataclasses.replace(made, branches=(dataclasses.replace(branch, body=(*branch.body, start)),))
        return s.Block((), (made, start), span=made.span)

    def settled(self, body: s.Body) -> s.Body:
        """Statements further out that touch a renamed array find its values in the array itself."""
        roots = {r.path.split("%", 1)[0] for r in self.g.renamed}
        out: list[s.Statement] = []
        for st in body:
            if isinstance(st, s.Block) and any(v.id.startswith(self.g.prefix) for v in st.declarations):
                out.append(st)  # the inner loop of the chain
                continue
            effects = effects_of((st,), self.table)
            if roots & (effects.reads | effects.defines):
                out.append(self.back(st))
            out.append(st)
            if roots & effects.defines:
                for r in self.g.renamed:
                    out.append(whole_copy(self.copy_ref(r), r.array, f"{self.g.prefix}.again{len(out)}", st))
        return tuple(out)

    def back(self, at: s.Statement) -> s.If:
        """Copy back what the latest execution left in the copy, if it is there."""
        copies = tuple(self.copy_back(r, f"{self.g.prefix}.back") for r in self.g.renamed)
        done = s.Assign(self.flag_ref, FALSE, span=at.span)
        return s.If((s.Branch(self.flag_ref, (*copies, done), at.span),), span=at.span)

    def copy_back(self, r: Renamed, prefix: str) -> s.ParallelLoop:
        return copy_loop(r.array, self.copy_ref(r), self.g.fused, r.subscripts, prefix)

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
            originals = (self.back(g.group[0]), *originals)
            otherwise = self.turns()
        else:
            to_copy = {r.path: self.copy_ref(r) for r in g.renamed}
            fused = _writing(g.fused, to_copy)
            backs = tuple(self.copy_back(r, f"{g.prefix}.back") for r in g.renamed)
            otherwise = (fused, *backs)
        if condition == FALSE:
            return otherwise
        taken = s.Choice("fuse", tuple(sorted({m.span.line for m in g.group})), original_first=True)
        return (s.If((s.Branch(condition, originals, span),), otherwise, taken, span=span),)

    def turns(self) -> s.Body:
        """Two copies of the fused loop, from the array to the copy and from the copy to the array."""
        g = self.g
        to_copy = {r.path: self.copy_ref(r) for r in g.renamed}
        forth = _writing(g.fused, to_copy)
        back = _reading(g.fused, to_copy)
        span = g.fused.span
        flip_on, flip_off = (s.Assign(self.flag_ref, v, span=span) for v in (TRUE, FALSE))
        return (s.If((s.Branch(self.flag_ref, (back, flip_off), span),), (forth, flip_on), span=span),)


def _writing(loop: s.ParallelLoop, copies: dict[str, x.Ref]) -> s.ParallelLoop:
    """The loop with its writes of renamed arrays to the copies."""

    def rename(st: s.Statement) -> s.Body:
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element) and path_of(st.target.base) in copies:
            target = x.Element(copies[path_of(st.target.base) or ""], st.target.indices)
            return (dataclasses.replace(st, target=target),)
        return (st,)

    return dataclasses.replace(loop, body=map_body(loop.body, rename))


def _reading(loop: s.ParallelLoop, copies: dict[str, x.Ref]) -> s.ParallelLoop:
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


def _is_allocatable(r: Renamed, table: SymbolTable) -> bool:
    if isinstance(r.array, x.Ref):
        return "allocatable" in table.symbols[r.array.id].attributes
    if isinstance(r.array, x.Component):
        kind = type_of(r.array.base)
        definition = table.types.get(kind.id) if isinstance(kind, Record) else None
        component = next((c for c in definition.components if c.name == r.array.field), None) if definition else None
        return component is not None and "allocatable" in component.attributes
    return False
