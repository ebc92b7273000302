"""Specification parts: each statement goes to its handler, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.contained import declare_contained
from polystencil.frontend.context import text_of
from polystencil.frontend.finishing import finish
from polystencil.frontend.specification import Specification
from polystencil.frontend.specification_statements import (
    access_statement,
    common_statement,
    data_statement,
    enum_definition,
    equivalence_statement,
    implicit_statement,
    import_statement,
    interface_block,
    namelist_statement,
    refuse,
    save_statement,
    type_definition,
    use_statement,
)
from polystencil.frontend.statement_functions import is_statement_function
from polystencil.frontend.variable_declarations import attribute_statement, parameter_statement, variable_declaration

if TYPE_CHECKING:
    from polystencil.frontend.procedures import ProcedureUnit


def read_specification(unit: ProcedureUnit) -> None:
    """The specification part of a procedure or main program."""

    declare_contained(unit)
    specification = Specification(unit.ctx)
    unit.specification = specification
    read_declarations(specification, unit.node.children)
    unit.finish_result()
    finish(specification)


def read_declarations(specification: Specification, nodes: Iterable[Node]) -> bool:
    """Every declaration among `nodes`; stops at the first executable statement. Returns whether it met one."""
    ctx = specification.ctx
    label = ""
    for node in nodes:
        kind = node.type
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(specification, node)
        elif kind == "statement_label":
            label = text_of(node)
        elif kind == "format_statement":
            ctx.formats[label] = node
        elif kind == "assignment_statement":
            if not is_statement_function(specification, node):
                return True
        elif kind in _PASSED or not node.is_named:
            continue
        else:
            return True
    return False


_PASSED = frozenset({
    "comment", "program_statement", "module_statement", "submodule_statement", "function_statement",
    "subroutine_statement", "module_procedure_statement", "internal_procedures", "end_module_statement",
    "end_submodule_statement", "end_program_statement", "end_function_statement", "block_data_statement",
    "end_subroutine_statement", "end_module_procedure_statement", "end_block_data_statement",
    "end_block_construct_statement", "block_label_start_expression",
})  # fmt: skip


_HANDLERS: dict[str, Callable[[Specification, Node], None]] = {
    "variable_declaration": variable_declaration,
    "variable_modification": attribute_statement,
    "parameter_statement": parameter_statement,
    "implicit_statement": implicit_statement,
    "save_statement": save_statement,
    "private_statement": access_statement,
    "public_statement": access_statement,
    "namelist_statement": namelist_statement,
    "common_statement": common_statement,
    "equivalence_statement": equivalence_statement,
    "data_statement": data_statement,
    "use_statement": use_statement,
    "import_statement": import_statement,
    "derived_type_definition": type_definition,
    "interface": interface_block,
    "enum": enum_definition,
    "enumeration_type": refuse("an enumeration type"),
    "bind_statement": lambda _specification, _node: None,
    "cray_pointer_declaration": refuse("a Cray pointer"),
    "entry_statement": refuse("an entry statement"),
    "include_statement": refuse("this include line"),
}


SPECIFICATION_NODES = frozenset(_HANDLERS)
