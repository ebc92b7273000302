"""Kernels on a CPU that call the C library's own math functions, so that results equal gfortran's to the last bit.

An OpenCL compiler cannot link against the host's libm, but a CPU device runs in the same process: the address comes
in as a parameter and is called through a few lines of assembler that follow the System V calling convention.
Only `--fp strict` on x86-64 CPU devices uses this.
"""

from __future__ import annotations

PREAMBLE = """\
#ifdef __AVX512F__
#define PS_CLOBBERED_512 "zmm16","zmm17","zmm18","zmm19","zmm20","zmm21","zmm22","zmm23","zmm24","zmm25","zmm26",\\
  "zmm27","zmm28","zmm29","zmm30","zmm31","k1","k2","k3","k4","k5","k6","k7",
#else
#define PS_CLOBBERED_512
#endif
#define PS_CLOBBERED PS_CLOBBERED_512 "rbx","rcx","rdx","r8","r9","r10","r11","xmm2","xmm3","xmm4","xmm5","xmm6",\\
  "xmm7","xmm8","xmm9","xmm10","xmm11","xmm12","xmm13","xmm14","xmm15","memory","cc"
static ulong ps_call(ulong f, ulong x, ulong y) {
  ulong r = f;
  __asm__ volatile("movq %1,%%xmm0\\n\\tmovq %2,%%xmm1\\n\\tmovq %%rsp,%%rbx\\n\\t"
    "subq $256,%%rsp\\n\\tandq $-64,%%rsp\\n\\tcallq *%%rax\\n\\tmovq %%rbx,%%rsp\\n\\tmovq %%xmm0,%%rax"
    : "+a"(r), "+D"(x), "+S"(y) : : "xmm0", "xmm1", PS_CLOBBERED);
  return r;
}
static double ps_libm_r8(ulong f, double x, double y) { return as_double(ps_call(f, as_ulong(x), as_ulong(y))); }
static float ps_libm_r4(ulong f, float x, float y) { return as_float((uint)ps_call(f, as_uint(x), as_uint(y))); }
"""

LIBM_NAMES = {
    "exp": "exp", "log": "log", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin",
    "acos": "acos", "atan": "atan", "atan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "gamma": "tgamma", "log_gamma": "lgamma", "erf": "erf",
    "erfc": "erfc", "hypot": "hypot", "pow": "pow",
}  # fmt: skip
