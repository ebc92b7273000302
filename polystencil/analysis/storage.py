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
