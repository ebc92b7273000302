"""Copies of renamed components of an array of records, where a loop of the chain chooses the record.

    do step = 1, n                   type(q_copies), allocatable :: copies(:)
      do m = 1, size(s)              allocate (copies(lbound(s, 1):ubound(s, 1)))
        ... s(m)%q ...         -->   do e = lbound(s, 1), ubound(s, 1)
                                       if (allocated(s(e)%q)) allocate (copies(e)%q(lbound(s(e)%q, 1):...))
                                     ... copies(m)%q ...

Each record has a copy of its own, with its own bounds, and a flag of its own that tells where its values are.
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import integer
from polystencil.ir.program import Dimension, Symbol, TypeDefinition
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression, walk_expression
from polystencil.ir.types import INTEGER, LOGICAL, Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.fusion_copies import bound, is_allocatable
from polystencil.transforms.fusion_paths import name_of, shapes_in, touched, values_in, way_of
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.fusion_renaming import Renamed
from polystencil.transforms.time_chain import Chain


def chosen_record(r: Renamed, chain: Chain) -> x.Element | None:
    """The element of an array of records through which a renamed array is reached, if loops of the chain choose it."""
    variables = {loop.index.id for loop in chain.loops}
    for way in way_of(r.array):
        if any(isinstance(n, x.Ref) and n.id in variables for i in way.indices for n in walk_expression(i)):
            return way
    return None


def check_record(r: Renamed, chain: Chain, written: set[str]) -> None:
    """NotFused where one iteration may name another record by the same subscripts, or two spellings one record.

    `written` are the paths that the fused loops define.
    """
    variables = {loop.index.id for loop in chain.loops}
    ways = way_of(r.array)
    name = name_of(r.path)
    for way in ways:
        for i in way.indices:
            plain = all(
                isinstance(n, (x.Ref, x.Literal, x.NamedConstant, x.Component))
                or (isinstance(n, x.Binary) and n.operator in ("+", "-"))
                for n in walk_expression(i)
            )
            reads = values_in(i)
            if not plain or rank_of(i) or shapes_in(i):
                raise NotFused(f"{name} is renamed, but reached with a subscript that is no variable or sum of variables")
            if isinstance(i, x.Ref) and i.id in variables:
                continue
            if reads & variables:
                raise NotFused(
                    f"{name} is renamed, but reached with a subscript that is computed from a loop variable, not the "
                    "variable itself"
                )
            if touched(reads, chain.others.defines | written):
                raise NotFused(f"{name} is renamed, but reached with a subscript that changes in the loops around")
    if chosen_record(r, chain) is not None and len(ways) > 1:
        raise NotFused(f"{name} is renamed, but reached through several arrays of records")


@dataclass(frozen=True, eq=False)
class RecordCopies:
    """The copies of one renamed array: `symbol` is an array of records of type `definition` with the one component."""

    renamed: Renamed
    way: x.Element
    symbol: Symbol
    definition: TypeDefinition

    @property
    def ref(self) -> x.Component:
        """The copy that belongs to the iteration's record."""
        return self.at(self.way.indices)

    def at(self, indices: tuple[x.Expression, ...]) -> x.Component:
        """The copy that belongs to a record."""
        whole = x.Ref(self.symbol.id, self.symbol.type, len(self.way.indices))
        component = self.definition.components[0]
        return x.Component(x.Element(whole, indices), component.name, component.type, rank_of(self.renamed.array))

    def allocated(self, element: Records, start: s.Body, at: s.Statement, table: SymbolTable) -> s.Body:
        """Allocate the copies, and fill them by `start`, for every record whose array is allocated."""
        whole = x.Ref(self.symbol.id, self.symbol.type, len(self.way.indices))
        make = s.Allocate((s.Allocation(whole, _extent(self.way.base)),), span=at.span)
        array = element.here(self.renamed.array)
        bounds = tuple((bound("lbound", array, d), bound("ubound", array, d)) for d in range(rank_of(array)))
        one: s.Body = (s.Allocate((s.Allocation(self.at(element.refs), bounds),), span=at.span), *start)
        if is_allocatable(self.renamed.array, table):
            one = _if_allocated(array, one, at)
        return (make, *element.each(one, at))


def record_copies(r: Renamed, way: x.Element, prefix: str) -> RecordCopies:
    """The copies of a renamed array per record."""
    field = r.path.rsplit("%", 1)[-1]
    id = f"{prefix}.{field}_copies"
    shape = (Dimension(None, None),) * rank_of(r.array)
    component = Symbol(f"{id}%{field}", field, type_of(r.array), shape, frozenset({"allocatable"}))
    definition = TypeDefinition(id, f"{field}_copies", (component,))
    outer = (Dimension(None, None),) * len(way.indices)
    symbol = Symbol(f"{prefix}.{field}_copy", f"{field}_copy", Record(id), outer, frozenset({"allocatable"}))
    return RecordCopies(r, way, symbol, definition)


@dataclass(frozen=True, eq=False)
class Records:
    """A walk over all records of an array: `symbols` are the variables that number them."""

    way: x.Element
    symbols: tuple[Symbol, ...]

    @property
    def refs(self) -> tuple[x.Expression, ...]:
        """The variables as subscripts."""
        return tuple(x.Ref(v.id, v.type) for v in self.symbols)

    def here(self, e: x.Expression) -> x.Expression:
        """An expression of the iteration's record as one of the record that the walk is at."""
        return map_expression(e, lambda n: x.Element(self.way.base, self.refs) if n == self.way else n)

    def each(self, body: s.Body, at: s.Statement) -> s.Body:
        """Run `body` for every record."""
        for d, v in enumerate(self.symbols):
            lower, upper = bound("lbound", self.way.base, d), bound("ubound", self.way.base, d)
            body = (s.Do(x.Ref(v.id, v.type), lower, upper, integer(1), body, name=v.id, span=at.span),)
        return body


def records_of(way: x.Element, prefix: str) -> Records:
    """A walk over the array that `way` is an element of."""
    names = ("record",) if len(way.indices) == 1 else tuple(f"record{d + 1}" for d in range(len(way.indices)))
    return Records(way, tuple(Symbol(f"{prefix}.{n}", n, INTEGER) for n in names))


def flag_of(way: x.Element | None, prefix: str) -> tuple[Symbol, x.Expression]:
    """The flag that tells that the copy holds the values, one per record: its symbol, and it in an iteration."""
    kind: Intrinsic = LOGICAL
    if way is None:
        symbol = Symbol(f"{prefix}.in_copy", "in_copy", kind)
        return symbol, x.Ref(symbol.id, kind)
    shape = (Dimension(None, None),) * len(way.indices)
    symbol = Symbol(f"{prefix}.in_copy", "in_copy", kind, shape, frozenset({"allocatable"}))
    return symbol, x.Element(x.Ref(symbol.id, kind, len(shape)), way.indices)


def allocate_flags(flag: Symbol, way: x.Element, at: s.Statement) -> s.Body:
    """Allocate the flags, none of them set."""
    whole = x.Ref(flag.id, LOGICAL, len(way.indices))
    make = s.Allocate((s.Allocation(whole, _extent(way.base)),), span=at.span)
    return (make, s.Assign(whole, x.Literal(False, LOGICAL), span=at.span))


def where_allocated(array: x.Expression, body: s.Body, at: s.Statement, table: SymbolTable) -> s.Body:
    """`body`, if the array and every record on the way to it are allocated."""
    links: list[x.Expression] = []
    e = array
    while isinstance(e, (x.Component, x.Element, x.Ref)):
        if not isinstance(e, x.Element) and is_allocatable(e, table):
            links.append(e)
        if isinstance(e, x.Ref):
            break
        e = e.base
    for link in links:
        body = _if_allocated(link, body, at)
    return body


def _if_allocated(array: x.Expression, body: s.Body, at: s.Statement) -> s.Body:
    test = x.IntrinsicCall("allocated", (array,), LOGICAL)
    return (s.If((s.Branch(test, body, at.span),), span=at.span),)


def _extent(array: x.Expression) -> tuple[tuple[x.Expression | None, x.Expression], ...]:
    return tuple((bound("lbound", array, d), bound("ubound", array, d)) for d in range(rank_of(array)))
