"""The passes as the pipeline calls them: what the options choose, and what is said of a pass that is not chosen."""

from __future__ import annotations

from polystencil.ir.program import Program
from polystencil.ir.statements import ParallelLoop
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms import fuse as fuse_pass
from polystencil.transforms import parallelize as parallelize_pass
from polystencil.transforms import skew as skew_pass
from polystencil.transforms import split as split_pass
from polystencil.transforms import unroll as unroll_pass
from polystencil.transforms.assigned_first import note_assigned_first
from polystencil.transforms.distribute import distribute
from polystencil.transforms.in_order import conflicting_loops_in_order
from polystencil.transforms.inline_calls import inline_calls
from polystencil.transforms.promises import broken_promises
from polystencil.transforms.results import PassResult
from polystencil.transforms.rotation import rotation


def check(program: Program) -> tuple[Remark, ...]:
    """What the program promises and breaks: do concurrent loops that conflict, accesses outside of arrays."""
    return broken_promises(program, symbol_table(program))


def in_order(program: Program, checked: tuple[Remark, ...]) -> PassResult:
    """Parallel loops that are proven to conflict run in order."""
    return conflicting_loops_in_order(program, checked)


def parallelize(program: Program, options: Options) -> PassResult:
    """Plain do nests become parallel loops, imperfect ones in parts, unless `--no-parallelize`."""
    if not options.parallelize:
        return PassResult(note_assigned_first(program), ())
    cut = distribute(program)
    result = parallelize_pass.parallelize(cut.program)
    return PassResult(note_assigned_first(result.program), (*cut.remarks, *result.remarks))


def fuse(program: Program, options: Options) -> PassResult:
    """Producer-consumer fusion by recomputation, with ping-pong buffers; calls between the loops are opened for it, and
    exchanges by move_alloc taken out of time loops."""
    turned = rotation(program) if options.enabled("fuse") or options.enabled("skew") else PassResult(program, ())
    if not options.enabled("fuse"):
        return PassResult(turned.program, (*turned.remarks, *fuse_pass.not_selected(program)))
    opened = inline_calls(turned.program, options)
    fused = fuse_pass.fuse(opened.program, options)
    return PassResult(fused.program, (*turned.remarks, *opened.remarks, *fused.remarks))


def skew(program: Program, options: Options) -> PassResult:
    """Time skewing over bands of rows."""
    if not options.enabled("skew"):
        return PassResult(program, ())
    return skew_pass.skew(program, options)


def split(program: Program, options: Options) -> PassResult:
    """Index-set splitting, with unroll-and-jam of the interior."""
    if not options.enabled("split"):
        return PassResult(program, not_selected(program, ("split", "jam"), options))
    return split_pass.split(program, options)


def unroll(program: Program, options: Options) -> PassResult:
    """Unrolling of innermost loops inside of kernels."""
    return unroll_pass.unroll(program, options)


def not_selected(program: Program, names: tuple[str, ...], options: Options) -> tuple[Remark, ...]:
    """A remark per parallel loop and pass that the options do not select."""
    out = []
    for procedure in procedures_of(program):
        for st in walk_statements(procedure.body):
            if isinstance(st, ParallelLoop):
                for name in names:
                    needs = f"; {name} needs split" if name == "jam" and not options.enabled("split") else ""
                    reason = f"{name} is not selected by the option --transforms{needs}"
                    out.append(Remark(name, "refused", st.span, procedure.name, reason))
    return tuple(out)
