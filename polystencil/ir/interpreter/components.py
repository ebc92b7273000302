"""Components of records and of arrays of records; names and cells of designators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.program import Symbol
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.association import content
from polystencil.semantics.sections import section_index
from polystencil.semantics.values import Array, Field, RecordArray
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


def compile_parent_view(c: Compiler, e: x.Convert) -> Closure:
    """An object seen as a type that its own extends: the same components under the other layout."""
    assert isinstance(e.type, Record)
    variable, layout = c.variable(e.operand), c.machine.layouts.of(e.type.id)

    def view(f: Any) -> Any:
        storage = variable(f)
        if isinstance(storage, Array):
            return Array(RecordArray(layout, storage.data.fields, storage.data.shape), storage.lower)
        return RecordValue(layout, storage.fields)

    return view


def compile_component(c: Compiler, e: x.Component) -> Closure:
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


def leaf_view(leaf: Any, rank: int, lower: tuple[int, ...], subscripts: Any, name: str) -> Any:
    shape = leaf.shape[rank:]
    whole = Array(np.broadcast_to(np.bool_(False), shape), lower)
    index = section_index(whole, subscripts, name)
    return leaf[(slice(None),) * rank + index]
