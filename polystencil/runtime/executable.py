"""A compiled program in Python: run it, or call its procedures with NumPy arrays."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from polystencil.codegen.generated import GeneratedProgram, Signature
from polystencil.codegen.kernel import Kernel
from polystencil.errors import FortranRuntimeError, FortranStop, PolystencilError, Span, UsageError
from polystencil.remarks import Remark
from polystencil.runtime import host_io
from polystencil.runtime.calls import bind_arguments, results_of
from polystencil.runtime.choices import remarks_with_choices
from polystencil.semantics.io.units import Units
from polystencil.semantics.system import start_run

DEEPEST_CALLS = 50_000


class Executable:
    """What `polystencil.compile` gives: `run()`, `exe["procedure"](...)`, `kernels`, `host_source`, `remarks`."""

    def __init__(self, generated: GeneratedProgram, device: Any) -> None:
        self.generated, self.device = generated, device
        self._places = {number: (span, line) for number, span, line in generated.lines}
        self._file = f"<host program {id(self):x}>"
        self._module = ModuleType("polystencil_host")
        self._signatures = {s.name: s for s in generated.signatures}
        self._seconds = 0.0
        code = compile(generated.host_source, self._file, "exec")
        exec(code, self._module.__dict__)
        self._module.__dict__["bind"](device, {k.name: device.bind(k) for k in generated.kernels})
        self._failed: Any = self._module.__dict__.get("FAILED")
        if self._failed is not None and hasattr(device, "after_wait"):
            device.after_wait = self._raise_failure
        self._started = False

    @property
    def procedures(self) -> tuple[str, ...]:
        """Names of the procedures that can be called."""
        return tuple(sorted(self._signatures))

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels, with their source."""
        return self.generated.kernels

    @property
    def host_source(self) -> str:
        """The generated host program."""
        return self.generated.host_source

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What became a kernel and what did not, and why."""
        return self.generated.remarks

    def times(self) -> dict[str, float]:
        """Seconds of the last run by what they were spent on; `kernels` only where the device times them."""
        figures = self._figures()
        build = figures.get("build", 0.0)
        spent = {str(name): figures[name] for name in ("kernels", "copies") if name in figures}
        return {"build": build, "run": max(0.0, self._seconds - build), **spent}

    def report(self) -> dict[str, Any]:
        """Remarks with the choices that run-time checks took, and figures of the last run."""
        figures = self._figures()
        return {
            "version": 1,
            "remarks": remarks_with_choices(self.remarks, self.generated.choices, self._counts()),
            "device": self.device.name,
            "launches": self.device.launches,
            "bytes_moved": {"to_device": figures.get("bytes_in", 0), "to_host": figures.get("bytes_out", 0)},
            "seconds": self.times(),
        }

    def _figures(self) -> dict[str, float]:
        figures = getattr(self.device, "figures", None)
        return dict(figures()) if figures is not None else {}

    def _counts(self) -> list[int]:
        """How often each form of a loop ran."""
        found: list[int] = self._module.__dict__.get("CHOICES", [])
        return found

    def run(self, arguments: tuple[str, ...] | list[str] = (), stdout: Any = None, stdin: Any = None) -> int:
        """Run the main program; gives its exit status. Run-time errors are located and end it with status 2."""
        main = self.generated.main
        if main is None:
            raise UsageError("there is no main program", hint='call a procedure from Python: exe["name"](...)')
        start_run(tuple(arguments))
        host_io.Run.units = units = Units(stdin, stdout)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_CALLS))
        self._counts()[:] = [0] * len(self._counts())
        began = time.perf_counter()
        try:
            with np.errstate(all="ignore"):
                self._module.__dict__["initialise"]()
                self._module.__dict__[main]()
                self.device.finish()
                self._raise_failure()
        except FortranStop as stop:
            units.finish()
            if stop.args[0]:
                print(stop.args[0], file=sys.stderr)
            return stop.code
        except PolystencilError as error:
            units.finish()
            raise self._located(error) from None
        except RecursionError:
            units.finish()
            raise FortranRuntimeError("the program calls itself too deeply") from None
        finally:
            self.device.wait()
            self._seconds = time.perf_counter() - began
        units.finish()
        return 0

    def __getitem__(self, name: str) -> Procedure:
        signature = self._signatures.get(name.lower())
        if signature is None:
            there = ", ".join(sorted(self._signatures)) or "none"
            raise UsageError(f"there is no procedure {name!r}", hint=f"procedures: {there}")
        return Procedure(self, signature)

    def call(self, signature: Signature, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a procedure with Python values."""
        if not self._started:
            with np.errstate(all="ignore"):
                self._module.__dict__["initialise"]()
            self._started = True
        bound = bind_arguments(signature, positional, named)
        function = self._module.__dict__[signature.function]
        try:
            with np.errstate(all="ignore"):
                given = getattr(self.device, "given", self.device.writes)
                given(*(b for b in bound.values if b is not None))
                value = function(*bound.values)
                self.device.finish()
                self._raise_failure()
        except PolystencilError as error:
            raise self._located(error) from None
        return results_of(signature, bound, value)

    @contextlib.contextmanager
    def resident(self, *arrays: Any) -> Iterator[None]:
        """Within `with exe.resident(u, v):` these NumPy arrays stay on the device between calls.

        They are uploaded once, their values on the host are stale, and they are up to date again at the end.
        """
        hold = getattr(self.device, "hold", None)
        if hold is None:
            yield
            return
        hold(arrays)
        try:
            yield
        finally:
            self.device.release(arrays)

    def _raise_failure(self) -> None:
        """The error that a kernel noted, if one did; all launches are done and their results are here."""
        if self._failed is None or not self._failed[()]:
            return
        span, line = self.generated.failures[int(self._failed[()]) - 1]
        self.device.writes(self._failed)
        self._failed[()] = 0
        raise FortranRuntimeError("integer division by zero", span, line)

    def _located(self, error: PolystencilError) -> PolystencilError:
        """The error at the place in the Fortran source that the host program was at."""
        if error.span is not None or not isinstance(error, PolystencilError):
            return error
        found: tuple[Span, str] | None = None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file and trace.tb_lineno in self._places:
                found = self._places[trace.tb_lineno]
            trace = trace.tb_next
        if found is None:
            return error
        return (
            type(error)(error.message, found[0], found[1], error.hint)
            if type(error).__init__ is PolystencilError.__init__
            else (FortranRuntimeError(error.message, found[0], found[1], error.hint))
        )

    def __repr__(self) -> str:
        names = ", ".join(sorted(self._signatures)) or "none"
        return f"<Executable: {len(self.kernels)} kernels on {self.device.name}; procedures: {names}>"


class Procedure:
    """One procedure of an executable, callable."""

    def __init__(self, executable: Executable, signature: Signature) -> None:
        self._executable, self.signature = executable, signature
        self.__name__ = signature.name
        self.__doc__ = f"{signature.kind} {signature.name}({', '.join(p.name for p in signature.parameters)})"

    def __call__(self, *positional: Any, **named: Any) -> Any:
        return self._executable.call(self.signature, positional, named)
