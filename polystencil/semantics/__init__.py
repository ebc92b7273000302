"""What Fortran values, intrinsics and input/output are, on NumPy; shared by the interpreter and generated programs."""
