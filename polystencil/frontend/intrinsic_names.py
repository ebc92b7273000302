"""The intrinsic procedures: argument names and types, and the rule that gives the type of the result.

An argument is `name:class`, with `?` when it is optional. Classes: i integer, r real, c complex, n any number,
m integer or real, f real or complex, l logical, s character, * anything, k a constant kind.
"""

from __future__ import annotations

# name: (arguments, result rule, elemental)
_TABLE = """
e same    acos asin acosh asinh atanh cosh sinh tanh cos sin tan exp log sqrt : x:f
e same    erf erfc erfc_scaled gamma log_gamma log10 bessel_j0 bessel_j1 bessel_y0 bessel_y1 : x:r
e same    fraction rrspacing spacing : x:r
e same    atan2 hypot : y:r x:r
e same    atan : y:f x:r?
e real    abs : a:n
e part    aimag : z:c
e same    conjg : z:c
e kindr   aint anint : a:r kind:k?
e kindi   nint floor ceiling : a:r kind:k?
e kindi   int : a:* kind:k?
e kindr   real : a:* kind:k?
e double  dble : a:*
e kindc   cmplx : x:* y:*? kind:k?
e kindl   logical : l:l kind:k?
e double  dprod : x:r y:r
e same    dim mod modulo : a:m p:m
e same    sign : a:m b:m
e same    max min : a1:* a2:*
e same    merge : tsource:* fsource:* mask:l
e same    nearest : x:r s:r
e same    scale set_exponent : x:r i:i
e int     exponent : x:r
e same    iand ior ieor : i:* j:*
e same    not : i:i
e same    ibset ibclr : i:i pos:i
e logical btest : i:i pos:i
e same    ibits : i:i pos:i len:i
e same    ishft shiftl shiftr shifta : i:i shift:i
e same    ishftc : i:i shift:i size:i?
e same    dshiftl dshiftr : i:i j:i shift:i
e same    merge_bits : i:i j:i mask:i
e int     popcnt poppar leadz trailz : i:i
e kindi   maskl maskr : i:i kind:k?
e logical bge bgt ble blt : i:i j:i
e char    char achar : i:i kind:k?
e kindi   ichar iachar : c:s kind:k?
e kindi   index : string:s substring:s back:l? kind:k?
e kindi   scan verify : string:s set:s back:l? kind:k?
e kindi   len_trim : string:s kind:k?
e same    adjustl adjustr : string:s
e logical lge lgt lle llt : string_a:s string_b:s
e logical is_iostat_end is_iostat_eor : i:i
e logical ieee_is_nan ieee_is_finite ieee_is_normal ieee_is_negative : x:r
e logical ieee_unordered : x:r y:r
e same    ieee_copy_sign : x:r y:r
e same    ieee_value : x:r class:i
e same    ieee_rint ieee_logb : x:r
e same    ieee_next_after : x:r y:r
e same    ieee_max_num ieee_min_num : x:r y:r
t logical ieee_support_datatype ieee_support_nan ieee_support_inf ieee_support_denormal ieee_support_standard : x:r?
q kindi   len : string:s kind:k?
q int     kind bit_size digits maxexponent minexponent precision range radix : x:*
q same    huge tiny epsilon : x:*
q kindi   storage_size : a:* kind:k?
q int     rank : a:*
q text    new_line : a:s
q int     selected_int_kind : r:i
q int     selected_real_kind : p:i? r:i? radix:i?
q int     selected_char_kind : name:s
t logical present : a:*
t logical allocated : array:*
t logical associated : pointer:* target:*?
t logical is_contiguous : array:*
t logical same_type_as extends_type_of : a:* b:*
t kindi   size lbound ubound : array:* dim:i? kind:k?
t shape   shape : source:* kind:k?
t same    transfer : source:* mold:* size:i?
t text    trim : string:s
t text    repeat : string:s ncopies:i
r same    sum product : array:n dim:i? mask:l?
r same    maxval minval : array:* dim:i? mask:l?
r same    iall iany iparity : array:i dim:i? mask:l?
r same    norm2 : x:r dim:i?
r same    any all parity : mask:l dim:i?
r kindi   count : mask:l dim:i? kind:k?
l kindi   maxloc minloc : array:* dim:i? mask:l? kind:k? back:l?
l kindi   findloc : array:* value:* dim:i? mask:l? kind:k? back:l?
t dot     dot_product : vector_a:* vector_b:*
t matmul  matmul : matrix_a:* matrix_b:*
t same    transpose : matrix:*
t reshape reshape : source:* shape:i pad:*? order:i?
t spread  spread : source:* dim:i ncopies:i
t vector  pack : array:* mask:l vector:*?
t unpack  unpack : vector:* mask:l field:*
t array   cshift : array:* shift:i dim:i?
t array   eoshift : array:* shift:i boundary:*? dim:i?
t int     command_argument_count :
t text    compiler_version compiler_options :
"""


_SUBROUTINES = """
move_alloc : from:* to:* stat:i? errmsg:s?
system_clock : count:i? count_rate:*? count_max:i?
cpu_time : time:r
date_and_time : date:s? time:s? zone:s? values:i?
random_number : harvest:r
random_seed : size:i? put:i? get:i?
random_init : repeatable:l image_distinct:l
get_command_argument : number:i value:s? length:i? status:i?
get_command : command:s? length:i? status:i?
get_environment_variable : name:s value:s? length:i? status:i? trim_name:l?
execute_command_line : command:s wait:l? exitstat:i? cmdstat:i? cmdmsg:s?
mvbits : from:i frompos:i len:i to:i topos:i
"""


class Signature:
    """One intrinsic: `arguments` are (name, class, optional); `rule` and `group` say how the result is typed."""

    def __init__(self, name: str, arguments: str, rule: str, group: str) -> None:
        self.name, self.rule, self.group = name, rule, group
        self.arguments = []
        for word in arguments.split():
            argument, _, kind = word.partition(":")
            self.arguments.append((argument, kind.rstrip("?"), kind.endswith("?")))


FUNCTIONS: dict[str, Signature] = {}


for _line in _TABLE.strip().splitlines():
    _head, _, _arguments = _line.partition(" :")
    _group, _rule, *_names = _head.split()
    for _name in _names:
        FUNCTIONS[_name] = Signature(_name, _arguments, _rule, _group)


SUBROUTINES: dict[str, Signature] = {}


for _line in _SUBROUTINES.strip().splitlines():
    _name, _, _arguments = _line.partition(" :")
    SUBROUTINES[_name.strip()] = Signature(_name.strip(), _arguments, "", "s")


# specific names: generic, kind of the arguments (base, bytes), conversion of the result
SPECIFIC: dict[str, str] = {
    **{"d" + n: n for n in ("acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "log", "log10", "sin", "sinh",
                            "sqrt", "tan", "tanh", "mod", "sign", "dim", "abs", "int", "max1", "min1", "conjg", "erf",
                            "erfc", "gamma")},
    **{"c" + n: n for n in ("abs", "cos", "exp", "log", "sin", "sqrt")},
    "dint": "aint", "dnint": "anint", "idnint": "nint", "iabs": "abs", "isign": "sign", "idim": "dim", "ddim": "dim",
    "alog": "log", "alog10": "log10", "amod": "mod", "dmax1": "max", "dmin1": "min", "amax1": "max", "amin1": "min",
    "max0": "max", "min0": "min", "dimag": "aimag", "float": "real", "sngl": "real", "dfloat": "dble",
    "ifix": "int", "idint": "int", "amax0": "real(max)", "amin0": "real(min)", "max1": "int(max)", "min1": "int(min)",
    "dcmplx": "cmplx8", "iqint": "int", "dreal": "dble",
}  # fmt: skip


for _name in ("dmax1", "dmin1"):
    SPECIFIC[_name] = _name[1:4]


UNSUPPORTED = frozenset({
    "this_image", "num_images", "image_index", "lcobound", "ucobound", "reduce", "c_loc", "c_funloc", "c_associated",
    "c_sizeof", "bessel_jn", "bessel_yn", "etime", "second", "secnds", "loc", "sizeof", "isnan", "dtime", "ctime",
    "fdate", "iargc", "rand", "irand", "cotan", "coshape", "failed_images", "stopped_images", "team_number",
    "ieee_rem", "ieee_scalb", "ieee_class", "out_of_range", "get_team", "image_status",
})  # fmt: skip


UNSUPPORTED_SUBROUTINES = frozenset({
    "atomic_define", "atomic_ref", "atomic_add", "event_query", "co_sum", "co_max", "co_min", "co_broadcast",
    "co_reduce", "c_f_pointer", "c_f_procpointer", "exit", "abort", "getarg", "flush", "srand", "sleep", "system",
    "ieee_set_rounding_mode", "ieee_get_rounding_mode", "ieee_set_flag", "ieee_get_flag", "ieee_set_halting_mode",
    "ieee_get_halting_mode", "ieee_set_status", "ieee_get_status", "ieee_set_underflow_mode", "etime", "getenv",
    "split", "tokenize",
})  # fmt: skip
