# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write our tiles for a model as a specification, which plain iree-compile takes.

roller iree spec model.onnx -o spec.mlir --target mi300x

The last line that is printed has the flag by which iree-compile reads it: IREE's compilers for NVIDIA and AMD read
different ones, and ignore each other's. The model is compiled by it once, and a dispatch that does not follow is an
error. Flags of iree-compile that form other dispatches go behind --. Where no tiles are ours, IREE decides as ever.
"""

import argparse
from pathlib import Path

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.tools.commands.compile.command import open_source
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError
from roller_mlir.tools.console.output import check_place, print_line, print_tables, write_whole
from roller_mlir.tools.console.targets import add_target_arguments, target_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="MODEL", help="what 'roller import' reads: ONNX, StableHLO, TOSA; or linalg")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="write the specification there, .mlir")
    add_target_arguments(parser, required=True)
    add_options(parser, CompileOptions, "instructions")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.downstream.iree import IreeError
    from roller_mlir.downstream.iree.config.specification import specify

    check_place(Path(arguments.output))
    source, options = open_source(arguments), CompileOptions(**CompileOptions.values_of(arguments))
    try:
        found = specify(source, target_of(arguments), options, flags=arguments.passed_on)
    except IreeError as error:
        raise InputError(f"{source.name}: {error}") from None
    write_whole(Path(arguments.output), found.text)
    rows = [
        (one.name, one.configuration.lowering if one.configuration else f"IREE's: {one.reason}")
        for one in found.dispatches
    ]
    print_tables([("Dispatches", ("dispatch", "tiles"), rows)])
    print_line(f"wrote {arguments.output}; iree-compile reads it by {found.flag}{arguments.output}")
    return 0
