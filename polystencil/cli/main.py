"""The command line: run, compile, explain, show, check, devices.

Exit status: 0 done; the program's own stop code; 2 for a wrong command line or source that is invalid or not
supported, with one located message on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from polystencil.cli.commands import COMMANDS
from polystencil.errors import FortranStop, PolystencilError, UsageError
from polystencil.options import Options, options_from_environment, transforms_from_text

DESCRIPTION = "Fortran stencil programs: proven transformations, Loopy kernels, OpenCL and CUDA."
STAGES = ("source", "inline", "parallelize", "fuse", "skew", "split", "unroll")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `--help` of each command comes from it."""
    top = argparse.ArgumentParser(prog="polystencil", description=DESCRIPTION)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = _command(commands, "run", "compile and run the main program; prints what the Fortran program prints")
    run.add_argument("--time", action="store_true", help="print how long parsing, compiling, running, kernels took")
    run.add_argument("--report", metavar="FILE.json", help="write remarks, choices at run time, launches and times")
    out = _command(commands, "compile", "write kernels, a self-contained host module and a report")
    out.add_argument("-o", dest="output", metavar="DIR", required=True, help="the directory to write to")
    out.add_argument("--procedure", metavar="NAME", help="only this procedure and what it calls")
    out.add_argument("--openmp", action="store_true", help="with --target fortran: directives on parallel loops")
    explain = _command(commands, "explain", "every loop, every pass: what was done or not, and why, with witnesses")
    explain.add_argument("--json", action="store_true", help="the remarks as JSON (version 1)")
    show = _command(commands, "show", "the program as Fortran after a stage")
    show.add_argument("--after", choices=STAGES, default="source", metavar="STAGE", help=", ".join(STAGES))
    _command(commands, "check", "interpreter against the transformed program on every target at hand")
    devices = commands.add_parser("devices", help="what can run here, and how to get what cannot")
    devices.set_defaults(files=[])
    return top


def _command(commands: argparse._SubParsersAction, name: str, help: str) -> argparse.ArgumentParser:  # type: ignore[type-arg]  # argparse names no public type
    p: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    p.add_argument("files", nargs="+", metavar="FILE", help="Fortran sources of one program, in any order")
    p.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro")
    p.add_argument("-I", dest="include_dirs", action="append", default=[], metavar="DIR", help="look for includes here")
    p.add_argument("--target", choices=("opencl", "cuda", "cuda_cpu", "interpreter", "fortran"), default="opencl")
    p.add_argument("--transforms", default="all", metavar="LIST", help="all, none, or of fuse,swap,split,jam,skew,unroll")
    p.add_argument("--fp", choices=("strict", "contract", "fast"), default="contract", help="floating-point rules")
    p.add_argument("--cache-bytes", type=int, metavar="N", help="size of the last-level cache; asked from the device")
    p.add_argument("--cores", type=int, metavar="N", help="cores that share the rows of a skewed loop; 0: none, bands")
    p.add_argument("--split-min-iterations", type=int, metavar="N", help="split nests of at least N iterations")
    p.add_argument("--device", metavar="NAME", help="part of the name of an OpenCL platform or device")
    p.add_argument("--no-parallelize", action="store_true", help="keep plain do nests in order")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    program_arguments: list[str] = []
    if "--" in given:
        cut = given.index("--")
        given, program_arguments = given[:cut], given[cut + 1 :]
    arguments = parser().parse_args(given)
    arguments.program_arguments = program_arguments
    try:
        return COMMANDS[arguments.command](arguments, _options(arguments))
    except FortranStop as stop:
        if stop.text:
            print(stop.text, file=sys.stderr)
        return stop.code
    except PolystencilError as error:
        sys.stdout.flush()
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


def _options(arguments: argparse.Namespace) -> Options:
    if arguments.command == "devices":
        return Options()
    if arguments.cache_bytes is not None and arguments.cache_bytes <= 0:
        raise UsageError("--cache-bytes takes a positive number of bytes")
    if arguments.cores is not None and arguments.cores < 0:
        raise UsageError("--cores takes a number of cores, or 0")
    return options_from_environment(
        Options(
            target=arguments.target if arguments.target != "fortran" else "opencl",
            transforms=transforms_from_text(arguments.transforms),
            fp=arguments.fp,
            device=arguments.device,
            cache_bytes=arguments.cache_bytes,
            cores=arguments.cores,
            split_min_iterations=arguments.split_min_iterations,
            parallelize=not arguments.no_parallelize,
            timed=getattr(arguments, "time", False) or getattr(arguments, "report", None) is not None,
        )
    )


if __name__ == "__main__":
    sys.exit(main())
