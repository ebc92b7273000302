"""where and forall in the host program, when they are no kernels."""

from __future__ import annotations

from polystencil.codegen.host_loops import HostLoops
from polystencil.codegen.host_text import numpy_name
from polystencil.errors import UnsupportedError
from polystencil.ir import statements as st
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of


class HostMasked(HostLoops):
    """Prints masked assignments."""

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
