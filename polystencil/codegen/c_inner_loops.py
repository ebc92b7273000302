"""Parallel loops inside of one work item: their iterations one after the other, with what is private to each."""

from __future__ import annotations

from polystencil.codegen.array_elements import minus, number, plus, value_of
from polystencil.codegen.c_assignments import AssignmentPrinter
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.codegen.vector_rows import row_hint
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of


class InnerLoopPrinter(AssignmentPrinter):
    """Prints parallel loops in order; `body` comes from the printer of statements."""

    _innermost: str | None = None

    def body(self, body: st.Body, lines: list[str]) -> None:
        raise NotImplementedError

    def _fixed(self, e: x.Expression, ctype: str, wish: str, lines: list[str]) -> str:
        """A value that must be evaluated once: as text where it is constant, else in a variable."""
        if value_of(e) is not None:
            return self.text(e)
        name = self.scope.names.fresh(wish)
        lines.append(f"const {ctype} {name} = {self.scalar_with_prelude(e, lines)};")
        return name

    def parallel_in_order(self, s: st.ParallelLoop, lines: list[str]) -> None:
        """A parallel loop inside of one work item: its iterations one after the other, the first index outermost."""
        saved = dict(self.scope.places)
        lines.append("{")
        heads: list[str] = []
        fixed: list[str] = []
        # a nest over one index is that index, unless its iterations can be cut short
        plain_loop = s.mask is not None or any(isinstance(i, (st.Cycle, st.Exit)) for i in walk_statements(s.body))
        for index in s.indices:
            t = self.intrinsic(index.ref)
            ctype = value_type(t, self.unit.dialect)
            first = self._fixed(index.lower, ctype, "first", lines)
            last = self._fixed(index.upper, ctype, "last", lines)
            step = value_of(index.step)
            if step is None or step == 0:
                raise NotLaunchable("a do concurrent with a step known only at run time inside of a kernel")
            name = self.scope.names.fresh(index.ref.id.rsplit(".", 1)[-1])
            if index.lower == index.upper and not plain_loop:
                fixed.append(f"const {ctype} {name} = {first};")
            else:
                heads.append(
                    f"for ({ctype} {name} = {first}; {name} {'<=' if step > 0 else '>='} {last}; {name} += {step})"
                )
            self.scope.places[index.ref.id] = ScalarPlace(name, t, f"&{name}")
            self.scope.counters.add(index.ref.id)
        if s.mask is not None:
            read = self.unit.effects.of_expression(s.mask).reads
            if read & self.unit.effects.of_body(s.body).writes - {symbol.id for symbol in s.locals}:
                raise NotLaunchable("a mask that reads what the loop changes, inside of a kernel")
        lines += fixed
        if not heads:
            heads = ["do"]
        for head in heads[:-1]:
            lines.append(head + " {")
        inner_lines: list[str] = []
        outer, self._innermost = self._innermost, s.name
        next_ = self.scope.names.fresh(f"next_{s.name or 'loop'}")
        self.scope.jumps[s.name] = (next_, next_)
        self.private_variables(s, saved, inner_lines)
        if s.mask is not None:
            condition = self.scalar_with_prelude(s.mask, inner_lines)
            inner_lines.append(f"if (!({condition})) continue;")
        self.body(s.body, inner_lines)
        self._innermost = outer
        self.scope.jumps.pop(s.name, None)
        hint = row_hint(s, self.unit.dialect) if heads != ["do"] else ""
        if hint:
            self.unit.uses_rows = True
            lines.append(hint)
        lines.append(heads[-1] + " {")
        lines += inner_lines
        lines += ["}"] * len(heads)
        if heads == ["do"]:
            lines[-1] = "} while (0);"
        lines.append("}")
        self.scope.places = saved

    def private_variables(self, s: st.ParallelLoop, outside: dict[str, object], lines: list[str]) -> None:
        """Declare what is private to an iteration; `local_init` ones start with the outer value."""
        indices = {index.ref.id for index in s.indices}
        for symbol in s.locals:
            if symbol.id in indices:
                continue
            initial = None
            if symbol.id in s.local_init:
                if symbol.shape or not isinstance(symbol.type, Intrinsic):
                    raise NotLaunchable(f"local_init({symbol.name}) of an array or record")
                self.scope.places = {**self.scope.places}
                here = self.scope.places.pop(symbol.id, None)
                if symbol.id in outside:
                    self.scope.places[symbol.id] = outside[symbol.id]
                initial = self.text(x.Ref(symbol.id, symbol.type))
                if here is not None:
                    self.scope.places[symbol.id] = here
            self.declare(symbol, lines)
            if initial is not None:
                lines.append(f"{self.scope.places[symbol.id].text} = {initial};")

    def iterations(self, index: st.LoopIndex) -> x.Expression:
        """(last - first + step) / step."""
        step = value_of(index.step)
        if step == 1:
            return plus(minus(index.upper, index.lower), number(1))
        t = type_of(index.step)
        return x.Binary(
            "/",
            x.Binary("+", x.Binary("-", index.upper, index.lower), index.step),
            x.Paren(index.step) if t else index.step,
        )
