"""Scalar arithmetic as one Python function per expression, for speed alone.

A closure per node costs more than the arithmetic. Here an expression of scalars, elements, operators and elemental
intrinsics becomes the text of one function; whatever else stands in it is called as the closure that `operators`
makes. Meaning is defined there: where a subscript is out of bounds (or a cell is empty) the function turns to that
plain closure, which finds the error again and words it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators, operators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.interpreter.scalars import constant_number
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

_INFIX = {"+": "+", "-": "-", "*": "*", "==": "==", "/=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
          ".eqv.": "==", ".neqv.": "!="}  # fmt: skip


def is_worth_fusing(e: x.Expression) -> bool:
    """Whether `e` is a scalar number made of several operations."""
    if not isinstance(e, (x.Binary, x.Unary, x.Convert, x.Element, x.IntrinsicCall, x.Paren)) or rank_of(e):
        return False
    return number_dtype(type_of(e)) is not None


def _small_power(exponent: x.Expression) -> str | None:
    """The multiplications of a small constant power, as `arithmetic.power` makes them."""
    if not isinstance(exponent, x.Literal) or exponent.type != INTEGER or not isinstance(exponent.value, int):
        return None
    return {1: "{x}", 2: "({x} * {x})", 3: "({x} * ({x} * {x}))"}.get(exponent.value)


class _Function:
    """The text of one function under construction: lines before the result, and the objects that its names mean."""

    def __init__(self, c: Compiler, whole: list[x.Expression]) -> None:
        self.c = c
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        # equal loads are shared, unless a user's function could change what they load
        calls = any(isinstance(n, x.FunctionCall) for e in whole for n in walk_expression(e))
        self.known: dict[str, str] | None = None if calls else {}

    def name(self, value: Any) -> str:
        """A name for an object."""
        name = f"v{len(self.names)}"
        self.names[name] = value
        return name

    def closure(self, closure: Closure) -> str:
        return f"{self.name(closure)}(f)"

    def temporary(self, text: str) -> str:
        """A local variable with the value of `text`."""
        if self.known is not None and text in self.known:
            return self.known[text]
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        if self.known is not None:
            self.known[text] = name
        return name

    def build(self, result: str, otherwise: Closure) -> Closure:
        """The function; `otherwise` runs where a subscript or cell is bad."""
        body = [*self.lines, result]
        text = "def run(f):\n try:\n" + "".join(f"  {line}\n" for line in body)
        text += " except IndexError:\n  otherwise(f)\n  raise\n"
        scope = {**self.names, "otherwise": otherwise, "T": np.True_, "F": np.False_}
        exec(compile(text, "<fused>", "exec"), scope)
        closure: Closure = scope["run"]
        return closure

    # ---- values ----

    def value(self, e: x.Expression) -> str:
        """The text of a scalar value."""
        match e:
            case x.Literal() | x.NamedConstant():
                return self._constant(e)
            case x.Paren():
                return self.value(e.operand)
            case x.Ref() if number_dtype(e.type) is not None and e.rank == 0:
                return self._scalar(e)
            case x.Element() if number_dtype(type_of(e)) is not None and rank_of(e) == 0:
                data, index = self.place(e)
                return f"{data}[{index}]"
            case x.Unary() if number_dtype(type_of(e)) is not None:
                operand = self.value(e.operand)
                return f"(F if {operand} else T)" if e.operator == ".not." else f"({e.operator}{operand})"
            case x.Binary() if number_dtype(type_of(e.left)) is not None:
                return self._binary(e)
            case x.Convert() if (target := number_dtype(e.type)) is not None:
                source = number_dtype(type_of(e.operand))
                function = operators.conversion(source, target, True)
                return f"{self.name(function)}({self.value(e.operand)})"
            case x.IntrinsicCall():
                return self._intrinsic(e)
            case _:
                return self.closure(operators.compile_value(self.c, e, fuse=False))

    def _constant(self, e: x.Literal | x.NamedConstant) -> str:
        dtype = number_dtype(e.type)
        return self.name(e.value if dtype is None else dtype.type(e.value))

    def _scalar(self, e: x.Ref) -> str:
        storage = self._storage(e)
        return self.closure(self.c.value(e)) if storage is None else f"{storage}[()]"

    def _storage(self, e: x.Ref) -> str | None:
        """The storage of a variable without a cell, where it is near."""
        c, symbol = self.c, self.c.symbol(e.id)
        if designators.holds_cell(symbol):
            return None
        if e.id in c.machine.static:
            return self._named(c.machine.static_storage(e.id))
        if "optional" in symbol.attributes:
            return None
        place = c.scope.find(e.id)
        return f"f[{place.slot}]" if place.depth == 0 else None

    def _binary(self, e: x.Binary) -> str:
        left = self.value(e.left)
        if e.operator in (".and.", ".or."):
            lines = len(self.lines)
            right = self.value(e.right)
            if len(self.lines) > lines:  # loads of the right side must wait until the left side is true
                del self.lines[lines:]
                self._forget()
                right = self.closure(self.c.value(e.right))
            return f"({left} {'and' if e.operator == '.and.' else 'or'} {right})"
        right = self.value(e.right)
        base = t.base if isinstance(t := type_of(e.left), Intrinsic) else ""
        if e.operator in _INFIX:
            return f"({left} {_INFIX[e.operator]} {right})"
        if e.operator == "/" and base == "real":
            return f"({left} / {right})"
        if e.operator == "**" and base == "real" and (power := _small_power(e.right)):
            factor = self.temporary(left)
            return power.format(x=factor)
        return f"{self.name(operators.operation(e.operator, type_of(e.left)))}({left}, {right})"

    def _forget(self) -> None:
        if self.known is not None:
            alive = {line.split(" = ")[0] for line in self.lines}
            self.known = {text: name for text, name in self.known.items() if name in alive}

    def _intrinsic(self, e: x.IntrinsicCall) -> str:
        from polystencil.ir.interpreter import intrinsic_calls

        simple = e.rank == 0 and all(a is None or number_dtype(type_of(a)) is not None for a in e.arguments)
        if not simple or any(a is not None and rank_of(a) for a in e.arguments):
            return self.closure(operators.compile_value(self.c, e, fuse=False))
        function = intrinsic_calls.value_function(e)
        if function is None:
            return self.closure(operators.compile_value(self.c, e, fuse=False))
        arguments = ", ".join("None" if a is None else self.value(a) for a in e.arguments)
        return f"{self.name(function)}({arguments})"

    # ---- integers as subscripts ----

    def number(self, e: x.Expression) -> str:
        """The text of a Python int."""
        known = constant_number(e)
        if known is not None:
            return str(known) if known >= 0 else f"({known})"
        match e:
            case x.Paren():
                return self.number(e.operand)
            case x.Ref() if isinstance(e.type, Intrinsic) and e.type.base == "integer" and e.rank == 0:
                storage = self._storage(e)
                return self.closure(self.c.number(e)) if storage is None else self.temporary(f"{storage}.item()")
            case x.Binary(operator="+" | "-" | "*") if rank_of(e) == 0:
                return f"({self.number(e.left)} {e.operator} {self.number(e.right)})"
            case x.Convert() if isinstance(t := type_of(e.operand), Intrinsic) and t.base == "integer":
                return self.number(e.operand)
            case _:
                return f"int({self.value(e)})"

    # ---- elements ----

    def place(self, e: x.Element) -> tuple[str, str]:
        """(data, index) of an element, the lower bounds checked; NumPy checks the upper ones."""
        data, lower = self._array(e.base, len(e.indices))
        index = []
        for subscript, low in zip(e.indices, lower, strict=True):
            text = self.number(subscript)
            index.append(self.temporary(text if low == "0" else f"{text} - {low}"))
        check = " or ".join(f"{k} < 0" for k in index)
        guard = f"if {check}: raise IndexError"
        if self.known is None or guard not in self.lines:
            self.lines.append(guard)
        return data, ", ".join(index)

    def _array(self, base: x.Expression, rank: int) -> tuple[str, list[str]]:
        """The data and the lower bounds of an array."""
        c = self.c
        if isinstance(base, x.Ref):
            symbol = c.symbol(base.id)
            if not designators.holds_cell(symbol):
                if base.id in c.machine.static:
                    array = c.machine.static_storage(base.id)
                    return self._named(array.data), [str(low) if low >= 0 else f"({low})" for low in array.lower]
                storage = self._storage(base)
                if storage is not None:
                    return self._parts(self.temporary(storage), rank)
            elif base.id in c.machine.static or c.scope.find(base.id).depth == 0:
                cell = self._named(c.machine.static_storage(base.id)) if base.id in c.machine.static else (
                    f"f[{c.scope.find(base.id).slot}]"
                )
                held = self.temporary(f"{cell}.{'value' if 'allocatable' in symbol.attributes else 'target'}")
                guard = f"if {held} is None: raise IndexError"
                if self.known is None or guard not in self.lines:
                    self.lines.append(guard)
                return self._parts(held, rank)
        return self._parts(self.temporary(self.closure(c.variable(base))), rank)

    def _named(self, value: Any) -> str:
        """One name for one object, however often it is used."""
        for name, known in self.names.items():
            if known is value:
                return name
        return self.name(value)

    def _parts(self, array: str, rank: int) -> tuple[str, list[str]]:
        data = self.temporary(f"{array}.data")
        lower = self.temporary(f"{array}.lower")
        return data, [self.temporary(f"{lower}[{k}]") for k in range(rank)]


def compile_fused(c: Compiler, e: x.Expression) -> Closure:
    """The value of a scalar expression as one function."""
    function = _Function(c, [e])
    text = function.value(e)

    def plain(f: Any) -> Any:
        return operators.compile_value(c, e, fuse=False)(f)

    return function.build(f"return {text}", plain)


def compile_fused_assignment(c: Compiler, target: x.Expression, value: x.Expression, plain: Any) -> Closure | None:
    """`target = value` of scalar numbers as one function; `plain` makes the closure that finds errors."""
    function = _Function(c, [target, value])
    text = function.temporary(function.value(value))
    if isinstance(target, x.Element) and designators.parent_array(c, target.base) is None:
        data, index = function.place(target)
        place = f"{data}[{index}]"
    elif isinstance(target, x.Ref) and (storage := function._storage(target)) is not None:
        place = f"{storage}[()]"
    else:
        return None

    def again(f: Any) -> Any:
        return plain()(f)

    return function.build(f"{place} = {text}", again)
