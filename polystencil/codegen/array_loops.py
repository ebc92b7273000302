"""Array syntax as parallel loops: assignments of arrays, where and forall, when the order of elements cannot show.

`a(2:n) = a(1:n-1)` is left alone: its right side counts as read first. What is turned into a loop here keeps the
value of every expression; what is not runs through NumPy on the host.
"""

from __future__ import annotations

from polystencil.analysis.assigned import EffectsFinder, base_id
from polystencil.codegen.array_elements import ONE, ZERO, Elements, minus, number, value_of
from polystencil.codegen.declared_storage import constant_shape
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import INTEGER, Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of

SMALLEST = 48


class ArrayLoops:
    """Rewrites array statements of one program."""

    def __init__(self, table: SymbolTable, effects: EffectsFinder) -> None:
        self.table, self.effects = table, effects
        self.elements = Elements(self._known)
        self._counter = 0

    def _known(self, e: x.Expression, d: int) -> tuple[int, int] | None:
        if not isinstance(e, x.Ref):
            return None
        symbol = self.table.symbols.get(e.id)
        shape = None if symbol is None else constant_shape(symbol)
        return None if shape is None else (shape[d][0], shape[d][0] + shape[d][1] - 1)

    def from_assignment(self, s: st.Assign, mask: x.Expression | None = None) -> st.ParallelLoop | None:
        """The loop of `target = value` (under `mask` where given), or None when it must stay as it is."""
        if not rank_of(s.target) or self._refuses(s.target, s.value, mask):
            return None
        try:
            ranges = self.elements.ranges(s.target)
            sizes = [value_of(minus(last, first)) for first, last, _ in ranges]
            if all(n is not None for n in sizes):
                total = 1
                for n in sizes:
                    total *= (n or 0) + 1
                if total < SMALLEST:
                    return None
            indices, offsets = self._indices(ranges)
            target = self.elements.element(s.target, offsets)
            value = self.elements.element(s.value, offsets)
            condition = None if mask is None else self.elements.element(mask, offsets)
        except NotLaunchable:
            return None
        body: st.Body = (st.Assign(target, value, span=s.span),)
        if condition is not None:
            body = (st.If((st.Branch(condition, body, s.span),), span=s.span),)
        over = frozenset[str]()
        if isinstance(s.target, x.Ref) and mask is None and s.target.id not in self.effects.of_expression(s.value).reads:
            over = frozenset({s.target.id})
        return st.ParallelLoop(
            indices, None, (), (), body, "array", name=f"array{self._counter}", overwrites=over, span=s.span
        )

    def _indices(
        self, ranges: list[tuple[x.Expression, x.Expression, x.Expression]]
    ) -> tuple[tuple[st.LoopIndex, ...], list[x.Expression]]:
        """Indices, outermost first, that run over the target's own subscripts where its step is 1."""
        self._counter += 1
        indices: list[st.LoopIndex] = []
        offsets: list[x.Expression] = []
        for d, (first, last, step) in enumerate(ranges):
            ref = x.Ref(f"array{self._counter}.{'ijklmno'[d]}", INTEGER)
            if step == ONE and value_of(first) is not None:
                indices.append(st.LoopIndex(ref, first, last, ONE))
                offsets.append(minus(ref, first))
            else:
                count = x.Binary("-", x.Binary("/", x.Binary("+", x.Binary("-", last, first), step), step), number(1))
                if step == ONE:
                    count = minus(last, first)  # type: ignore[assignment]  # an expression of integers
                indices.append(st.LoopIndex(ref, ZERO, count, ONE))
                offsets.append(ref)
        return tuple(reversed(indices)), offsets

    def _refuses(self, target: x.Expression, value: x.Expression, mask: x.Expression | None) -> bool:
        base = base_id(target)
        symbol = self.table.symbols.get(base or "")
        if base is None or symbol is None or isinstance(type_of(target), Record):
            return True
        t = type_of(target)
        if not isinstance(t, Intrinsic) or t.base == "character":
            return True
        if isinstance(target, (x.Ref, x.Component)) and self._allocatable(target, symbol) and rank_of(value):
            return True
        both = (value,) if mask is None else (value, mask)
        reads: set[str] = set()
        for e in both:
            effects = self.effects.of_expression(e)
            if effects.unknown or effects.writes:
                return True
            reads |= effects.reads
        if may_be_pointed_at(target, self.table) and any(
            rank_of(node) and node != target and may_be_pointed_at(node, self.table)
            for e in both
            for node in walk_expression(e)
            if isinstance(node, (x.Ref, x.Element, x.Section, x.Component))
        ):
            return True
        if isinstance(target, x.Section) and any(not isinstance(s, x.Range) and rank_of(s) for s in target.subscripts):
            return True
        if base in reads and not self._same_elements(target, both, base):
            return True
        return any(
            isinstance(n, x.IntrinsicCall) and not n.rank and n.name in _WHOLE for e in both for n in walk_expression(e)
        )

    def _allocatable(self, target: x.Expression, symbol: Symbol) -> bool:
        if isinstance(target, x.Ref):
            return "allocatable" in symbol.attributes
        if isinstance(target, x.Component) and target.rank:
            t = type_of(target.base)
            if isinstance(t, Record) and t.id in self.table.types:
                return any(
                    c.name == target.field and "allocatable" in c.attributes for c in self.table.types[t.id].components
                )
        return False

    def _same_elements(self, target: x.Expression, values: tuple[x.Expression, ...], base: str) -> bool:
        """Every use of the target on the right side is the very element that is assigned."""
        inside = total = 0
        for value in values:
            for node in walk_expression(value):
                if node == target:
                    inside += sum(1 for n in walk_expression(node) if isinstance(n, x.Ref) and n.id == base)
                if isinstance(node, x.Ref) and node.id == base:
                    total += 1
                if isinstance(node, x.IntrinsicCall) and node.name == "transpose":
                    return False
                if (
                    isinstance(node, x.FunctionCall)
                    and base in self.effects.of_expression(x.FunctionCall(node.target, (), node.type)).reads
                ):
                    return False
        return inside == total

    def from_forall(self, s: st.Forall) -> list[st.ParallelLoop] | None:
        """One loop for each assignment of a forall."""
        out: list[st.ParallelLoop] = []
        indices = {index.ref.id for index in s.indices}
        for inner in s.body:
            if not isinstance(inner, st.Assign) or rank_of(inner.target):
                return None
            base = base_id(inner.target)
            reads = self.effects.of_expression(inner.value).reads
            for node in walk_expression(inner.target):
                if node is not inner.target and isinstance(node, x.Ref) and node.id != base:
                    reads = reads | {node.id}
            if s.mask is not None:
                reads = reads | self.effects.of_expression(s.mask).reads
            symbol = self.table.symbols.get(base or "")
            if base is None or base in reads or symbol is None or symbol.attributes & {"pointer", "target"}:
                return None
            if s.mask is not None and len(s.body) > 1:
                changed = {base_id(a.target) for a in s.body if isinstance(a, st.Assign)}
                if self.effects.of_expression(s.mask).reads & changed:
                    return None
            self._counter += 1
            out.append(
                st.ParallelLoop(
                    s.indices, s.mask, (), (), (inner,), "array", name=f"forall{self._counter}", span=inner.span
                )
            )
        return out if indices else None

    def from_where(self, s: st.Where) -> list[st.ParallelLoop] | None:
        """Loops for a where with one or more masks, when no assignment changes what a mask reads."""
        masks = [c.mask for c in s.clauses if c.mask is not None]
        reads: set[str] = set()
        for mask in masks:
            reads |= self.effects.of_expression(mask).reads
        out: list[st.ParallelLoop] = []
        before: list[x.Expression] = []
        for clause in s.clauses:
            for inner in clause.body:
                if not isinstance(inner, st.Assign) or base_id(inner.target) in reads:
                    return None
                control: x.Expression | None = clause.mask
                for other in before:
                    negated = x.Unary(".not.", other)
                    control = negated if control is None else x.Binary(".and.", negated, control)
                loop = self.from_assignment(inner, control)
                if loop is None:
                    return None
                out.append(loop)
            if clause.mask is not None:
                before.append(clause.mask)
        return out


def may_be_pointed_at(e: x.Expression, table: SymbolTable) -> bool:
    """Whether a designator may share storage with a variable of another name: pointers, targets, storage blocks."""
    while True:
        match e:
            case x.Ref():
                symbol = table.symbols.get(e.id)
                return symbol is not None and (
                    bool(symbol.attributes & {"pointer", "target"}) or symbol.block is not None
                )
            case x.Component():
                t = type_of(e.base)
                if isinstance(t, Record) and t.id in table.types:
                    for c in table.types[t.id].components:
                        if c.name == e.field and "pointer" in c.attributes:
                            return True
                e = e.base
            case x.Element() | x.Section() | x.Substring():
                e = e.base
            case _:
                return False


_WHOLE = frozenset(
    ["sum", "product", "maxval", "minval", "any", "all", "count", "dot_product", "maxloc", "minloc", "norm2", "parity"]
)
