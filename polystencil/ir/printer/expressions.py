"""From an expression to Fortran text: parentheses only where the source had them or the tree needs them."""

from __future__ import annotations

import numpy as np

from polystencil.ir import expressions as x
from polystencil.ir.printer.intrinsic_keywords import KEYWORDS
from polystencil.ir.printer.names import Names
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import type_of

# Fortran 2018, table 10.1: from weakest to strongest
_LEVEL = {".eqv.": 1, ".neqv.": 1, ".or.": 2, ".and.": 3, ".not.": 4}
_LEVEL |= dict.fromkeys(("==", "/=", "<", "<=", ">", ">="), 5)
_LEVEL |= {"//": 6, "+": 7, "-": 7, "*": 8, "/": 8, "**": 9}
_PRIMARY = 10
_RANKS = {"integer": 0, "real": 1, "complex": 2}


def print_expression(e: x.Expression, names: Names, level: int = 0) -> str:
    """`e` as Fortran; in parentheses when it binds weaker than `level`."""
    text, own = _print(e, names)
    return f"({text})" if own < level else text


def _print(e: x.Expression, names: Names) -> tuple[str, int]:
    match e:
        case x.Literal():
            return _literal(e.value, e.type)
        case x.NamedConstant():
            return (names.of(e.id), _PRIMARY) if names.is_given(e.id) else _literal(e.value, e.type)
        case x.Boz():
            return e.text, _PRIMARY
        case x.Ref() | x.ProcedureRef():
            return names.of(e.id), _PRIMARY
        case x.Range():
            return _range(e.lower, e.upper, names) + (f":{print_expression(e.step, names)}" if e.step else ""), _PRIMARY
        case x.Element():
            return f"{print_expression(e.base, names)}({_list(e.indices, names)})", _PRIMARY
        case x.Section():
            return f"{print_expression(e.base, names)}({_list(e.subscripts, names)})", _PRIMARY
        case x.Substring():
            return f"{print_expression(e.base, names)}({_range(e.lower, e.upper, names)})", _PRIMARY
        case x.Component():
            return f"{print_expression(e.base, names)}%{e.field}", _PRIMARY
        case x.BoundProcedure():
            return f"{print_expression(e.object, names)}%{e.name}", _PRIMARY
        case x.Unary():
            own = _LEVEL[".not." if e.operator == ".not." else "+"]
            space = " " if e.operator == ".not." else ""
            # `- -a` and `-a**b` need what follows to bind at least as a product
            return e.operator + space + print_expression(e.operand, names, own if space else own + 1), own
        case x.Binary():
            return _binary(e, names)
        case x.Paren():
            return f"({print_expression(e.operand, names)})", _PRIMARY
        case x.Convert() if isinstance(e.type, Record):
            # the part of an extended type that its parent defined
            return f"{print_expression(e.operand, names, _PRIMARY)}%{names.of(e.type.id)}", _PRIMARY
        case x.Convert():
            return convert_text(print_expression(e.operand, names), e.type), _PRIMARY
        case x.IntrinsicCall():
            return f"{e.name}({arguments_text(e.arguments, KEYWORDS.get(e.name, ()), names)})", _PRIMARY
        case x.FunctionCall():
            return call_text(e.target, e.arguments, names), _PRIMARY
        case x.ImpliedDo():
            step = "" if e.step is None else ", " + print_expression(e.step, names)
            bounds = f"{print_expression(e.lower, names)}, {print_expression(e.upper, names)}{step}"
            return f"({_list(e.items, names)}, {names.of(e.variable.id)} = {bounds})", _PRIMARY
        case x.ArrayConstructor():
            return f"[{constructor_type(e.type, names)} :: {_list(e.items, names)}]", _PRIMARY
        case x.StructureConstructor():
            return _structure(e, names), _PRIMARY
        case x.Null():
            return "null()", _PRIMARY
        case _:
            raise TypeError(f"no Fortran text for {type(e).__name__}")


def _binary(e: x.Binary, names: Names) -> tuple[str, int]:
    own = _LEVEL[e.operator]
    left, right = _without_implied(e)
    if e.operator == "**":
        return f"{print_expression(left, names, own + 1)}**{print_expression(right, names, own)}", own
    comparison = own == 5
    a = print_expression(left, names, own + 1 if comparison else own)
    b = print_expression(right, names, own + 1)
    tight = e.operator in ("*", "/")
    return (f"{a}{e.operator}{b}" if tight else f"{a} {e.operator} {b}"), own


def _without_implied(e: x.Binary) -> tuple[x.Expression, x.Expression]:
    """The operands without conversions that Fortran's mixed-mode rule makes by itself."""
    left, right = e.left, e.right
    if e.operator == "**":
        return left, right
    if isinstance(left, x.Convert) and _mixed(type_of(left.operand), type_of(right)) == left.type:
        return left.operand, right
    if isinstance(right, x.Convert) and _mixed(type_of(left), type_of(right.operand)) == right.type:
        return left, right.operand
    return left, right


def _mixed(a: Type, b: Type) -> Type | None:
    """The type in which Fortran 2018, 10.1.9.3 evaluates a numeric operation; None where it gives none."""
    if not (isinstance(a, Intrinsic) and isinstance(b, Intrinsic)) or a.base not in _RANKS or b.base not in _RANKS:
        return None
    if _RANKS[a.base] < _RANKS[b.base]:
        a, b = b, a
    if a.base == b.base:
        return Intrinsic(a.base, max(a.kind, b.kind))
    return a if b.base == "integer" else Intrinsic(a.base, max(a.kind, b.kind))


def convert_text(text: str, to: Type) -> str:
    """A conversion written out."""
    if not isinstance(to, Intrinsic):
        return text
    match to.base:
        case "integer":
            return f"int({text}, {to.kind})"
        case "complex":
            return f"cmplx({text}, kind={to.kind})"
        case _:
            return f"{to.base}({text}, {to.kind})"


def assigned_text(value: x.Expression, target: Type, names: Names) -> str:
    """A right side without the conversion that assignment makes by itself."""
    if isinstance(value, x.Convert) and value.type == target and isinstance(target, Intrinsic) and target.base in _RANKS:
        return print_expression(value.operand, names)
    return print_expression(value, names)


def _range(lower: x.Expression | None, upper: x.Expression | None, names: Names) -> str:
    return ":".join("" if b is None else print_expression(b, names) for b in (lower, upper))


def _list(items: tuple[x.Expression, ...], names: Names) -> str:
    return ", ".join(print_expression(i, names) for i in items)


def arguments_text(arguments: tuple[x.Expression | None, ...], keywords: tuple[str, ...], names: Names) -> str:
    """Actual arguments; those after an absent one by keyword."""
    out, gap = [], False
    for k, a in enumerate(arguments):
        if a is None:
            gap = True
        else:
            lead = f"{keywords[k]}=" if gap and k < len(keywords) else ""
            out.append(lead + print_expression(a, names))
    return ", ".join(out)


def call_text(target: x.Expression, arguments: tuple[x.Expression | None, ...], names: Names) -> str:
    """A reference to a procedure with its arguments; a passed object stands before the `%`."""
    keywords: tuple[str, ...] = ()
    if isinstance(target, x.ProcedureRef) and target.id in names.table.procedures:
        procedure = names.table.procedures[target.id]
        keywords = tuple(d.rsplit(".", 1)[-1] for d in procedure.dummies)
    if isinstance(target, x.BoundProcedure) and target.pass_index is not None:
        arguments = arguments[: target.pass_index] + arguments[target.pass_index + 1 :]
    return f"{print_expression(target, names)}({arguments_text(arguments, keywords, names)})"


def _structure(e: x.StructureConstructor, names: Names) -> str:
    if not isinstance(e.type, Record):
        raise TypeError("a structure constructor has a derived type")
    fields = [c.name for c in names.table.types[e.type.id].components]
    given = [
        f"{name}={print_expression(c, names)}" for name, c in zip(fields, e.components, strict=True) if c is not None
    ]
    return f"{names.of(e.type.id)}({', '.join(given)})"


def constructor_type(type: Type, names: Names) -> str:
    """A type as before the `::` of an array constructor or an allocate statement."""
    return names.of(type.id) if isinstance(type, Record) else type_text(type, names)


def type_text(type: Type, names: Names) -> str:
    """A type as in a declaration."""
    if isinstance(type, Record):
        inside = "*" if type.id == "*" else names.of(type.id)
        return f"{'class' if type.polymorphic else 'type'}({inside})"
    if not isinstance(type, Intrinsic):
        raise TypeError(f"no Fortran text for the type {type}")
    if type.base == "character":
        length = type.length
        text = "1" if length is None else length if isinstance(length, str) else print_expression(length, names)
        return f"character(len={text})"
    return f"{type.base}({type.kind})"


def _literal(value: x.Value, type: Type) -> tuple[str, int]:
    if not isinstance(type, Intrinsic):
        raise TypeError("literals have intrinsic types")
    if isinstance(value, bytes):
        return _character(value)
    if type.base == "logical":
        return (f".true._{type.kind}" if value else f".false._{type.kind}") if type.kind != 4 else (
            ".true." if value else ".false."
        ), _PRIMARY
    if isinstance(value, complex):
        part = Intrinsic("real", type.kind)
        return f"({_literal(value.real, part)[0]}, {_literal(value.imag, part)[0]})", _PRIMARY
    if type.base == "complex":
        return _literal(complex(value), type)
    text = _real(float(value), type.kind) if type.base == "real" else _integer(int(value), type.kind)
    return text, (_LEVEL["-"] if text.startswith("-") else _PRIMARY)


def _integer(value: int, kind: int) -> str:
    suffix = "" if kind == 4 else f"_{kind}"
    if value == -(2 ** (8 * kind - 1)):  # its absolute value is no integer of this kind
        return f"-{-value - 1}{suffix} - 1{suffix}"
    return f"{value}{suffix}"


def _real(value: float, kind: int) -> str:
    text = str(np.float32(value)) if kind == 4 else repr(value)
    if text in ("inf", "-inf", "nan"):
        raise ValueError("a literal is finite")
    if "." not in text:
        text = text.replace("e", ".0e") if "e" in text else text + ".0"
    return f"{text}_{kind}"


def _character(value: bytes) -> tuple[str, int]:
    parts: list[str] = []
    plain = ""
    for code in value:
        if code < 32 or code == 127:
            if plain:
                parts.append(f"'{plain}'")
                plain = ""
            parts.append(f"achar({code})")
        else:
            plain += "''" if code == 39 else bytes([code]).decode("latin-1")
    if plain or not parts:
        parts.append(f"'{plain}'")
    return " // ".join(parts), (_PRIMARY if len(parts) == 1 else _LEVEL["//"])
