# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work with IREE, whose compiler takes our kernels, and whose runtime runs them.

roller iree compile model.onnx -o model.vmfb --target h200     a model, with our kernels and IREE's
roller iree spec model.onnx -o spec.mlir --target mi300x       our tiles, for plain iree-compile
roller iree wrap mlp.roller -o mlp.vmfb                        an artifact as a module
roller iree run mlp.vmfb --on sim --random --check             a module, without a device
`roller iree COMMAND --help` documents a command; docs/iree.md tells the whole.
"""

import argparse
from importlib import import_module

# Sub-command to (module, summary).
COMMANDS = {
    "compile": ("roller_mlir.tools.commands.iree.compile", "compile a model, our kernels inside"),
    "run": ("roller_mlir.tools.commands.iree.run", "run a module of IREE, and check what it gives"),
    "spec": ("roller_mlir.tools.commands.iree.spec", "write our tiles for plain iree-compile"),
    "wrap": ("roller_mlir.tools.commands.iree.wrap", "put an artifact into a program of IREE"),
    "cmake-dir": ("roller_mlir.tools.commands.iree.cmake_dir", "print where CMake finds the package Roller"),
}
# What stands behind -- on their command line goes to a tool of IREE, as it is: `arguments.passed_on`.
PASSING_ON = {"compile": "iree-compile", "run": "iree-run-module", "spec": "iree-compile"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a parser for each command, with the arguments of its own."""
    from roller_mlir.console.colour import add_colour_argument

    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="action", required=True)
    for name, (module_name, summary) in COMMANDS.items():
        module = import_module(module_name)
        sub = commands.add_parser(
            name,
            help=summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(sub)
        add_colour_argument(sub, argparse.SUPPRESS)
        sub.set_defaults(run_action=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.console.errors import UsageError

    if arguments.passed_on and arguments.action not in PASSING_ON:
        raise UsageError(
            f"roller iree {arguments.action} passes nothing on, but got '{arguments.passed_on[0]}' behind --"
        )
    for word in arguments.passed_on:
        if word == "-h" or word.lstrip("-").startswith(("help", "version")):
            tool = PASSING_ON[arguments.action]
            raise UsageError(
                f"what stands behind -- goes to {tool}, which is not asked for '{word}'; run: {tool} {word}"
            )
    code: int = arguments.run_action(arguments)
    return code
