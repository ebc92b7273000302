"""From a call to an instance of the subroutine's body, calls of kernel subroutines in it opened as well."""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_statement, walk_body_expressions, walk_expression
from polystencil.transforms.call_arguments import arguments_of
from polystencil.transforms.call_names import check_intrinsics
from polystencil.transforms.call_substitution import Substitution, rename_of
from polystencil.transforms.callable_inline import body_of, check_form, check_names, check_statements, has_parallel_loop
from polystencil.transforms.inline_refusal import NotInlined


@dataclass(frozen=True, eq=False)
class Instance:
    """What a call runs: `copies` of arguments into some of the variables `declared`, then `body`."""

    declared: tuple[Symbol, ...]
    copies: s.Body
    body: s.Body

    def as_block(self, at: s.Statement) -> s.Body:
        """The instance as statements that stand alone."""
        made = (*self.copies, *self.body)
        return (s.Block(self.declared, made, span=at.span),) if self.declared else made


def called(st: s.Statement, table: SymbolTable) -> Procedure | None:
    """The subroutine that a statement calls, where that runs parallel loops."""
    if not isinstance(st, s.Call) or not isinstance(st.target, x.ProcedureRef):
        return None
    procedure = table.procedures.get(st.target.id)
    return procedure if procedure is not None and has_parallel_loop(procedure, table) else None


def instance_of(
    call: s.Call, caller: Procedure, table: SymbolTable, prefix: str, active: tuple[str, ...] = ()
) -> Instance:
    """What a call runs, in the caller's terms; NotInlined where that is not known to be the same."""
    procedure = called(call, table)
    if procedure is None:
        raise NotInlined("the subroutine is not known or runs no parallel loop")
    if procedure.id in (*active, caller.id):
        raise NotInlined(f"{procedure.name} is recursive")
    check_form(procedure)
    body = _opened(body_of(procedure), procedure, table, (*active, caller.id))
    check_statements(procedure, body, table)
    check_names(procedure, body, caller, table)
    arguments = arguments_of(call, procedure, body, caller, table, prefix)
    renamed = rename_of(body, procedure.symbols, procedure.dummies, procedure.id, prefix)
    substitution = Substitution(arguments, renamed, prefix, table)
    new = substitution.body(body)
    own = tuple(substitution.symbol(v) for v in _used(procedure, body))
    check_intrinsics((*arguments.copies, *new), own, caller, table)
    copies = {v.id for v in arguments.declared}
    if any(e.id in copies for v in own for e in _in_bounds(v)):  # made when a block of their own begins, after the copies
        return Instance(tuple(arguments.declared), tuple(arguments.copies), (s.Block(own, new, span=call.span),))
    return Instance((*arguments.declared, *own), tuple(arguments.copies), new)


def _in_bounds(v: Symbol) -> list[x.Ref]:
    bounds = [b for d in v.shape or () for b in (d.lower, d.upper) if isinstance(b, x.Expression)]
    return [e for b in bounds for e in walk_expression(b) if isinstance(e, x.Ref)]


def _used(procedure: Procedure, body: s.Body) -> list[Symbol]:
    """The locals that the statements name, or that bounds of those are made of."""
    own = {v.id: v for v in procedure.symbols if v.id not in procedure.dummies}
    waiting = [e.id for e in walk_body_expressions(body) if isinstance(e, x.Ref)]
    used: set[str] = set()
    while waiting:
        id = waiting.pop()
        if id in used or id not in own:
            continue
        used.add(id)
        parts = [b for d in own[id].shape or () for b in (d.lower, d.upper)] + [own[id].initial]
        waiting += [e.id for p in parts if isinstance(p, x.Expression) for e in walk_expression(p) if isinstance(e, x.Ref)]
    return [v for v in own.values() if v.id in used]


def _opened(body: s.Body, procedure: Procedure, table: SymbolTable, active: tuple[str, ...]) -> s.Body:
    """The body with the calls in it opened that run parallel loops."""
    from polystencil.transforms.call_splicing import spliced

    count = 0

    def go(body: s.Body) -> s.Body:
        nonlocal count
        out: list[s.Statement] = []
        run: list[s.Statement | Instance] = []

        def close() -> None:
            if any(isinstance(p, Instance) for p in run):
                out.extend(spliced(tuple(run), table, body[0].span))
            else:
                out.extend(p for p in run if not isinstance(p, Instance))
            run.clear()

        for st in body:
            inner = called(st, table)
            if inner is not None and isinstance(st, s.Call):
                count += 1
                prefix = f"{procedure.id}.call{count}"
                try:
                    run.append(instance_of(st, procedure, table, prefix, active))
                except NotInlined as why:
                    raise NotInlined(f"{procedure.name} calls {inner.name}: {why}") from None
            elif isinstance(st, s.ParallelLoop):
                run.append(st)
            else:
                close()
                out.append(map_statement(st, lambda e: e, go))
        close()
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else tuple(out)

    return go(body)
