"""From trees to a program: program units found, modules in the order of their use, bodies lowered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tree_sitter import Node

from polystencil.errors import SourceText
from polystencil.frontend import allocation, associate, control, designators, input_output, loops  # noqa: F401  # they register
from polystencil.frontend.context import Context, first, named, text_of
from polystencil.frontend.declarations import Specification, finish, read_declarations
from polystencil.frontend.entities import Entity, Generic, Variable
from polystencil.frontend.parse import SyntaxTree, parse
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.scopes import Scope
from polystencil.frontend.shapes import constant_extents
from polystencil.frontend.source import read_source
from polystencil.frontend.statements import lower_body
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir.program import Module, Procedure, Program
from polystencil.ir.types import ProcedureType, Type


class ModuleUnit:
    """A module or submodule while it is read."""

    def __init__(self, reader: Reader, tree: SyntaxTree, node: Node, name: str, parent: str = "") -> None:
        self.reader, self.tree, self.node, self.name, self.parent = reader, tree, node, name, parent
        self.id = name if not parent else f"{parent.split(':')[0]}.{name}"
        self.scope = Scope(self.id, "module", None, registry=reader.variables)
        self.ctx = Context(reader, tree, self.scope, node)
        self.contained: list[ProcedureUnit] = []
        self.submodules: list[ModuleUnit] = []
        self.specification: Specification | None = None
        self._state = 0

    def declare(self, place: Node | None = None) -> None:
        """Read the specification part, once."""
        if self._state == 2:
            return
        if self._state == 1:
            raise self.tree.error(place or self.node.children[0], f"module '{self.name}' uses itself, by way of other modules")
        self._state = 1
        if self.parent:
            host = self.reader.submodule_host(self)
            host.declare()
            self.scope.host = host.scope
        declare_contained(self)
        self.specification = Specification(self.ctx)
        read_declarations(self.specification, self.node.children)
        self._state = 2
        finish(self.specification)

    def public_names(self) -> dict[str, Entity]:
        """What a use statement brings."""
        return {name: e for name, e in self.scope.names.items() if not self.scope.is_private(name)}


class Reader:
    """Everything known of the whole program."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleUnit] = {}
        self.submodules: dict[str, ModuleUnit] = {}
        self.externals: dict[str, ProcedureUnit] = {}
        self.block_data: list[ProcedureUnit] = []
        self.main: ProcedureUnit | None = None
        self.types: dict[str, TypeEntity] = {}
        self.variables: dict[str, Variable] = {}
        self.result_types: dict[str, Type] = {}
        self.separate_interfaces: dict[str, ProcedureUnit] = {}
        self.interfaces: dict[str, ProcedureUnit] = {}
        self.unresolved_interfaces: set[str] = set()
        self.missing_externals: set[str] = set()
        self.order: list[ModuleUnit] = []
        self._arrays: dict[str, tuple[Any, tuple[int, ...]]] = {}
        self._block_specifications: dict[str, list[Specification]] = {}
        self._shape_context: Context | None = None

    # --- look-up ---

    def variable(self, id: str) -> Variable | None:
        """The variable with an id."""
        return self.variables.get(id)

    def extends(self, type_id: str, other_id: str) -> bool:
        """Whether one derived type is or extends another."""
        entity = self.types.get(type_id)
        return entity is not None and entity.extends(other_id)

    def module(self, name: str) -> ModuleUnit | None:
        """A module, declared."""
        unit = self.modules.get(name)
        if unit is not None:
            unit.declare()
        return unit

    def submodule_host(self, unit: ModuleUnit) -> ModuleUnit:
        """The module or submodule that a submodule extends."""
        ancestor, _, parent = unit.parent.partition(":")
        host = self.submodules.get(f"{ancestor}.{parent}") if parent else self.modules.get(ancestor)
        if host is None:
            raise unit.tree.error(unit.node.children[0], f"module '{parent or ancestor}' of this submodule is not known",
                                  "give the file that defines it, too")
        return host

    def set_array(self, id: str, value: Any, lower: tuple[int, ...]) -> None:
        """The value of an array-valued parameter."""
        self._arrays[id] = (value, lower)

    def array_value(self, id: str) -> Any:
        """Value (or `%lower`, `%bounds`) of an array by its id, None when it is not constant."""
        name, _, part = id.partition("%")
        if part == "bounds":
            variable = self.variables.get(name)
            if variable is None or not variable.rank or variable.attributes & {"allocatable", "pointer"}:
                return None
            return constant_extents(next(iter(self._contexts())), variable)
        found = self._arrays.get(name)
        if found is None:
            return None
        return found[1] if part == "lower" else found[0]

    def _contexts(self) -> list[Context]:
        units: list[Any] = [*self.modules.values(), *self.externals.values()]
        if self.main is not None:
            units.append(self.main)
        return [u.ctx for u in units]

    def procedure_type(self, ctx: Context, node: Node, interface: str | None) -> ProcedureType:
        """The type of `procedure(interface)`."""
        if interface is None:
            return ProcedureType(None)
        found = ctx.scope.lookup(interface)
        if isinstance(found, Generic):
            found = next((s for s in found.specifics if isinstance(s, ProcedureUnit) and s.name == interface), None)
        if isinstance(found, ProcedureUnit):
            self.interfaces.setdefault(found.id, found)
            return ProcedureType(found.id)
        raise ctx.error(node, f"interface '{interface}' is not known", ctx.scope.similar(interface))

    def interface_of(self, t: Type) -> ProcedureUnit | None:
        """The procedure that says what a procedure type takes."""
        if not isinstance(t, ProcedureType) or t.interface is None:
            return None
        unit = self.interfaces.get(t.interface)
        if unit is not None:
            unit.declare()
        return unit

    def check_defined(self, ctx: Context, node: Node, unit: ProcedureUnit) -> None:
        """A procedure of which there is only an interface cannot be called."""
        if unit.id in self.unresolved_interfaces:
            raise ctx.error(node, f"no source of external procedure '{unit.name}' is given", "give the file that defines it, too")

    def block_specification(self, unit: Scope, specification: Specification) -> None:
        """Data and types of a block belong to its procedure."""
        self._block_specifications.setdefault(unit.id, []).append(specification)

    # --- finding program units ---

    def add(self, tree: SyntaxTree) -> None:
        """The program units of one file."""
        for node in tree.root.children:
            kind = node.type
            if kind in ("module", "submodule"):
                self._add_module(tree, node)
            elif kind in ("subroutine", "function"):
                self._add_external(tree, node)
            elif kind == "program":
                if self.main is not None:
                    raise tree.error(node.children[0], "a second main program")
                statement = first(node, "program_statement")
                name = "main" if statement is None else text_of(named(statement)[0])
                self.main = ProcedureUnit(self, tree, node, "program", name, name, None)
            elif kind == "block_data":
                number = len(self.block_data) + 1
                statement = node.children[0]
                names = [text_of(c) for c in statement.children if c.type == "name"]
                name = names[0] if names else f"block_data_{number}"
                self.block_data.append(ProcedureUnit(self, tree, node, "block data", name, name, None))
            elif kind in ("comment", "statement_label") or not node.is_named:
                continue
            else:
                raise tree.unsupported(node, f"'{kind.replace('_', ' ')}' outside a program unit")

    def _add_module(self, tree: SyntaxTree, node: Node) -> None:
        statement = node.children[0]
        name = text_of(next(c for c in statement.children if c.type == "name"))
        if node.type == "submodule":
            ancestor, parent = statement.child_by_field_name("ancestor"), statement.child_by_field_name("parent")
            assert ancestor is not None
            unit = ModuleUnit(self, tree, node, name, text_of(ancestor) + (f":{text_of(parent)}" if parent else ""))
            self.submodules[f"{text_of(ancestor)}.{name}"] = unit
            return
        if name in self.modules:
            raise tree.error(statement, f"module '{name}' is defined twice")
        self.modules[name] = ModuleUnit(self, tree, node, name)

    def _add_external(self, tree: SyntaxTree, node: Node) -> None:
        unit = _procedure(self, tree, node, None)
        if unit.name in self.externals:
            raise tree.error(node.children[0], f"procedure '{unit.name}' is defined twice")
        self.externals[unit.name] = unit

    # --- the program ---

    def program(self, sources: tuple[SourceText, ...]) -> Program:
        """Declare everything, then lower all bodies."""
        for unit in _in_order(self):
            unit.declare()
            self.order.append(unit)
        for sub in self.submodules.values():
            sub.declare()
            root = self.modules[sub.parent.split(":")[0]]
            root.submodules.append(sub)
        tops = [*self.externals.values(), *self.block_data, *([self.main] if self.main is not None else [])]
        for procedure in tops:
            procedure.declare()
        for module in [*self.order, *self.submodules.values()]:
            for inner in module.contained:
                inner.declare()
        modules = tuple(_module(unit) for unit in self.order)
        externals = tuple(_lowered(unit) for unit in self.externals.values())
        block_data = tuple(_lowered(unit) for unit in self.block_data)
        main = None if self.main is None else _lowered(self.main)
        return Program(modules, externals, main, sources, block_data)


def _procedure(reader: Reader, tree: SyntaxTree, node: Node, host: Scope | None) -> ProcedureUnit:
    statement = node.children[0]
    name_node = statement.child_by_field_name("name")
    assert name_node is not None
    name = text_of(name_node)
    id = name if host is None else f"{host.id}.{name}"
    kind = "subroutine" if node.type == "module_procedure" else node.type
    separate = node.type == "module_procedure" or any(
        c.type == "procedure_qualifier" and text_of(c) == "module" for c in statement.children
    )
    if separate and host is not None:
        for scope in host.chain():
            if f"{scope.id}.{name}" in reader.separate_interfaces:
                id = f"{scope.id}.{name}"
    unit = ProcedureUnit(reader, tree, node, kind, name, id, host)
    if node.type == "module_procedure":

        def interface() -> ProcedureUnit:
            found = reader.separate_interfaces.get(id)
            if found is None:
                raise tree.error(statement, f"there is no interface of module procedure '{name}'",
                                 "declare it in an interface block of the module")
            return found

        unit.separate = interface
    return unit


def declare_contained(unit: ProcedureUnit | ModuleUnit) -> None:
    """Enter the contained procedures of a unit into its scope."""
    for child in unit.node.children:
        if child.type != "internal_procedures":
            continue
        for node in child.children:
            if node.type in ("function", "subroutine", "module_procedure"):
                inner = _procedure(unit.reader, unit.tree, node, unit.scope)
                if inner.name in unit.scope.names and isinstance(unit.scope.names[inner.name], ProcedureUnit):
                    raise unit.tree.error(node.children[0], f"procedure '{inner.name}' is defined twice")
                unit.contained.append(inner)
                unit.scope.names[inner.name] = inner
            elif node.type == "include_statement":
                raise unit.tree.unsupported(node, "this include line")


def _in_order(reader: Reader) -> list[ModuleUnit]:
    """Modules, used ones first."""
    out: list[ModuleUnit] = []
    state: dict[str, int] = {}

    def visit(unit: ModuleUnit) -> None:
        if state.get(unit.name):
            return
        state[unit.name] = 1
        for name in _used(unit.node):
            if name in reader.modules:
                visit(reader.modules[name])
        out.append(unit)

    for unit in reader.modules.values():
        visit(unit)
    return out


def _used(node: Node) -> list[str]:
    out: list[str] = []
    for child in node.children:
        if child.type == "use_statement":
            out.extend(text_of(c) for c in child.children if c.type == "module_name")
        elif child.type in ("internal_procedures", "function", "subroutine", "module_procedure", "interface"):
            out.extend(_used(child))
    return out


def _module(unit: ModuleUnit) -> Module:
    parts = [unit, *unit.submodules]
    specifications = [p.specification for p in parts if p.specification is not None]
    interfaces = [_interface(u) for p in parts for u in p.specification.interfaces if _is_kept(u)] if specifications else []  # type: ignore[union-attr]
    procedures = [_lowered(p) for part in parts for p in part.contained]
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
    return unit.id not in unit.reader.separate_interfaces and unit.reader.externals.get(unit.name, unit).id != unit.id or (
        unit.name not in unit.reader.externals and unit.id not in unit.reader.separate_interfaces
    )


def _interface(unit: ProcedureUnit) -> Procedure:
    unit.declare()
    return _assemble(unit, ())


def _lowered(unit: ProcedureUnit) -> Procedure:
    unit.declare()
    if unit.lowered is None:
        body = () if unit.kind == "block data" else lower_body(unit.ctx, unit.node.children)
        unit.lowered = _assemble(unit, body)
    return unit.lowered


def _assemble(unit: ProcedureUnit, body: Any) -> Procedure:
    specification = unit.specification
    assert specification is not None
    contained = [_lowered(inner) for inner in unit.contained]
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


def read_program(
    sources: Sequence[SourceText | str | Path], *, defines: Mapping[str, str] | None = None, include_dirs: Sequence[str] = ()
) -> Program:
    """Read one program from its files, given in any order."""
    reader = Reader()
    files: dict[str, SourceText] = {}
    trees = []
    for source in sources:
        text = read_source(source, dict(defines or {}), include_dirs)
        files.update(text.files)
        trees.append(parse(text))
    for tree in trees:
        reader.add(tree)
    return reader.program(tuple(files.values()))


__all__ = ["np", "read_program"]
