"""Schedules as scripts: each step asks the same proofs as the automatic pipeline, or raises with the counterexample.

    s = ps.schedule(program["solve"]).fuse().swap().split().jam()
    s.history         # replays: Schedule steps as text
    s.compile()       # an Executable

A schedule is a value: every method gives another one.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polystencil import pipeline
from polystencil.errors import PolystencilError, UsageError
from polystencil.explore.loop_steps import LoopStep, apply_loop_steps, find_loop
from polystencil.ir.program import Procedure, Program, Selected
from polystencil.options import PASSES, Options
from polystencil.remarks import Remark

if TYPE_CHECKING:
    from polystencil.runtime import Executable


class IllegalTransformError(PolystencilError):
    """A transformation that is not legal, not proven, or finds nothing; `remark` says why, `witness` shows it."""

    def __init__(self, step: str, remark: Remark | None, message: str) -> None:
        super().__init__(f"{step}: {message}", None if remark is None else remark.span)
        self.remark = remark
        self.witness: dict[str, Any] | None = None if remark is None else remark.witness


@dataclass(frozen=True)
class Schedule:
    """What was asked of a program so far. `chosen` are passes in the order in which they were asked for."""

    program: Program
    procedure: Procedure
    chosen: tuple[str, ...] = ()
    loop_steps: tuple[LoopStep, ...] = ()
    options: Options = dataclasses.field(default_factory=lambda: Options(transforms="none"))
    history: tuple[str, ...] = ()

    # -- steps -------------------------------------------------------------------------------------------------

    def parallelize(self) -> Schedule:
        """Plain do nests that are proven independent become parallel (on from the start; this asks for at least one)."""
        return self._with_pass("parallelize", "parallelize()", {})

    def fuse(self) -> Schedule:
        """Producers are computed inside their consumers."""
        return self._with_pass("fuse", "fuse()", {})

    def swap(self) -> Schedule:
        """The copy of a renamed array takes turns with it; needs fuse."""
        return self._with_pass("swap", "swap()", {})

    def split(self, min_iterations: int | None = None) -> Schedule:
        """Interiors without boundary tests, for nests of at least so many iterations (131072 where not given)."""
        if min_iterations is None:
            return self._with_pass("split", "split()", {})
        text = f"split(min_iterations={min_iterations})"
        return self._with_pass("split", text, {"split_min_iterations": min_iterations})

    def jam(self, rows: int = 3) -> Schedule:
        """Three rows of an interior in one work item; needs split."""
        if rows != 3:
            raise UsageError("jam takes three rows", hint="the factor of the pass is fixed: rows=3")
        return self._with_pass("jam", "jam(rows=3)", {})

    def skew(self, cache_bytes: int | None = None) -> Schedule:
        """Several iterations of a time loop on a band of rows; bands are sized for `cache_bytes`."""
        more = {} if cache_bytes is None else {"cache_bytes": cache_bytes}
        text = "skew()" if cache_bytes is None else f"skew(cache_bytes={cache_bytes})"
        return self._with_pass("skew", text, more)

    def unroll(self) -> Schedule:
        """Innermost loops of kernels run several iterations a trip."""
        return self._with_pass("unroll", "unroll()", {})

    def interchange(self, line: int, order: Sequence[int] = (1, 0)) -> Schedule:
        """The do nest at source line `line` with its levels in `order` (0 is the outermost)."""
        return self._with_loop_step(LoopStep("interchange", line, tuple(order)), f"interchange({line}, {tuple(order)})")

    def tile(self, line: int, sizes: Sequence[int]) -> Schedule:
        """The do nest at source line `line` in rectangular tiles."""
        return self._with_loop_step(LoopStep("tile", line, tuple(sizes)), f"tile({line}, {tuple(sizes)})")

    def _with_pass(self, name: str, text: str, more: dict[str, int]) -> Schedule:
        chosen = self.chosen if name in self.chosen or name == "parallelize" else (*self.chosen, name)
        transforms = tuple(n for n in PASSES if n in chosen)
        options = dataclasses.replace(self.options, transforms=transforms or "none", **more)  # type: ignore[arg-type]  # option values
        new = dataclasses.replace(self, chosen=chosen, options=options, history=(*self.history, text))
        if name == "swap" and "fuse" not in chosen:
            raise IllegalTransformError("swap", None, "swap needs fuse: ask for fuse() first")
        if name == "jam" and "split" not in chosen:
            raise IllegalTransformError("jam", None, "jam needs split: ask for split() first")
        found = [r for r in new.remarks if r.transform == name]
        if not any(r.status in ("applied", "runtime-checked") for r in found):
            # a refusal with a witness tells most
            shown = sorted(found, key=lambda r: r.witness is None)
            reason = shown[0].reason if shown else "there is no loop for it"
            raise IllegalTransformError(name, shown[0] if shown else None, reason)
        return new

    def _with_loop_step(self, step: LoopStep, text: str) -> Schedule:
        new = dataclasses.replace(self, loop_steps=(*self.loop_steps, step), history=(*self.history, text))
        _, refusal = apply_loop_steps(new.program, new.procedure, new.loop_steps)
        if refusal is not None:
            raise IllegalTransformError(step.kind, refusal, refusal.reason)
        return new

    # -- results -----------------------------------------------------------------------------------------------

    @property
    def transformed(self) -> pipeline.Transformed:
        """The program after every stage, with remarks."""
        start, refusal = apply_loop_steps(self.program, self.procedure, self.loop_steps)
        if refusal is not None:
            raise IllegalTransformError("replay", refusal, refusal.reason)
        return pipeline.transform(start, self.options)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks on the loops of the chosen procedure."""
        return tuple(r for r in self.transformed.remarks if r.procedure == self.procedure.name)

    def show(self) -> str:
        """The whole program as Fortran after all steps."""
        from polystencil.ir.printer import print_program

        return print_program(self.transformed.program)

    def compile(self, **choices: Any) -> Executable:
        """The executable; `choices` as of `polystencil.compile` (target, fp, device)."""
        start, _ = apply_loop_steps(self.program, self.procedure, self.loop_steps)
        return pipeline.executable(start, dataclasses.replace(self.options, **choices))

    def time(self, *arguments: Any, repeat: int = 5, **choices: Any) -> float:
        """Seconds of the fastest of `repeat` calls of the procedure, after one that builds its kernels."""
        executable = self.compile(**choices)
        call = executable[self.procedure.name]
        call(*arguments)
        best = float("inf")
        for _ in range(repeat):
            began = time.perf_counter()
            call(*arguments)
            best = min(best, time.perf_counter() - began)
        return best

    def loop(self, line: int) -> Any:
        """The loop whose do statement stands at a source line."""
        return find_loop(self.procedure, line)

    # -- storing -----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the steps as JSON, with a hash of the source they belong to."""
        data = {
            "version": 1, "source": self.program.source_hash, "procedure": self.procedure.id, "history": self.history,
        }  # fmt: skip
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def replay(self, history: Sequence[str]) -> Schedule:
        """This schedule with the steps of a history applied."""
        out = self
        for text in history:
            out = _step(out, text)
        return out

    def _repr_html_(self) -> str:
        from polystencil.explore.tables import remarks

        steps = "".join(f".{h}" for h in self.history) or " (as written)"
        return f"<b>schedule({self.procedure.name})</b><code>{steps}</code>{remarks(self.remarks)._repr_html_()}"


def _step(s: Schedule, text: str) -> Schedule:
    """Apply one step of a history, `name(arguments)` with literal arguments."""
    import ast

    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise UsageError(f"not a schedule step: {text}")
    names = ("parallelize", "fuse", "swap", "split", "jam", "skew", "unroll", "interchange", "tile")
    if call.func.id not in names:
        raise UsageError(f"unknown schedule step {call.func.id}", hint="of " + ", ".join(names))
    arguments = [ast.literal_eval(a) for a in call.args]
    keywords = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg is not None}
    new: Schedule = getattr(s, call.func.id)(*arguments, **keywords)
    return new


def schedule(what: Selected | Program, name: str | None = None) -> Schedule:
    """A schedule without steps for `program["procedure"]`, or for a program's main program or named procedure."""
    if isinstance(what, Selected):
        return Schedule(what.program, what.procedure)
    if name is not None:
        return schedule(what[name])
    if what.main is None:
        raise UsageError("name a procedure", hint='schedule(program["name"])')
    return Schedule(what, what.main)


def load_schedule(path: str | Path, program: Program) -> Schedule:
    """A saved schedule, replayed on a program with the same source."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    if data["source"] != program.source_hash:
        raise UsageError(f"{path} belongs to another source", hint="the program changed since the schedule was saved")
    return schedule(program, data["procedure"]).replay(data["history"])
