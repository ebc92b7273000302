"""Fail where a Python file has more than 600 lines; name those over 300, which need a reason in their docstring."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIMIT, WORTH_A_LOOK = 600, 300


def main() -> int:
    """The exit status: 1 where a file is too long."""
    listed = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True).stdout
    sizes = {name: len(Path(name).read_text(encoding="utf-8").splitlines()) for name in listed.split()}
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size > WORTH_A_LOOK:
            print(f"{size:5d} {name}" + ("  TOO LONG" if size > LIMIT else ""))
    return int(any(size > LIMIT for size in sizes.values()))


if __name__ == "__main__":
    sys.exit(main())
