"""Which variables a region of statements may define, and so which expressions keep their value while it runs.

Conservative: what is not understood defines everything that code outside the procedure can reach.
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_body_expressions, walk_expression, walk_statements

INQUIRY = frozenset(
    "size lbound ubound shape allocated associated present kind len bit_size digits epsilon huge tiny maxexponent "
    "minexponent precision radix range storage_size is_contiguous".split()
)
_NOT_REPEATABLE = frozenset(("command_argument_count",))  # pure in effect, kept out of invariants all the same


@dataclass(frozen=True)
class Definitions:
    """`ids`: variables that may be defined (whole or in part); `unknown`: something else may be as well."""

    ids: frozenset[str]
    unknown: bool


def base_id(e: x.Expression) -> str | None:
    """The variable that a designator is a part of."""
    while isinstance(e, (x.Element, x.Section, x.Component, x.Substring, x.Paren)):
        e = e.operand if isinstance(e, x.Paren) else e.base
    return e.id if isinstance(e, x.Ref) else None


def is_pure(procedure: Procedure) -> bool:
    """Whether the source declares a procedure pure (elemental ones are, unless impure)."""
    words = procedure.prefixes
    return bool({"pure", "simple"} & words) or ("elemental" in words and "impure" not in words)


def defined_in(body: s.Body, table: SymbolTable) -> Definitions:
    """What running `body` may define."""
    ids: set[str] = set()
    unknown = False

    def define(e: x.Expression | None) -> None:
        if e is not None and (id := base_id(e)) is not None:
            ids.add(id)

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
                unknown |= _define_arguments(st.target, st.arguments, table, ids)
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
                    unknown |= _define_arguments(node.target, node.arguments, table, ids)
                elif isinstance(node, x.ImpliedDo):
                    ids.add(node.variable.id)
    return Definitions(frozenset(ids), unknown)


def _define_arguments(
    target: x.Expression, arguments: tuple[x.Expression | None, ...], table: SymbolTable, ids: set[str]
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
    return procedure is None or not is_pure(procedure)


@dataclass(frozen=True, eq=False)
class Invariance:
    """Answers whether an expression has one value while a region runs. `private`: ids that only exist inside it."""

    table: SymbolTable
    definitions: Definitions
    procedure: str

    def __call__(self, e: x.Expression) -> bool:
        """Whether `e` can be evaluated once, before the region."""
        return all(self._node(node) for node in walk_expression(e))

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
        own = self.table.owner.get(id) == self.procedure
        return own or not self.definitions.unknown

    def _others_defined(self, id: str) -> bool:
        """Whether the region defines a variable that may be another name of `id`."""
        symbol = self.table.symbols[id]
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
