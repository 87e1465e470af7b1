# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Import a model that another tool wrote, as linalg on tensors: ONNX (.onnx), PyTorch (.pt2), StableHLO, TOSA.

roller import model.onnx -o model.mlir                             with its weights in the text
roller import model.onnx -o model.mlir --weights model.npz         with its weights in a file beside it, also .irpa
roller import model.onnx --dim batch=8 -o model.mlir               with the size of a dimension that the model names
roller compile model.onnx --target h200 -o model.roller            every command that takes .mlir takes such a file

ONNX needs the package onnx, a program of torch.export the package torch: pip install 'roller-mlir[onnx,torch]'.
docs/importing.md says what is imported.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.commands.compile.command import open_source
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_line, write_whole

if TYPE_CHECKING:
    from roller_mlir.compiler.source import Source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file",
        metavar="MODEL",
        help="a file of ONNX or torch.export, or StableHLO or TOSA as text or bytecode; - reads standard input",
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="write the MLIR there (default: print it)")
    parser.add_argument(
        "--weights", metavar="FILE", help="write the weights there, .npz or .irpa, and name that file in the MLIR"
    )
    parser.add_argument(
        "--dim",
        type=_dimension,
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="the size of a dimension of an ONNX model that has a name, or is INPUT:AXIS; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.importers.weights import SUFFIXES, naming_weights, write_weights

    weights, output = arguments.weights and Path(arguments.weights), Path(arguments.output)
    if weights and weights.suffix not in SUFFIXES:
        raise UsageError(f"--weights ends in {' or '.join(SUFFIXES)}, but got '{weights}'")
    if weights and (arguments.output == "-" or weights.resolve().parent != output.resolve().parent):
        raise UsageError("--weights is a file beside the MLIR, which names it; give -o, and both in one folder")
    source = _open(arguments)
    text = _text(source, keep_data=not weights)
    check()
    if weights:
        try:
            write_weights(weights, source.weights)
        except (OSError, RuntimeError) as error:
            raise InputError(f"{weights} cannot be written: {str(error).splitlines()[0]}") from None
        text = naming_weights(text, weights.name)
    _write(arguments.output, text)
    return 0


def _dimension(text: str) -> tuple[str, int]:
    name, given, size = text.rpartition("=")
    if not given or not name or not size.isascii() or not size.isdigit() or not 0 < int(size[:10]) < 1 << 31:
        raise argparse.ArgumentTypeError(f"must be NAME=SIZE with a size of at least 1, but got '{text}'")
    return name, int(size)


def _open(arguments: argparse.Namespace) -> "Source":
    """Read the model; of ONNX with the sizes of the command line."""
    from roller_mlir.compiler.source import read_source
    from roller_mlir.importers.formats import import_file

    if not arguments.dim:
        return open_source(arguments)
    arguments.source = (arguments.file, "")
    imported = import_file(Path(arguments.file), arguments.file, dict(arguments.dim))
    if imported is None:
        raise UsageError("--dim gives sizes to the named dimensions of an ONNX model; other formats have none")
    return read_source(imported)


def _text(source: "Source", *, keep_data: bool) -> str:
    """Return the linalg as text, without asserts, and say how many there were."""
    from roller_mlir.compiler.source import parse_source
    from roller_mlir.importers.asserts import erase_asserts
    from roller_mlir.support.bindings import make_context

    with make_context() as context:
        module = parse_source(source if keep_data else replace(source, weights={}), context)
        for note in erase_asserts(module):
            print_error(f"note: {note}")
        return str(module) if keep_data else module.operation.get_asm(large_resource_limit=0)


def _write(path: str, text: str) -> None:
    if path == "-":
        print_line(text.rstrip("\n"))
    else:
        write_whole(Path(path), text)
