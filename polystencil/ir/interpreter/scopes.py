"""Where variables live: in static storage (modules, save, common, the main program) or in a slot of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polystencil.ir import expressions as x
from polystencil.ir.program import DataValue, Program, Symbol
from polystencil.ir.statements import Block, SelectType
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import procedures_of, walk_expression, walk_statements

if TYPE_CHECKING:
    from polystencil.ir.interpreter.machine import Machine


@dataclass(frozen=True)
class Place:
    """A slot of the frame `depth` hosts up from the current one."""

    depth: int
    slot: int


def _data_targets(values: tuple[DataValue, ...]) -> set[str]:
    return {e.id for v in values for e in walk_expression(v.target) if isinstance(e, x.Ref)}


def _block_symbols(program: Program) -> set[str]:
    """Symbols that come to life when a block or a select type guard is entered."""
    out: set[str] = set()
    for procedure in procedures_of(program):
        for statement in walk_statements(procedure.body):
            if isinstance(statement, Block):
                out.update(s.id for s in statement.declarations)
            elif isinstance(statement, SelectType):
                out.update(g.variable.id for g in statement.guards)
                if statement.default_variable is not None:
                    out.add(statement.default_variable.id)
    return out


def static_ids(program: Program, table: SymbolTable) -> frozenset[str]:
    """Ids of the variables whose storage exists once, for the whole run."""
    inner = _block_symbols(program)
    data: set[str] = set()
    for module in program.modules:
        data |= _data_targets(module.data)
    for procedure in procedures_of(program):
        data |= _data_targets(procedure.data)
    main = program.main.id if program.main is not None else None
    out: set[str] = set()
    for id, symbol in table.symbols.items():
        owner = table.owner[id]
        if "dummy" in symbol.attributes:
            continue
        always = owner in table.modules or symbol.block is not None or id in data or "save" in symbol.attributes
        if always or _has_initial(symbol) or (owner == main and id not in inner):
            out.add(id)
    return frozenset(out)


def _has_initial(symbol: Symbol) -> bool:
    return symbol.initial is not None


class Scope:
    """The slots of one procedure; slot 0 is the host's frame."""

    def __init__(self, machine: Machine, owner: str) -> None:
        self.machine, self.owner = machine, owner
        table = machine.table
        ids = [id for id, o in table.owner.items() if o == owner and id not in machine.static]
        self.slots = {id: k + 1 for k, id in enumerate(ids)}
        self.size = len(ids) + 1
        procedure = table.procedures.get(owner)
        host = procedure.host if procedure is not None else None
        self.host = host if host in table.procedures else None

    def new_slot(self) -> int:
        """A further slot, for a value that the compiled code keeps."""
        self.size += 1
        return self.size - 1

    def find(self, id: str) -> Place:
        """The place of a variable that is not static, here or in a host."""
        scope, depth = self, 0
        while id not in scope.slots:
            if scope.host is None:
                raise KeyError(id)
            scope, depth = self.machine.scope(scope.host), depth + 1
        return Place(depth, scope.slots[id])

    def depth_of_host(self, host: str) -> int:
        """How many frames up the activation of procedure `host` is (0: this one)."""
        scope, depth = self, 0
        while scope.owner != host:
            if scope.host is None:
                raise KeyError(host)
            scope, depth = self.machine.scope(scope.host), depth + 1
        return depth
