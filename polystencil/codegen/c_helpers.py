"""Small C functions that kernels call: what Fortran means where C has no operator of the same meaning.

Each is written once for a type; a kernel's text gets those that it uses, in order of dependence.
"""
# one C function to a line

from __future__ import annotations

from polystencil.codegen.dialect import Dialect

_INT = {
    "i1": ("char", "uchar", 8),
    "i2": ("short", "ushort", 16),
    "i4": ("int", "uint", 32),
    "i8": ("long", "ulong", 64),
}
_REAL = {"r4": "float", "r8": "double"}

_INTEGER_HELPERS = {
    "add": "PS_FN {t} ps_add_{s}({t} a, {t} b) {{ return ({t})(({u})a + ({u})b); }}",
    "sub": "PS_FN {t} ps_sub_{s}({t} a, {t} b) {{ return ({t})(({u})a - ({u})b); }}",
    "mul": "PS_FN {t} ps_mul_{s}({t} a, {t} b) {{ return ({t})(({u})a * ({u})b); }}",
    "neg": "PS_FN {t} ps_neg_{s}({t} a) {{ return ({t})(({u})0 - ({u})a); }}",
    "abs": "PS_FN {t} ps_abs_{s}({t} a) {{ return a < 0 ? ({t})(({u})0 - ({u})a) : a; }}",
    "min": "PS_FN {t} ps_min_{s}({t} a, {t} b) {{ return a < b ? a : b; }}",
    "max": "PS_FN {t} ps_max_{s}({t} a, {t} b) {{ return a > b ? a : b; }}",
    "div": "PS_FN {t} ps_div_{s}({t} a, {t} b) {{ return ({t})(a / b); }}",
    "div_checked": "PS_FN {t} ps_div_checked_{s}({t} a, {t} b, {g}int *failed, int place) {{ if (b == 0) {{ *failed = place;"
    " return 0; }} return b == -1 ? ({t})(({u})0 - ({u})a) : ({t})(a / b); }}",
    "mod_checked": "PS_FN {t} ps_mod_checked_{s}({t} a, {t} b, {g}int *failed, int place) {{ if (b == 0) {{ *failed = place;"
    " return 0; }} return b == -1 ? ({t})0 : ({t})(a % b); }}",
    "modulo_checked": "PS_FN {t} ps_modulo_checked_{s}({t} a, {t} b, {g}int *failed, int place) {{"
    " {t} r = ps_mod_checked_{s}(a, b, failed, place); return r != 0 && ((r < 0) != (b < 0)) ? ({t})(r + b) : r; }}",
    "modulo": "PS_FN {t} ps_modulo_{s}({t} a, {t} b) {{ {t} r = ({t})(a % b);"
    " return r != 0 && ((r < 0) != (b < 0)) ? ({t})(r + b) : r; }}",
    "sign": "PS_FN {t} ps_sign_{s}({t} a, {t} b) {{ {t} m = a < 0 ? ({t})-a : a; return b < 0 ? ({t})-m : m; }}",
    "dim": "PS_FN {t} ps_dim_{s}({t} a, {t} b) {{ return a > b ? ({t})(a - b) : ({t})0; }}",
    "pow": "PS_FN {t} ps_pow_{s}({t} a, long n) {{ {u} x = ({u})a, y = 1;"
    " if (n < 0) return a == 1 ? ({t})1 : a == -1 ? (n & 1 ? ({t})-1 : ({t})1) : ({t})0;"
    " while (n) {{ if (n & 1) y = ({u})(y * x); x = ({u})(x * x); n >>= 1; }} return ({t})y; }}",
    "shiftl": "PS_FN {t} ps_shiftl_{s}({t} a, int n) {{ return n >= {b} ? ({t})0 : ({t})(({u})a << n); }}",
    "shiftr": "PS_FN {t} ps_shiftr_{s}({t} a, int n) {{ return n >= {b} ? ({t})0 : ({t})(({u})a >> n); }}",
    "shifta": "PS_FN {t} ps_shifta_{s}({t} a, int n) {{ return n >= {b} ? ({t})(a < 0 ? -1 : 0) : ({t})(a >> n); }}",
    "ishft": "PS_FN {t} ps_ishft_{s}({t} a, int n) {{ return n >= {b} || n <= -{b} ? ({t})0 :"
    " n >= 0 ? ({t})(({u})a << n) : ({t})(({u})a >> -n); }}",
    "ishftc": "PS_FN {t} ps_ishftc_{s}({t} a, int n, int size) {{ ulong mask = size >= 64 ? ~(ulong)0 : (((ulong)1 << size) - 1);"
    " ulong v = (ulong)({u})a & mask; ulong rest = (ulong)({u})a & ~mask; n = ((n % size) + size) % size;"
    " if (n) v = ((v << n) | (v >> (size - n))) & mask; return ({t})({u})(rest | v); }}",
    "btest": "PS_FN int ps_btest_{s}({t} a, int n) {{ return n < {b} && ((({u})a >> n) & 1) != 0; }}",
    "ibset": "PS_FN {t} ps_ibset_{s}({t} a, int n) {{ return ({t})(({u})a | (({u})1 << n)); }}",
    "ibclr": "PS_FN {t} ps_ibclr_{s}({t} a, int n) {{ return ({t})(({u})a & ~(({u})1 << n)); }}",
    "ibits": "PS_FN {t} ps_ibits_{s}({t} a, int p, int n) {{ ulong m = n >= 64 ? ~(ulong)0 : (((ulong)1 << n) - 1);"
    " return ({t})({u})(((ulong)({u})a >> p) & m); }}",
    "popcnt": "PS_FN int ps_popcnt_{s}({t} a) {{ ulong v = (ulong)({u})a; int n = 0; while (v) {{ v &= v - 1; n++; }} return n; }}",
    "leadz": "PS_FN int ps_leadz_{s}({t} a) {{ ulong v = (ulong)({u})a; int n = {b}; while (v) {{ v >>= 1; n--; }} return n; }}",
    "trailz": "PS_FN int ps_trailz_{s}({t} a) {{ ulong v = (ulong)({u})a; int n = 0; if (!v) return {b};"
    " while (!(v & 1)) {{ v >>= 1; n++; }} return n; }}",
}
_REAL_HELPERS = {
    "min": "PS_FN {t} ps_min_{s}({t} a, {t} b) {{ return a < b ? a : b; }}",
    "max": "PS_FN {t} ps_max_{s}({t} a, {t} b) {{ return a > b ? a : b; }}",
    "dim": "PS_FN {t} ps_dim_{s}({t} a, {t} b) {{ return a > b ? a - b : ({t})0; }}",
    "modulo": "PS_FN {t} ps_modulo_{s}({t} a, {t} b) {{ {t} r = {fmod}(a, b);"
    " return r != 0 ? ((r < 0) != (b < 0) ? r + b : r) : {copysign}(({t})0, b); }}",
    "powi": "PS_FN {t} ps_powi_{s}({t} x, int m) {{ uint n = m < 0 ? 0u - (uint)m : (uint)m; {t} y = n % 2 ? x : ({t})1;"
    " while (n >>= 1) {{ x = x * x; if (n % 2) y *= x; }} return m < 0 ? ({t})1 / y : y; }}",
    "powl": "PS_FN {t} ps_powl_{s}({t} x, long m) {{ {t} y = ({t})1; ulong u = (ulong)m; if (m == 0) return y;"
    " if (m < 0) {{ u = (ulong)0 - u; x = y / x; }}"
    " for (;;) {{ if (u & 1) y = y * x; u >>= 1; if (!u) return y; x = x * x; }} }}",
}
_COMPLEX_HELPERS = {
    "add": "PS_FN c{k} ps_cadd_{s}(c{k} a, c{k} b) {{ return ps_c{k}(a.x + b.x, a.y + b.y); }}",
    "sub": "PS_FN c{k} ps_csub_{s}(c{k} a, c{k} b) {{ return ps_c{k}(a.x - b.x, a.y - b.y); }}",
    "mul": "PS_FN c{k} ps_cmul_{s}(c{k} a, c{k} b) {{ return ps_c{k}(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }}",
    "div": "PS_FN c{k} ps_cdiv_{s}(c{k} a, c{k} b) {{ {t} r, d; if ({fabs}(b.x) < {fabs}(b.y)) {{ r = b.x / b.y;"
    " d = (b.x * r) + b.y; return ps_c{k}(((a.x * r) + a.y) / d, ((a.y * r) - a.x) / d); }}"
    " r = b.y / b.x; d = (b.y * r) + b.x; return ps_c{k}(((a.y * r) + a.x) / d, (a.y - (a.x * r)) / d); }}",
    "powi": "PS_FN c{k} ps_cpowi_{s}(c{k} x, int m) {{ c{k} y = ps_c{k}(({t})1, ({t})0); uint u = (uint)m; if (m == 0) return y;"
    " if (m < 0) {{ u = 0u - u; x = ps_cdiv_{s}(y, x); }}"
    " for (;;) {{ if (u & 1) y = ps_cmul_{s}(y, x); u >>= 1; if (!u) break; x = ps_cmul_{s}(x, x); }} return y; }}",
}
_NEEDS = {"cpowi": ("cmul", "cdiv"), "modulo_checked": ("mod_checked",)}


def power_by_multiplication(exponent: int, suffix: str, type_name: str) -> str:
    """x**exponent in the order of multiplications of the C compiler's run-time library (what gfortran calls)."""
    n = abs(exponent)
    steps = [f"{type_name} y = {'x' if n % 2 else f'({type_name})1'};"]
    n >>= 1
    while n:
        steps.append("x = x * x;")
        if n % 2:
            steps.append("y = y * x;")
        n >>= 1
    result = f"({type_name})1 / y" if exponent < 0 else "y"
    name = f"ps_pow_m{-exponent}_{suffix}" if exponent < 0 else f"ps_pow_{exponent}_{suffix}"
    return f"PS_FN {type_name} {name}({type_name} x) {{ {' '.join(steps)} return {result}; }}"


class Helpers:
    """The helper functions that one kernel uses."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.texts: dict[str, str] = {}

    def need(self, operation: str, suffix: str) -> str:
        """The name of helper `operation` for a type such as i4 or r8; its text joins the kernel."""
        name = f"ps_{operation}_{suffix}"
        if name not in self.texts:
            for other in _NEEDS.get(operation, ()):
                self.need(other, suffix)
            self.texts[name] = self._text(operation, suffix)
        return name

    def power(self, exponent: int, suffix: str) -> str:
        """The name of a function that raises a real to a constant integer power."""
        name = f"ps_pow_m{-exponent}_{suffix}" if exponent < 0 else f"ps_pow_{exponent}_{suffix}"
        self.texts.setdefault(name, power_by_multiplication(exponent, suffix, _REAL[suffix]))
        return name

    def _text(self, operation: str, suffix: str) -> str:
        short = not self.dialect.overloaded_math
        if suffix in _INT:
            t, u, bits = _INT[suffix]
            if self.dialect.name != "opencl":
                t = {"char": "signed char", "long": self.dialect.long}.get(t, t)
            text = _INTEGER_HELPERS[operation].format(
                t=t, u=u, s=suffix, b=bits, g=self.dialect.global_space
            )
            return text.replace("long n", f"{self.dialect.long} n") if operation == "pow" else text
        f = "f" if short and suffix.endswith("4") else ""
        if suffix in _REAL:
            return _REAL_HELPERS[operation].format(t=_REAL[suffix], s=suffix, fmod="fmod" + f, copysign="copysign" + f)
        kind = suffix[1]
        return _COMPLEX_HELPERS[operation[1:]].format(k=kind, s=suffix, t=_REAL["r" + kind], fabs="fabs" + f)
