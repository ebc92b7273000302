"""From program-wide ids to names in C and in Python: short, readable, unique, never a reserved word or builtin."""

from __future__ import annotations

import builtins
import keyword
import re

_C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
bool true false half uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t image1d_t image2d_t image3d_t
sampler_t event_t kernel global local constant private generic pipe read_only write_only read_write complex
imaginary index_t acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi cbrt ceil copysign cos cosh
cospi erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma
log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round
rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc abs abs_diff add_sat hadd rhadd clamp clz ctz
mad_hi mad_sat max min mul_hi rotate sub_sat upsample popcount mad24 mul24 degrees mix radians step smoothstep
sign cross dot distance length normalize fast_distance fast_length fast_normalize isequal isnotequal isgreater
isless isfinite isinf isnan isnormal isordered signbit any all bitselect select shuffle shuffle2 printf
prefetch barrier mem_fence wait_group_events main lid gid vload vstore j0 j1 jn y0 y1 yn gamma float2 double2
int2 this class new delete template namespace operator public protected virtual friend try catch throw using
typename and or not xor asm linux unix c4 c8 NULL INFINITY NAN HUGE half2 char2 short2 long2 M_PI FLT_MAX
DBL_MAX get_global_id get_local_id get_group_id
"""
C_RESERVED = frozenset(_C_WORDS.split())
_PY_WORDS = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))
PYTHON_RESERVED = _PY_WORDS | frozenset({"np", "fortran", "device", "self"})


class Names:
    """Gives each id one name; a second id with the same last part gets a number."""

    def __init__(self, reserved: frozenset[str], taken: frozenset[str] = frozenset()) -> None:
        self._reserved = reserved
        self._taken = set(taken)
        self._names: dict[str, str] = {}

    def of(self, identifier: str) -> str:
        """The name of `identifier`, the same each time."""
        name = self._names.get(identifier)
        if name is None:
            name = self._names[identifier] = self.fresh(identifier.rsplit(".", 1)[-1])
        return name

    def another(self, identifier: str) -> None:
        """Give `identifier` a second name, for a private copy; `rename` ends that."""
        self._names[identifier] = self.fresh(identifier.rsplit(".", 1)[-1])

    def rename(self, identifier: str, name: str) -> None:
        """From here on `identifier` has this name."""
        self._names[identifier] = name

    def fresh(self, wish: str) -> str:
        """A new name like `wish`."""
        wish = re.sub(r"\W", "_", wish).strip("_") or "v"
        if wish[0].isdigit():
            wish = "v" + wish
        name, number = wish, 1
        if name in self._reserved or name.startswith("ps_"):
            name = wish + "_"
        while name in self._taken or name in self._reserved:
            number += 1
            name = f"{wish}_{number}"
        self._taken.add(name)
        return name

    def child(self) -> Names:
        """Names of an inner scope: ids known here keep their names, new ones do not come back here."""
        inner = Names(self._reserved, frozenset(self._taken))
        inner._names = dict(self._names)
        return inner


def python_names() -> Names:
    """Names for a generated host module."""
    return Names(PYTHON_RESERVED)


def c_names() -> Names:
    """Names for one kernel."""
    return Names(C_RESERVED)
