"""`python -m polystencil` is the command line."""

import sys

from polystencil.cli import main

if __name__ == "__main__":
    sys.exit(main())
