"""The copies of renamed arrays around a fused loop: made before the chain of loops, filled, copied back.

A copy stands for an array, or for a component of the record that a loop of the chain chooses (`fusion_elements`).
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.effects import effects_of
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE
from polystencil.ir.program import Symbol, TypeDefinition
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_statements
from polystencil.transforms.fusion_copies import allocate_copy, copy_loop, copy_symbol, whole_copy
from polystencil.transforms.fusion_elements import (
    RecordCopies,
    Records,
    allocate_flags,
    chosen_record,
    flag_of,
    record_copies,
    records_of,
    where_allocated,
)
from polystencil.transforms.fusion_paths import root_of
from polystencil.transforms.fusion_renaming import Renamed
from polystencil.transforms.overwritten import writes_all_of
from polystencil.transforms.time_chain import Chain


class Buffers:
    """The copies of one group, with the flag that tells which of array and copy holds the values, where they take
    turns; `way` is the record that the flag belongs to, if a loop of the chain chooses one."""

    def __init__(
        self, renamed: tuple[Renamed, ...], fused: s.ParallelLoop, chain: Chain, takes_turns: bool, prefix: str,
        table: SymbolTable,
    ) -> None:  # fmt: skip
        self.renamed, self.fused, self.takes_turns, self.prefix, self.table = renamed, fused, takes_turns, prefix, table
        self.single: dict[str, Symbol] = {}
        self.records: dict[str, RecordCopies] = {}
        for r in renamed:
            way = chosen_record(r, chain)
            if way is None:
                self.single[r.path] = copy_symbol(r, prefix)
            else:
                self.records[r.path] = record_copies(r, way, prefix)
        self.way = next((c.way for c in self.records.values()), None) if takes_turns else None
        self.flag, self.flag_ref = flag_of(self.way, prefix)
        self.walks = 0

    @property
    def types(self) -> tuple[TypeDefinition, ...]:
        """Types that the copies need."""
        return tuple(c.definition for c in self.records.values())

    @property
    def declared(self) -> tuple[Symbol, ...]:
        """The copies and the flag."""
        copies = tuple(self.records[r.path].symbol if r.path in self.records else self.single[r.path] for r in self.renamed)
        return (*copies, self.flag) if self.takes_turns else copies

    @property
    def refs(self) -> dict[str, x.Expression]:
        """The copy of each renamed array, as the fused loop names it."""
        return {r.path: self.ref(r) for r in self.renamed}

    def ref(self, r: Renamed) -> x.Expression:
        if r.path in self.records:
            return self.records[r.path].ref
        symbol = self.single[r.path]
        return x.Ref(symbol.id, symbol.type, len(symbol.shape or ()))

    # -- before the chain --------------------------------------------------------------------------------------

    def made(self, at: s.Statement) -> list[s.Statement]:
        """Allocate the copies before the chain of loops; where they take turns with the arrays, they start equal."""
        out: list[s.Statement] = []
        for r in self.renamed:
            if r.path not in self.records:
                made = allocate_copy(r, self.ref(r), at, self.table)
                out.append(self.with_start(made, r))
        if self.takes_turns and self.way is None:
            out.append(s.Assign(self.flag_ref, FALSE, span=at.span))
        elif self.way is not None:
            out += self.where_records(self.way, allocate_flags(self.flag, self.way, at), at)
        for c in self.records.values():
            walk = self.walk(c.way)
            start: s.Body = ()
            if self.takes_turns:
                array = walk.here(c.renamed.array)
                start = (whole_copy(c.at(walk.refs), array, f"{self.prefix}.start", at),)
            out += self.where_records(c.way, self.numbered(walk, c.allocated(walk, start, at, self.table), at), at)
        return out

    def with_start(self, made: s.Statement, r: Renamed) -> s.Statement:
        """The allocation of a copy; where it takes turns with the array, the copy starts equal to it, unless the fused
        loop assigns all of it."""
        if not self.takes_turns or writes_all_of(self.fused, r.path, self.table):
            return made
        start = whole_copy(self.ref(r), r.array, f"{self.prefix}.start", made)
        if isinstance(made, s.If):
            branch = made.branches[0]
            return dataclasses.replace(made, branches=(dataclasses.replace(branch, body=(*branch.body, start)),))
        return s.Block((), (made, start), span=made.span)

    def walk(self, way: x.Element) -> Records:
        self.walks += 1
        return records_of(way, f"{self.prefix}.walk{self.walks}")

    def numbered(self, walk: Records, body: s.Body, at: s.Statement) -> s.Body:
        return (s.Block(walk.symbols, body, span=at.span),)

    def where_records(self, way: x.Element, body: s.Body, at: s.Statement) -> s.Body:
        return where_allocated(way.base, body, at, self.table)

    # -- in and behind it --------------------------------------------------------------------------------------

    def settled(self, body: s.Body) -> s.Body:
        """Statements further out that touch a renamed array find its values in the array itself."""
        roots = {root_of(r.path) for r in self.renamed}
        out: list[s.Statement] = []
        for st in body:
            if isinstance(st, s.Block) and any(v.id.startswith(self.prefix) for v in st.declarations):
                out.append(st)  # the inner loop of the chain
                continue
            if isinstance(st, s.Block) and not st.name and self.holds_chain(st):
                out.append(dataclasses.replace(st, body=self.settled(st.body)))
                continue
            effects = effects_of((st,), self.table)
            if roots & (effects.reads | effects.defines):
                out += self.all_back(st)
            out.append(st)
            if roots & effects.defines:
                for r in self.renamed:
                    out += self.again(r, f"{self.prefix}.again{len(out)}", st)
        return tuple(out)

    def holds_chain(self, st: s.Block) -> bool:
        """Whether a block holds the inner loop of the chain."""
        inside = (i for i in walk_statements(st.body) if isinstance(i, s.Block))
        return any(v.id.startswith(self.prefix) for i in inside for v in i.declarations)

    def again(self, r: Renamed, prefix: str, at: s.Statement) -> s.Body:
        """Make a copy equal to its array again."""
        if r.path not in self.records:
            return (whole_copy(self.ref(r), r.array, prefix, at),)
        c = self.records[r.path]
        walk = self.walk(c.way)
        array = walk.here(r.array)
        one = where_allocated(array, (whole_copy(c.at(walk.refs), array, prefix, at),), at, self.table)
        return self.where_records(c.way, self.numbered(walk, walk.each(one, at), at), at)

    def back(self, at: s.Statement) -> s.Body:
        """Copy back what the latest execution for the iteration's record left in the copy, if it is there."""
        done = s.Assign(self.flag_ref, FALSE, span=at.span)
        return (s.If((s.Branch(self.flag_ref, (*self.copies_back(), done), at.span),), span=at.span),)

    def all_back(self, at: s.Statement) -> s.Body:
        """The same for all records."""
        if self.way is None:
            return self.back(at)
        walk = self.walk(self.way)
        flag = x.Element(x.Ref(self.flag.id, self.flag.type, len(walk.refs)), walk.refs)
        copies = tuple(self.record_back(c, walk) for c in self.records.values())
        done = s.Assign(flag, FALSE, span=at.span)
        one: s.Body = (s.If((s.Branch(flag, (*copies, done), at.span),), span=at.span),)
        return self.where_records(self.way, self.numbered(walk, walk.each(one, at), at), at)

    def copies_back(self) -> s.Body:
        """Copy the elements that the fused loop writes back into the arrays."""
        prefix = f"{self.prefix}.back"
        return tuple(copy_loop(r.array, self.ref(r), self.fused, r.subscripts, prefix) for r in self.renamed)

    def record_back(self, c: RecordCopies, walk: Records) -> s.ParallelLoop:
        r = c.renamed
        subscripts = tuple(walk.here(e) for e in r.subscripts)
        return copy_loop(walk.here(r.array), c.at(walk.refs), self.fused, subscripts, f"{self.prefix}.back")
