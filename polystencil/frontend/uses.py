"""Use association: what a `use` statement brings into a scope."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import named, text_of
from polystencil.frontend.entities import Ambiguous, Generic
from polystencil.frontend.intrinsic_modules import INTRINSIC_MODULES, intrinsic_module
from polystencil.frontend.parse import operator_name

if TYPE_CHECKING:
    from polystencil.frontend.entities import Entity
    from polystencil.frontend.scopes import Scope
    from polystencil.frontend.specification import Specification


def use_module(specification: Specification, node: Node) -> None:
    """Bring in the public names of a module: all, renamed, or those of an only list."""
    ctx = specification.ctx
    name_node = next(c for c in node.children if c.type == "module_name")
    name = text_of(name_node)
    intrinsic = any(c.type == "intrinsic" for c in node.children)
    module = None if intrinsic else ctx.reader.module(name)
    if module is not None:
        public = module.public_names()
        if module.id not in specification.uses:
            specification.uses.append(module.id)
    elif name in INTRINSIC_MODULES:
        public = intrinsic_module(name)
    else:
        known = [*ctx.reader.modules, *INTRINSIC_MODULES]
        close = difflib.get_close_matches(name, known, 1, 0.7)
        hint = f"did you mean '{close[0]}'?" if close else "give the file that defines it, too"
        raise ctx.error(name_node, f"module '{name}' is not known", hint)
    only = next((c for c in node.children if c.type == "included_items"), None)
    renames: dict[str, str] = {}
    if only is None:
        hidden: set[str] = set()
        for alias in (c for c in node.children if c.type == "use_alias"):
            local, original = (operator_name(text_of(c)) for c in named(alias))
            _need(specification, alias, name, public, original)
            renames[local] = original
            hidden.add(original)
        for local, original in renames.items():
            _add(ctx.scope, local, public[original], name)
        for key, entity in public.items():
            if key not in hidden:
                _add(ctx.scope, key, entity, name)
        return
    for item in named(only):
        if item.type == "use_alias":
            local, original = (operator_name(text_of(c)) for c in named(item))
        else:
            local = original = text_of(item).replace(" ", "")
        _need(specification, item, name, public, original)
        _add(ctx.scope, local, public[original], name)


def _need(specification: Specification, node: Node, module: str, public: dict[str, Entity], name: str) -> None:
    if name in public:
        return

    close = difflib.get_close_matches(name, public, 1, 0.7)
    raise specification.ctx.error(
        node, f"module '{module}' has no public name '{name}'", f"did you mean '{close[0]}'?" if close else ""
    )


def _add(scope: Scope, name: str, entity: Entity, module: str) -> None:
    present = scope.names.get(name)
    scope.used.add(name)
    if present is None or present is entity:
        scope.names[name] = entity
        return
    if isinstance(present, Generic) and isinstance(entity, Generic):
        merged = Generic(
            name, list(present.specifics), list(present.scopes), present.type or entity.type, node=present.node
        )
        known = {
            (s if isinstance(s, str) else s.id, id(scope_))
            for s, scope_ in zip(present.specifics, present.scopes, strict=True)
        }
        for specific, home in zip(entity.specifics, entity.scopes, strict=True):
            if (specific if isinstance(specific, str) else specific.id, id(home)) not in known:
                merged.specifics.append(specific)
                merged.scopes.append(home)
        scope.names[name] = merged
        return
    before = present.modules if isinstance(present, Ambiguous) else (getattr(present, "id", "").split(".")[0],)
    scope.names[name] = Ambiguous(name, (*before, module))
