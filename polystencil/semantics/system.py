"""What a program asks of its surroundings: arguments, clocks, random numbers, environment, stop."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError, FortranStop


@dataclass
class Surroundings:
    """The state of one run that intrinsics see: command name, arguments, random generator."""

    command: str = "program"
    arguments: tuple[str, ...] = ()
    random: np.random.Generator = field(default_factory=lambda: np.random.Generator(np.random.PCG64(20240229)))


CURRENT = Surroundings()


def start_run(arguments: tuple[str, ...] = (), command: str = "program") -> None:
    """Reset the surroundings for a new run of a program."""
    CURRENT.command, CURRENT.arguments = command, tuple(arguments)
    CURRENT.random = np.random.Generator(np.random.PCG64(20240229))


def command_argument_count() -> np.int32:
    return np.int32(len(CURRENT.arguments))


def command_argument(number: Any) -> tuple[bytes, int]:
    """Argument `number` (0: the command) and the status that get_command_argument gives."""
    n = int(number)
    if n == 0:
        return CURRENT.command.encode(), 0
    if 1 <= n <= len(CURRENT.arguments):
        return CURRENT.arguments[n - 1].encode(), 0
    return b"", 42


def whole_command() -> bytes:
    return " ".join((CURRENT.command, *CURRENT.arguments)).encode()


def environment_variable(name: bytes) -> tuple[bytes, int]:
    """Value and status (1 when there is none)."""
    value = os.environ.get(name.rstrip(b" ").decode(errors="replace"))
    return (b"", 1) if value is None else (value.encode(), 0)


def system_clock(dtype: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """count, count_rate and count_max for integers of this kind: milliseconds, or nanoseconds for 8 bytes."""
    rate = 1_000_000_000 if dtype.itemsize >= 8 else 1000
    most = np.iinfo(dtype).max
    count = time.monotonic_ns() * rate // 1_000_000_000 % (int(most) + 1)
    return dtype.type(count), dtype.type(min(rate, most)), dtype.type(most)


def cpu_time() -> float:
    return time.process_time()


def date_and_time() -> tuple[bytes, bytes, bytes, np.ndarray[Any, Any]]:
    """date, time, zone and values."""
    now = time.time()
    t = time.localtime(now)
    ms = int(now * 1000) % 1000
    offset = t.tm_gmtoff // 60
    zone = f"{'+' if offset >= 0 else '-'}{abs(offset) // 60:02}{abs(offset) % 60:02}"
    values = np.array([t.tm_year, t.tm_mon, t.tm_mday, offset, t.tm_hour, t.tm_min, t.tm_sec, ms], np.int32)
    return time.strftime("%Y%m%d", t).encode(), f"{time.strftime('%H%M%S', t)}.{ms:03}".encode(), zone.encode(), values


def random_number(target: np.ndarray[Any, Any]) -> None:
    """Fill storage with numbers in [0, 1), in element order; the sequence is our own, not gfortran's."""
    values = CURRENT.random.random(target.size, dtype=np.float32 if target.dtype == np.float32 else np.float64)
    target[...] = values.reshape(target.shape, order="F")


RANDOM_SEED_SIZE = 8  # the state and the increment of the generator, 128 bits each, as default integers


def random_seed(put: Any = None) -> None:
    """Start the sequence anew, or go on from a state that random_seed(get=) gave (any numbers will do)."""
    CURRENT.random = np.random.Generator(np.random.PCG64(20240229))
    if put is None:
        return
    words = [int(v) & 0xFFFFFFFF for v in np.asarray(put).ravel()] + [0] * RANDOM_SEED_SIZE
    numbers = [sum(word << (32 * k) for k, word in enumerate(words[i : i + 4])) for i in (0, 4)]
    CURRENT.random.bit_generator.state = {
        "bit_generator": "PCG64", "state": {"state": numbers[0], "inc": numbers[1] | 1}, "has_uint32": 0, "uinteger": 0,
    }  # fmt: skip


def random_seed_state() -> np.ndarray[Any, Any]:
    """What random_seed(get=) gives: the state of the sequence."""
    state: Any = CURRENT.random.bit_generator.state["state"]
    words = [(state[name] >> (32 * k)) & 0xFFFFFFFF for name in ("state", "inc") for k in range(4)]
    return np.array(words, np.uint32).view(np.int32)


def stop(code: Any = None, error: bool = False, quiet: bool = False) -> None:
    """stop and error stop: always raises FortranStop with gfortran's exit status and text."""
    word = "ERROR STOP" if error else "STOP"
    if code is None:
        raise FortranStop(1 if error else 0, "ERROR STOP" if error and not quiet else "")
    if isinstance(code, bytes):
        text = code.decode(errors="replace")
        raise FortranStop(1 if error else 0, "" if quiet else f"{word} {text}")
    number = int(code)
    raise FortranStop(number & 255, "" if quiet else f"{word} {number}")


def refuse_command() -> None:
    raise FortranRuntimeError("execute_command_line is refused: a program may not run other programs")
