"""From expressions to C text, in the order and with the rounding that Fortran's rules give them."""

from __future__ import annotations

from polystencil.codegen.c_intrinsics import IntrinsicPrinter
from polystencil.codegen.c_literals import literal
from polystencil.codegen.dialect import value_type
from polystencil.codegen.failures import flag_argument
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import COMPARISONS, type_of

ATOM, UNARY, TIMES, PLUS, COMPARE, EQUAL, AND, OR, CHOICE = 100, 14, 13, 12, 10, 9, 5, 4, 3
_C_OPERATORS = {
    "==": ("==", EQUAL), "/=": ("!=", EQUAL), "<": ("<", COMPARE), "<=": ("<=", COMPARE), ">": (">", COMPARE),
    ">=": (">=", COMPARE), ".and.": ("&&", AND), ".or.": ("||", OR), ".eqv.": ("==", EQUAL), ".neqv.": ("!=", EQUAL),
    "+": ("+", PLUS), "-": ("-", PLUS), "*": ("*", TIMES), "/": ("/", TIMES),
}  # fmt: skip


def suffix_of(t: Intrinsic) -> str:
    """The ending of helper names for a type: i4, r8, c4."""
    return f"{t.base[0]}{t.kind}"


class ExpressionPrinter(IntrinsicPrinter):
    """Prints scalar expressions; what needs statements first goes to `prelude`."""

    def text(self, e: x.Expression) -> str:
        """C text of a value, safe as an argument or right side."""
        return self.term(e)[0]

    def inside(self, e: x.Expression, level: int) -> str:
        """C text of an operand: in parentheses unless it binds at least as tightly as `level`."""
        text, here = self.term(e)
        return text if here >= level else f"({text})"

    def term(self, e: x.Expression) -> tuple[str, int]:
        """C text and how tightly it binds."""
        match e:
            case x.Literal() | x.NamedConstant():
                t = self.intrinsic(e)
                return literal(e.value, t), ATOM
            case x.Paren():
                inner, level = self.term(e.operand)
                return (inner, ATOM) if level == ATOM else (f"({inner})", ATOM)
            case x.Ref() | x.Element() | x.Component():
                return self.load(e), ATOM
            case x.Unary():
                return self._unary(e)
            case x.Binary():
                return self._binary(e)
            case x.Convert():
                return self._convert(e)
            case x.IntrinsicCall():
                return self.intrinsic_call(e)
            case x.FunctionCall():
                return self.function_call(e), ATOM
            case x.Boz():
                return str(e.value), ATOM
            case _:
                raise NotLaunchable(f"{type(e).__name__} has no form inside of a kernel")

    def intrinsic(self, e: x.Expression) -> Intrinsic:
        """The intrinsic, non-character type of `e`."""
        t = type_of(e)
        if not isinstance(t, Intrinsic):
            raise NotLaunchable("an expression of derived type inside of a kernel")
        if t.base == "character":
            raise NotLaunchable("character values inside of a kernel")
        return t

    def _unary(self, e: x.Unary) -> tuple[str, int]:
        t = self.intrinsic(e)
        if e.operator == "+":
            return self.term(e.operand)
        if e.operator == ".not.":
            return "!" + self.inside(e.operand, ATOM), UNARY
        if t.base == "complex":
            z = self.text(e.operand)
            return f"ps_c{t.kind}(-({z}).x, -({z}).y)", ATOM
        if t.base == "integer" and (t.kind < 4 or not self._small(e.operand)):
            return f"{self.unit.helpers.need('neg', suffix_of(t))}({self.text(e.operand)})", ATOM
        return "-" + self.inside(e.operand, ATOM), UNARY

    def _small(self, e: x.Expression) -> bool:
        """Integer arithmetic on loop counters and constants, which a valid program keeps in range."""
        if self.indexing:
            return True
        match e:
            case x.Literal() | x.NamedConstant():
                return isinstance(e.value, int) and abs(e.value) < 1 << 24
            case x.Ref():
                return e.id in self.scope.counters
            case x.Binary():
                return e.operator in "+-" and self._small(e.left) and self._small(e.right)
            case x.Unary() | x.Paren():
                return self._small(e.operand)
            case _:
                return False

    def _binary(self, e: x.Binary) -> tuple[str, int]:
        op = e.operator
        t = self.intrinsic(e.left)
        if op == "**":
            return self._power(e, t), ATOM
        if op in COMPARISONS or op in (".and.", ".or.", ".eqv.", ".neqv."):
            symbol, level = _C_OPERATORS[op]
            if t.base == "complex":
                a, b = self.text(e.left), self.text(e.right)
                both = f"(({a}).x == ({b}).x && ({a}).y == ({b}).y)"
                return ("!" + both if op == "/=" else both), UNARY
            right = level + 1
            return f"{self.inside(e.left, right)} {symbol} {self.inside(e.right, right)}", level
        if t.base == "complex":
            name = {"+": "cadd", "-": "csub", "*": "cmul", "/": "cdiv"}[op]
            return f"{self.unit.helpers.need(name, suffix_of(t))}({self.text(e.left)}, {self.text(e.right)})", ATOM
        if t.base == "integer" and (op == "/" or t.kind < 4 or not (self._small(e.left) and self._small(e.right))):
            if op == "/" and self._nonzero(e.right):
                if t.kind >= 4:
                    return f"{self.inside(e.left, TIMES)} / {self.inside(e.right, ATOM)}", TIMES
            if op == "/" and not self._nonzero(e.right):
                return self.checked("div", t, self.text(e.left), self.text(e.right)), ATOM
            name = {"+": "add", "-": "sub", "*": "mul", "/": "div"}[op]
            return f"{self.unit.helpers.need(name, suffix_of(t))}({self.text(e.left)}, {self.text(e.right)})", ATOM
        symbol, level = _C_OPERATORS[op]
        return f"{self.inside(e.left, level)} {symbol} {self.inside(e.right, level + 1)}", level

    def checked(self, operation: str, t: Intrinsic, a: str, b: str) -> str:
        """div, mod or modulo of integers by what may be zero: the place is noted then, and the result is 0."""
        flag = self.use_parameter(flag_argument(self.unit.arguments), f"{self.unit.dialect.global_space}int *")
        function = self.unit.helpers.need(f"{operation}_checked", suffix_of(t))
        return f"{function}({a}, {b}, {flag}, {self.unit.failures.number(self.unit.span)})"

    def _nonzero(self, e: x.Expression) -> bool:
        return isinstance(e, (x.Literal, x.NamedConstant)) and e.value != 0

    def _power(self, e: x.Binary, t: Intrinsic) -> str:
        exponent_type = self.intrinsic(e.right)
        base = self.text(e.left)
        constant = e.right
        while isinstance(constant, x.Paren):
            constant = constant.operand
        if isinstance(constant, x.Unary) and constant.operator == "-" and isinstance(constant.operand, x.Literal):
            value = constant.operand.value
            constant = x.Literal(-value, constant.operand.type)  # type: ignore[operator]  # a number
        suffix = suffix_of(t)
        if exponent_type.base == "integer":
            if t.base == "integer":
                return f"{self.unit.helpers.need('pow', suffix)}({base}, {self.text(e.right)})"
            if t.base == "complex":
                return f"{self.unit.helpers.need('cpowi', suffix)}({base}, {self.text(e.right)})"
            if exponent_type.kind == 8:
                return f"{self.unit.helpers.need('powl', suffix)}({base}, {self.text(e.right)})"
            if isinstance(constant, (x.Literal, x.NamedConstant)) and abs(int(constant.value)) <= 64:  # type: ignore[arg-type]  # an integer
                return f"{self.unit.helpers.power(int(constant.value), suffix)}({base})"  # type: ignore[arg-type]  # an integer
            return f"{self.unit.helpers.need('powi', suffix)}({base}, {self.text(e.right)})"
        if t.base != "real":
            raise NotLaunchable("a complex power inside of a kernel")
        return self.math("pow", t, (base, self.text(e.right)))

    def _convert(self, e: x.Convert) -> tuple[str, int]:
        if not isinstance(e.type, Intrinsic):
            raise NotLaunchable("a conversion to a derived type inside of a kernel")
        if isinstance(e.operand, x.Boz):
            return f"(({value_type(e.type, self.unit.dialect)})0x{e.operand.value:x}ul)", ATOM
        source, target = self.intrinsic(e.operand), e.type
        if source == target or (source.base == "logical" and target.base == "logical"):
            return self.term(e.operand)
        name = value_type(target, self.unit.dialect)
        if target.base == "complex":
            part = "float" if target.kind == 4 else "double"
            if source.base != "complex":
                return f"ps_c{target.kind}(({part}){self.inside(e.operand, UNARY)}, ({part})0)", ATOM
            z = self.text(e.operand)
            return f"ps_c{target.kind}(({part})({z}).x, ({part})({z}).y)", ATOM
        if source.base == "complex":
            return f"({name}){self.inside(e.operand, ATOM)}.x", UNARY
        if source.base == target.base and source.kind == target.kind:
            return self.term(e.operand)
        return f"({name}){self.inside(e.operand, UNARY + 1)}", UNARY
