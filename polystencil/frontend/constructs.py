"""Open constructs of the body that is being lowered: what exit and cycle can name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


@dataclass(eq=False)
class Construct:
    """A loop or another construct. `name` is the source's; `target` the name in the IR, made when it is needed."""

    kind: str  # loop, parallel, block, if, select, associate, jump
    name: str = ""
    index: str = ""  # id of the loop variable, which the body may not change
    target: str = ""
    cycles: bool = False  # a jump to it is a Cycle, not an Exit
    indices: tuple[str, ...] = ()

    def use(self, ctx: Context) -> str:
        """The IR name; from now on the construct must carry it."""
        if not self.target:
            self.target = fresh_name(ctx, self.name or {"loop": "loop_1", "parallel": "loop_1"}.get(self.kind, "jump_1"))
        return self.target


def fresh_name(ctx: Context, stem: str) -> str:
    """A construct name that this procedure does not use yet."""
    name, k = stem, 1
    base = stem.rsplit("_", 1)[0] if stem.endswith("_1") else stem
    while name in ctx.construct_names:
        k += 1
        name = f"{base}_{k}"
    ctx.construct_names.add(name)
    return name
