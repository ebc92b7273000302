"""Statements of the host program as Python text."""

from __future__ import annotations

from polystencil.analysis.assigned import base_id
from polystencil.codegen.array_elements import value_of
from polystencil.codegen.host_io import HostIO
from polystencil.codegen.host_plan import Plan
from polystencil.codegen.host_text import dtype_text, numpy_name
from polystencil.errors import Span, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of


class HostStatements(HostIO):
    """Prints bodies. `lines` are (indentation, text, span)."""

    plan: Plan
    lines: list[tuple[int, str, Span]]
    depth: int

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

    clean_reads: set[str]
    clean_writes: set[str]

    def statement(self, s: st.Statement) -> None:
        outer, self.span = self.span, s.span
        launches = self.plan.launches.get(id(s))
        if launches is not None:
            for launch in launches:
                text = self.launch(launch)
                self.synchronised(text)
            self.unclean()
        else:
            self._host(self.plan.rewritten.get(id(s), s))
        self.span = outer

    def _host(self, s: st.Statement) -> None:
        match s:
            case st.Assign():
                self._assign(s)
            case st.PointerAssign():
                self._pointer_assign(s)
            case st.Call():
                self._call(s)
            case st.CallIntrinsic():
                self._call_intrinsic(s)
            case st.If():
                self._if(s)
            case st.SelectCase():
                self._select(s)
            case st.SelectType():
                self._select_type(s)
            case st.Do():
                self._do(s)
            case st.DoWhile():
                self._while(s)
            case st.ParallelLoop():
                self._parallel(s)
            case st.Block():
                self._block(s)
            case st.Exit() | st.Cycle():
                self._jump(s)
            case st.Return():
                self.leave_function()
                self.put(self.return_text())
            case st.Stop():
                code = "None" if s.code is None else self.value(s.code)
                quiet = "False" if s.quiet is None else self.value(s.quiet)
                self.put("device.finish()")
                self.synchronised(f"fortran.stop({code}, {s.error}, {quiet})")
            case st.Continue():
                pass
            case st.Where():
                self._where(s)
            case st.Forall():
                self._forall(s)
            case st.Allocate():
                self._allocate(s)
            case st.Deallocate():
                self._deallocate(s)
            case st.Write() | st.Read() | st.FileStatement() | st.NamelistTransfer():
                self.io(s)
            case _:
                raise UnsupportedError(f"{type(s).__name__} is not supported", s.span)

    def return_text(self) -> str:
        raise NotImplementedError

    def leave_function(self) -> None:
        raise NotImplementedError

    # ---- assignment ----

    def _assign(self, s: st.Assign) -> None:
        target = s.target
        value = self.value(s.value)
        if isinstance(target, x.Ref) and self.kind(target.id) == "value":
            self.synchronised(f"{self.names.of(target.id)} = {value}")
            return
        self.touched(target)
        if self.is_allocatable(target):
            self._assign_allocatable(target, s.value, value)
        elif isinstance(target, x.Section):
            text = f"fortran.assign_section({self.array_object(target.base)}, {self.subscripts(target.subscripts)}, {value}, {self.label(target.base)})"
            self.synchronised(text)
        elif isinstance(target, x.Ref) and self.kind(target.id) == "storage" and not self._text_or_record(target):
            self.synchronised(f"{self.storage(target)}[()] = {value}")
        elif isinstance(target, (x.Element,)) and not rank_of(target) and not self._text_or_record(target):
            self.synchronised(f"{self.storage(target)}[()] = {value}")
        else:
            self.synchronised(f"fortran.assign({self.storage(target)}, {value})")

    def touched(self, target: x.Expression) -> None:
        identifier = base_id(target)
        if identifier is not None:
            self.touch(identifier, True)

    def _text_or_record(self, e: x.Expression) -> bool:
        t = type_of(e)
        return not isinstance(t, Intrinsic) or t.base == "character"

    def _assign_allocatable(self, target: x.Expression, source: x.Expression, value: str) -> None:
        cell = self.cell(target)
        if isinstance(target, (x.Ref, x.Component)) and (target.rank if isinstance(target, x.Ref) else target.rank):
            if isinstance(source, (x.Ref, x.Component)) and rank_of(source) and not (
                isinstance(source, x.Component) and rank_of(source.base)
            ):
                value = self.array_object(source)
            self.synchronised(f"fortran.assign_allocatable({cell}, {value})")
            return
        t = type_of(target)
        element = ""
        if isinstance(t, Record) and not t.polymorphic or (isinstance(t, Intrinsic) and not isinstance(t.length, str)):
            element = f", {self.element_text(t)}"
        self.synchronised(f"fortran.assign_allocatable_scalar({cell}, {value}{element})")

    def _pointer_assign(self, s: st.PointerAssign) -> None:
        target = self.pointer_target(s.value)
        cell = self.cell(s.target)
        if isinstance(type_of(s.target), ProcedureType):
            self.synchronised(f"fortran.point_at_procedure({cell}, {target})")
            return
        if not s.bounds:
            self.synchronised(f"fortran.associate({cell}, {target})")
            return
        lowers = ", ".join(self.plain_integer(low) for low, _ in s.bounds)
        uppers = [high for _, high in s.bounds]
        text = f"fortran.associate({cell}, {target}, ({lowers},)"
        if any(u is not None for u in uppers):
            text += ", (" + "".join(f"{'None' if u is None else self.plain_integer(u)}, " for u in uppers) + ")"
        self.synchronised(text + ")")

    # ---- calls ----

    def _call(self, s: st.Call) -> None:
        procedure = self.target_procedure(s.target)
        if procedure is not None and "elemental" in procedure.prefixes and any(a is not None and rank_of(a) for a in s.arguments):
            from polystencil.codegen.host_kinds import by_value

            texts, how = [], []
            for dummy, a in zip(procedure.dummies, s.arguments, strict=False):
                value = by_value(self.table.symbols[dummy])
                how.append("v" if value else "s")
                texts.append("None" if a is None else self.value(a) if value else self.storage(a))
                if not value and a is not None:
                    self.touched(a)
            self.synchronised(f"fortran.elemental_call({self.callee(s.target)}, \"{''.join(how)}\", {', '.join(texts)})")
            return
        text = f"{self.callee(s.target)}({self.arguments(s.target, s.arguments)})"
        self.synchronised(text)
        self.unclean()

    def _call_intrinsic(self, s: st.CallIntrinsic) -> None:
        texts = []
        for a in s.arguments:
            if a is None:
                texts.append("None")
            elif s.name == "move_alloc":
                texts.append(self.cell(a))
            elif isinstance(a, (x.Ref, x.Element, x.Section, x.Component, x.Substring)):
                self.touched(a)
                if self.is_cell(a) and s.name in ("get_environment_variable",):
                    texts.append(self.cell(a))
                else:
                    texts.append(self.storage(a))
            else:
                texts.append(self.value(a))
        while texts and texts[-1] == "None":
            texts.pop()
        self.synchronised(f"fortran.call_intrinsic({', '.join([repr(s.name), *texts])})")

    # ---- control ----

    def _if(self, s: st.If) -> None:
        conditions = [self.condition(branch.condition) for branch in s.branches]
        self.touches()
        for k, branch in enumerate(s.branches):
            self.span = branch.span if branch.span.line else s.span
            self.put(f"{'elif' if k else 'if'} {conditions[k]}:")
            self._nested(branch.body)
        if s.otherwise:
            self.put("else:")
            self._nested(s.otherwise)
        self.unclean()

    def _nested(self, body: st.Body) -> None:
        if self.called:
            self.called = False
            self.unclean()
        reads, writes = set(self.clean_reads), set(self.clean_writes)
        self.depth += 1
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
            return f"{name} {operator} {self.plain_integer(e) if not isinstance(e, x.Literal) or not isinstance(e.value, bool) else self.value(e)}"

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
        self.synchronised(f"{name} = fortran.dynamic({self.storage(s.selector) if not self._class_cell(s.selector) else self.storage(s.selector)})")
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

    def _class_cell(self, e: x.Expression) -> bool:
        return self.is_cell(e)

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

    # ---- loops ----

    loops: list[tuple[str, bool]]

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

    distant: set[tuple[str, str]]

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

    live_do_variables: set[str]

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
        self.synchronised(f"for {', '.join(names)} in fortran.nest({', '.join(texts)}):" if len(names) > 1 else f"for {names[0]} in {texts[0]}:")
        start = len(self.lines)
        self.depth += 1
        for symbol in s.locals:
            if symbol.id in {i.ref.id for i in s.indices}:
                continue
            if symbol.id in s.local_init:
                raise UnsupportedError("local_init of a loop that cannot be a kernel", s.span)
            self.declare(symbol)
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
        for n in kept:
            self.put(f"{n} = outer_{n}")
        self.kinds_here = saved

    outer_values: set[str]

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

    def declare(self, symbol: Symbol) -> None:
        raise NotImplementedError

    # ---- where, forall ----

    def _where(self, s: st.Where, outer: str | None = None) -> None:
        done: str | None = None
        for clause in s.clauses:
            control = outer
            if clause.mask is not None:
                mask = self.names.fresh("mask")
                self.synchronised(f"{mask} = fortran.mask_of({self.value(clause.mask)})")
                here = mask if done is None else f"{mask} & ~{done}"
                if outer is not None:
                    here = f"{here} & {outer}"
                control = self.names.fresh("where")
                self.put(f"{control} = {here}")
                rest = self.names.fresh("done")
                self.put(f"{rest} = {mask}" if done is None else f"{rest} = {done} | {mask}")
                done = rest
            elif done is not None:
                control = self.names.fresh("where")
                self.put(f"{control} = ~{done}" + (f" & {outer}" if outer is not None else ""))
            for inner in clause.body:
                self.span = inner.span
                if isinstance(inner, st.Where):
                    self._where(inner, control)
                    continue
                assert isinstance(inner, st.Assign)
                self.masked = True
                value = self.value(inner.value)
                self.masked = False
                self.touched(inner.target)
                self.synchronised(f"fortran.assign_where({self.storage(inner.target)}, {control}, {value})")

    def _forall(self, s: st.Forall) -> None:
        """Each statement for all index values before the next one; what it reads counts as read first."""
        saved = dict(self.kinds_here)
        self._forall_points(s, [], "")
        self.kinds_here = saved

    def _forall_points(self, s: st.Forall, outer: list[str], outer_points: str) -> None:
        texts, names = [], []
        for index in s.indices:
            t = type_of(index.ref)
            assert isinstance(t, Intrinsic)
            low, high, by = (self.plain_integer(e) for e in (index.lower, index.upper, index.step))
            texts.append(f"fortran.do(np.{numpy_name(t)}, {low}, {high}, {by})")
        for index in s.indices:
            self.kinds_here[index.ref.id] = "value"
            names.append(self.names.of(index.ref.id))
        points = self.names.fresh("points")
        everything = outer + names
        head = ", ".join(everything) + ("," if len(everything) == 1 else "")
        here = ", ".join(names) + ("," if len(names) == 1 else "")
        loops = f"for {here} in fortran.nest({', '.join(texts)})"
        if outer:
            loops = f"for {', '.join(outer)}{',' if len(outer) == 1 else ''} in {outer_points} {loops}"
        condition = "" if s.mask is None else f" if {self.condition(s.mask)}"
        self.touches()
        self.put(f"{points} = [({head}) {loops}{condition}]")
        for inner in s.body:
            self.span = inner.span
            if isinstance(inner, st.Forall):
                self._forall_points(inner, everything, points)
            elif isinstance(inner, st.PointerAssign):
                self.put(f"for {head} in {points}:")
                self.depth += 1
                self._pointer_assign(inner)
                self.depth -= 1
            elif isinstance(inner, st.Assign):
                self._forall_store(inner, head, points, "", self.value(inner.value))
            elif isinstance(inner, st.Where):
                self._forall_where(inner, head, points)
            else:
                raise UnsupportedError("this statement inside of forall", inner.span)

    def _forall_store(self, s: st.Assign, head: str, points: str, masks: str, value: str) -> None:
        values, item = self.names.fresh("values"), self.names.fresh("value")
        self.touches()
        self.put(f"{values} = [fortran.copy_value({value}) for {head} in {points}]")
        self.touched(s.target)
        target = self.storage(s.target)
        self.touches()
        if masks:
            mask = self.names.fresh("mask")
            self.put(f"for ({head}), {mask}, {item} in zip({points}, {masks}, {values}, strict=True):")
            store = f"fortran.assign_where({target}, {mask}, {item})"
        else:
            self.put(f"for ({head}), {item} in zip({points}, {values}, strict=True):")
            store = f"fortran.assign({target}, {item})"
        self.depth += 1
        self.put(store)
        self.depth -= 1

    def _forall_where(self, s: st.Where, head: str, points: str) -> None:
        done = ""
        for clause in s.clauses:
            masks = self.names.fresh("masks")
            if clause.mask is None:
                self.put(f"{masks} = [~one for one in {done}]")
            else:
                text = self.value(clause.mask)
                self.touches()
                self.put(f"{masks} = [fortran.mask_of({text}) for {head} in {points}]")
                if done:
                    rest = self.names.fresh("masks")
                    self.put(f"{rest} = [one & ~other for one, other in zip({masks}, {done}, strict=True)]")
                    both = self.names.fresh("done")
                    self.put(f"{both} = [one | other for one, other in zip({masks}, {done}, strict=True)]")
                    masks, done = rest, both
                else:
                    done = masks
            for inner in clause.body:
                if not isinstance(inner, st.Assign):
                    raise UnsupportedError("a nested where inside of forall", inner.span)
                self.masked = True
                value = self.value(inner.value)
                self.masked = False
                self._forall_store(inner, head, points, masks, value)

    # ---- allocation ----

    def _allocate(self, s: st.Allocate) -> None:
        guard = self._status(s.stat, s.errmsg)
        for a in s.allocations:
            cell = self.cell(a.object)
            self.touched(a.object)
            bounds = ""
            if a.bounds:
                lows = ", ".join("1" if low is None else self.plain_integer(low) for low, _ in a.bounds)
                highs = ", ".join(self.plain_integer(high) for _, high in a.bounds)
                bounds = f", ({lows},), ({highs},)"
            t = s.type if s.type is not None else type_of(a.object)
            other = s.source if s.source is not None else s.mold
            if other is not None:
                source = self.storage(other) if isinstance(other, (x.Ref, x.Component)) else self.value(other)
                if isinstance(other, x.Ref) and self.kind(other.id) == "value":
                    source = self.value(other)
                text = f"fortran.allocate_like({cell}, {source}, {s.source is not None}{bounds})"
            else:
                text = f"fortran.allocate_new({cell}, {self.element_text(t)}{bounds})"
            self.synchronised(text)
        self._end_status(guard)

    def _deallocate(self, s: st.Deallocate) -> None:
        guard = self._status(s.stat, s.errmsg)
        for e in s.objects:
            self.touched(e)
            self.synchronised(f"fortran.deallocate({self.cell(e)})")
        self._end_status(guard)

    def _status(self, stat: x.Expression | None, errmsg: x.Expression | None) -> bool:
        if stat is None:
            return False
        self.touched(stat)
        message = "None" if errmsg is None else self.storage(errmsg)
        self.synchronised(f"with fortran.status({self.storage(stat)}, {message}):")
        self.depth += 1
        return True

    def _end_status(self, guard: bool) -> None:
        if guard:
            self.depth -= 1
