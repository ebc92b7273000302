"""An instance of a subroutine's body in its caller: locals renamed, dummies replaced by what they stand for."""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, TRUE
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import map_children, map_statement
from polystencil.ir.types import Intrinsic
from polystencil.transforms.array_argument import ArrayArgument
from polystencil.transforms.call_arguments import Arguments
from polystencil.transforms.call_names import free_name
from polystencil.transforms.inline_refusal import NotInlined

_INQUIRY = ("size", "lbound", "ubound", "shape")
_NOT_OF_PARTS = ("is_contiguous", "allocated", "loc", "c_loc")


class Substitution:
    """From statements of a subroutine to those of its caller."""

    def __init__(self, arguments: Arguments, renamed: dict[str, str], prefix: str, table: SymbolTable) -> None:
        self.arguments, self.renamed, self.prefix, self.table = arguments, renamed, prefix, table

    def body(self, body: s.Body) -> s.Body:
        """The statements, those left out whose condition asks for an absent argument."""
        return tuple(new for st in body for new in self.statement(st))

    def statement(self, st: s.Statement) -> s.Body:
        if isinstance(st, s.Call):
            self.check_passed_on(st)
        if isinstance(st, s.If) and self.arguments.present:
            return self.decided(st)
        new = map_statement(st, self.expression, self.body)
        match new:
            case s.Assign() if isinstance(st, s.Assign) and isinstance(st.target, x.Ref):
                array = self.arguments.arrays.get(st.target.id)
                return (new if array is None else dataclasses.replace(new, target=self.target(array)),)
            case s.Block():
                declarations = tuple(self.symbol(v) for v in new.declarations)
                return (dataclasses.replace(new, declarations=declarations, name=self.construct(new.name)),)
            case s.Do():
                return (dataclasses.replace(new, index=_variable(new.index), name=self.construct(new.name)),)
            case s.DoWhile():
                return (dataclasses.replace(new, name=self.construct(new.name)),)
            case s.ParallelLoop():
                return (self.loop(new),)
            case s.Exit() | s.Cycle():
                return (dataclasses.replace(new, target=self.construct(new.target)),)
            case _:
                return (new,)

    def decided(self, st: s.If) -> s.Body:
        """An if without the branches that cannot be taken, which may name absent arguments."""
        branches: list[s.Branch] = []
        otherwise = st.otherwise
        for b in st.branches:
            condition = self.expression(b.condition)
            if condition == TRUE:
                otherwise = b.body
                break
            if condition != FALSE:
                branches.append(dataclasses.replace(b, condition=condition, body=self.body(b.body)))
        rest = self.body(otherwise)
        return (dataclasses.replace(st, branches=tuple(branches), otherwise=rest),) if branches else rest

    def loop(self, st: s.ParallelLoop) -> s.ParallelLoop:
        for ref in (*(i.ref for i in st.indices), *(r.ref for r in st.reductions)):
            _variable(ref)

        def ids(old: frozenset[str]) -> frozenset[str]:
            return frozenset(self.id(i) for i in old)

        return dataclasses.replace(
            st, locals=tuple(self.symbol(v) for v in st.locals), name=self.construct(st.name),
            local_init=ids(st.local_init), shared=ids(st.shared),
            overwrites=frozenset(self.renamed[i] for i in st.overwrites if i in self.renamed),
        )  # fmt: skip

    def id(self, id: str) -> str:
        """The id of a variable that a loop names by it alone."""
        stands = self.arguments.scalars.get(id)
        if id in self.arguments.arrays or (stands is not None and not isinstance(stands, x.Ref)):
            raise NotInlined("a loop names an argument in its locality that is no variable here")
        return stands.id if isinstance(stands, x.Ref) else self.renamed.get(id, id)

    def construct(self, name: str) -> str:
        return f"{self.prefix}.{name}" if name else ""

    def target(self, array: ArrayArgument) -> x.Expression:
        """A whole dummy as a target: nothing that its assignment could allocate anew."""
        return array.as_section() if _may_be_allocatable(array.base, self.table) else array.whole()

    def symbol(self, v: Symbol) -> Symbol:
        """A variable of the subroutine as one of a block or loop of the caller."""
        shape = None if v.shape is None else tuple(self.dimension(d) for d in v.shape)
        initial = None if v.initial is None else self.expression(v.initial)
        return dataclasses.replace(
            v, id=self.renamed.get(v.id, v.id), name=free_name(v.name), shape=shape, initial=initial
        )

    def dimension(self, d: Dimension) -> Dimension:
        lower = None if d.lower is None else self.expression(d.lower)
        return Dimension(lower, self.expression(d.upper) if isinstance(d.upper, x.Expression) else d.upper, d.assumed)

    def expression(self, e: x.Expression) -> x.Expression:
        """An expression with every dummy and local replaced."""
        arrays, scalars = self.arguments.arrays, self.arguments.scalars
        match e:
            case x.Element(base=x.Ref(id=id)) if id in arrays:
                return arrays[id].element(tuple(map(self.expression, e.indices)))
            case x.Section(base=x.Ref(id=id)) if id in arrays:
                return arrays[id].section(tuple(map(self.expression, e.subscripts)))
            case x.IntrinsicCall(name=name) if name in _INQUIRY and isinstance(a := e.arguments[0], x.Ref) and a.id in arrays:
                return arrays[a.id].inquiry(e)
            case x.FunctionCall():
                self.check_passed_on(e)
            case x.IntrinsicCall(name="present"):
                return self.is_present(e)
            case x.IntrinsicCall(name=name) if name in _NOT_OF_PARTS:
                if any(isinstance(a, x.Ref) and a.id in arrays for a in e.arguments):
                    raise NotInlined(f"it asks {name} of an argument")
            case x.Ref(id=id) if id in arrays:
                return arrays[id].whole()
            case x.Ref(id=id) if id in scalars:
                return scalars[id]
            case x.Ref(id=id) if id in self.arguments.present:
                raise NotInlined("it names an optional argument that is absent, other than to ask whether it is present")
            case x.Ref(id=id) if id in self.renamed:
                return dataclasses.replace(e, id=self.renamed[id])
            case _:
                pass
        new = map_children(e, self.expression)
        return _folded(new) if self.arguments.present else new

    def check_passed_on(self, call: s.Call | x.FunctionCall) -> None:
        """Refuse elements of an array of the subroutine from which on others take the elements in sequence."""
        target = call.target
        procedure = self.table.procedures.get(target.id) if isinstance(target, x.ProcedureRef) else None
        for k, a in enumerate(call.arguments):
            if not isinstance(a, x.Element) or not isinstance(a.base, x.Ref) or a.base.id not in self.arguments.arrays:
                continue
            known = procedure is not None and k < len(procedure.dummies)
            dummy = self.table.symbols.get(procedure.dummies[k]) if known and procedure is not None else None
            if (dummy is None or dummy.shape is not None) and not self.arguments.arrays[a.base.id].covers:
                raise NotInlined("it passes an element from which on they are taken in sequence")

    def is_present(self, e: x.IntrinsicCall) -> x.Expression:
        a = e.arguments[0]
        if not isinstance(a, x.Ref) or a.id not in self.arguments.present:
            raise NotInlined("it asks whether something is present that is no argument of its own")
        t = e.type if isinstance(e.type, Intrinsic) else TRUE.type
        return x.Literal(self.arguments.present[a.id], t)


def rename_of(body: s.Body, symbols: tuple[Symbol, ...], dummies: tuple[str, ...], old: str, prefix: str) -> dict[str, str]:
    """New ids for everything that a subroutine declares besides its dummies."""
    ids = [v.id for v in (*symbols, *symbols_in_body(body)) if v.id not in dummies]
    return {i: f"{prefix}.{i[len(old) + 1 :] if i.startswith(old + '.') else i}" for i in ids}


def _variable(e: x.Expression) -> x.Ref:
    if not isinstance(e, x.Ref):
        raise NotInlined("an argument that is no plain variable is the variable of a loop")
    return e


def _folded(e: x.Expression) -> x.Expression:
    """Conditions of what is present, as far as the first operand decides."""
    match e:
        case x.Paren(operand=x.Literal()) if e.operand in (TRUE, FALSE):
            return e.operand
        case x.Unary(operator=".not.", operand=x.Literal()) if e.operand in (TRUE, FALSE):
            return FALSE if e.operand == TRUE else TRUE
        case x.Binary(operator=".and.", left=x.Literal()):
            return e.right if e.left == TRUE else e.left
        case x.Binary(operator=".or.", left=x.Literal()):
            return e.left if e.left == TRUE else e.right
        case _:
            return e


def _may_be_allocatable(e: x.Expression, table: SymbolTable) -> bool:
    """Whether assigning an array as a whole may allocate it: everything but a variable known to be otherwise."""
    symbol = table.symbols.get(e.id) if isinstance(e, x.Ref) else None
    return symbol is None or "allocatable" in symbol.attributes
