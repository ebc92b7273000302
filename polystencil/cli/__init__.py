"""The command line `polystencil`."""

from polystencil.cli.main import main

__all__ = ["main"]
