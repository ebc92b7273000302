"""Which variables may share storage: pointers and targets, common and equivalence blocks.

Two dummy arguments, or a dummy and a variable of a module, share nothing that either writes (Fortran 2018,
15.5.2.13), unless both have the target or pointer attribute.
"""

from __future__ import annotations

from polystencil.ir.symbols import SymbolTable

POINTED = "*"  # the class of all that a pointer may reach


def storage_class(path: str, table: SymbolTable) -> str:
    """The class of the storage that a designator path `variable%component%...` names.

    Different classes never overlap; paths of one class may.
    """
    id, *fields = (part.split("(")[0] for part in path.split("%"))
    symbol = table.symbols.get(id)
    if symbol is None:
        return path
    if fields and _through_pointer(symbol, fields, table):
        return POINTED
    if {"pointer", "target"} & symbol.attributes:
        return POINTED
    if symbol.block is not None:
        return f"block {symbol.block}"
    return path


def root_class(path: str, table: SymbolTable) -> str:
    """The class of storage of the whole variable that a path is a part of: parts may hold one another."""
    found = storage_class(path, table)
    return found if found == POINTED or found.startswith("block ") else path.split("%", 1)[0]


def has_one_name(id: str, table: SymbolTable) -> bool:
    """Whether a scalar changes under its own name only, so that its value can be followed."""
    symbol = table.symbols.get(id)
    return symbol is not None and symbol.block is None and not {"pointer", "target", "volatile"} & symbol.attributes


def is_chosen_pointer(path: str, rank_before: int, table: SymbolTable) -> bool:
    """Whether equal paths with other subscripts may still be one element: elements of an array of pointers.

    `rank_before` is the number of dimensions of the root variable; a pointer component of a scalar record is one
    pointer, those of an array of records may have one target.
    """
    id, *fields = (part.split("(")[0] for part in path.split("%"))
    symbol = table.symbols.get(id)
    if symbol is None or not fields:
        return False
    dimensions, type_id = rank_before, getattr(symbol.type, "id", None)
    for field in fields:
        definition = table.types.get(type_id) if type_id else None
        component = next((c for c in definition.components if c.name == field), None) if definition else None
        if component is None:
            return True
        if "pointer" in component.attributes and dimensions:
            return True
        dimensions += len(component.shape or ())
        type_id = getattr(component.type, "id", None)
    return False


def _through_pointer(symbol: object, fields: list[str], table: SymbolTable) -> bool:
    type_id = getattr(getattr(symbol, "type", None), "id", None)
    for field in fields:
        definition = table.types.get(type_id) if type_id else None
        if definition is None:
            return True
        component = next((c for c in definition.components if c.name == field), None)
        if component is None or "pointer" in component.attributes:
            return True
        type_id = getattr(component.type, "id", None)
    return False
