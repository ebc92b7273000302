"""From ids to what they name: symbols, procedures, types, storage blocks of a whole program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from polystencil.ir.program import Module, Procedure, Program, StorageBlock, Symbol, TypeDefinition
from polystencil.ir.statements import Block, Body, ParallelLoop, SelectType, Statement
from polystencil.ir.traversal import procedures_of, walk_statements


@dataclass(frozen=True, eq=False)
class SymbolTable:
    """Look-up by id. `owner` gives the procedure or module id in whose scope (blocks included) a symbol stands.

    `noted` keeps what analyses found of statements, by analysis and identity of the statement, which it keeps alive.
    """

    symbols: dict[str, Symbol]
    procedures: dict[str, Procedure]
    types: dict[str, TypeDefinition]
    modules: dict[str, Module]
    blocks: dict[str, StorageBlock]
    owner: dict[str, str]
    noted: dict[tuple[str, int], tuple[Statement, object]] = field(default_factory=dict, compare=False, repr=False)


def symbols_in_body(body: Body) -> Iterator[Symbol]:
    """Symbols that statements declare: of blocks, parallel loops and select type guards."""
    for statement in walk_statements(body):
        match statement:
            case Block():
                yield from statement.declarations
            case ParallelLoop():
                yield from statement.locals
            case SelectType():
                for guard in statement.guards:
                    yield guard.variable
                if statement.default_variable is not None:
                    yield statement.default_variable
            case _:
                pass


def symbol_table(program: Program) -> SymbolTable:
    """The table of a program; build it once for each program value."""
    table = SymbolTable({}, {}, {}, {}, {}, {})
    for module in program.modules:
        table.modules[module.id] = module
        for symbol in module.symbols:
            table.symbols[symbol.id] = symbol
            table.owner[symbol.id] = module.id
        table.types.update((t.id, t) for t in module.types)
        table.blocks.update((b.id, b) for b in module.blocks)
    for procedure in procedures_of(program):
        table.procedures[procedure.id] = procedure
        table.types.update((t.id, t) for t in procedure.types)
        for block in procedure.blocks:
            known = table.blocks.get(block.id)
            if known is None or known.size < block.size:
                table.blocks[block.id] = block
        for symbol in (*procedure.symbols, *symbols_in_body(procedure.body)):
            table.symbols[symbol.id] = symbol
            table.owner[symbol.id] = procedure.id
    return table
