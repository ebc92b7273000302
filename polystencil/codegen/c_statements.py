"""From statements to C inside of a kernel: assignment, if, select, loops, exit and cycle, blocks, calls."""

from __future__ import annotations

from polystencil.codegen.array_elements import value_of
from polystencil.codegen.c_inner_loops import InnerLoopPrinter
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st

_WORDS = {
    "Write": "output", "Read": "input", "FileStatement": "input/output", "NamelistTransfer": "input/output",
    "Allocate": "allocate", "Deallocate": "deallocate", "Stop": "stop", "PointerAssign": "pointer assignment",
    "SelectType": "select type", "Forall": "forall", "Where": "where", "CallIntrinsic": "an intrinsic subroutine",
}  # fmt: skip


class StatementPrinter(InnerLoopPrinter):
    """Prints bodies; `lines` are C lines without indentation."""

    def body(self, body: st.Body, lines: list[str]) -> None:
        """All statements in order."""
        outer = self.unit.span
        for s in body:
            self.unit.span = s.span
            try:
                self.statement(s, lines)
            except NotLaunchable as reason:
                raise NotLaunchable(reason.reason, reason.span or s.span) from None
        self.unit.span = outer

    def statement(self, s: st.Statement, lines: list[str]) -> None:
        match s:
            case st.Assign():
                self.assign(s, lines)
            case st.If():
                self._if(s.branches, s.otherwise, lines)
            case st.SelectCase():
                self._select(s, lines)
            case st.Do():
                self._do(s, lines)
            case st.DoWhile():
                self._while(s, lines)
            case st.ParallelLoop():
                self.parallel_in_order(s, lines)
            case st.Block():
                self._block(s, lines)
            case st.Exit():
                self._jump(s.target, 0, lines)
            case st.Cycle():
                self._jump(s.target, 1, lines)
            case st.Call():
                lines.append(self.with_prelude(lines, lambda: self.subroutine_call(s)) + ";")
            case st.Return():
                if self.scope.returns is None:
                    raise NotLaunchable("return out of a loop")
                lines.append(self.scope.returns)
            case st.Continue():
                pass
            case _:
                word = _WORDS.get(type(s).__name__, type(s).__name__)
                raise NotLaunchable(f"{word} inside of a kernel")

    def subroutine_call(self, s: st.Call) -> str:
        raise NotImplementedError

    def _if(self, branches: tuple[st.Branch, ...], otherwise: st.Body, lines: list[str]) -> None:
        closing = 0
        for number_, branch in enumerate(branches):
            before: list[str] = []
            condition = self.scalar_with_prelude(branch.condition, before)
            if number_ and not before:
                lines.append(f"}} else if ({condition}) {{")
            else:
                if number_:
                    lines.append("} else {")
                    closing += 1
                lines += before
                lines.append(f"if ({condition}) {{")
            self.body(branch.body, lines)
        if otherwise:
            lines.append("} else {")
            self.body(otherwise, lines)
        lines += ["}"] * (closing + 1)

    def _select(self, s: st.SelectCase, lines: list[str]) -> None:
        t = self.intrinsic(s.selector)
        selector = self.scope.names.fresh("selector")
        lines.append("{")
        lines.append(
            f"const {value_type(t, self.unit.dialect)} {selector} = {self.scalar_with_prelude(s.selector, lines)};"
        )
        first = True
        for case in s.cases:
            tests = []
            for r in case.ranges:
                if r.lower is not None and r.lower == r.upper:
                    tests.append(f"{selector} == {self.inside(r.lower, 11)}")
                    continue
                bounds = []
                if r.lower is not None:
                    bounds.append(f"{selector} >= {self.inside(r.lower, 11)}")
                if r.upper is not None:
                    bounds.append(f"{selector} <= {self.inside(r.upper, 11)}")
                tests.append(
                    " && ".join(bounds) if len(bounds) < 2 or len(case.ranges) == 1 else f"({' && '.join(bounds)})"
                )
            lines.append(f"{'' if first else '} else '}if ({' || '.join(tests)}) {{")
            first = False
            self.body(case.body, lines)
        if s.default:
            lines.append("} else {" if not first else "{")
            self.body(s.default, lines)
        if not first or s.default:
            lines.append("}")
        lines.append("}")

    def _do(self, s: st.Do, lines: list[str]) -> None:
        place = self._index_place(s.index)
        step = value_of(s.step)
        t = self.intrinsic(s.index)
        ctype = value_type(t, self.unit.dialect)
        lines.append("{")
        first = self.scalar_with_prelude(s.lower, lines)
        last = self._fixed(s.upper, ctype, "last", lines)
        known = s.index.id in self.scope.counters
        self.scope.counters.add(s.index.id)
        index = place.text
        if step is not None and step != 0:
            test = "<=" if step > 0 else ">="
            change = {1: f"{index}++", -1: f"{index}--"}.get(step, f"{index} += {step}")
            self._loop(f"for ({index} = {first}; {index} {test} {last}; {change})", s.name, s.body, lines)
        else:
            by = self._fixed(s.step, ctype, "step", lines)
            start = self.scope.names.fresh("first")
            trips, trip = self.scope.names.fresh("trips"), self.scope.names.fresh("trip")
            long = self.unit.dialect.long
            lines.append(f"const {ctype} {start} = {first};")
            lines.append(f"const {long} {trips} = (({long}){last} - {start} + {by}) / {by};")
            lines.append(f"{long} {trip} = 0;")
            lines.append(f"{index} = {start};")
            self._loop(f"for (; {trip} < {trips}; {trip}++, {index} += {by})", s.name, s.body, lines)
        if not known:
            self.scope.counters.discard(s.index.id)
        lines.append("}")

    def _index_place(self, ref: x.Ref) -> ScalarPlace:
        place, subscripts = self.designate(ref)
        if not isinstance(place, ScalarPlace):
            text = self.element(place, subscripts)
            t = self.intrinsic(ref)
            return ScalarPlace(text, t, f"&{text}")
        return place

    def _loop(self, head: str, name: str, body: st.Body, lines: list[str]) -> None:
        """A C loop with the labels that exit and cycle of `name` from inside of inner loops need."""
        leave, next_ = (
            self.scope.names.fresh(f"leave_{name or 'loop'}"),
            self.scope.names.fresh(f"next_{name or 'loop'}"),
        )
        outer = self._innermost
        if name:
            self.scope.jumps[name] = (leave, next_)
        self._innermost = name
        inner: list[str] = []
        self.body(body, inner)
        self._innermost = outer
        lines.append(head + " {")
        if f"goto {next_};" in inner:
            lines += ["{", *inner, "}", f"{next_}: ;"]
        else:
            lines += inner
        lines.append("}")
        if f"goto {leave};" in inner:
            lines.append(f"{leave}: ;")
        self.scope.jumps.pop(name, None)

    def _jump(self, target: str, which: int, lines: list[str]) -> None:
        if target not in self.scope.jumps:
            raise NotLaunchable("exit or cycle of a loop around the kernel")
        if target == self._innermost:
            lines.append("continue;" if which else "break;")
        else:
            lines.append(f"goto {self.scope.jumps[target][which]};")

    def _while(self, s: st.DoWhile, lines: list[str]) -> None:
        before: list[str] = []
        condition = self.scalar_with_prelude(s.condition, before)
        if not before:
            self._loop(f"while ({condition})", s.name, s.body, lines)
            return
        inner: list[str] = []
        self._loop("while (1)", s.name, s.body, inner)
        lines += [inner[0], *before, f"if (!({condition})) break;", *inner[1:]]

    def _block(self, s: st.Block, lines: list[str]) -> None:
        lines.append("{")
        for symbol in s.declarations:
            self.declare(symbol, lines)
        leave = self.scope.names.fresh(f"leave_{s.name or 'block'}")
        if s.name:
            self.scope.jumps[s.name] = (leave, leave)
        inner: list[str] = []
        self.body(s.body, inner)
        if f"goto {leave};" in inner:
            lines += ["{", *inner, "}", f"{leave}: ;"]
        else:
            lines += inner
        self.scope.jumps.pop(s.name, None)
        lines.append("}")
