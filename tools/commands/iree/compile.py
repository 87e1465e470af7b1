# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a model for IREE's runtime, with our kernels where we can compile it and IREE's where we cannot.

roller iree compile model.onnx -o model.vmfb --target h200
roller iree compile model.onnx -o model.vmfb --target mi300x --report report.json -- --iree-opt-level=O2

Mode graph: IREE evaluates constants, we fuse and plan all that is linalg on static tensors, and IREE compiles the rest.
Mode dispatch: IREE fuses, and those of its dispatches that we can compile are ours.
Mode config: IREE fuses and compiles, and its code generator gets our tiles; one that it does not use is an error.
With --persistent --assume-resident, each program of ours is one persistent kernel.
What stands behind -- goes to iree-compile. The module runs with iree-run-module --device=cuda (or hip), or any program
over IREE's runtime; with --artifacts it runs in `roller simulate` too, without a GPU.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.model.options import FusionOptions, LoopOptions
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.commands.compile.command import open_source
from roller_mlir.tools.commands.iree.programs import add_program_arguments
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import (
    TableData,
    check_place,
    make_folder,
    print_json,
    print_line,
    print_tables,
    seconds,
    write_whole,
)
from roller_mlir.tools.console.targets import add_target_arguments, device_of, target_of

if TYPE_CHECKING:
    from roller_mlir.compiler.source import Source
    from roller_mlir.downstream.iree.model import CompiledModel

MODES = ("graph", "dispatch", "config")
# What we tell iree-compile ourselves.
_RESERVED = (
    *("--compile-to", "--compile-from", "--compile-mode", "--output-format", "--iree-hal-target", "--mlir-print"),
    *("--iree-parameter", "--emit-mlir-bytecode"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="MODEL", help="what 'roller import' reads: ONNX, StableHLO, TOSA; or linalg")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="write the module there, .vmfb")
    add_target_arguments(parser, required=True)
    parser.add_argument(
        "--mode",
        choices=MODES,
        default="graph",
        help="who decides what runs together: we (graph, the default), or IREE (dispatch, config)",
    )
    parser.add_argument("--weights", metavar="FILE", help="write the weights there, .irpa, instead of into the module")
    parser.add_argument("--report", metavar="FILE", help="write who compiles what there, as JSON")
    parser.add_argument("--artifacts", metavar="DIR", help="write what we compile there, an artifact for each program")
    add_options(parser, CompileOptions, "instructions", "allow_tf32", "persistent")
    add_program_arguments(parser)
    for kind in (LoopOptions, FusionOptions):
        add_options(parser, kind)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.downstream.iree.report import model_record

    _check(arguments)
    device_of(arguments).require_compiles()
    source = open_source(arguments)
    compiled = _compiled(arguments, source)
    check()
    record = model_record(compiled, model=source.name, target=target_of(arguments), mode=arguments.mode)
    _write_artifacts(arguments, compiled)
    if arguments.report:
        write_whole(Path(arguments.report), json.dumps(record, indent=1) + "\n")
    write_whole(Path(arguments.output), compiled.module)
    for note in compiled.notes:
        print_error(f"note: {note}")
    if arguments.json:
        print_json(record)
        return 0
    print_tables(_tables(record))
    print_line(_summary(record))
    print_line(f"wrote {arguments.output} ({len(compiled.module)} B)")
    if arguments.weights:
        print_line(f"wrote {arguments.weights}; iree-run-module takes it with --parameters=model={arguments.weights}")
    return 0


def _compiled(arguments: argparse.Namespace, source: "Source") -> "CompiledModel":
    """Compile in the mode that is asked for."""
    from roller_mlir.downstream.iree.compiler import LLVM_FLAG
    from roller_mlir.downstream.iree.config.model import compile_configured
    from roller_mlir.downstream.iree.model import compile_model

    target, options = target_of(arguments), CompileOptions(**CompileOptions.values_of(arguments))
    # Of IREE's own kernels, LLVM IR is what a simulated device runs.
    flags = list(arguments.passed_on)
    if arguments.artifacts and not any(one.startswith(LLVM_FLAG) for one in flags):
        flags.append(f"{LLVM_FLAG}{arguments.artifacts}")
    if arguments.mode == "config":
        return compile_configured(source, target, options, flags=flags)
    return compile_model(
        source,
        target,
        options,
        mode=arguments.mode,
        image=arguments.image,
        flags=flags,
        weights=Path(arguments.weights) if arguments.weights else None,
        assume_resident=arguments.assume_resident,
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be written, and flags that are ours to give."""
    if Path(arguments.output).suffix != ".vmfb":
        raise UsageError(f"-o must name a .vmfb module, but got {arguments.output}")
    if arguments.weights and Path(arguments.weights).suffix != ".irpa":
        raise UsageError(f"--weights must name an .irpa archive, but got {arguments.weights}")
    for name in ("image", "weights", "persistent"):
        if arguments.mode == "config" and getattr(arguments, name):
            raise UsageError(f"--{name} goes with the modes graph and dispatch; in mode config IREE makes all of it")
    if arguments.persistent != arguments.assume_resident:
        raise UsageError(
            "--persistent and --assume-resident go together: blocks of a persistent kernel wait for each other, and "
            "IREE has no cooperative launches"
        )
    for word in arguments.passed_on:
        if not word.startswith("--") or word.startswith(_RESERVED):
            raise UsageError(
                f"iree-compile is told its input, output, phases, weights and target by roller; leave out '{word}'"
            )
    places = [Path(one) for one in (arguments.output, arguments.weights, arguments.report) if one]
    if len({place.resolve() for place in places}) < len(places):
        raise UsageError(f"-o and --report must name two files, but both name {arguments.output}")
    for place in places:
        check_place(place)
    if arguments.artifacts and Path(arguments.artifacts).exists() and not Path(arguments.artifacts).is_dir():
        raise InputError(f"{arguments.artifacts} cannot be made: it is a file, and --artifacts names a folder")


def _write_artifacts(arguments: argparse.Namespace, compiled: "CompiledModel") -> None:
    if not arguments.artifacts:
        return

    folder = Path(arguments.artifacts)
    make_folder(folder)
    for part in compiled.programs:
        part.artifact.save(folder / f"{part.name}.roller")


def _tables(record: dict[str, Any]) -> list[TableData]:
    waiting = any("resident_blocks" in kernel for program in record["programs"] for kernel in program["kernels"])
    kernels: list[Sequence[str]] = [
        (
            program["name"],
            kernel["name"],
            str(kernel["launches"]),
            "-" if kernel["predicted_s"] is None else seconds(kernel["predicted_s"]),
            *([str(kernel.get("resident_blocks", "-"))] if waiting else ()),
        )
        for program in record["programs"]
        for kernel in program["kernels"]
    ]
    tables: list[TableData] = []
    if kernels:
        titles = ("program", "kernel", "launches", "predicted time", *(["blocks at once"] if waiting else ()))
        tables.append(("Compiled by roller", titles, kernels))
    tiled = [(line["name"], line["tiles"]) for line in record["lines"] if "tiles" in line]
    if tiled:
        tables.append(("Compiled by IREE with our tiles", ("dispatch", "tiles"), tiled))
    left = [
        (line["name"], line.get("place", "-"), line.get("reason", "-"))
        for line in record["lines"]
        if line["by"] == "iree"
    ]
    if left:
        tables.append(("Compiled by IREE", ("operation", "place", "reason"), left))
    return tables


def _summary(record: dict[str, Any]) -> str:
    ours = sum(line["by"] == "roller" for line in record["lines"])
    launches = sum(program["launches"] for program in record["programs"])
    predicted = [program["predicted_s"] for program in record["programs"]]
    time = (
        "" if None in predicted or not predicted else f", predicted time of one after another {seconds(sum(predicted))}"
    )
    phases = ", ".join(f"{name} {seconds(value)}" for name, value in record["phases_s"].items())
    if record["mode"] == "config":
        return f"{ours} of {len(record['lines'])} dispatches have our tiles\n{phases}"
    what = "dispatches" if record["mode"] == "dispatch" else "operations"
    return f"{ours} of {len(record['lines'])} {what} are ours, in {launches} launches{time}\n{phases}"
