"""Designators: from Ref, Element, Section, Component and Substring to the storage they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter.scopes import Place
from polystencil.ir.program import Symbol
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.association import content
from polystencil.semantics.sections import out_of_bounds, section_index, substring_view
from polystencil.semantics.values import Allocatable, Array, Field, Pointer, RecordArray
from polystencil.semantics.values import Record as RecordValue

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def name_of(c: Compiler, e: x.Expression) -> str:
    """A designator as the user wrote it, roughly, for messages."""
    match e:
        case x.Ref():
            return c.symbol(e.id).name
        case x.Component():
            return f"{name_of(c, e.base)}%{e.field}"
        case x.Element() | x.Section() | x.Substring():
            return name_of(c, e.base)
        case _:
            return "expression"


def holds_cell(symbol: Symbol) -> bool:
    """Whether storage of the symbol is an Allocatable or Pointer cell."""
    if isinstance(symbol.type, ProcedureType):
        return "pointer" in symbol.attributes
    return bool(symbol.attributes & {"allocatable", "pointer"})


def component_symbol(c: Compiler, e: x.Component) -> Symbol:
    """The declaration of a component."""
    t = type_of(e.base)
    assert isinstance(t, Record)
    return next(s for s in c.machine.table.types[t.id].components if s.name == e.field)


def slot_reader(place: Place) -> Closure:
    """What is in a slot of this frame or a host's."""
    slot, depth = place.slot, place.depth
    if depth == 0:
        return lambda f: f[slot]
    if depth == 1:
        return lambda f: f[0][slot]

    def read(f: Any) -> Any:
        for _ in range(depth):
            f = f[0]
        return f[slot]

    return read


def raw(c: Compiler, id: str) -> Closure:
    """What stands for a variable: storage, a cell, None for an absent optional dummy."""
    if id in c.machine.static:
        storage = c.machine.static_storage(id)
        return lambda _: storage
    try:
        return slot_reader(c.scope.find(id))
    except KeyError:
        raise UnsupportedError(f"variable {id} is used outside of the procedure that has it") from None


def compile_cell(c: Compiler, e: x.Expression) -> Closure:
    """The cell of a whole allocatable or pointer variable or component."""
    if isinstance(e, x.Ref):
        return raw(c, e.id)
    if isinstance(e, x.Component):
        base, field = c.variable(e.base), e.field
        return lambda f: base(f).fields[field]
    raise UnsupportedError("this is neither an allocatable nor a pointer variable")


def is_cell(c: Compiler, e: x.Expression) -> bool:
    """Whether `e` is a whole variable or component with a cell."""
    if isinstance(e, x.Ref):
        return holds_cell(c.symbol(e.id))
    return isinstance(e, x.Component) and holds_cell(component_symbol(c, e))


def compile_variable(c: Compiler, e: x.Expression) -> Closure:
    """The storage of a designator: 0-d ndarray, Array (lower bounds 1 for sections) or Record."""
    match e:
        case x.Ref():
            return _ref(c, e)
        case x.Component():
            return _component(c, e)
        case x.Element():
            return _element(c, e)
        case x.Section():
            return _section(c, e)
        case x.Substring():
            return _substring(c, e)
        case x.Convert(type=Record()):
            return _parent_view(c, e)
        case _:
            from polystencil.semantics.values import storage_of

            value = c.value(e)
            return lambda f: storage_of(value(f))


def _ref(c: Compiler, e: x.Ref) -> Closure:
    symbol, read = c.symbol(e.id), raw(c, e.id)
    name = symbol.name
    if holds_cell(symbol):
        return lambda f: content(read(f), name)
    if "optional" in symbol.attributes:

        def checked(f: Any) -> Any:
            storage = read(f)
            if storage is None:
                raise FortranRuntimeError(f"optional argument {name} is used but absent")
            return storage

        return checked
    return read


def _parent_view(c: Compiler, e: x.Convert) -> Closure:
    """An object seen as a type that its own extends: the same components under the other layout."""
    assert isinstance(e.type, Record)
    variable, layout = c.variable(e.operand), c.machine.layouts.of(e.type.id)

    def view(f: Any) -> Any:
        storage = variable(f)
        if isinstance(storage, Array):
            return Array(RecordArray(layout, storage.data.fields, storage.data.shape), storage.lower)
        return RecordValue(layout, storage.fields)

    return view


def _component(c: Compiler, e: x.Component) -> Closure:
    symbol, base, field = component_symbol(c, e), c.variable(e.base), e.field
    if holds_cell(symbol):
        cell, name = c.cell(e), name_of(c, e)
        if rank_of(e.base):
            raise UnsupportedError(f"{name}: a component of an array may not be allocatable or a pointer here")
        return lambda f: content(cell(f), name)
    if rank_of(e.base):
        ones = (1,) * (rank_of(e.base) + e.rank)
        return lambda f: Array(base(f).data.fields[field], ones)
    if e.rank == 0:
        return lambda f: base(f).fields[field]
    lower = component_lower(c, e)
    return lambda f: Array(base(f).fields[field], lower)


def component_lower(c: Compiler, e: x.Component) -> tuple[int, ...]:
    """The declared lower bounds of an explicit-shape component."""
    return layout_field(c, e).lower


def layout_field(c: Compiler, e: x.Component) -> Field:
    t = type_of(e.base)
    assert isinstance(t, Record)
    return next(f for f in c.machine.layouts.of(t.id).fields if f.name == e.field)


def parent_array(c: Compiler, e: x.Expression) -> Closure | None:
    """For a component of an array of records with array components: the leaf with the component's lower bounds.

    Gives (leaf, parent rank, lower); None for other bases.
    """
    if isinstance(e, x.Component) and e.rank and rank_of(e.base):
        base, field, rank, lower = c.variable(e.base), e.field, rank_of(e.base), component_lower(c, e)
        return lambda f: (base(f).data.fields[field], rank, lower)
    return None


def _leaf_view(leaf: Any, rank: int, lower: tuple[int, ...], subscripts: Any, name: str) -> Any:
    shape = leaf.shape[rank:]
    whole = Array(np.broadcast_to(np.bool_(False), shape), lower)
    index = section_index(whole, subscripts, name)
    return leaf[(slice(None),) * rank + index]


def index_error(array: Array, subscripts: list[int], name: str) -> FortranRuntimeError:
    """The error for the first subscript that is outside."""
    for d, (k, low, high) in enumerate(zip(subscripts, array.lower, array.upper, strict=True)):
        if not low <= k <= high:
            return out_of_bounds(d + 1, k, low, high, name)
    return FortranRuntimeError(f"subscripts of {name} are out of bounds")


def compile_place(c: Compiler, e: x.Element) -> Closure:
    """(data, index tuple) of an element; checks the bounds."""
    base, name = c.variable(e.base), name_of(c, e.base)
    indices = [c.number(i) for i in e.indices]
    if len(indices) == 1:
        first = indices[0]

        def place1(f: Any) -> Any:
            array = base(f)
            data = array.data
            k = first(f) - array.lower[0]
            if 0 <= k < data.shape[0]:
                return data, (k,)
            raise index_error(array, [k + array.lower[0]], name)

        return place1
    if len(indices) == 2:
        first, second = indices

        def place2(f: Any) -> Any:
            array = base(f)
            data = array.data
            low0, low1 = array.lower
            n0, n1 = data.shape
            k0, k1 = first(f) - low0, second(f) - low1
            if 0 <= k0 < n0 and 0 <= k1 < n1:
                return data, (k0, k1)
            raise index_error(array, [k0 + low0, k1 + low1], name)

        return place2

    def place(f: Any) -> Any:
        array = base(f)
        data = array.data
        subscripts = [i(f) for i in indices]
        index = tuple(k - low for k, low in zip(subscripts, array.lower, strict=True))
        for k, n in zip(index, data.shape, strict=True):
            if not 0 <= k < n:
                raise index_error(array, subscripts, name)
        return data, index

    return place


def _element(c: Compiler, e: x.Element) -> Closure:
    leaf = parent_array(c, e.base)
    if leaf is not None:
        numbers, name = [c.number(i) for i in e.indices], name_of(c, e.base)

        def of_parent(f: Any) -> Any:
            data, rank, lower = leaf(f)
            return Array(_leaf_view(data, rank, lower, tuple(i(f) for i in numbers), name), (1,) * rank)

        return of_parent
    place = compile_place(c, e)

    def element(f: Any) -> Any:
        data, index = place(f)
        return data[(*index, Ellipsis)]

    return element


def compile_subscripts(c: Compiler, subscripts: tuple[x.Expression, ...]) -> Closure:
    """The subscripts of a section as `sections.section_index` takes them."""
    parts: list[Closure] = [_subscript(c, s) for s in subscripts]
    return lambda f: tuple(p(f) for p in parts)


def _subscript(c: Compiler, s: x.Expression) -> Closure:
    if isinstance(s, x.Range):
        lower, upper, step = (None if p is None else c.number(p) for p in (s.lower, s.upper, s.step))

        def triplet(f: Any) -> Any:
            return (
                None if lower is None else lower(f),
                None if upper is None else upper(f),
                1 if step is None else step(f),
            )

        return triplet
    return c.value(s) if rank_of(s) else c.number(s)


def has_vector(e: x.Section) -> bool:
    """Whether a subscript is an array: such a section is no view."""
    return any(not isinstance(s, x.Range) and rank_of(s) for s in e.subscripts)


def _section(c: Compiler, e: x.Section) -> Closure:
    subscripts, name, rank = compile_subscripts(c, e.subscripts), name_of(c, e.base), rank_of(e)
    leaf = parent_array(c, e.base)
    if leaf is not None:

        def of_parent(f: Any) -> Any:
            data, parent_rank, lower = leaf(f)
            view = _leaf_view(data, parent_rank, lower, subscripts(f), name)
            return Array(view, (1,) * len(view.shape))

        return of_parent
    base, ones = c.variable(e.base), (1,) * rank

    def section(f: Any) -> Any:
        array = base(f)
        return Array(array.data[(*section_index(array, subscripts(f), name), Ellipsis)], ones)

    return section


def _substring(c: Compiler, e: x.Substring) -> Closure:
    base = c.variable(e.base)
    lower = None if e.lower is None else c.number(e.lower)
    upper = None if e.upper is None else c.number(e.upper)

    def substring(f: Any) -> Any:
        storage = base(f)
        first, last = None if lower is None else lower(f), None if upper is None else upper(f)
        if isinstance(storage, Array):
            return Array(substring_view(storage.data, first, last), storage.lower)
        return substring_view(storage, first, last)

    return substring


__all__ = [
    "Allocatable", "Pointer", "RecordArray", "RecordValue", "compile_cell", "compile_place", "compile_subscripts",
    "compile_variable", "component_lower", "component_symbol", "has_vector", "holds_cell", "is_cell", "name_of", "raw",
    "slot_reader",
]  # fmt: skip
