# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put an artifact into a program of IREE.

roller iree wrap mlp.roller -o mlp.vmfb                   a module for iree-run-module --device=cuda (or hip)
roller iree wrap mlp.roller -o mlp.mlir --image cubin     the program that iree-compile takes, with cubins inside
roller iree wrap whole.roller -o whole.vmfb --assume-resident     of 'roller compile --persistent'

A module has the function of the artifact, with its name and signature; IREE's runtime places the workspace and launches
the kernels. `roller simulate --artifact mlp.roller -- iree-run-module ...` executes it without a GPU.
"""

import argparse
from pathlib import Path

from roller_mlir.tools.commands.iree.programs import add_program_arguments
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.output import check_place, print_line, write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("artifact", metavar="ARTIFACT", help="a directory made by 'roller compile -o', with binaries")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="a .vmfb module, or a .mlir program")
    add_program_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.downstream.iree import IreeError, compile_program, iree_program
    from roller_mlir.downstream.iree.tools import LIMIT_S
    from roller_mlir.runtime import Artifact

    output = Path(arguments.output)
    if output.suffix not in (".vmfb", ".mlir"):
        raise UsageError(f"-o must name a .vmfb module or a .mlir program, but got {arguments.output}")
    check_place(output)
    try:
        text = iree_program(
            Artifact.load(arguments.artifact), arguments.image, assume_resident=arguments.assume_resident
        )
        content = text if output.suffix == ".mlir" else compile_program(text, timeout_s=LIMIT_S)
    except IreeError as error:
        raise InputError(f"{arguments.artifact}: {error}") from None
    write_whole(output, content)
    print_line(f"wrote {output} ({len(content)} B)")
    return 0
