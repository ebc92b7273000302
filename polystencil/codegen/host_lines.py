"""Lines of the host program, and what makes variables current before a line looks into them."""

from __future__ import annotations

from polystencil.codegen.host_launches import HostLaunches
from polystencil.codegen.host_plan import Plan
from polystencil.errors import Span
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol


class HostLines(HostLaunches):
    """Collects lines: (indentation, text, place in the source)."""

    plan: Plan
    lines: list[tuple[int, str, Span]]
    depth: int
    clean_reads: set[str]
    clean_writes: set[str]
    loops: list[tuple[str, bool]]
    distant: set[tuple[str, str]]
    live_do_variables: set[str]
    outer_values: set[str]
    choices: list[tuple[str, str, tuple[int, ...]]]

    def put(self, text: str) -> None:
        self.lines.append((self.depth, text, self.span))

    def body(self, body: st.Body) -> None:
        """All statements; `pass` where there is nothing."""
        start = len(self.lines)
        for s in body:
            self.statement(s)
        if len(self.lines) == start:
            self.put("pass")

    def synchronised(self, text: str) -> None:
        """A line that looks into variables, after what makes them current."""
        self.touches()
        self.put(text)
        if self.called:
            self.called = False
            self.unclean()

    def touches(self) -> None:
        """Wait for what pending launches do to the variables that were noted."""
        writes = {i for i in self.touched_writes if i not in self.clean_writes}
        reads = {i for i in self.touched_reads if i not in self.clean_reads} - writes
        for word, ids in (("writes", writes), ("reads", reads)):
            names = sorted({self.names.of(i) for i in ids})
            if names:
                self.put(f"device.{word}({', '.join(names)})")
        self.clean_writes |= writes
        self.clean_reads |= reads | writes
        self.touched_reads, self.touched_writes = set(), set()

    def unclean(self) -> None:
        """Launches may be pending from here on."""
        self.clean_reads, self.clean_writes = set(), set()

    def statement(self, s: st.Statement) -> None:
        outer, self.span = self.span, s.span
        launches = self.plan.launches.get(id(s))
        if launches is not None:
            for launch in launches:
                text = self.launch(launch)
                self.synchronised(text)
            self.unclean()
        else:
            self.host_statement(self.plan.rewritten.get(id(s), s))
        self.span = outer

    def host_statement(self, s: st.Statement) -> None:
        raise NotImplementedError

    def return_text(self) -> str:
        raise NotImplementedError

    def leave_function(self) -> None:
        raise NotImplementedError

    def declare(self, symbol: Symbol) -> None:
        raise NotImplementedError
