"""From a program to the text of one Fortran file: modules in the order of their use, then procedures, then main.

Visibility is spelled out again (`use m, only: ...` for what a scope really names, everything public), so code that
a transformation moved between procedures still finds what it names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from polystencil.ir import expressions as x
from polystencil.ir.printer.construct_names import with_unique_names
from polystencil.ir.printer.declarations import declaration_lines, type_lines
from polystencil.ir.printer.expressions import print_expression
from polystencil.ir.printer.line_breaks import broken
from polystencil.ir.printer.names import Names, identifier
from polystencil.ir.printer.references import references_of_module, references_of_procedure
from polystencil.ir.printer.statements import print_body
from polystencil.ir.printer.storage import namelist_lines, storage_lines
from polystencil.ir.program import Module, Procedure, Program, Symbol, TypeDefinition
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.types import Intrinsic, ProcedureType


def print_program(program: Program, *, openmp: bool = False) -> str:
    """The whole program as free-form Fortran 2018 with lines of at most 128 characters.

    With `openmp`, parallel loops are do nests under OpenMP directives instead of do concurrent.
    """
    printer = _Printer(symbol_table(program), openmp)
    lines: list[str] = []
    for module in program.modules:
        lines += [*printer.module(module), ""]
    for data in program.block_data:
        lines += [*printer.procedure(data, Names(printer.table), "block data"), ""]
    for procedure in program.procedures:
        if not procedure.interface_only:
            lines += [*printer.procedure(procedure, Names(printer.table, openmp=openmp)), ""]
    if program.main is not None:
        lines += printer.procedure(program.main, Names(printer.table, openmp=openmp))
    return "\n".join(piece for line in lines for piece in broken(line)).rstrip("\n") + "\n"


class _Printer:
    def __init__(self, table: SymbolTable, openmp: bool) -> None:
        self.table, self.openmp = table, openmp
        self.home: dict[str, str] = {}  # id of a symbol, procedure or type -> module that declares it
        for module in table.modules.values():
            for id in (i.id for part in (module.symbols, module.types, module.procedures) for i in part):
                self.home[id] = module.id

    def name_in_source(self, id: str) -> str:
        groups: tuple[Mapping[str, Symbol | Procedure | TypeDefinition], ...] = (
            self.table.symbols, self.table.procedures, self.table.types,
        )  # fmt: skip
        for group in groups:
            if id in group:
                return identifier(group[id].name)
        return identifier(id.rsplit(".", 1)[-1])

    def use_lines(self, ids: Iterable[str], here: str, names: Names) -> list[str]:
        """`use m, only: ...` for the named things of other modules, renamed where two would share a name."""
        wanted: defaultdict[str, list[str]] = defaultdict(list)
        for id in sorted(set(ids)):
            home = self.home.get(id)
            if home is None or home == here or names.is_given(id):
                continue
            source = self.name_in_source(id)
            local = names.declare(id, source)
            wanted[home].append(source if local == source else f"{local} => {source}")
        return [f"use {self.table.modules[m].name}, only: {', '.join(items)}" for m, items in sorted(wanted.items())]

    def module(self, m: Module) -> list[str]:
        names = Names(self.table, openmp=self.openmp)
        parts: tuple[tuple[Symbol | TypeDefinition | Procedure, ...], ...] = (m.symbols, m.types, m.procedures)
        for item in (i for part in parts for i in part):
            # names of a module must stay as they are for those who use it
            names.alias(item.id, identifier(item.name))
            names.taken.add(identifier(item.name))
        uses = self.use_lines(references_of_module(m), m.id, names)
        out = [f"module {m.name}", *("  " + u for u in uses), "  implicit none"]
        interfaces = self.interfaces(m.procedures, names)
        out += ["  " + line for line in self.specification(m.symbols, m.types, names, interfaces)]
        out += ["  " + line for line in storage_lines(m.blocks, m.data, names)]
        bodies = [p for p in m.procedures if not p.interface_only]
        if bodies:
            out.append("contains")
            for p in bodies:
                out += ["", *("  " + line for line in self.procedure(p, names))]
        return [*out, f"end module {m.name}"]

    def specification(
        self, symbols: tuple[Symbol, ...], types: tuple[TypeDefinition, ...], names: Names, interfaces: list[str]
    ) -> Iterator[str]:
        constants = tuple(v for v in symbols if "parameter" in v.attributes and isinstance(v.type, Intrinsic))
        variables = tuple(v for v in symbols if v not in constants)
        for v in symbols:
            if not names.is_given(v.id):
                names.declare(v.id, v.name)
        yield from declaration_lines(constants, names)
        for t in self.types_in_order(types):
            yield from type_lines(t, names)
        yield from interfaces
        yield from declaration_lines(variables, names)

    def types_in_order(self, types: tuple[TypeDefinition, ...]) -> list[TypeDefinition]:
        """Each type after those whose values it holds."""
        here = {t.id: t for t in types}
        done: dict[str, TypeDefinition] = {}

        def place(t: TypeDefinition) -> None:
            if t.id in done:
                return
            needs = [c.type.id for c in t.components if hasattr(c.type, "id") and "pointer" not in c.attributes]
            for id in [*([t.extends] if t.extends else []), *needs]:
                if id in here and id != t.id and id not in done:
                    place(here[id])
            done.setdefault(t.id, t)

        for t in types:
            place(t)
        return list(done.values())

    def interfaces(self, procedures: tuple[Procedure, ...], names: Names) -> list[str]:
        """Abstract interfaces of this scope."""
        bodies = [p for p in procedures if p.interface_only]
        if not bodies:
            return []
        out = ["abstract interface"]
        for p in bodies:
            if not names.is_given(p.id):
                names.declare(p.id, p.name)
            out += ["  " + line for line in self.procedure(p, names)]
        return [*out, "end interface"]

    def procedure(self, p: Procedure, outer: Names, word: str = "") -> list[str]:
        names = outer.inner()
        names.threads = not p.is_pure
        names.taken |= outer.taken if p.interface_only else set()
        refs = references_of_procedure(p)
        for id in refs:  # names from scopes around this one that it must not hide
            if outer.is_given(id):
                names.taken.add(outer.of(id))
        uses = self.use_lines(refs, "", names)
        for inner in p.contained:
            names.declare(inner.id, inner.name)
        own = outer.of(p.id) if outer.is_given(p.id) else identifier(p.name)
        if p.kind == "function" and p.result is not None:
            result = self.table.symbols.get(p.result)
            if result is not None and identifier(result.name) == own:
                names.alias(result.id, own)
        elif p.kind == "program":
            names.taken.add(own)
        head = f"{word} {own}" if word else self.head(p, own, names)
        out = [head, *("  " + u for u in uses)]
        if p.interface_only and not uses:
            out.append("  import")
        out.append("  implicit none")
        for v in p.symbols:
            if v.id in p.dummies and not names.is_given(v.id):
                names.declare(v.id, v.name)
        interfaces = self.interfaces(p.contained, names)
        out += ["  " + line for line in self.specification(p.symbols, p.types, names, interfaces)]
        out += ["  " + line for line in self.externals(refs, p, names)]
        out += ["  " + line for line in storage_lines(p.blocks, p.data, names)]
        out += ["  " + line for line in namelist_lines(p.body, names)]
        out += print_body(with_unique_names(p.body), names, "  ")
        bodies = [c for c in p.contained if not c.interface_only]
        if bodies:
            out.append("contains")
            for c in bodies:
                out += ["", *("  " + line for line in self.procedure(c, names))]
        return [*out, f"end {word or p.kind} {own}"]

    def head(self, p: Procedure, own: str, names: Names) -> str:
        if p.kind == "program":
            return f"program {own}"
        for id in p.dummies:
            if id in self.table.symbols and not names.is_given(id):
                names.declare(id, self.table.symbols[id].name)
        dummies = ", ".join("*" if d == "*" else names.of(d) for d in p.dummies)
        words = " ".join(w for w in ("impure", "pure", "elemental", "recursive") if w in p.prefixes)
        result = ""
        if p.kind == "function" and p.result is not None:
            if not names.is_given(p.result):
                names.declare(p.result, self.table.symbols[p.result].name)
            result = "" if names.of(p.result) == own else f" result({names.of(p.result)})"
        return f"{words} {p.kind} {own}({dummies}){result}".strip()

    def externals(self, refs: set[str], p: Procedure, names: Names) -> list[str]:
        """Interfaces of external procedures that this one calls."""
        out: list[str] = []
        for id in sorted(refs):
            target = self.table.procedures.get(id)
            if target is None or target.host is not None or id == p.id or target.kind == "program":
                continue
            if names.is_given(id):
                continue
            names.declare(id, target.name)
            shell = Procedure(
                target.id, target.name, target.kind, target.dummies, target.result,
                tuple(v for v in target.symbols if v.id in target.dummies or v.id == target.result
                      or "parameter" in v.attributes),
                (), types=target.types, prefixes=target.prefixes,
            )  # fmt: skip
            out += ["interface", *("  " + line for line in self.procedure(shell, Names(self.table))), "end interface"]
        return out


def print_constant(e: x.Expression, table: SymbolTable) -> str:
    """One expression with the names of the source, for messages."""
    return print_expression(e, Names(table))


def is_procedure_type(value: object) -> bool:
    """Whether a type is that of a procedure."""
    return isinstance(value, ProcedureType)
