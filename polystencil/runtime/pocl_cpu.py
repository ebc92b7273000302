"""Makes PoCL's wheel build kernels on CPUs that its LLVM 14 does not know.

PoCL asks LLVM for the host CPU's name and hands it to the compiler. LLVM 14 answers "generic" for CPUs that came after
it, and then every build fails with `unknown target CPU 'generic'`. `pocl_get_llvm_cpu_name` is therefore replaced in
memory, in this process only, by a few instructions that return a copy of a name that LLVM 14 knows and whose
instruction set this CPU has. `POCL_LLVM_CPU_NAME` would be the documented way, but this build does not read it there.
Nothing is changed where PoCL already knows the CPU, on other systems than Linux x86-64, or where anything unexpected
is found.
"""

from __future__ import annotations

import ctypes
import platform

_KEEP: list[object] = []


_ICE_LAKE = {"avx512vbmi", "avx512_vbmi2", "avx512_vnni", "avx512_bitalg", "avx512_vpopcntdq", "avx512ifma", "gfni",
             "vaes", "vpclmulqdq", "sha_ni"}  # fmt: skip


def vector_options() -> list[str]:
    """Build options that tell kernels the width of vectors that pays: 512 bits from Ice Lake and Zen 4 on."""
    return [f"-DPS_VECTOR_BITS={512 if cpu_name_for(cpu_flags()) == 'icelake-server' else 256}"]


def cpu_name_for(flags: frozenset[str]) -> str:
    """A CPU that LLVM 14 knows and whose instructions are all among `flags`."""
    wide = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    if wide | _ICE_LAKE <= flags:
        return "icelake-server"
    if flags & {"sse4a"} and {"avx2", "fma", "vaes", "vpclmulqdq"} <= flags:
        return "znver3"
    if wide <= flags:
        return "skylake-avx512"
    if {"avx2", "fma", "bmi2", "movbe"} <= flags:
        return "haswell"
    return "x86-64"


def cpu_flags() -> frozenset[str]:
    """The CPU's features as Linux names them."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
            for line in f:
                if line.startswith("flags"):
                    return frozenset(line.split(":", 1)[1].split())
    except OSError:
        pass
    return frozenset()


def _pocl_library() -> str | None:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
            for line in f:
                if "libpocl" in line and ".so" in line:
                    return line.split()[-1]
    except OSError:
        pass
    return None


def teach_pocl_this_cpu() -> str | None:
    """Apply the replacement where it is needed; the name that is now answered, or None."""
    if platform.system() != "Linux" or platform.machine() != "x86_64" or _KEEP:
        return None
    path = _pocl_library()
    if path is None:
        return None
    try:
        function = ctypes.CDLL(path).pocl_get_llvm_cpu_name
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.c_char_p
    if function() != b"generic":
        return None
    name = cpu_name_for(cpu_flags())
    text = ctypes.create_string_buffer(name.encode())
    libc = ctypes.CDLL(None)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    duplicate = ctypes.cast(libc.strdup, ctypes.c_void_p).value or 0
    # mov rdi, text; mov rax, strdup; jmp rax: PoCL frees what it gets
    code = (
        b"\x48\xbf"
        + ctypes.addressof(text).to_bytes(8, "little")
        + b"\x48\xb8"
        + duplicate.to_bytes(8, "little")
        + b"\xff\xe0"
    )
    page = address & ~4095
    read_write_execute, read_execute = 7, 5
    if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(8192), read_write_execute) != 0:
        return None
    ctypes.memmove(address, code, len(code))
    libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(8192), read_execute)
    _KEEP.append(text)
    return name
