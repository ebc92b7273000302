"""Code generation: a program becomes Loopy kernels and a readable Python host program."""

from polystencil.codegen.generate import generate
from polystencil.codegen.generated import GeneratedProgram
from polystencil.codegen.kernel import Kernel

__all__ = ["GeneratedProgram", "Kernel", "generate"]
