"""Fortran input and output: formats, list-directed, namelist, internal and external units, as gfortran prints them."""
