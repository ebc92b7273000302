"""The text of kernels: order of evaluation, integer rules, constants, mapping."""

from __future__ import annotations

import re
from collections.abc import Callable

from polystencil.codegen.c_literals import literal
from polystencil.codegen.generated import GeneratedProgram
from polystencil.ir.types import DOUBLE, INTEGER, INTEGER8, REAL

Make = Callable[..., GeneratedProgram]

LOOP = """
subroutine s(a, b, c, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(n), b(n), c(n)
  integer :: i
  do concurrent (i = 1:n)
    a(i) = {value}
  end do
end subroutine
"""


def _value(make: Make, value: str) -> str:
    source = make(LOOP.format(value=value), fp="strict").kernels[0].source
    found = re.search(r"\ba\[[^\]]*\] = (.*);", source)
    assert found is not None
    return re.sub(r"\w+_off \+ i", "i", found.group(1))


def test_parentheses_stay_as_written(generated: Make) -> None:
    assert _value(generated, "b(i) + (c(i) + a(i))") == "b[i] + (c[i] + a[i])"
    assert _value(generated, "b(i) - (c(i) - a(i))*b(i)/c(i)") == "b[i] - (c[i] - a[i]) * b[i] / c[i]"
    assert _value(generated, "(b(i) + c(i)) + (a(i) + b(i))") == "(b[i] + c[i]) + (a[i] + b[i])"
    assert _value(generated, "b(i)/(c(i)*a(i))") == "b[i] / (c[i] * a[i])"


def test_real_constants_are_single_where_the_program_says_so(generated: Make) -> None:
    assert _value(generated, "0.1*b(i)") == "0.100000001f * b[i]"
    assert _value(generated, "real(0.1d0*b(i))") == "(float)(0.1 * (double)b[i])"


def test_literals_are_exact() -> None:
    assert float(literal(1 / 3, DOUBLE)) == 1 / 3
    assert literal(-2147483648, INTEGER) == "(-2147483647 - 1)"
    assert literal(5, INTEGER8) == "5L"
    assert literal(-1.0, REAL) == "(-1.0f)"
    assert "INFINITY" in literal(float("inf"), REAL)


def test_integer_products_wrap_instead_of_being_undefined(generated: Make) -> None:
    text = LOOP.format(value="real(n*n)")
    assert "ps_mul_i4(n, n)" in generated(text).kernels[0].source


def test_names_of_opencl_functions_are_no_names_of_variables(generated: Make) -> None:
    text = (
        "subroutine step(mix, sign)\n real, intent(inout) :: mix(10)\n real, intent(in) :: sign\n integer :: i\n"
        " do concurrent (i = 1:10)\n mix(i) = sign\n end do\nend subroutine\n"
    )
    kernel = generated(text).kernels[0]
    assert kernel.name == "k1_step"
    assert "mix_[" in kernel.source
    assert "sign_" in kernel.source


def test_the_contiguous_index_is_the_first_of_the_grid(generated: Make) -> None:
    text = """
subroutine s(a, n, m)
  integer, intent(in) :: n, m
  real, intent(inout) :: a(n, m)
  integer :: i, j
  do concurrent (i = 1:n, j = 1:m)
    a(i, j) = i + 100*j
  end do
end subroutine
"""
    source = generated(text).kernels[0].source
    assert re.search(r"const int i = x \+ 1;", source)
    assert re.search(r"const int j = y \+ 1;", source)


def test_sizes_known_at_compile_time_are_in_the_text(generated: Make) -> None:
    text = """
program p
  real :: a(0:9, 20)
  integer :: i, j
  do concurrent (j = 1:20, i = 0:9)
    a(i, j) = 1.0
  end do
  print *, a(3, 4)
end program
"""
    kernel = generated(text).kernels[0]
    assert "a[i + 10 * j - 10]" in kernel.source
    assert {p.kind for p in kernel.parameters} == {"pointer", "range"}


def test_aliased_arrays_are_not_restrict(generated: Make) -> None:
    text = """
subroutine s(a, p, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  real, pointer, intent(in) :: p(:)
  integer :: i
  do concurrent (i = 1:n)
    a(i) = p(i)
  end do
end subroutine
"""
    source = generated(text).kernels[0].source
    assert "*restrict a" in source
    assert re.search(r"const float \*p\b", source)


def test_a_long_variant_differs_in_the_index_type_alone(generated: Make) -> None:
    kernel = generated(LOOP.format(value="b(i)")).kernels[0]
    assert "typedef int index_t;" in kernel.text()
    assert kernel.text(long=True) == kernel.text().replace("typedef int index_t;", "typedef long index_t;")
    assert "#define n0 (7)" in kernel.text((("n0", 7),))


def test_cuda_text_has_the_same_body(generated: Make) -> None:
    opencl = generated(LOOP.format(value="b(i) + exp(c(i))"), fp="contract").kernels[0].source
    cuda = generated(LOOP.format(value="b(i) + exp(c(i))"), fp="contract", target="cuda").kernels[0].source
    assert "threadIdx" in cuda
    assert "__global__" in cuda
    assert "+ exp(c[" in opencl
    assert "+ expf(c[" in cuda
