"""The reference interpreter: runs an IR program sequentially, with exact Fortran semantics.

>>> run_program(program)                    # doctest: +SKIP
>>> call_procedure(program, "m.step", (u, unew, 10))   # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError, FortranStop, UsageError
from polystencil.ir.interpreter.machine import Machine, ParallelOrder
from polystencil.ir.interpreter.operators import value_of
from polystencil.ir.program import Program
from polystencil.ir.types import Intrinsic
from polystencil.semantics import system
from polystencil.semantics.association import content
from polystencil.semantics.io.units import Units
from polystencil.semantics.values import Allocatable, Array, Pointer, storage_of

_RECURSION = 100_000  # Python frames: a Fortran call takes about ten


def run_program(
    program: Program, *, arguments: Sequence[str] = (), stdout: Any = None, stdin: Any = None, stderr: Any = None,
    parallel_order: ParallelOrder = "forward", seed: int = 0, fuse: bool = True,
) -> int:  # fmt: skip
    """Run the main program and give its exit status: 0, the stop code, or 2 after a run-time error.

    `parallel_order` is the order in which the iterations of parallel loops run; `seed` is for the random one.
    `fuse=False` leaves the speed of fused expressions away (the result is the same).
    """
    if program.main is None:
        raise UsageError("there is no main program to run")
    system.start_run(tuple(arguments), program.main.name)
    units = Units(stdin, stdout, stderr)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
    code, text = 0, ""
    with np.errstate(all="ignore"):
        try:
            machine = Machine(program, units, parallel_order, seed, fuse)
            machine.routine(program.main.id).invoke(None, [])
        except FortranStop as stop:
            code, text = stop.code, stop.text
        except FortranRuntimeError as error:
            code, text = 2, f"{error}\nrun-time error: the program was stopped"
        except RecursionError:
            code, text = 2, "run-time error: procedures call each other too deep"
        finally:
            units.finish()
    if text:
        print(text, file=stderr if stderr is not None else sys.stderr)
    return code


class Interpreter:
    """A program whose procedures can be called from Python; module and saved variables live as long as it does."""

    def __init__(
        self, program: Program, *, parallel_order: ParallelOrder = "forward", seed: int = 0, stdout: Any = None
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        with np.errstate(all="ignore"):
            self.machine = Machine(program, Units(None, stdout, None), parallel_order, seed)

    def call(self, id: str, arguments: Sequence[Any]) -> Any:
        """Call one procedure with Python values: NumPy arrays are updated in place; gives a function's value.

        Scalars that the procedure writes are seen by the caller when they are passed as 0-d arrays.
        """
        if id not in self.machine.table.procedures:
            raise UsageError(f"there is no procedure '{id}'")
        routine = self.machine.routine(id)
        if len(arguments) != len(routine.dummies):
            raise UsageError(f"procedure '{id}' takes {len(routine.dummies)} arguments, {len(arguments)} are given")
        with np.errstate(all="ignore"):
            actuals = [_as_actual(value, d) for value, d in zip(arguments, routine.dummies, strict=True)]
            result = routine.invoke(None, actuals)
            self.machine.units.flush()
        if isinstance(result, (Allocatable, Pointer)):
            result = content(result, "the function result")
        return None if result is None else value_of(result)


def call_procedure(
    program: Program, id: str, arguments: Sequence[Any], *, parallel_order: ParallelOrder = "forward", seed: int = 0,
    stdout: Any = None,
) -> Any:  # fmt: skip
    """One call in a program whose variables have their initial values, see `Interpreter.call`."""
    return Interpreter(program, parallel_order=parallel_order, seed=seed, stdout=stdout).call(id, arguments)


def _as_actual(value: Any, dummy: Any) -> Any:
    """A Python value as the storage that a dummy argument takes."""
    if value is None or isinstance(value, (Array, Allocatable, Pointer)):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        array = Array(value, (1,) * value.ndim)
        return Allocatable(array) if "allocatable" in dummy.attributes else array
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, (np.ndarray, bytes)) or hasattr(value, "fields"):
        return storage_of(value) if isinstance(value, bytes) else value
    if isinstance(dummy.type, Intrinsic):
        from polystencil.semantics.values import dtype_of

        return np.array(value, dtype_of(dummy.type.base, dummy.type.kind))
    return storage_of(value)


__all__ = ["Interpreter", "Machine", "ParallelOrder", "call_procedure", "run_program"]
