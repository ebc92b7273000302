"""From trees to a program: what is known of all of it, and the order in which it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from polystencil.errors import SourceText
from polystencil.frontend import (
    allocation,
    assignments,
    associate,
    block_constructs,
    branches,
    components,
    designators,
    implied_do,
    input_output,
    jumps,
    literals,
    loops,
    names,
    operators,
    procedure_calls,
    select_type,
    where_forall,
)  # fmt: skip
from polystencil.frontend.assembling import assemble_module, lowered
from polystencil.frontend.contained import procedure_unit
from polystencil.frontend.context import first, named, text_of
from polystencil.frontend.entities import Generic
from polystencil.frontend.modules import ModuleUnit
from polystencil.frontend.parse import parse
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.shapes import constant_extents
from polystencil.frontend.source import read_source
from polystencil.ir.program import Program
from polystencil.ir.types import ProcedureType, Type

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Variable
    from polystencil.frontend.parse import SyntaxTree
    from polystencil.frontend.scopes import Scope
    from polystencil.frontend.specification import Specification
    from polystencil.frontend.type_entities import TypeEntity

# importing these fills the tables of handlers
_HANDLER_MODULES = (
    allocation, assignments, associate, block_constructs, branches, components, designators, implied_do, input_output,
    jumps, literals, loops, names, operators, procedure_calls, select_type, where_forall,
)  # fmt: skip


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
            raise unit.tree.error(
                unit.node.children[0],
                f"module '{parent or ancestor}' of this submodule is not known",
                "give the file that defines it, too",
            )
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
            raise ctx.error(
                node, f"no source of external procedure '{unit.name}' is given", "give the file that defines it, too"
            )

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
        unit = procedure_unit(self, tree, node, None)
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
        modules = tuple(assemble_module(unit) for unit in self.order)
        externals = tuple(lowered(unit) for unit in self.externals.values())
        block_data = tuple(lowered(unit) for unit in self.block_data)
        main = None if self.main is None else lowered(self.main)
        return Program(modules, externals, main, sources, block_data)


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


def read_program(
    sources: Sequence[SourceText | str | Path],
    *,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
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
