"""Argument names of intrinsics that have optional arguments in the middle, for printing the ones after a gap."""

from __future__ import annotations

_REDUCTION = ("array", "dim", "mask")
_LOCATION = ("array", "dim", "mask", "kind", "back")
KEYWORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "product", "maxval", "minval", "iall", "iany", "iparity"), _REDUCTION),
    **dict.fromkeys(("maxloc", "minloc"), _LOCATION),
    "findloc": ("array", "value", "dim", "mask", "kind", "back"),
    "count": ("mask", "dim", "kind"),
    **dict.fromkeys(("any", "all", "parity"), ("mask", "dim")),
    "norm2": ("x", "dim"),
    **dict.fromkeys(("size", "lbound", "ubound"), ("array", "dim", "kind")),
    "shape": ("source", "kind"),
    "reshape": ("source", "shape", "pad", "order"),
    "cshift": ("array", "shift", "dim"),
    "eoshift": ("array", "shift", "boundary", "dim"),
    "pack": ("array", "mask", "vector"),
    "index": ("string", "substring", "back", "kind"),
    **dict.fromkeys(("scan", "verify"), ("string", "set", "back", "kind")),
    **dict.fromkeys(("len", "len_trim"), ("string", "kind")),
    **dict.fromkeys(("nint", "floor", "ceiling", "int", "real", "aint", "anint"), ("a", "kind")),
    "logical": ("l", "kind"),
    "cmplx": ("x", "y", "kind"),
    "char": ("i", "kind"),
    "achar": ("i", "kind"),
    "ichar": ("c", "kind"),
    "iachar": ("c", "kind"),
    "selected_real_kind": ("p", "r", "radix"),
    "transfer": ("source", "mold", "size"),
    "associated": ("pointer", "target"),
    "system_clock": ("count", "count_rate", "count_max"),
    "random_seed": ("size", "put", "get"),
    "date_and_time": ("date", "time", "zone", "values"),
    "get_command": ("command", "length", "status"),
    "get_command_argument": ("number", "value", "length", "status"),
    "get_environment_variable": ("name", "value", "length", "status", "trim_name"),
    "execute_command_line": ("command", "wait", "exitstat", "cmdstat", "cmdmsg"),
    "move_alloc": ("from", "to", "stat", "errmsg"),
    "random_init": ("repeatable", "image_distinct"),
}
