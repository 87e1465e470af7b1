# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller`: compile a function of linalg ops for a device, run it, look at the devices.

Exit codes: 0 done, 1 an error in what was given (printed with its place) or a result that does not match, 2 wrong
usage, 70 a bug of ours (with a reproducer), 130 interrupted. What reads programs or runs kernels works in a child.
"""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from roller_mlir.tools.console.commands import Command, add_commands
from roller_mlir.tools.console.interrupt import interruptible

if TYPE_CHECKING:
    import argparse

# A command is imported when its name is on the command line, or for the manual.
COMMANDS = {
    "compile": Command(
        "roller_mlir.tools.commands.compile.command",
        "compile a .mlir file into an artifact, or show a stage of it",
        in_child=True,
    ),
    "import": Command(
        "roller_mlir.tools.commands.import_model",
        "bring a model of ONNX, StableHLO or TOSA to linalg, as .mlir",
        in_child=True,
    ),
    "run": Command(
        "roller_mlir.tools.commands.run.command",
        "run an artifact or a .mlir file, check it against numpy, count transactions",
        in_child=True,
    ),
    "simulate": Command(
        "roller_mlir.tools.commands.simulate", "run a program whose CUDA or HIP device is the simulator"
    ),
    "iree": Command(
        "roller_mlir.tools.commands.iree.command",
        "put artifacts into programs of IREE",
        in_child=True,
        passes_on_to="a tool of IREE",
    ),
    "explain": Command(
        "roller_mlir.tools.commands.explain", "show how an operator is planned, and why so", in_child=True
    ),
    "timeline": Command(
        "roller_mlir.tools.commands.timeline", "show when a persistent kernel's blocks run which task", in_child=True
    ),
    "suite": Command("roller_mlir.tools.commands.suite.command", "run the operators of a suite through a stage"),
    "tune": Command(
        "roller_mlir.tools.commands.tune.command", "measure the best plans of each operator, and keep the fastest"
    ),
    "train": Command(
        "roller_mlir.tools.commands.train", "train residuals, which correct predictions by what was measured"
    ),
    "fuzz": Command("roller_mlir.tools.commands.fuzz", "compile, run and check random programs"),
    "report": Command("roller_mlir.tools.commands.report", "make a report of what was measured with a kit"),
    "cache": Command("roller_mlir.tools.commands.cache", "look at the cache of compiled functions, or empty it"),
    "completion": Command(
        "roller_mlir.tools.commands.completion", "print what completes commands and flags in a shell"
    ),
    "devices": Command("roller_mlir.tools.commands.devices", "list the devices, or all that is known of one"),
}

_EPILOG = """exit codes: 0 done; 1 an error in the input, or a result that does not match; 2 wrong usage;
70 a bug of ours; 130 interrupted. `roller COMMAND --help` documents a command."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; everything else is imported inside, where an interrupt is no traceback.

    Args:
        argv: Arguments without the program's name; `sys.argv` by default.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)

    def work(ready: Callable[[], object] = lambda: None) -> int:
        return interruptible("roller", lambda: _main(arguments), whole_process=argv is None, ready=ready)

    if argv is None and arguments and arguments[0] in COMMANDS and COMMANDS[arguments[0]].in_child:
        from roller_mlir.tools.console.child import in_child

        return in_child("roller", work)
    return work()


def _main(arguments: list[str]) -> int:
    import argparse
    import io
    from contextlib import redirect_stdout

    from roller_mlir import __version__
    from roller_mlir.tools.console.errors import plain_record, run_guarded
    from roller_mlir.tools.console.output import print_json, print_line

    parser = argparse.ArgumentParser(
        prog="roller",
        description="linalg on tensors in, GPU binaries out: planned by construction, checked in a simulator.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"roller {__version__}")
    chosen = next((argument for argument in arguments if not argument.startswith("-")), "")
    used = add_commands(parser, COMMANDS, chosen=chosen).get(chosen, parser)
    passes_on = chosen in COMMANDS and COMMANDS[chosen].passes_on_to is not None
    end = arguments.index("--") if passes_on and "--" in arguments else len(arguments)
    manual = io.StringIO()  # argparse itself would say nothing where standard output cannot be written
    try:
        with redirect_stdout(manual):
            parsed, unknown = parser.parse_known_args(arguments[:end])
            if unknown:
                used.error(_unknown(unknown, used))
    except SystemExit as exit_request:
        code = exit_request.code if isinstance(exit_request.code, int) else 2

        def show(_: argparse.Namespace) -> int:
            if manual.getvalue():
                print_line(manual.getvalue().rstrip("\n"))
            elif code and "--json" in arguments:  # what is wrong stands on standard error, with the usage
                print_json([plain_record("wrong usage")])
            return code

        return run_guarded(show, argparse.Namespace())
    parsed.command_line, parsed.passed_on = arguments, arguments[end + 1 :]
    return run_guarded(COMMANDS[parsed.command].load().run, parsed)


def _unknown(words: Sequence[str], parser: "argparse.ArgumentParser") -> str:
    """Return what argparse says of unknown arguments, with the nearest flag that the command has."""
    from difflib import get_close_matches

    from roller_mlir.tools.console.arguments import actions_of

    flags = [flag for action in actions_of(parser) for flag in action.option_strings]
    typed = next((word for word in words if word.startswith("-")), "")
    near = get_close_matches(typed.partition("=")[0], flags, 1)
    return f"unrecognized arguments: {' '.join(words)}" + (f"; did you mean '{near[0]}'?" if near else "")


if __name__ == "__main__":
    sys.exit(main())
