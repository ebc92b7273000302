"""Designators: from Ref, Element, Section, Component and Substring to the storage they name.

Five kinds of one thing that refer to one another, so one file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter.components import (
    compile_component as compile_component,
)
from polystencil.ir.interpreter.components import (
    compile_parent_view as compile_parent_view,
)
from polystencil.ir.interpreter.components import (
    component_lower as component_lower,
)
from polystencil.ir.interpreter.components import (
    component_symbol as component_symbol,
)
from polystencil.ir.interpreter.components import (
    holds_cell as holds_cell,
)
from polystencil.ir.interpreter.components import (
    leaf_view as leaf_view,
)
from polystencil.ir.interpreter.components import (
    name_of as name_of,
)
from polystencil.ir.interpreter.components import (
    parent_array as parent_array,
)
from polystencil.ir.interpreter.scopes import Place
from polystencil.ir.types import Record
from polystencil.ir.typing import rank_of
from polystencil.semantics.association import content
from polystencil.semantics.sections import out_of_bounds, section_index, substring_view
from polystencil.semantics.values import Array

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


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
            return compile_component(c, e)
        case x.Element():
            return _element(c, e)
        case x.Section():
            return _section(c, e)
        case x.Substring():
            return _substring(c, e)
        case x.Convert(type=Record()):
            return compile_parent_view(c, e)
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
            return Array(leaf_view(data, rank, lower, tuple(i(f) for i in numbers), name), (1,) * rank)

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
            view = leaf_view(data, parent_rank, lower, subscripts(f), name)
            return Array(view, (1,) * len(view.shape))

        return of_parent
    base, ones = c.variable(e.base), (1,) * rank
    simple = [_simple_subscript(c, s) for s in e.subscripts]
    if all(s is not None for s in simple):
        return _simple_section(base, simple, ones, lambda array, f: section_index(array, subscripts(f), name))

    def section(f: Any) -> Any:
        array = base(f)
        return Array(array.data[(*section_index(array, subscripts(f), name), Ellipsis)], ones)

    return section


def _simple_subscript(c: Compiler, s: x.Expression) -> Any:
    """A subscript or a range of step 1 as a function of (frame, lower bound, extent); None for others.

    It gives None where the subscript is out of bounds.
    """
    if isinstance(s, x.Range):
        if s.step is not None:
            return None
        if s.lower is None and s.upper is None:
            return lambda _f, _low, _n: slice(None)
        lower = None if s.lower is None else c.number(s.lower)
        upper = None if s.upper is None else c.number(s.upper)

        def bounds(f: Any, low: int, n: int) -> slice | None:
            first = 0 if lower is None else lower(f) - low
            stop = n if upper is None else upper(f) - low + 1
            if stop <= first:
                return slice(0, 0)
            return slice(first, stop) if first >= 0 and stop <= n else None

        return bounds
    if rank_of(s):
        return None
    number = c.number(s)

    def index(f: Any, low: int, n: int) -> int | None:
        k: int = number(f) - low
        return k if 0 <= k < n else None

    return index


def _simple_section(base: Closure, subscripts: list[Any], ones: tuple[int, ...], otherwise: Any) -> Closure:
    """A section of such subscripts; `otherwise` words the error when one is out of bounds."""

    def section(f: Any) -> Any:
        array = base(f)
        data = array.data
        index = [s(f, low, n) for s, low, n in zip(subscripts, array.lower, data.shape, strict=True)]
        if None in index:
            otherwise(array, f)
        return Array(data[(*index, Ellipsis)], ones)

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

