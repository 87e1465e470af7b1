# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work with IREE, whose compiler takes our kernels, and whose runtime runs them.

roller iree compile model.onnx -o model.vmfb --target h200     a model, with our kernels and IREE's
roller iree spec model.onnx -o spec.mlir --target mi300x       our tiles, for plain iree-compile
roller iree wrap mlp.roller -o mlp.vmfb                        an artifact as a module
roller iree run mlp.vmfb --on sim --random --check             a module, without a device
`roller iree COMMAND --help` documents a command; docs/iree.md tells the whole.
"""

import argparse

from roller_mlir.tools.console.commands import Command, add_commands
from roller_mlir.tools.console.errors import UsageError

COMMANDS = {
    "compile": Command(
        "roller_mlir.tools.commands.iree.compile", "compile a model, our kernels inside", passes_on_to="iree-compile"
    ),
    "run": Command(
        "roller_mlir.tools.commands.iree.run",
        "run a module of IREE, and check what it gives",
        passes_on_to="iree-run-module",
    ),
    "spec": Command(
        "roller_mlir.tools.commands.iree.spec", "write our tiles for plain iree-compile", passes_on_to="iree-compile"
    ),
    "wrap": Command("roller_mlir.tools.commands.iree.wrap", "put an artifact into a program of IREE"),
    "cmake-dir": Command("roller_mlir.tools.commands.iree.cmake_dir", "print where CMake finds the package Roller"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a parser for each command, with the arguments of its own."""
    add_commands(parser, COMMANDS, below=True)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    command = COMMANDS[arguments.subcommand]
    tool = command.passes_on_to
    if arguments.passed_on and tool is None:
        raise UsageError(
            f"roller iree {arguments.subcommand} passes nothing on, but got '{arguments.passed_on[0]}' behind --"
        )
    for word in arguments.passed_on:
        if word == "-h" or word.lstrip("-").startswith(("help", "version")):
            raise UsageError(
                f"what stands behind -- goes to {tool}, which is not asked for '{word}'; run: {tool} {word}"
            )
    code: int = command.load().run(arguments)
    return code
