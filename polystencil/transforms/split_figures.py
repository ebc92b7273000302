"""What the remark of a split loop says: the interior of the domain, margins, tests kept and removed, arrays overwritten."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir.printer.expressions import print_expression
from polystencil.ir.printer.names import Names
from polystencil.ir.symbols import SymbolTable
from polystencil.transforms.frame import Box
from polystencil.transforms.index_tests import BodyWalk
from polystencil.transforms.margins import Margins


def split_figures(
    domain: Box, margins: Margins, walk: BodyWalk, overwrite: tuple[str, ...], table: SymbolTable, check: str
) -> dict[str, object]:
    """The further fields of the remark; `check` is what the host looks at."""
    names = Names(table)
    return {
        "interior_of_domain": {
            i.ref.id.rsplit(".", 1)[-1]: [_text(domain.first(d), names), _text(domain.last(d), names)]
            for d, i in enumerate(domain.indices)
        },
        "margins": {"low": list(margins.low), "high": list(margins.high)},
        "kept_test_lines": sorted({p.line for p in walk.kept}),
        "removed_test_lines": sorted({p.line for p in walk.removed} - {p.line for p in walk.kept}),
        "overwrite": [table.symbols[id].name if id in table.symbols else id for id in overwrite],
        "check": check,
    }


def _text(e: x.Expression, names: Names) -> str:
    return print_expression(e, names).replace(" ", "")
