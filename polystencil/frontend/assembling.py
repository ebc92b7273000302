"""From declared units to the procedures and modules of the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.frontend.entities import Variable
from polystencil.frontend.statement_lists import lower_body
from polystencil.ir.program import Module, Procedure

if TYPE_CHECKING:
    from polystencil.frontend.modules import ModuleUnit
    from polystencil.frontend.procedures import ProcedureUnit


def assemble_module(unit: ModuleUnit) -> Module:
    """The module with the procedures of its submodules."""
    parts = [unit, *unit.submodules]
    specifications = [p.specification for p in parts if p.specification is not None]
    interfaces = [_interface(u) for sp in specifications for u in sp.interfaces if _is_kept(u)]
    procedures = [lowered(p) for part in parts for p in part.contained]
    return Module(
        unit.id,
        unit.name,
        tuple(v.symbol() for p in parts for v in p.scope.order),
        tuple(t.definition() for sp in specifications for t in sp.types),
        (*interfaces, *procedures),
        tuple(dict.fromkeys(u for sp in specifications for u in sp.uses)),
        tuple(b for sp in specifications for b in sp.blocks),
        tuple(d for sp in specifications for d in sp.data_values),
        unit.tree.span(unit.node.children[0]),
    )


def _is_kept(unit: ProcedureUnit) -> bool:
    """Interface bodies stay in the IR unless the procedure itself is there."""
    external = unit.reader.externals.get(unit.name)
    return unit.id not in unit.reader.separate_interfaces and (external is None or external.id != unit.id)


def _interface(unit: ProcedureUnit) -> Procedure:
    unit.declare()
    return _assemble(unit, ())


def lowered(unit: ProcedureUnit) -> Procedure:
    unit.declare()
    if unit.lowered is None:
        body = () if unit.kind == "block data" else lower_body(unit.ctx, unit.node.children)
        unit.lowered = _assemble(unit, body)
    return unit.lowered


def _assemble(unit: ProcedureUnit, body: Any) -> Procedure:
    specification = unit.specification
    assert specification is not None
    contained = [lowered(inner) for inner in unit.contained]
    contained = [*(_interface(u) for u in specification.interfaces if _is_kept(u)), *contained]
    blocks = unit.reader._block_specifications.get(unit.id, [])
    everything = [specification, *blocks]
    host = unit.scope.host
    return Procedure(
        unit.id,
        unit.name,
        "subroutine" if unit.kind == "block data" else unit.kind,  # type: ignore[arg-type]  # one of the kinds
        tuple(d.id if isinstance(d, Variable) else d for d in unit.dummies),
        None if unit.result is None else unit.result.id,
        tuple(v.symbol() for v in unit.scope.order),
        body,
        tuple(contained),
        tuple(t.definition() for sp in everything for t in sp.types),
        frozenset(unit.prefixes - {"module"}),
        None if host is None else host.id,
        specification.blocks,
        tuple(d for sp in everything for d in sp.data_values),
        unit.interface_only,
        tuple(dict.fromkeys(u for sp in everything for u in sp.uses)),
        unit.span,
    )
