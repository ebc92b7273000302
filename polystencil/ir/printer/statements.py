"""From statements to Fortran lines."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.printer.declarations import declaration_lines
from polystencil.ir.printer.expressions import (
    arguments_text,
    assigned_text,
    call_text,
    constructor_type,
    print_expression,
    type_text,
)
from polystencil.ir.printer.intrinsic_keywords import KEYWORDS
from polystencil.ir.printer.loops import do_line, parallel_loop_lines
from polystencil.ir.printer.names import Names, identifier
from polystencil.ir.printer.references import references_of_body
from polystencil.ir.program import Symbol
from polystencil.ir.typing import type_of


def print_body(body: s.Body, names: Names, indent: str = "") -> list[str]:
    """The lines of a statement list."""
    out: list[str] = []
    for statement in body:
        out += [indent + line for line in statement_lines(statement, names)]
    return out


def statement_lines(st: s.Statement, names: Names) -> list[str]:
    """The lines of one statement, not indented."""
    match st:
        case s.Do() | s.DoWhile() | s.ParallelLoop() | s.Block() | s.If() | s.SelectCase() | s.SelectType():
            return _construct(st, names)
        case s.Where() | s.Forall():
            return _masked(st, names)
        case s.Write() | s.Read() | s.FileStatement() | s.NamelistTransfer():
            return [_transfer(st, names)]
        case s.Allocate() | s.Deallocate():
            return [_allocation(st, names)]
        case _:
            return [_simple(st, names)]


def _simple(st: s.Statement, names: Names) -> str:
    match st:
        case s.Assign():
            target = print_expression(st.target, names)
            return f"{target} = {assigned_text(st.value, type_of(st.target), names)}"
        case s.PointerAssign():
            pairs = ", ".join(
                print_expression(a, names) + ":" + ("" if b is None else print_expression(b, names)) for a, b in st.bounds
            )
            return f"{print_expression(st.target, names)}{f'({pairs})' if pairs else ''} => {print_expression(st.value, names)}"
        case s.Call():
            return "call " + call_text(st.target, st.arguments, names)
        case s.CallIntrinsic():
            return f"call {st.name}({arguments_text(st.arguments, KEYWORDS.get(st.name, ()), names)})"
        case s.Exit():
            return f"exit {construct_name(st.target)}"
        case s.Cycle():
            return f"cycle {construct_name(st.target)}"
        case s.Return():
            return "return"
        case s.Continue():
            return "continue"
        case s.Stop():
            word = "error stop" if st.error else "stop"
            code = "" if st.code is None else " " + print_expression(st.code, names)
            return word + code + ("" if st.quiet is None else f", quiet={print_expression(st.quiet, names)}")
        case _:
            raise TypeError(f"no Fortran text for {type(st).__name__}")


def construct_name(name: str) -> str:
    """The name of a loop or block as Fortran takes it; apart from all variables."""
    return identifier(name) + "_c"


def _named(name: str, body: s.Body) -> str:
    """`name:` where something inside leaves or cycles the construct by its name."""
    from polystencil.ir.traversal import walk_statements

    used = name and any(isinstance(i, (s.Exit, s.Cycle)) and i.target == name for i in walk_statements(body))
    return construct_name(name) if used else ""


def _construct(st: s.Statement, names: Names) -> list[str]:
    match st:
        case s.Do():
            name = _named(st.name, st.body)
            head = do_line(st.index.id, st.lower, st.upper, st.step, names)
            directives = [f"!$polystencil {d}" for d in st.directives]
            return [*directives, *_wrap(name, head, print_body(st.body, names, "  "), "end do")]
        case s.DoWhile():
            name = _named(st.name, st.body)
            endless = isinstance(st.condition, x.Literal) and st.condition.value is True
            head = "do" if endless else f"do while ({print_expression(st.condition, names)})"
            return _wrap(name, head, print_body(st.body, names, "  "), "end do")
        case s.ParallelLoop():
            return parallel_loop_lines(st, names, print_body, _named(st.name, st.body))
        case s.Block():
            name = _named(st.name, st.body)
            inner = names.inner()
            own = {v.id for v in st.declarations}
            inner.protect(references_of_body(st.body, st.declarations) - own)
            lines = declaration_lines(st.declarations, inner)
            return _wrap(name, "block", [*("  " + i for i in lines), *print_body(st.body, inner, "  ")], "end block")
        case s.If():
            return _if(st, names)
        case s.SelectCase():
            out = [f"select case ({print_expression(st.selector, names)})"]
            for case in st.cases:
                out.append(f"case ({', '.join(_case_range(r, names) for r in case.ranges)})")
                out += print_body(case.body, names, "  ")
            if st.default:
                out += ["case default", *print_body(st.default, names, "  ")]
            return [*out, "end select"]
        case s.SelectType():
            return _select_type(st, names)
        case _:
            raise TypeError(type(st).__name__)


def _wrap(name: str, head: str, body: list[str], end: str) -> list[str]:
    return [f"{name}: {head}" if name else head, *body, f"{end} {name}" if name else end]


def _case_range(r: s.CaseRange, names: Names) -> str:
    if r.lower is not None and r.lower == r.upper:
        return print_expression(r.lower, names)
    return ":".join("" if b is None else print_expression(b, names) for b in (r.lower, r.upper))


def _if(st: s.If, names: Names) -> list[str]:
    out: list[str] = []
    for k, branch in enumerate(st.branches):
        out.append(f"{'else if' if k else 'if'} ({print_expression(branch.condition, names)}) then")
        out += print_body(branch.body, names, "  ")
    if st.otherwise:
        out += ["else", *print_body(st.otherwise, names, "  ")]
    return [*out, "end if"]


def _select_type(st: s.SelectType, names: Names) -> list[str]:
    guards = [g.variable for g in st.guards] + ([st.default_variable] if st.default_variable else [])
    wanted = guards[0].name if guards else "item"

    def scope(variable: Symbol | None) -> Names:
        inner = names.inner()
        if variable is not None:
            inner.alias(variable.id, identifier(wanted) + "_t")
        return inner

    out = [f"select type ({identifier(wanted)}_t => {print_expression(st.selector, names)})"]
    for g in st.guards:
        out.append(f"{'type is' if g.exact else 'class is'} ({type_text(g.type, names).split('(', 1)[1]}")
        if not type_text(g.type, names).startswith(("type(", "class(")):
            out[-1] = f"type is ({type_text(g.type, names)})"
        out += print_body(g.body, scope(g.variable), "  ")
    if st.default:
        out += ["class default", *print_body(st.default, scope(st.default_variable), "  ")]
    return [*out, "end select"]


def _masked(st: s.Where | s.Forall, names: Names) -> list[str]:
    if isinstance(st, s.Forall):
        heads = [
            f"{names.of(i.ref.id)} = {print_expression(i.lower, names)}:{print_expression(i.upper, names)}"
            f":{print_expression(i.step, names)}"
            for i in st.indices
        ]
        mask = "" if st.mask is None else ", " + print_expression(st.mask, names)
        return [f"forall ({', '.join(heads)}{mask})", *print_body(st.body, names, "  "), "end forall"]
    out: list[str] = []
    for k, clause in enumerate(st.clauses):
        mask = "" if clause.mask is None else f" ({print_expression(clause.mask, names)})"
        out += [("elsewhere" if k else "where") + mask, *print_body(clause.body, names, "  ")]
    return [*out, "end where"]


def _controls(controls: tuple[tuple[str, x.Expression], ...], names: Names) -> list[str]:
    return [f"{key}={print_expression(value, names)}" for key, value in controls]


def _transfer(st: s.Statement, names: Names) -> str:
    match st:
        case s.Write() | s.Read():
            items = ", ".join(print_expression(i, names) for i in st.items)
            if isinstance(st, s.Write) and st.is_print and not st.controls and st.format is not None:
                form = "*" if isinstance(st.format, str) else print_expression(st.format, names)
                return f"print {form}" + (f", {items}" if items else "")
            parts = ["*" if st.unit is None else print_expression(st.unit, names)]
            if st.format is not None:
                parts.append("*" if isinstance(st.format, str) else print_expression(st.format, names))
            parts += _controls(st.controls, names)
            return f"{'write' if isinstance(st, s.Write) else 'read'} ({', '.join(parts)}) {items}".rstrip()
        case s.FileStatement():
            return f"{st.keyword} ({', '.join(_controls(st.controls, names))})"
        case s.NamelistTransfer():
            unit = "*" if st.unit is None else print_expression(st.unit, names)
            return f"{st.keyword} ({', '.join([unit, f'nml={st.group}', *_controls(st.controls, names)])})"
        case _:
            raise TypeError(type(st).__name__)


def _allocation(st: s.Allocate | s.Deallocate, names: Names) -> str:
    options: list[str] = []
    if isinstance(st, s.Deallocate):
        items = [print_expression(o, names) for o in st.objects]
    else:
        items = []
        for a in st.allocations:
            bounds = ", ".join(
                ("" if lo is None else print_expression(lo, names) + ":") + print_expression(hi, names)
                for lo, hi in a.bounds
            )
            items.append(print_expression(a.object, names) + (f"({bounds})" if bounds else ""))
        if st.type is not None:
            items[0] = f"{constructor_type(st.type, names)} :: {items[0]}"
        options += [f"{k}={print_expression(v, names)}" for k, v in (("source", st.source), ("mold", st.mold)) if v]
    options += [f"{k}={print_expression(v, names)}" for k, v in (("stat", st.stat), ("errmsg", st.errmsg)) if v]
    return f"{'allocate' if isinstance(st, s.Allocate) else 'deallocate'} ({', '.join(items + options)})"
