"""Intrinsic functions in C: numbers, bits, mathematics, inquiry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.codegen.c_designators import DesignatorPrinter
from polystencil.codegen.c_places import TextArray
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.codegen.strict_math import LIBM_NAMES
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from collections.abc import Sequence

ATOM, UNARY = 100, 14
_BITS = {"iand": "&", "ior": "|", "ieor": "^"}
_BIT_HELPERS = frozenset(
    ["shiftl", "shiftr", "shifta", "ishft", "btest", "ibset", "ibclr", "ibits", "popcnt", "leadz", "trailz"]
)
_REDUCTIONS = frozenset(
    ["sum", "product", "maxval", "minval", "any", "all", "count", "dot_product", "maxloc", "minloc", "norm2", "parity"]
)
_ROUNDINGS = {"aint": "trunc", "anint": "round", "floor": "floor", "ceiling": "ceil", "nint": "round"}


class IntrinsicPrinter(DesignatorPrinter):
    """Prints references to intrinsic functions."""

    def term(self, e: x.Expression) -> tuple[str, int]:
        raise NotImplementedError

    def function_call(self, e: x.FunctionCall) -> str:
        raise NotImplementedError

    def reduce_array(self, e: x.IntrinsicCall) -> str:
        raise NotImplementedError

    def math(self, name: str, t: Intrinsic, arguments: Sequence[str]) -> str:
        """A mathematical function of the C library (strict) or the dialect's own."""
        function = LIBM_NAMES[name]
        if self.unit.strict_math:
            self.unit.uses_strict_math = True
            library = function + ("f" if t.kind == 4 else "")
            address = self.use_parameter(self.unit.arguments.math(library), "ulong ")
            zero = "0.0f" if t.kind == 4 else "0.0"
            first, second = arguments[0], arguments[1] if len(arguments) > 1 else zero
            return f"ps_libm_r{t.kind}({address}, {first}, {second})"
        return f"{self.builtin(function, t)}({', '.join(arguments)})"

    def checked(self, operation: str, t: Intrinsic, a: str, b: str) -> str:
        raise NotImplementedError

    def builtin(self, function: str, t: Intrinsic) -> str:
        """The dialect's name of a math function for a kind."""
        return function if self.unit.dialect.overloaded_math or t.kind == 8 else function + "f"

    def intrinsic_call(self, e: x.IntrinsicCall) -> tuple[str, int]:
        name = e.name
        if name in _REDUCTIONS:
            return self.reduce_array(e), ATOM
        if name in ("size", "lbound", "ubound", "present", "kind", "rank", "is_contiguous", "associated", "allocated"):
            return self._inquiry(e), ATOM
        if e.rank:
            raise NotLaunchable(f"{name} with an array result inside of an expression")
        t = self.intrinsic(e)
        arguments = [a for a in e.arguments if a is not None]
        source = self.intrinsic(arguments[0]) if arguments else t
        texts = [self.text(a) for a in arguments]
        suffix = f"{source.base[0]}{source.kind}"
        helpers = self.unit.helpers
        if name in ("min", "max"):
            out = texts[0]
            function = helpers.need(name, suffix)
            for other in texts[1:]:
                out = f"{function}({out}, {other})"
            return out, ATOM
        if name == "abs":
            return self._abs(source, texts[0]), ATOM
        if name == "sqrt" and source.base == "real":
            return f"{self.builtin('sqrt', source)}({texts[0]})", ATOM
        if name in LIBM_NAMES and source.base == "real":
            return self.math("atan2" if name == "atan" and len(texts) == 2 else name, source, texts), ATOM
        if name == "mod":
            if source.base == "integer":
                if self._nonzero_constant(arguments[1]) and source.kind >= 4:
                    return f"{self.inside(arguments[0], 13)} % {self.inside(arguments[1], ATOM)}", 13
                if not self._nonzero_constant(arguments[1]):
                    return self.checked("mod", source, texts[0], texts[1]), ATOM
                cast = value_type(source, self.unit.dialect)
                return f"({cast})({texts[0]} % ({texts[1]}))" if len(texts[0].split()) == 1 else (
                    f"({cast})(({texts[0]}) % ({texts[1]}))"
                ), UNARY
            return f"{self.builtin('fmod', source)}({texts[0]}, {texts[1]})", ATOM
        if name == "modulo" and source.base == "integer" and not self._nonzero_constant(arguments[1]):
            return self.checked("modulo", source, texts[0], texts[1]), ATOM
        if name in ("modulo", "dim") or (name == "sign" and source.base == "integer"):
            return f"{helpers.need(name, suffix)}({', '.join(texts)})", ATOM
        if name == "sign":
            return f"{self.builtin('copysign', source)}({texts[0]}, {texts[1]})", ATOM
        if name == "merge":
            yes, no, test = (self.inside(a, ATOM) for a in arguments)
            return f"{test} ? {yes} : {no}", 3
        if name in _ROUNDINGS:
            rounded = f"{self.builtin(_ROUNDINGS[name], source)}({texts[0]})"
            return (rounded, ATOM) if t == source else (f"({value_type(t, self.unit.dialect)}){rounded}", UNARY)
        if name in _BITS:
            return f"{self.inside(arguments[0], ATOM)} {_BITS[name]} {self.inside(arguments[1], ATOM)}", 6
        if name == "not":
            return f"({value_type(t, self.unit.dialect)})~{self.inside(arguments[0], ATOM)}", UNARY
        if name in _BIT_HELPERS:
            return f"{helpers.need(name, suffix)}({', '.join(texts)})", ATOM
        if name == "ishftc":
            size = texts[2] if len(texts) > 2 else str(8 * source.kind)
            return f"{helpers.need(name, suffix)}({texts[0]}, {texts[1]}, {size})", ATOM
        if name in ("aimag", "imag"):
            return f"({texts[0]}).y", ATOM
        if name == "conjg":
            return f"ps_c{t.kind}(({texts[0]}).x, -({texts[0]}).y)", ATOM
        if name == "cmplx":
            part = "float" if t.kind == 4 else "double"
            parts = [f"({part})({text})" for text in texts[:2]]
            return f"ps_c{t.kind}({parts[0]}, {parts[1] if len(parts) > 1 else f'({part})0'})", ATOM
        if name == "dprod":
            return f"(double)({texts[0]}) * (double)({texts[1]})", 13
        if name == "is_nan" or name == "isnan":
            return f"(({texts[0]}) != ({texts[0]}))", ATOM
        if name in ("int", "real", "dble", "logical", "float", "sngl"):
            return self.term(x.Convert(arguments[0], t))
        if name in ("fraction", "exponent", "scale", "set_exponent", "spacing", "rrspacing", "nearest"):
            raise NotLaunchable(f"{name} inside of a kernel")
        raise NotLaunchable(f"the intrinsic {name} inside of a kernel")

    def _nonzero_constant(self, e: x.Expression) -> bool:
        return isinstance(e, (x.Literal, x.NamedConstant)) and e.value != 0

    def _abs(self, t: Intrinsic, text: str) -> str:
        if t.base == "integer":
            return f"{self.unit.helpers.need('abs', f'i{t.kind}')}({text})"
        if t.base == "complex":
            return self.math("hypot", Intrinsic("real", t.kind), (f"({text}).x", f"({text}).y"))
        return f"{self.builtin('fabs', t)}({text})"

    def _inquiry(self, e: x.IntrinsicCall) -> str:
        name, first = e.name, e.arguments[0]
        assert first is not None
        if name == "present":
            if isinstance(first, x.Ref) and first.id in self.scope.absent:
                return "0"
            if isinstance(first, x.Ref) and first.id in self.scope.present:
                return "1"
            raise NotLaunchable("present() of a dummy argument of the procedure that launches")
        if name in ("associated", "allocated", "is_contiguous", "kind", "rank"):
            raise NotLaunchable(f"{name}() inside of a kernel")
        bounds = self.bounds_of(first)
        dimension = e.arguments[1] if len(e.arguments) > 1 else None
        cast = value_type(self.intrinsic(e), self.unit.dialect)
        if dimension is None:
            if name != "size" or e.rank:
                raise NotLaunchable(f"{name}() as an array inside of a kernel")
            if isinstance(first, (x.Ref, x.Component)) and isinstance(self.designate(first)[0], TextArray):
                return f"({cast})(" + " * ".join(_of_dummy("size", low, extent, "") for low, extent in bounds) + ")"
            return f"({cast})(" + " * ".join(extent for _, extent in bounds) + ")"
        if not isinstance(dimension, (x.Literal, x.NamedConstant)):
            raise NotLaunchable(f"{name}() with a dimension that is not constant")
        low, extent = bounds[int(dimension.value) - 1]  # type: ignore[arg-type]  # an integer
        if isinstance(first, (x.Ref, x.Component)) and isinstance(self.designate(first)[0], TextArray):
            return _of_dummy(name, low, extent, cast)
        if name == "size":
            return f"({cast})({extent})"
        return f"({cast})({low})" if name == "lbound" else f"({cast})({low} + {extent} - 1)"

    def bounds_of(self, e: x.Expression) -> list[tuple[str, str]]:
        """Lower bound and extent of each dimension of a whole array, section or component."""
        if isinstance(e, (x.Ref, x.Component)):
            place, subscripts = self.designate(e)
            if subscripts or not hasattr(place, "extent"):
                raise NotLaunchable("bounds of this object inside of a kernel")
            return [(place.lower(d), place.extent(d)) for d in range(place.rank)]
        if isinstance(e, x.Section):
            out = []
            whole = self.bounds_of(e.base)
            for d, subscript in enumerate(e.subscripts):
                if isinstance(subscript, x.Range):
                    low = whole[d][0] if subscript.lower is None else self.text(subscript.lower)
                    high = (
                        f"({whole[d][0]} + {whole[d][1]} - 1)"
                        if subscript.upper is None
                        else self.text(subscript.upper)
                    )
                    step = "1" if subscript.step is None else self.text(subscript.step)
                    self.unit.helpers.need("max", "i4")
                    out.append(("1", f"ps_max_i4(0, ({high} - {low} + ({step})) / ({step}))"))
                elif rank_of(subscript):
                    raise NotLaunchable("bounds of a vector-subscripted section inside of a kernel")
            return out
        raise NotLaunchable("bounds of an array expression inside of a kernel")


def _of_dummy(name: str, low: str, extent: str, cast: str) -> str:
    """size, lbound or ubound of a dummy array of a function, whose extent is negative where it has no elements."""
    cast = f"({cast})" if cast else ""
    if extent.isdigit():
        texts = {"size": extent, "lbound": low, "ubound": f"{low} + {extent} - 1"} if int(extent) else {
            "size": "0", "lbound": "1", "ubound": "0"}  # fmt: skip
        return f"{cast}({texts[name]})"
    full = {"size": extent, "lbound": low, "ubound": f"{low} + {extent} - 1"}[name]
    return f"{cast}({extent} > 0 ? {full} : {1 if name == 'lbound' else 0})"
