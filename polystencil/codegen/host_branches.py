"""if, select case and select type in the host program."""

from __future__ import annotations

from polystencil.codegen.host_io import HostIO
from polystencil.codegen.host_text import dtype_text
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import type_of


class HostBranches(HostIO):
    """Prints branches."""

    def _if(self, s: st.If) -> None:
        conditions = [self.condition(branch.condition) for branch in s.branches]
        self.touches()
        counts = self._counts(s)
        for k, branch in enumerate(s.branches):
            self.span = branch.span if branch.span.line else s.span
            self.put(f"{'elif' if k else 'if'} {conditions[k]}:")
            self._nested(branch.body, counts[0])
        if s.otherwise:
            self.put("else:")
            self._nested(s.otherwise, counts[1])
        self.unclean()

    def _counts(self, s: st.If) -> tuple[str, str]:
        """Lines that count which form of a loop runs, where a pass left the choice to the program."""
        if s.choice is None:
            return "", ""
        at = 2 * len(self.choices)
        self.choices.append((s.choice.transform, s.span.file, s.choice.lines))
        lines = f"CHOICES[{at}] += 1", f"CHOICES[{at + 1}] += 1"
        return (lines[1], lines[0]) if s.choice.original_first else lines

    def _nested(self, body: st.Body, first: str = "") -> None:
        if self.called:
            self.called = False
            self.unclean()
        reads, writes = set(self.clean_reads), set(self.clean_writes)
        self.depth += 1
        if first:
            self.put(first)
        self.body(body)
        self.depth -= 1
        self.clean_reads, self.clean_writes = reads, writes

    def _select(self, s: st.SelectCase) -> None:
        name = self.names.fresh("selector")
        t = type_of(s.selector)
        self.synchronised(f"{name} = {self.value(s.selector)}")
        text = isinstance(t, Intrinsic) and t.base == "character"

        def test(operator: str, e: x.Expression) -> str:
            if text:
                return f'fortran.compare("{operator}", {name}, {self.value(e)})'
            return f"{name} {operator} {self.plain_integer(e)}"

        word = "if"
        for case in s.cases:
            tests = []
            for r in case.ranges:
                if r.lower is not None and r.lower == r.upper:
                    tests.append(test("==", r.lower))
                    continue
                both = []
                if r.lower is not None:
                    both.append(test(">=", r.lower))
                if r.upper is not None:
                    both.append(test("<=", r.upper))
                tests.append(" and ".join(both) if len(case.ranges) == 1 else f"({' and '.join(both)})")
            self.put(f"{word} {' or '.join(tests)}:")
            self._nested(case.body)
            word = "elif"
        if s.default:
            if word == "if":
                self.put("if True:")
            else:
                self.put("else:")
            self._nested(s.default)
        self.unclean()

    def _select_type(self, s: st.SelectType) -> None:
        name = self.names.fresh("selector")
        self.synchronised(f"{name} = fortran.dynamic({self.storage(s.selector)})")
        word = "if"
        for guard in s.guards:
            t = guard.type
            if isinstance(t, Record):
                test = f"fortran.is_type({name}, {t.id!r}, {guard.exact})"
            else:
                assert isinstance(t, Intrinsic)
                test = f"fortran.is_intrinsic({name}, {dtype_text(t)})"
            self.put(f"{word} {test}:")
            self.depth += 1
            self._guard_variable(guard.variable, name)
            self.depth -= 1
            self._nested(guard.body)
            word = "elif"
        if s.default:
            self.put("else:" if word == "elif" else "if True:")
            if s.default_variable is not None:
                self.depth += 1
                self._guard_variable(s.default_variable, name)
                self.depth -= 1
            self._nested(s.default)
        self.unclean()

    def _guard_variable(self, symbol: Symbol, name: str) -> None:
        here = self.names.of(symbol.id)
        if symbol.shape is not None:
            self.kinds_here[symbol.id] = "array"
            self.put(f"{here} = fortran.fresh_bounds({name}) if not isinstance({name}, fortran.Array) else {name}")
        elif isinstance(symbol.type, Record):
            self.kinds_here[symbol.id] = "record"
            self.put(f"{here} = {name}")
        else:
            self.kinds_here[symbol.id] = "storage"
            self.put(f"{here} = {name}")
