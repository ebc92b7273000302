"""Writes docs/fortran.md: what of the language is supported, from the programs in tests/survey.

    python docs/make_fortran_table.py

Each program runs in the reference interpreter and on OpenCL, and its output is compared with gfortran's.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from polystencil import door
from polystencil.errors import PolystencilError

ROOT = Path(__file__).resolve().parents[1]
TITLE = """# Fortran that polystencil holds

Written by `docs/make_fortran_table.py` from the programs in `tests/survey`, one construct each, beside the acceptance
programs in `tests/cases`. *supported*: the interpreter and the OpenCL target print what gfortran prints. *refused*: a
located message says so, nothing runs. *wrong* would be a defect.

| construct | program | result | message |
| --- | --- | --- | --- |
"""


def oracle(path: Path) -> tuple[str, int] | None:
    """What gfortran's program prints and its exit status; None where gfortran does not compile it."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-O0", "-ffp-contract=off", "-fcoarray=single", "-w", "-J", folder]
        built = subprocess.run(["gfortran", *flags, str(path), "-o", f"{folder}/x"], capture_output=True, text=True)
        if built.returncode:
            return None
        ran = subprocess.run([f"{folder}/x"], capture_output=True, text=True, timeout=20)
        return ran.stdout, ran.returncode


def outcome(path: Path) -> tuple[str, str]:
    """(supported | refused | wrong | no oracle, message) of one program."""
    wanted = oracle(path)
    try:
        program = door.parse(path)
        results = []
        out = io.StringIO()
        from polystencil import pipeline

        code = pipeline.interpret(program, (), out)
        results.append((out.getvalue(), code))
        out = io.StringIO()
        code = door.compile(program).run((), stdout=out)
        results.append((out.getvalue(), code))
    except PolystencilError as error:
        return "refused", error.message.splitlines()[0]
    if wanted is None:
        return ("supported (gfortran 12 does not compile it)" if results[0] == results[1] else "wrong"), ""
    return ("supported", "") if all(r == wanted for r in results) else ("wrong", str(results)[:80])


def main() -> int:
    """Write the table; exit status 1 where a program is wrong."""
    rows, wrong = [], 0
    for path in sorted((ROOT / "tests" / "survey").glob("*.f90")):
        result, message = outcome(path)
        wrong += result == "wrong"
        name = path.stem.split("_", 1)[1].replace("_", " ")
        rows.append(f"| {name} | {path.name} | {result} | {message} |")
        print(path.stem, result, message)
    counts = {k: sum(f"| {k}" in r for r in rows) for k in ("supported", "refused", "wrong")}
    total = f"\n{len(rows)} programs: " + ", ".join(f"{n} {k}" for k, n in counts.items()) + ".\n"
    (ROOT / "docs" / "fortran.md").write_text(TITLE + "\n".join(rows) + "\n" + total, encoding="utf-8")
    print(total)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
