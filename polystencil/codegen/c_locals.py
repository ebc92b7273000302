"""Variables that live inside of a kernel: their C declarations and places."""

from __future__ import annotations

from polystencil.codegen.c_literals import literal
from polystencil.codegen.c_places import ArrayPlace, ScalarPlace, TextArray
from polystencil.codegen.c_reductions import ReductionPrinter
from polystencil.codegen.c_unit import PrivateRecord
from polystencil.codegen.declared_storage import constant_shape
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.program import Symbol
from polystencil.ir.types import Intrinsic, Record

MOST_PRIVATE_BYTES = 16384


class LocalsPrinter(ReductionPrinter):
    """Declares private variables."""

    def declare(self, symbol: Symbol, lines: list[str]) -> None:
        """Make `symbol` a private variable of the kernel; declarations and initial values go to `lines`."""
        if symbol.attributes & {"allocatable", "pointer", "save", "external"}:
            raise NotLaunchable(f"the local variable {symbol.name} is allocatable, a pointer or saved")
        if "parameter" in symbol.attributes:
            return
        if symbol.initial is not None and isinstance(symbol.type, Intrinsic):
            raise NotLaunchable(f"the local variable {symbol.name} is saved")
        if isinstance(symbol.type, Record):
            self.scope.places[symbol.id] = self._record(symbol, lines)
            return
        self.scope.places[symbol.id] = self._variable(symbol.name, symbol, lines)

    def _variable(self, wish: str, symbol: Symbol, lines: list[str]) -> ScalarPlace | ArrayPlace:
        t = symbol.type
        if not isinstance(t, Intrinsic) or t.base == "character":
            raise NotLaunchable(f"the local variable {symbol.name} is of a type that kernels do not hold")
        name = self.scope.names.fresh(wish)
        ctype = value_type(t, self.unit.dialect)
        if not symbol.shape:
            lines.append(f"{ctype} {name};")
            return ScalarPlace(name, t, f"&{name}")
        shape = constant_shape(symbol)
        if shape is None:
            raise NotLaunchable(f"the size of the local array {symbol.name} is not constant")
        size, strides = 1, []
        for _, extent in shape:
            strides.append(size)
            size *= extent
        if size * t.kind > MOST_PRIVATE_BYTES:
            raise NotLaunchable(f"the local array {symbol.name} is too large to be private")
        lines.append(f"{ctype} {name}[{size}];")
        start = -sum(low * step for (low, _), step in zip(shape, strides, strict=True))
        return TextArray(
            name, t, len(shape), "private", tuple(str(low) for low, _ in shape), tuple(str(n) for _, n in shape),
            tuple(map(str, strides)), str(start),
        )  # fmt: skip

    def _record(self, symbol: Symbol, lines: list[str]) -> PrivateRecord:
        if symbol.shape:
            raise NotLaunchable(f"{symbol.name} is a local array of derived type")
        assert isinstance(symbol.type, Record)
        leaves: dict[tuple[str, ...], ScalarPlace | ArrayPlace] = {}
        self._leaves(symbol.name, symbol.type, (), leaves, lines)
        return PrivateRecord(leaves, symbol.type)

    def _leaves(
        self,
        wish: str,
        t: Record,
        path: tuple[str, ...],
        leaves: dict[tuple[str, ...], ScalarPlace | ArrayPlace],
        lines: list[str],
    ) -> None:
        definition = self.unit.table.types.get(t.id)
        if definition is None or t.polymorphic:
            raise NotLaunchable("a record whose type is known only at run time")
        for component in definition.components:
            if component.attributes & {"allocatable", "pointer"}:
                raise NotLaunchable(f"a local record with the allocatable or pointer component {component.name}")
            here = (*path, component.name)
            if isinstance(component.type, Record):
                if component.shape:
                    raise NotLaunchable("a local record with an array of records")
                self._leaves(f"{wish}_{component.name}", component.type, here, leaves, lines)
                continue
            place = self._variable(f"{wish}_{component.name}", component, lines)
            leaves[here] = place
            if component.initial is not None and isinstance(place, ScalarPlace):
                if isinstance(component.initial, (x.Literal, x.NamedConstant)):
                    lines.append(f"{place.text} = {literal(component.initial.value, place.type)};")
                else:
                    raise NotLaunchable("a default initialisation that is no constant")
            elif component.initial is not None:
                raise NotLaunchable("a default initialisation of an array component")

    def leaf_paths(self, t: Record) -> list[tuple[tuple[str, ...], Symbol]]:
        """Paths of the intrinsic components of a type whose values a kernel can copy one by one."""
        definition = self.unit.table.types.get(t.id)
        if definition is None or t.polymorphic:
            raise NotLaunchable("a record whose type is known only at run time")
        out: list[tuple[tuple[str, ...], Symbol]] = []
        for component in definition.components:
            if component.attributes & {"allocatable", "pointer"}:
                raise NotLaunchable("assignment of records with allocatable or pointer components")
            if isinstance(component.type, Record):
                if component.shape:
                    raise NotLaunchable("assignment of records that hold arrays of records")
                out += [((component.name, *path), leaf) for path, leaf in self.leaf_paths(component.type)]
            else:
                out.append(((component.name,), component))
        return out
