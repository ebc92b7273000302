"""Expressions of the host program as Python text: NumPy scalars and arrays, Fortran's rules from `fortran`."""

from __future__ import annotations

from polystencil.codegen.host_calls import HostCalls
from polystencil.codegen.host_text import dtype_text, literal_text
from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.program import Procedure
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import COMPARISONS, rank_of, type_of
from polystencil.semantics.intrinsics import INTRINSICS

ATOM, POWER, UNARY, TIMES, PLUS, BITS, COMPARE, AND, OR, LOWEST = 100, 16, 14, 13, 12, 10, 8, 6, 5, 0
_DIRECT = {"+": ("+", PLUS), "-": ("-", PLUS), "*": ("*", TIMES), "/": ("/", TIMES)}
_COMPARES = {"==": "==", "/=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class HostExpressions(HostCalls):
    """Prints values."""

    def value(self, e: x.Expression) -> str:
        return self.term(e)[0]

    def inside(self, e: x.Expression, level: int) -> str:
        text, here = self.term(e)
        return text if here >= level else f"({text})"

    def condition(self, e: x.Expression) -> str:
        return self.value(e)

    def term(self, e: x.Expression) -> tuple[str, int]:
        match e:
            case x.Literal() | x.NamedConstant():
                return literal_text(e.value, e.type), ATOM
            case x.Paren():
                text, level = self.term(e.operand)
                return (text, level) if level == ATOM else (f"({text})", ATOM)
            case x.Ref() | x.Element() | x.Section() | x.Component() | x.Substring():
                return self.load(e), ATOM
            case x.Unary():
                if e.operator == "+":
                    return self.term(e.operand)
                return ("-" if e.operator == "-" else "~") + self.inside(e.operand, ATOM), UNARY
            case x.Binary():
                return self._binary(e)
            case x.Convert():
                return self._convert(e)
            case x.IntrinsicCall():
                return self.intrinsic(e), ATOM
            case x.FunctionCall():
                return self._function(e), ATOM
            case x.ArrayConstructor():
                return self._constructor(e), ATOM
            case x.StructureConstructor():
                return self._structure(e), ATOM
            case x.Null():
                return "None", ATOM
            case x.Boz():
                return f"np.int64({e.value})", ATOM
            case x.ProcedureRef():
                return self.procedure_name(e.id), ATOM
            case _:
                raise UnsupportedError(f"{type(e).__name__} in the host program", self.span)

    def _binary(self, e: x.Binary) -> tuple[str, int]:
        op, left, right = e.operator, e.left, e.right
        t = type_of(left)
        if isinstance(t, Record):
            raise UnsupportedError("an operator between records", self.span)
        assert isinstance(t, Intrinsic)
        array = bool(rank_of(left) or rank_of(right))
        if op == "//":
            if array:
                return f"fortran.concatenate_text({self.value(left)}, {self.value(right)})", ATOM
            return f"{self.inside(left, PLUS)} + {self.inside(right, PLUS + 1)}", PLUS
        if op in COMPARISONS:
            if t.base == "character":
                return f'fortran.compare("{op}", {self.value(left)}, {self.value(right)})', ATOM
            a, b = self._pair(left, right, COMPARE + 1)
            return f"{a} {_COMPARES[op]} {b}", COMPARE
        if op in (".and.", ".or."):
            level = (BITS, "&" if op == ".and." else "|") if array else (AND if op == ".and." else OR, op.strip("."))
            return f"{self.inside(left, level[0])} {level[1]} {self.inside(right, level[0] + 1)}", level[0]
        if op in (".eqv.", ".neqv."):
            return (
                f"{self.inside(left, COMPARE + 1)} {'==' if op == '.eqv.' else '!='} {self.inside(right, COMPARE + 1)}",
                COMPARE,
            )
        if op == "**":
            return f"fortran.power({self.value(left)}, {self.value(right)})", ATOM
        if op == "/" and t.base in ("integer", "complex"):
            function = "int_divide" if t.base == "integer" else "complex_divide"
            if t.base == "integer" and self.masked:
                function = "int_divide_masked"
            return f"fortran.{function}({self.value(left)}, {self.value(right)})", ATOM
        if op == "*" and t.base == "complex":
            return f"fortran.multiply({self.value(left)}, {self.value(right)})", ATOM
        symbol, level_ = _DIRECT[op]
        a, b = self._pair(left, right, level_, level_ + 1)
        return f"{a} {symbol} {b}", level_

    def _pair(
        self, left: x.Expression, right: x.Expression, level: int, right_level: int | None = None
    ) -> tuple[str, str]:
        """Two operands; a constant beside something typed needs no type of its own."""
        right_level = level if right_level is None else right_level
        plain_left, plain_right = self._plain(left), self._plain(right)
        if plain_left is not None and plain_right is None:
            return plain_left, self.inside(right, right_level)
        if plain_right is not None and plain_left is None:
            return self.inside(left, level), plain_right
        return self.inside(left, level), self.inside(right, right_level)

    def _plain(self, e: x.Expression) -> str | None:
        if (
            isinstance(e, (x.Literal, x.NamedConstant))
            and isinstance(e.type, Intrinsic)
            and e.type.base in ("integer", "real")
        ):
            value = e.value
            if isinstance(value, float) and (value != value or abs(value) == float("inf")):
                return None
            text = repr(value)
            return f"({text})" if text.startswith("-") else text
        return None

    def _convert(self, e: x.Convert) -> tuple[str, int]:
        t = e.type
        if not isinstance(t, Intrinsic):
            return self.storage(e), ATOM
        source = type_of(e.operand)
        if isinstance(e.operand, x.Boz):
            return f"fortran.from_bits({e.operand.value}, {dtype_text(t)})", ATOM
        if not isinstance(source, Intrinsic) or t.base == "logical" or (source.base, source.kind) == (t.base, t.kind):
            return self.term(e.operand)
        if rank_of(e) or source.base == "complex" or t.base == "complex":
            return f"fortran.convert({self.value(e.operand)}, {dtype_text(t)})", ATOM
        return f"{dtype_text(t).replace('fortran.', 'np.')}({self.value(e.operand)})", ATOM

    def _constructor(self, e: x.ArrayConstructor) -> str:
        items = ", ".join(self.list_item(item, False) for item in e.items)
        return f"fortran.constructor({self.element_text(e.type)}, [{items}])"

    def list_item(self, item: x.Expression, storage: bool) -> str:
        """An item of a constructor or of an input/output list; implied loops become starred generators."""
        if isinstance(item, x.ImpliedDo):
            outer = self.kinds_here.get(item.variable.id)
            self.kinds_here[item.variable.id] = "value"
            name = self.names.of(item.variable.id)
            inner = ", ".join(self.list_item(i, storage) for i in item.items)
            if outer is None:
                del self.kinds_here[item.variable.id]
            else:
                self.kinds_here[item.variable.id] = outer
            step = "1" if item.step is None else self.value(item.step)
            bounds = f"{self.value(item.lower)}, {self.value(item.upper)}, {step}"
            text = f"*fortran.implied_do(lambda {name}: [{inner}], {bounds})"
            if item.variable.id in self.implied_live and not storage:
                after = f"fortran.after({bounds})"
                kind = self.kind(item.variable.id)
                text += (
                    f", *fortran.nothing({name} := {after})"
                    if kind == "value"
                    else f", *fortran.set_to({name}, {after})"
                )
            return text
        if storage:
            return self.storage(item)
        return self.value(item)

    def _structure(self, e: x.StructureConstructor) -> str:
        assert isinstance(e.type, Record)
        parts = []
        definition = self.table.types[e.type.id]
        for symbol, part in zip(definition.components, e.components, strict=False):
            if part is None:
                parts.append("fortran.DEFAULT")
            elif "pointer" in symbol.attributes:
                parts.append(self.pointer_target(part))
            elif symbol.attributes & {"allocatable"} and isinstance(part, x.Null):
                parts.append("None")
            elif symbol.attributes & {"allocatable"} and self.is_allocatable(part):
                parts.append(f"fortran.held({self.cell(part)})")
            else:
                parts.append(self.value(part))
        return f"fortran.structure({self.layout(e.type.id)}, ({', '.join(parts)}{',' if parts else ''}))"

    # ---- calls ----

    def _function(self, e: x.FunctionCall) -> str:
        procedure = self.target_procedure(e.target)
        if (
            procedure is not None
            and "elemental" in procedure.prefixes
            and any(a is not None and rank_of(a) for a in e.arguments)
        ):
            return self._elemental(e, procedure)
        text = f"{self.callee(e.target)}({self.arguments(e.target, e.arguments)})"
        result = None if procedure is None or procedure.result is None else self.table.symbols.get(procedure.result)
        if result is not None and result.attributes & {"pointer"}:
            return f"fortran.value_of({text})"
        return text

    def _elemental(self, e: x.FunctionCall, procedure: Procedure) -> str:
        from polystencil.codegen.host_kinds import by_value

        texts, how = [], []
        for dummy, a in zip(procedure.dummies, e.arguments, strict=False):
            texts.append("None" if a is None else self.value(a))
            symbol = self.table.symbols[dummy]
            how.append("v" if by_value(symbol) else "s")
        head = f"{self.callee(e.target)}, {self.element_text(e.type)}"
        return f'fortran.elemental({head}, "{"".join(how)}", {", ".join(texts)})'

    def intrinsic(self, e: x.IntrinsicCall) -> str:
        name, arguments = e.name, e.arguments
        first = arguments[0] if arguments else None
        if name == "present":
            assert isinstance(first, x.Ref)
            return f"np.bool_({self.names.of(first.id)} is not None)"
        if name == "allocated":
            assert first is not None
            return f"np.bool_({self.cell(first)}.value is not None)"
        if name == "associated":
            assert first is not None
            other = arguments[1] if len(arguments) > 1 else None
            target = "" if other is None else f", {self.pointer_target(other)}"
            if self.is_procedure_pointer(first):
                return (
                    f"np.bool_({self.cell(first)}.target is not None)"
                    if not target
                    else f"np.bool_({self.cell(first)}.target is {target[2:]})"
                )
            if other is not None and not isinstance(other, x.Null):
                return f"fortran.associated_with({self.cell(first)}{target})"
            return f"fortran.associated({self.cell(first)}{target})"
        if name in ("lbound", "ubound", "size", "shape", "is_contiguous") and first is not None:
            return self._bounds(e, first)
        if (
            name == "len"
            and first is not None
            and isinstance(first, (x.Ref, x.Element, x.Component))
            and self._has_storage(first)
        ):
            return f"{dtype_text(e.type)}.type({self.storage_data(first)}.dtype.itemsize)"
        if name in ("same_type_as", "extends_type_of", "storage_size"):
            texts = [self.storage(a) for a in arguments if a is not None]
            return f"fortran.{name}({', '.join(texts)})"
        if name == "null":
            return "None"
        if name in ("int", "real", "dble", "cmplx") and isinstance(first, x.Boz):
            return f"fortran.from_bits({first.value}, {dtype_text(e.type)})"
        if name not in INTRINSICS:
            raise UnsupportedError(f"the intrinsic function {name} is not supported", self.span)
        texts = ["None" if a is None else self._argument_value(a) for a in arguments]
        while texts and texts[-1] == "None":
            texts.pop()
        dtype = "None" if isinstance(e.type, Record) else dtype_text(e.type)
        return f'fortran.intrinsic("{name}", {dtype}{"".join(", " + t for t in texts)})'

    def _argument_value(self, a: x.Expression) -> str:
        if isinstance(a, x.Boz):
            return f"np.int64({a.value})"
        return self.value(a)

    def _has_storage(self, e: x.Expression) -> bool:
        if isinstance(e, x.Ref):
            return self.kind(e.id) not in ("value", "procedure")
        return True

    def _bounds(self, e: x.IntrinsicCall, first: x.Expression) -> str:
        dtype = dtype_text(e.type)
        whole = isinstance(first, (x.Ref, x.Component)) and not (isinstance(first, x.Component) and rank_of(first.base))
        array = self.array_object(first) if whole else f"fortran.fresh_bounds({self.value(first)})"
        dimension = e.arguments[1] if len(e.arguments) > 1 else None
        if e.name == "is_contiguous":
            return f"np.bool_(fortran.is_contiguous({array}.data))"
        d = "" if dimension is None else f", {self.value(dimension)}"
        return f"fortran.{e.name}({array}, {dtype}{d})"
