# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a function of linalg ops on tensors for a device.

roller compile matmul.mlir --target h200 -o matmul.roller     write an artifact (a directory, whole or not at all)
roller compile matmul.mlir --target h200 --stats              what ptxas says: registers, spills, main loop
roller compile matmul.mlir --target mi300x --emit loops       the hierarchical tiled loops
roller compile matmul.mlir --target h200 --tile-sizes 64,64,8 --thread-tile 4,4,1
roller compile matmul.mlir --target h200 --max-units 16 --emit plan    a plan for part of the device
roller compile matmul.mlir --tuning tuning.jsonl              the plans that were fastest, where `roller tune` measured
roller compile model.mlir --persistent                        one kernel of all programs, on a schedule that is proven
roller compile matmul.mlir --device-file mine.toml            for a device of your own
roller compile matmul.mlir --dump-stages stages               each stage on the way to binaries, as a file
roller compile matmul.mlir --override-stage loops=stages/loops.mlir    go on with edited loops
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from roller_mlir.compiler.options import EVERY, CompileOptions, pass_problem, refused_beside
from roller_mlir.lowering.targets import families, family_of
from roller_mlir.lowering.targets.stage import COMMON, KERNELS
from roller_mlir.model.options import (
    ChoiceOptions,
    FusionOptions,
    LaunchOptions,
    LoopOptions,
    MapOptions,
    PlanFileOptions,
    ResidualOptions,
    TileOptions,
)
from roller_mlir.plan.records.codec import to_json
from roller_mlir.rammer.options import PersistentOptions
from roller_mlir.support.stage import keep_input
from roller_mlir.tools.commands.compile.plans import plan_tables
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_bytes, print_json, print_line, print_tables, seconds
from roller_mlir.tools.console.targets import add_target_arguments, device_of, target_of

if TYPE_CHECKING:
    from roller_mlir.compiler.source import Source
    from roller_mlir.runtime import Artifact

# Stages that are IR after a pass of ours, and those that are files of a finished artifact.
_IR_STAGES = {stage.name: stage for stage in COMMON}
_FILE_STAGES = {stage.name: stage.role for family in families() for stage in family.files}

_STAGE_NAMES = (
    *_IR_STAGES,
    *dict.fromkeys(stage.name for family in families() for stage in family.stages[len(COMMON) :]),
)

_WARNING = "warning: "
_REMARK = "remark: "


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    """Declare what `compile` and `run` share."""
    chosen = parser.add_argument_group("compiling a .mlir file")
    add_target_arguments(chosen)
    add_options(chosen, CompileOptions, "entry")
    schedule = parser.add_argument_group("user schedule and plans (by default the model decides)")
    for kind in (TileOptions, ChoiceOptions, PlanFileOptions, ResidualOptions):
        add_options(schedule, kind)
    shown = parser.add_argument_group("printing IR, to standard error")
    for when in ("before", "after"):
        shown.add_argument(f"--mlir-print-ir-{when}-all", action="store_true", help=f"{when} each pass")
        shown.add_argument(
            f"--mlir-print-ir-{when}", type=_passes, default=(), metavar="PASS,...", help=f"{when} these passes"
        )
    stages = parser.add_argument_group(f"stages ({', '.join(_STAGE_NAMES)})")
    add_options(stages, CompileOptions, "dump_stages")
    stages.add_argument(
        "--override-stage",
        type=_override,
        action="append",
        default=[],
        metavar="STAGE=FILE",
        help="go on with this file instead of what was made for the stage; may be repeated",
    )
    add_options(parser.add_argument_group("loops around ops (scf.for and scf.forall of constant bounds)"), LoopOptions)
    add_options(parser.add_argument_group("joining ops into one kernel"), FusionOptions)
    memory = parser.add_argument_group("memory")
    add_options(memory, CompileOptions, "reuse")
    add_options(memory, MapOptions)
    launches = parser.add_argument_group("launches")
    add_options(launches, LaunchOptions)
    add_options(launches, CompileOptions, "bounded")
    group = parser.add_argument_group("one persistent kernel for the whole function")
    add_options(group, CompileOptions, "persistent")
    add_options(group, PersistentOptions)


def _override(text: str) -> tuple[str, str]:
    """Read a stage and a file."""
    name, given, path = text.partition("=")
    if not given or not path or name not in _STAGE_NAMES:
        known = ", ".join(_STAGE_NAMES)
        raise argparse.ArgumentTypeError(f"must be STAGE=FILE with one of the stages {known}, but got '{text}'")
    return name, path


def _passes(text: str) -> tuple[str, ...]:
    """Read names of passes that a compilation runs."""
    names = tuple(text.split(","))
    for name in names:
        if problem := pass_problem(name):
            raise argparse.ArgumentTypeError(problem)
    return names


def _printed(arguments: argparse.Namespace, when: str) -> tuple[str, ...]:
    every = (EVERY,) if getattr(arguments, f"mlir_print_ir_{when}_all", False) else ()
    return (*every, *getattr(arguments, f"mlir_print_ir_{when}", ()))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="MLIR text or bytecode; - reads the standard input")
    add_compile_options(parser)
    parser.add_argument("-o", "--output", metavar="DIR", help="write the artifact there")
    parser.add_argument("--emit", choices=(*_IR_STAGES, *_FILE_STAGES), help="print this stage instead of the tables")
    parser.add_argument("--stats", action="store_true", help="disassemble, and print statistics of each kernel")
    add_options(parser, CompileOptions, "gate", "code_object", "tool_timeout_s")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.emit and arguments.stats:
        raise UsageError("--emit prints a stage and --stats prints tables; give one of them")
    if arguments.emit in _IR_STAGES and arguments.output:
        raise UsageError(f"--emit {arguments.emit} stops before there is an artifact to write; leave out -o")
    if arguments.json and arguments.emit not in (None, "plan"):
        raise UsageError(f"--emit {arguments.emit} prints text; --json goes with --emit plan, or without --emit")
    if arguments.output:
        from roller_mlir.runtime.store import check_target

        check_target(arguments.output)
    _check_target_device(arguments)
    source = open_source(arguments)
    if arguments.emit in _IR_STAGES:
        return _emit_ir(arguments, source)
    disassemble = arguments.stats or _FILE_STAGES.get(arguments.emit or "") == "assembly"
    artifact = compile_artifact(arguments, source, disassemble=disassemble)
    emitted = _files_to_emit(arguments, artifact) if arguments.emit else []
    if arguments.output:  # before anything is printed, which may end the program: a reader such as `head` leaves early
        check()
        artifact.save(arguments.output)
    if arguments.emit:
        for data in emitted:
            print_bytes(data)
        return 0
    _report(arguments, artifact)
    if arguments.output and not arguments.json:
        print_line(f"wrote {arguments.output} ({len(artifact.files) + 1} files)")
    return 0


def open_source(arguments: argparse.Namespace) -> "Source":
    """Read the file of the command line, and remember its text for the lines under diagnostics."""
    from roller_mlir.compiler.source import read_source

    arguments.source = (arguments.file, "")
    if arguments.file == "-":
        arguments.source = ("<stdin>", "")
        source = replace(read_source(sys.stdin.buffer.read()), name="<stdin>")
    else:
        source = read_source(Path(arguments.file))
    arguments.source, arguments.program = (source.name, source.lines), source
    keep_input(source.lines)
    return source


def compile_artifact(
    arguments: argparse.Namespace,
    source: "Source",
    *,
    disassemble: bool = False,
    binaries: bool = True,
    llvm: bool = False,
) -> "Artifact":
    """Compile with the options of the command line."""
    from roller_mlir.compiler.driver import compile_source

    return compile_source(source, target_of(arguments), compile_options(arguments, disassemble, binaries, llvm))


def compile_options(
    arguments: argparse.Namespace, disassemble: bool = False, binaries: bool = True, llvm: bool = False
) -> CompileOptions:
    """Return the options of the command line."""
    check_persistent(arguments)
    before, after = _printed(arguments, "before"), _printed(arguments, "after")
    return CompileOptions(
        **CompileOptions.values_of(arguments),
        binaries=binaries,
        llvm=llvm,
        disassemble=disassemble,
        print_before=before,
        print_after=after,
        cache=not before and not after,
        override_stages=tuple(arguments.override_stage),
    )


def check_persistent(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go with --persistent, or need it."""
    refused, reason = refused_beside(arguments)
    if refused:
        flags = ", ".join(sorted(one.flags(value)[0] for one, value in refused))
        remedy = "leave out --persistent, or these" if arguments.persistent else "add --persistent"
        raise UsageError(f"{flags}: {reason}; {remedy}")


def _check_target_device(arguments: argparse.Namespace) -> None:
    """Refuse an unknown device, and a binary that the device has not, before anything is read."""
    device = device_of(arguments)
    if arguments.emit not in _IR_STAGES or arguments.emit == KERNELS.name:
        device.require_compiles()
    if arguments.emit and family_of(device).stage(arguments.emit) is None:
        others = " and ".join(family.name for family in families() if family.stage(arguments.emit))
        raise UsageError(f"--emit {arguments.emit} is for devices of {others}, but {device.name} is of {device.vendor}")


def _emit_ir(arguments: argparse.Namespace, source: "Source") -> int:
    from roller_mlir.compiler.driver import lower_until

    text, plans = lower_until(source, target_of(arguments), compile_options(arguments), _IR_STAGES[arguments.emit])
    if arguments.emit != "plan":
        print_line(text.rstrip("\n"))
    elif arguments.json:
        print_json({name: to_json(plan) for name, plan in plans.items()})
    else:
        print_tables(plan_tables(plans))
    return 0


def _files_to_emit(arguments: argparse.Namespace, artifact: "Artifact") -> list[bytes]:
    role = _FILE_STAGES[arguments.emit]
    found = [artifact.files[kernel.files[role]] for kernel in artifact.kernels if role in kernel.files]
    if not found:
        notes = "; ".join(dict.fromkeys(note for kernel in artifact.kernels for note in kernel.notes))
        raise InputError(f"there is no {arguments.emit} to print: {notes or 'the function launches no kernel'}")
    if b"\0" in found[0] and (len(found) > 1 or sys.stdout.isatty()):
        raise InputError(
            f"--emit {arguments.emit} writes 1 binary to a file or a pipe; use -o DIR for several kernels or a terminal"
        )
    return found


def _report(arguments: argparse.Namespace, artifact: "Artifact") -> None:
    manifest = artifact.manifest
    if arguments.json:
        print_json(_summary(arguments, artifact))
        return
    plans = {kernel.name: kernel.plan for kernel in artifact.kernels if kernel.plan is not None}
    print_tables(plan_tables(plans, manifest.launches))
    if arguments.stats:
        print_tables(_statistics_tables(artifact))
    print_tables([("Phases", ("phase", "time"), [(k, seconds(v)) for k, v in manifest.phases_s.items()])])
    for note in dict.fromkeys([*manifest.notes, *(note for kernel in artifact.kernels for note in kernel.notes)]):
        print_line(note if note.startswith((_WARNING, _REMARK)) else f"note: {note}")


def _summary(arguments: argparse.Namespace, artifact: "Artifact") -> dict[str, Any]:
    manifest = artifact.manifest
    launches = {launch.kernel: launch for launch in manifest.launches}
    times = Counter(launch.kernel for launch in manifest.launches)
    kernels: list[dict[str, Any]] = []
    for kernel in artifact.kernels:
        launch = launches[kernel.name]
        statistics = cast("dict[str, Any]", to_json(kernel.statistics))
        more: dict[str, Any] = statistics.pop("more")
        kernels.append(
            {
                "name": kernel.name,
                **statistics,
                **more,
                "launches": times[kernel.name],
                "grid": launch.static_grid,
                "block": launch.block,
                "dynamic_workgroup_bytes": launch.dynamic_workgroup_bytes,
                "phases_s": {**manifest.phases_s, **kernel.phases_s},
                "plan": to_json(kernel.plan),
                "notes": kernel.notes,
                "warnings": [note.removeprefix(_WARNING) for note in kernel.notes if note.startswith(_WARNING)],
            }
        )
    return {
        "function": manifest.function,
        "device": manifest.device.name,
        "architecture": manifest.device.architecture,
        "artifact": arguments.output,
        "phases_s": manifest.phases_s,
        "kernels": kernels,
        "notes": manifest.notes,
    }


def _statistics_tables(artifact: "Artifact") -> list[tuple[str, Sequence[str], list[Sequence[str]]]]:
    shares = {"fma in main loop": "fma_share"}
    if any("matrix_share" in kernel.statistics.more for kernel in artifact.kernels):
        shares["matrix instructions in main loop"] = "matrix_share"
    header = ("kernel", "registers", "spills", "workgroup memory", *shares, "main loop")
    rows: list[Sequence[str]] = []
    for kernel in artifact.kernels:
        statistics = kernel.statistics
        loop = " ".join(f"{name} {count}" for name, count in list(statistics.main_loop.items())[:8])
        rows.append(
            (
                kernel.name,
                _known(statistics.registers),
                _known(statistics.spill_bytes, " B"),
                _known(statistics.shared_bytes, " B"),
                *(_share(statistics.more.get(name)) for name in shares.values()),
                loop or "-",
            )
        )
    return [("Statistics of the vendor's compiler (no speed)", header, rows)]


def _share(value: object) -> str:
    return f"{value:.0%}" if isinstance(value, float) else "-"


def _known(value: int | None, unit: str = "") -> str:
    return "-" if value is None else f"{value}{unit}"
