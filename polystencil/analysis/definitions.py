"""Which variables a region of statements may define, and so which expressions keep their value while it runs.

Conservative: what is not understood defines everything that code outside the procedure can reach.
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.analysis.designated import base_id as base_id
from polystencil.analysis.designated import designated_path as designated_path
from polystencil.analysis.reshaping import reshaped_in
from polystencil.analysis.storage import POINTED, storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import Record
from polystencil.ir.typing import type_of

INQUIRY = frozenset((
    "size", "lbound", "ubound", "shape", "allocated", "associated", "present", "kind", "len", "bit_size", "digits",
    "epsilon", "huge", "tiny", "maxexponent", "minexponent", "precision", "radix", "range", "storage_size",
    "is_contiguous",
))  # fmt: skip
_NOT_REPEATABLE = frozenset(("command_argument_count",))  # pure in effect, kept out of invariants all the same


@dataclass(frozen=True)
class Definitions:
    """`ids`: variables that may be defined (whole or in part); `unknown`: something else may be as well.

    `paths`: the parts, as paths `variable%component%...` without subscripts. `reshaped`: variables that may get
    another shape or allocation.
    """

    ids: frozenset[str]
    unknown: bool
    paths: frozenset[str] = frozenset()
    reshaped: frozenset[str] = frozenset()


def is_pure(procedure: Procedure) -> bool:
    """Whether the source declares a procedure pure (elemental ones are, unless impure)."""
    return procedure.is_pure


def defined_in(body: s.Body, table: SymbolTable) -> Definitions:
    """What running `body` may define."""
    found = [_defined_by(st, table) for st in body]
    if len(found) == 1:
        return found[0]
    return Definitions(
        frozenset().union(*(d.ids for d in found)), any(d.unknown for d in found),
        frozenset().union(*(d.paths for d in found)), frozenset().union(*(d.reshaped for d in found)),
    )  # fmt: skip


def _defined_by(st: s.Statement, table: SymbolTable) -> Definitions:
    """What a statement may define; worked out once, as passes ask for the same loops again and again."""
    key = ("definitions", id(st))
    if key not in table.noted:
        table.noted[key] = (st, _definitions((st,), table))
    return table.noted[key][1]  # type: ignore[return-value]  # what was put there


def _definitions(body: s.Body, table: SymbolTable) -> Definitions:
    ids: set[str] = set()
    parts: set[str] = set()
    unknown = False

    def define(e: x.Expression | None) -> None:
        if e is not None and (id := base_id(e)) is not None:
            ids.add(id)
            if isinstance(e, (x.Component, x.Element, x.Section)):
                parts.add(designated_path(e) or id)
            else:
                parts.add(id)

    for st in walk_statements(body):
        match st:
            case s.Assign() | s.PointerAssign():
                define(st.target)
            case s.Do():
                define(st.index)
            case s.ParallelLoop() | s.Forall():
                for i in st.indices:
                    define(i.ref)
            case s.Call():
                unknown |= _define_arguments(st.target, st.arguments, table, ids, parts)
            case s.CallIntrinsic():
                for a in st.arguments:
                    define(a)
            case s.Allocate():
                for allocation in st.allocations:
                    define(allocation.object)
                define(st.stat)
                define(st.errmsg)
            case s.Deallocate():
                for o in st.objects:
                    define(o)
                define(st.stat)
                define(st.errmsg)
            case s.Read():
                for item in st.items:
                    for e in walk_expression(item):
                        define(e)
                for _, control in st.controls:
                    define(control)
            case s.Write() | s.FileStatement():
                if isinstance(st, s.Write):
                    define(st.unit)
                for _, control in st.controls:
                    define(control)
            case s.NamelistTransfer():
                unknown |= st.keyword == "read"
                ids.update(ref.id for _, ref in st.members)
            case s.Block():
                ids.update(v.id for v in st.declarations)
            case s.SelectType():
                ids.update(g.variable.id for g in st.guards)
                define(st.selector)
            case _:
                pass
        for e in child_expressions(st):
            for node in walk_expression(e):
                if isinstance(node, x.FunctionCall):
                    unknown |= _define_arguments(node.target, node.arguments, table, ids, parts)
                elif isinstance(node, x.ImpliedDo):
                    ids.add(node.variable.id)
    reshaped = frozenset(reshaped_in(body, table))
    return Definitions(frozenset(ids), unknown, frozenset(parts | {i for i in ids if not _has_part(i, parts)}), reshaped)


def _has_part(id: str, parts: set[str]) -> bool:
    return any(p == id or p.startswith(id + "%") for p in parts)


def _define_arguments(
    target: x.Expression, arguments: tuple[x.Expression | None, ...], table: SymbolTable, ids: set[str],
    parts: set[str],
) -> bool:
    """Add what a call defines through its arguments; True where it may define more than that."""
    procedure = table.procedures.get(target.id) if isinstance(target, x.ProcedureRef) else None
    for k, a in enumerate(arguments):
        if a is None or (id := base_id(a)) is None:
            continue
        if procedure is not None and k < len(procedure.dummies):
            dummy = table.symbols.get(procedure.dummies[k])
            if dummy is not None and (dummy.intent == "in" or "value" in dummy.attributes) and "pointer" not in (
                dummy.attributes
            ):
                continue
        ids.add(id)
        parts.add(designated_path(a) or id)
    return procedure is None or not is_pure(procedure)


@dataclass(frozen=True, eq=False)
class Invariance:
    """Answers whether an expression has one value while a region runs. `private`: ids that only exist inside it."""

    table: SymbolTable
    definitions: Definitions
    procedure: str

    def __call__(self, e: x.Expression) -> bool:
        """Whether `e` can be evaluated once, before the region."""
        if isinstance(e, x.IntrinsicCall) and e.name in ("size", "lbound", "ubound") and e.arguments[0] is not None:
            rest = (a for a in e.arguments[1:] if a is not None)
            return self._keeps_shape(e.arguments[0]) and all(self(a) for a in rest)
        if isinstance(e, (x.Component, x.Element)) and "%" in (path := designated_path(e) or ""):
            return self._part(path, e) and all(self(i) for i in _subscripts(e))
        return self._node(e) and all(self(child) for child in child_expressions(e))

    def _keeps_shape(self, e: x.Expression) -> bool:
        """Whether an array keeps its bounds: it is a whole variable or component that nothing allocates anew."""
        id = base_id(e)
        symbol = self.table.symbols.get(id or "")
        if symbol is None or not isinstance(e, (x.Ref, x.Component)) or not all(self(i) for i in _subscripts(e)):
            return False
        if id in self.definitions.reshaped or "pointer" in symbol.attributes or _through_pointer(e, self.table):
            return False
        if isinstance(e, x.Ref) and "allocatable" not in symbol.attributes:
            return True
        return self.table.owner.get(id or "") == self.procedure or not self.definitions.unknown

    def _part(self, path: str, e: x.Expression) -> bool:
        """Whether a component keeps its value: nothing that holds it or stands in it is defined."""
        id = path.split("%", 1)[0]
        if any(d == path or d.startswith(path + "%") or path.startswith(d + "%") for d in self.definitions.paths):
            return False
        symbol = self.table.symbols.get(id)
        if symbol is None or {"pointer", "target", "volatile"} & symbol.attributes or symbol.block is not None:
            return self._variable(id)
        if _through_pointer(e, self.table):
            return False
        return not self.definitions.unknown or self._out_of_reach(id)

    def _node(self, node: x.Expression) -> bool:
        match node:
            case x.Ref():
                return self._variable(node.id)
            case x.FunctionCall():
                procedure = self.table.procedures.get(getattr(node.target, "id", ""))
                return procedure is not None and is_pure(procedure) and not self._reads_outside(procedure)
            case x.IntrinsicCall():
                return node.name not in _NOT_REPEATABLE
            case x.BoundProcedure() | x.ImpliedDo():
                return False
            case _:
                return True

    def _variable(self, id: str) -> bool:
        symbol = self.table.symbols.get(id)
        if symbol is None or id in self.definitions.ids:
            return False
        if "parameter" in symbol.attributes:
            return True
        shared = {"target", "pointer", "volatile"} & symbol.attributes or symbol.block is not None
        if "volatile" in symbol.attributes:
            return False
        if shared:
            return not self.definitions.unknown and not self._others_defined(id)
        return not self.definitions.unknown or self._out_of_reach(id)

    def _out_of_reach(self, id: str) -> bool:
        """Whether an unknown procedure cannot define a variable: a local one that no contained procedure defines."""
        procedure = self.table.procedures.get(self.procedure)
        if procedure is None or self.table.owner.get(id) != self.procedure:
            return False
        return not any(id in defined_in(inner.body, self.table).ids for inner in procedure.contained)

    def _others_defined(self, id: str) -> bool:
        """Whether the region defines a variable that may be another name of `id`."""
        symbol = self.table.symbols[id]
        if {"pointer", "target"} & symbol.attributes and any(
            storage_class(p, self.table) == POINTED for p in self.definitions.paths
        ):
            return True
        for other in self.definitions.ids:
            s2 = self.table.symbols.get(other)
            if s2 is None:
                continue
            if symbol.block is not None and s2.block == symbol.block:
                return True
            if {"pointer", "target"} & s2.attributes and {"pointer", "target"} & symbol.attributes:
                return True
        return False

    def _reads_outside(self, procedure: Procedure) -> bool:
        """Whether a function reads variables that are not its own and that the region may define."""
        own = {v.id for v in procedure.symbols}
        for e in walk_body_expressions(procedure.body):
            if isinstance(e, x.FunctionCall):
                return True
            if isinstance(e, x.Ref) and e.id not in own and self.table.owner.get(e.id) != procedure.id:
                if not self._variable(e.id):
                    return True
        return False


def _subscripts(e: x.Expression) -> list[x.Expression]:
    out: list[x.Expression] = []
    while isinstance(e, (x.Component, x.Element, x.Section)):
        if isinstance(e, x.Element):
            out += e.indices
        if isinstance(e, x.Section):
            out += e.subscripts
        e = e.base
    return out


def _through_pointer(e: x.Expression, table: SymbolTable) -> bool:
    """Whether a component is reached through a pointer component (or is one)."""
    while isinstance(e, (x.Component, x.Element, x.Section)):
        if isinstance(e, x.Component):
            kind = type_of(e.base)
            definition = table.types.get(kind.id) if isinstance(kind, Record) else None
            component = next((c for c in definition.components if c.name == e.field), None) if definition else None
            if component is None or "pointer" in component.attributes:
                return True
        e = e.base
    return False
