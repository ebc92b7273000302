"""The names of iso_fortran_env, iso_c_binding, ieee_arithmetic and ieee_exceptions that have a meaning here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.entities import IntrinsicName, Variable
from polystencil.frontend.intrinsic_names import FUNCTIONS
from polystencil.ir.types import INTEGER, Intrinsic

if TYPE_CHECKING:
    from polystencil.frontend.entities import Entity


_ENV = {
    "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8, "real128": -1,
    "logical8": 1, "logical16": 2, "logical32": 4, "logical64": 8, "input_unit": 5, "output_unit": 6, "error_unit": 0,
    "iostat_end": -1, "iostat_eor": -2, "iostat_inquire_internal_unit": 5018, "character_storage_size": 8,
    "numeric_storage_size": 32, "file_storage_size": 8, "stat_locked": 1, "stat_unlocked": 2, "current_team": 0,
}  # fmt: skip


_C = {
    "c_int": 4, "c_short": 2, "c_long": 8, "c_long_long": 8, "c_signed_char": 1, "c_size_t": 8, "c_int8_t": 1,
    "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8, "c_int_least8_t": 1, "c_int_least16_t": 2, "c_int_least32_t": 4,
    "c_int_least64_t": 8, "c_int_fast8_t": 1, "c_int_fast16_t": 8, "c_int_fast32_t": 8, "c_int_fast64_t": 8,
    "c_intmax_t": 8, "c_intptr_t": 8, "c_ptrdiff_t": 8, "c_float": 4, "c_double": 8, "c_float_complex": 4,
    "c_double_complex": 8, "c_bool": 1, "c_char": 1,
}  # fmt: skip


_C_CHARACTERS = {"c_null_char": b"\0", "c_new_line": b"\n", "c_horizontal_tab": b"\t", "c_carriage_return": b"\r",
                 "c_alert": b"\a", "c_backspace": b"\b", "c_form_feed": b"\f", "c_vertical_tab": b"\v"}  # fmt: skip


# the order of the classes is that of libgfortran's ieee_class_type
_IEEE_CLASSES = {name: k for k, name in enumerate((
    "ieee_other_value", "ieee_signaling_nan", "ieee_quiet_nan", "ieee_negative_inf", "ieee_negative_normal",
    "ieee_negative_denormal", "ieee_negative_zero", "ieee_positive_zero", "ieee_positive_denormal",
    "ieee_positive_normal", "ieee_positive_inf",
))}  # fmt: skip


_IEEE_CLASSES |= {"ieee_negative_subnormal": 5, "ieee_positive_subnormal": 8}


INTRINSIC_MODULES = ("iso_fortran_env", "iso_c_binding", "ieee_arithmetic", "ieee_exceptions", "ieee_features")


def _constant(module: str, name: str, value: object, t: Intrinsic) -> Variable:
    return Variable(f"{module}.{name}", name, t, {"parameter"}, constant=value)


def intrinsic_module(module: str) -> dict[str, Entity]:
    """The public names of an intrinsic module."""
    out: dict[str, Entity] = {}
    if module == "iso_fortran_env":
        out.update((n, _constant(module, n, v, INTEGER)) for n, v in _ENV.items())
        out.update((n, IntrinsicName(n)) for n in ("compiler_version", "compiler_options"))
    elif module == "iso_c_binding":
        out.update((n, _constant(module, n, v, INTEGER)) for n, v in _C.items())
        from polystencil.ir.expressions import Literal

        text = Intrinsic("character", 1, Literal(1, INTEGER))
        out.update((n, _constant(module, n, v, text)) for n, v in _C_CHARACTERS.items())
    elif module == "ieee_arithmetic":
        out.update((n, _constant(module, n, v, INTEGER)) for n, v in _IEEE_CLASSES.items())
        out.update((n, IntrinsicName(n)) for n in FUNCTIONS if n.startswith("ieee_"))
    return out
