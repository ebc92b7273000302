"""Loops, blocks and jumps in the host program."""

from __future__ import annotations

from polystencil.codegen.array_elements import value_of
from polystencil.codegen.host_branches import HostBranches
from polystencil.codegen.host_text import numpy_name
from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of


class HostLoops(HostBranches):
    """Prints loops that stay on the host."""

    def _loop_body(self, name: str, body: st.Body) -> set[str]:
        """The body of a Python loop, indented; gives the kinds of distant jumps to `name` that were printed."""
        self.loops.append((name, True))
        outer, self.distant = self.distant, set()
        start = len(self.lines)
        self.unclean()
        self.depth += 1
        self.body(body)
        self.depth -= 1
        self.unclean()
        mine = {d for d in self.distant if d[1] == name}
        if ("cycle", name) in mine:
            inner = [(depth + 1, text, span) for depth, text, span in self.lines[start:]]
            del self.lines[start:]
            self.depth += 1
            self.put("try:")
            self.lines += inner
            self.put("except fortran.Cycle as jump:")
            self.depth += 1
            self.put(f"jump.must_be({name!r})")
            self.depth -= 2
        self.distant = outer | (self.distant - mine)
        self.loops.pop()
        return {kind for kind, _ in mine}

    def _catch_exit(self, name: str, start: int) -> None:
        """Put what was printed from `start` on under a try that ends an exit from inside of inner loops."""
        inner = [(depth + 1, text, span) for depth, text, span in self.lines[start:]]
        del self.lines[start:]
        self.put("try:")
        self.lines += inner
        self.put("except fortran.Exit as jump:")
        self.depth += 1
        self.put(f"jump.must_be({name!r})")
        self.depth -= 1

    def _jump(self, s: st.Exit | st.Cycle) -> None:
        if self.loops and self.loops[-1] == (s.target, True):
            self.put("break" if isinstance(s, st.Exit) else "continue")
            return
        kind = "exit" if isinstance(s, st.Exit) else "cycle"
        self.distant.add((kind, s.target))
        self.put(f"raise fortran.{kind.capitalize()}({s.target!r})")

    def _do(self, s: st.Do) -> None:
        index = s.index
        plain = self.kind(index.id) == "value"
        name = self.names.of(index.id)
        t = type_of(index)
        assert isinstance(t, Intrinsic)
        low, high = self.plain_integer(s.lower), self.plain_integer(s.upper)
        step = value_of(s.step)
        by = "" if step == 1 else f", {self.plain_integer(s.step)}"
        keep = index.id in self.live_do_variables or not plain
        text = f"fortran.do(np.{numpy_name(t)}, {low}, {high}{by})"
        start = len(self.lines)
        if keep:
            loop = self.names.fresh("trips")
            self.synchronised(f"{loop} = {text}")
            text = loop
        variable = name if plain else self.names.fresh(f"{name}_value")
        self.synchronised(f"for {variable} in {text}:")
        if not plain:
            self.depth += 1
            self.touch(index.id, True)
            self.unclean()
            self.touches()
            self.put(f"{self.storage(index)}[()] = {variable}")
            self.depth -= 1
        jumps = self._loop_body(s.name, s.body)
        if keep:
            self.put("else:")
            self.depth += 1
            self.touch(index.id, True)
            self.touches()
            self.put(f"{name} = {loop}.after" if plain else f"{self.storage(index)}[()] = {loop}.after")
            self.touched_reads = set()
            self.depth -= 1
        if "exit" in jumps:
            self._catch_exit(s.name, start)

    def _while(self, s: st.DoWhile) -> None:
        start = len(self.lines)
        endless = isinstance(s.condition, x.Literal) and s.condition.value is True
        condition = self.condition(s.condition)
        if endless or not (self.touched_reads or self.touched_writes):
            self.put(f"while {'True' if endless else condition}:")
            jumps = self._loop_body(s.name, s.body)
        else:
            reads = self.touched_reads
            self.put("while True:")
            self.depth += 1
            self.unclean()
            self.touched_reads = reads
            self.touches()
            self.put(f"if not ({condition}):")
            self.depth += 1
            self.put("break")
            self.depth -= 2
            jumps = self._loop_body(s.name, s.body)
        if "exit" in jumps:
            self._catch_exit(s.name, start)

    def _parallel(self, s: st.ParallelLoop) -> None:
        """A parallel loop that cannot be a kernel: its iterations in order; the mask was seen to be independent."""
        saved = dict(self.kinds_here)
        texts, names = [], []
        for index in s.indices:
            t = type_of(index.ref)
            assert isinstance(t, Intrinsic)
            self.kinds_here[index.ref.id] = "value"
            names.append(self.names.of(index.ref.id))
        for index in s.indices:
            low, high, by = (self.plain_integer(e) for e in (index.lower, index.upper, index.step))
            t = type_of(index.ref)
            assert isinstance(t, Intrinsic)
            texts.append(f"fortran.do(np.{numpy_name(t)}, {low}, {high}, {by})")
        kept = [n for n, index in zip(names, s.indices, strict=True) if index.ref.id in self.outer_values]
        for n in kept:
            self.put(f"outer_{n} = {n}")
        private = [v for v in s.locals if v.id not in {i.ref.id for i in s.indices}]
        outer = {v.id: self.names.of(v.id) for v in private}
        for v in private:
            if v.id in s.local_init:
                self.touch(v.id, False)
        self.touches()
        for v in private:
            self.names.another(v.id)
        self.synchronised(
            f"for {', '.join(names)} in fortran.nest({', '.join(texts)}):"
            if len(names) > 1
            else f"for {names[0]} in {texts[0]}:"
        )
        start = len(self.lines)
        self.depth += 1
        for symbol in private:
            self.declare(symbol)
            if symbol.id in s.local_init:
                self._start_with_outer(symbol, outer[symbol.id], s)
        if s.mask is not None:
            self.unclean()
            mask = self.condition(s.mask)
            self.touches()
            self.put(f"if not {self._wrapped(mask)}:")
            self.depth += 1
            self.put("continue")
            self.depth -= 1
        self.depth -= 1
        before = self.lines[start:]
        del self.lines[start:]
        self.lines += before
        self._loop_body(s.name, s.body)
        for v in private:
            self.names.rename(v.id, outer[v.id])
        for n in kept:
            self.put(f"{n} = outer_{n}")
        self.kinds_here = saved

    def _start_with_outer(self, symbol: Symbol, outer: str, s: st.ParallelLoop) -> None:
        """The private copy of a local_init variable starts with the value that the variable has outside."""
        kind = self.kind(symbol.id)
        if kind not in ("value", "storage", "array"):
            raise UnsupportedError(f"local_init({symbol.name}) of a loop that cannot be a kernel", s.span)
        name = self.names.of(symbol.id)
        self.put(f"{name} = {outer}" if kind == "value" else f"fortran.assign({name}, {outer})")

    def _wrapped(self, text: str) -> str:
        return text if text.replace("_", "").isalnum() else f"({text})"

    def _block(self, s: st.Block) -> None:
        start = len(self.lines)
        for symbol in s.declarations:
            if not self.kinds.is_saved(symbol):
                self.declare(symbol)
        self.loops.append((s.name, False))
        outer, self.distant = self.distant, set()
        self.body(s.body)
        self.loops.pop()
        mine = {d for d in self.distant if d == ("exit", s.name)}
        self.distant = outer | (self.distant - mine)
        if mine:
            self._catch_exit(s.name, start)
