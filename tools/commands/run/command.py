# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run an artifact, or compile a file and run it, on a back end.

  roller run matmul.roller --on sim --random --check --count
  roller run matmul.roller --random --sanitize
  roller run matmul.mlir --target mi300x --input a.npy --input b.npy --output results
  roller run matmul.roller --on cuda --random --time
  roller run matmul.mlir --target host --random --check     compiled for this machine, and run by it

--check compares each result with a numpy reference computed from the linalg bodies; where FILE is of a later stage
(edited output of `roller compile --emit loops`), --reference names linalg ops to compare with, or a model of ONNX,
which ONNX Runtime runs: an import that gives another function is found by that alone. --count compares the
transactions that the simulator counted with those that the plan predicts. --sanitize looks for races between threads
and between blocks, reads of memory that nobody has written, outputs that no kernel writes, accesses out of bounds and
barriers that not all threads reach; it reports each with its threads and places, and the exit code is 1. --time runs
the function again and again on a device, caches cleared before each time, and prints the median by the device's
events. --times writes when each task of a persistent kernel started and ended, a trace that Perfetto shows.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.plan.persistent.task_times import chrome_trace
from roller_mlir.plan.records.codec import to_json
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.tools.commands.compile.command import add_compile_options, compile_artifact, open_source
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_json, print_line, print_tables, seconds, write_arrays, write_whole
from roller_mlir.tools.console.targets import given_target

if TYPE_CHECKING:
    import numpy as np

    from roller_mlir.evaluation.reference import Comparison
    from roller_mlir.evaluation.reference.undefined import Undefined
    from roller_mlir.runtime import Artifact, RunResult, SanitizedRunError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="ARTIFACT|FILE", help="a directory made by 'roller compile -o', or MLIR text")
    about = "where to run: cpu, cuda, hip, sim (what was compiled for a CPU: cpu; else sim)"
    parser.add_argument("--on", metavar="BACKEND", help=about)
    add_options(parser, SimulatorOptions, "level")
    parser.set_defaults(level=None)  # a device refuses any that is given
    given = parser.add_argument_group("inputs")
    given.add_argument(
        "--input", action="append", default=[], metavar="A.npy", help="one .npy file per input, in order"
    )
    given.add_argument("--random", action="store_true", help="random inputs instead of --input")
    given.add_argument("--values", choices=("integers", "normal"), default="integers", help="kind of random (integers)")
    given.add_argument("--seed", type=int, default=0, metavar="N", help="seed of inputs and of the thread order (0)")
    results = parser.add_argument_group("results")
    results.add_argument("--check", action="store_true", help="compare with numpy; exit code 1 if a result differs")
    results.add_argument(
        "--reference", metavar="FILE", help="what --check compares with: linalg ops (the input), or an ONNX model"
    )
    results.add_argument("--count", action="store_true", help="count memory transactions and compare with the plan")
    results.add_argument("--sanitize", action="store_true", help="look for races, unwritten memory, bad accesses")
    results.add_argument(
        "--time", type=int, nargs="?", const=25, metavar="N", help="time so many runs on a device (25), caches cleared"
    )
    results.add_argument(
        "--times",
        metavar="FILE.json",
        help="write when each task of a persistent kernel ran, as a trace for Perfetto; an artifact is compiled with "
        "--record-times",
    )
    results.add_argument("--output", metavar="DIR", help="write the results there as output0.npy, output1.npy, ...")
    add_options(results, SimulatorOptions, "timeout_s")
    results.add_argument("--json", action="store_true", help="print JSON")
    add_compile_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.evaluation.reference.undefined import looking_for_undefined
    from roller_mlir.runtime import SanitizedRunError as Sanitized
    from roller_mlir.runtime import find_backend
    from roller_mlir.tools.commands.run.reference import check_result, open_reference

    if arguments.random and arguments.input:
        raise UsageError("--random makes the inputs and --input names them; give one of them")
    if arguments.seed < 0:
        raise UsageError(f"--seed must be at least 0, but got {arguments.seed}")
    if arguments.reference and not arguments.check:
        raise UsageError("--reference names what --check compares with; give --check too")
    arguments.on = arguments.on or _back_end(arguments)
    options = _options(arguments)
    find_backend(arguments.on)
    artifact = _open(arguments)
    reference = open_reference(arguments, artifact) if arguments.check else None
    inputs = _inputs(arguments, artifact)
    try:
        result = artifact.run_reported(*inputs, on=arguments.on, **options)
    except Sanitized as error:
        if not arguments.json:
            raise
        _report_findings(arguments, artifact, error)
        return 1
    check()
    if arguments.output:
        write_arrays(Path(arguments.output), result.outputs)
    if arguments.times:
        recorded = [(one.kernel, one.times) for one in result.launches if one.times is not None]
        write_whole(Path(arguments.times), chrome_trace(recorded))
    accumulation = accumulation_of(artifact.manifest, truncates=arguments.on != "sim")
    with looking_for_undefined() as log:
        comparisons = check_result(reference, inputs, result, accumulation) if reference else []
    timed = _time(arguments, artifact, inputs) if arguments.time else None
    undefined = [one.named(reference.source.name) for one in log.findings()] if reference else []
    _report(arguments, artifact, result, comparisons, timed, undefined, reference.judge if reference else "")
    return 0 if all(comparison.matches for comparison in comparisons) else 1


def _back_end(arguments: argparse.Namespace) -> str:
    """Return where to run if nobody says it: on this machine what was compiled for such, else in the simulator."""
    from roller_mlir.hal import find_device
    from roller_mlir.runtime import Artifact
    from roller_mlir.runtime.registry import backend_here
    from roller_mlir.tools.console.targets import target_of

    path = Path(arguments.file)
    device = Artifact.load(path).manifest.device if path.is_dir() else find_device(target_of(arguments))
    return backend_here(device.vendor) or "sim"


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the back end is told; only the simulator counts, sanitizes and takes seeds."""
    from roller_mlir.runtime.registry import device_backends

    if arguments.time is not None and arguments.on not in device_backends():
        devices = ", ".join(f"--on {name}" for name in device_backends())
        raise UsageError(f"--time is for a device ({devices}), whose events time it; {arguments.on} has none")
    if arguments.time is not None and arguments.time < 1:
        raise UsageError(f"--time must be at least 1, but got {arguments.time}")
    asked = {"--count": arguments.count, "--sanitize": arguments.sanitize, "--level": arguments.level}
    if arguments.on != "sim":
        for name, value in asked.items():
            if value:
                raise UsageError(f"{name} is for --on sim; {arguments.on} runs the kernels as they are")
        return {}
    level = arguments.level or SimulatorOptions.level
    told = {name: getattr(arguments, name) for name in ("count", "seed", "timeout_s", "sanitize")}
    return {**told, "level": level}


def _open(arguments: argparse.Namespace) -> "Artifact":
    from roller_mlir.runtime import Artifact

    path = Path(arguments.file)
    if path.is_dir():
        if given_target(arguments) or CompileOptions.given_in(arguments):
            raise UsageError(
                f"{arguments.file} is compiled already; a device, --entry, fusion and user schedules go with a FILE"
            )
        artifact = Artifact.load(path)
        if arguments.times and not any(launch.times for launch in artifact.manifest.launches):
            raise UsageError(f"--times: {arguments.file} records no times; compile it with --persistent --record-times")
        return artifact
    if arguments.times and not arguments.persistent:
        raise UsageError("--times: only the tasks of a persistent kernel record their times; add --persistent")
    arguments.record_times = arguments.record_times or arguments.times is not None
    source = open_source(arguments)
    return compile_artifact(arguments, source, binaries=arguments.on != "sim", llvm=arguments.level == "llvm")


def _inputs(arguments: argparse.Namespace, artifact: "Artifact") -> "list[np.ndarray[Any, Any]]":
    import numpy as np

    from roller_mlir.runtime.arguments.checks import as_bits
    from roller_mlir.tools.commands.run.reference import draw_inputs

    manifest = artifact.manifest
    if arguments.random or not manifest.inputs:
        return draw_inputs(arguments, artifact)
    if not arguments.input:
        count = len(manifest.inputs)
        raise UsageError(f"'{manifest.function}' takes {count} inputs; give --input for each, or --random")
    arrays: list[np.ndarray[Any, Any]] = []
    for name in arguments.input:
        try:
            loaded: Any = np.load(name, allow_pickle=False)
        except OSError as error:
            raise InputError(f"input {name}: {reason_of(error)}") from None
        except (ValueError, EOFError) as error:
            raise InputError(f"input {name}: not a .npy file of numbers: {error}") from None
        if not isinstance(loaded, np.ndarray):
            raise InputError(f"input {name}: must be a .npy file of one array, but is an .npz archive")
        arrays.append(np.ascontiguousarray(loaded).reshape(loaded.shape))
    return as_bits(manifest, arrays)[0]


def _time(
    arguments: argparse.Namespace, artifact: "Artifact", inputs: "list[np.ndarray[Any, Any]]"
) -> "dict[str, float]":
    """Return median, least, and tenth and ninetieth percentile in seconds of runs on a device."""
    from roller_mlir.evaluation.measure.runner.devices import open_device

    bench = open_device(arguments.on)
    call = bench.load(artifact).prepare([bench.place(array) for array in inputs])
    found = bench.time({"": call}, samples=arguments.time, limit_s=None)[""]
    return {"median_s": found.median_s, "least_s": found.least_s, "p10_s": found.p10_s, "p90_s": found.p90_s}


def _report_findings(arguments: argparse.Namespace, artifact: "Artifact", error: "SanitizedRunError") -> None:
    print_json(
        {
            "function": artifact.manifest.function,
            "device": artifact.manifest.device.name,
            "on": arguments.on,
            "findings": to_json(error.findings),
            "more_findings": error.more,
        }
    )


def _report(
    arguments: argparse.Namespace,
    artifact: "Artifact",
    result: "RunResult",
    comparisons: "list[Comparison]",
    timed: "dict[str, float] | None",
    undefined: "Sequence[Undefined]",
    judge: str,
) -> None:
    from roller_mlir.tools.commands.run.counts import count_rows, site_rows

    rows = [row for report in result.launches for row in count_rows(artifact, report)]
    if arguments.json:
        print_json(
            {
                "function": artifact.manifest.function,
                "device": artifact.manifest.device.name,
                "on": arguments.on,
                "launches": to_json(result.launches),
                "timed": timed,
                "counted_against_plan": [row._asdict() for row in rows],
                "matches": all(c.matches for c in comparisons) if arguments.check else None,
                "comparisons": to_json(comparisons),
                "undefined": [str(one) for one in undefined] if arguments.check else None,
                "findings": [] if arguments.sanitize else None,
            }
        )
        return
    caveat = f" (no speed of {artifact.manifest.device.name})" if arguments.on == "sim" else " (one run, not warmed up)"
    header = ("launch", "kernel", f"time on {arguments.on}{caveat}")
    launches = [(str(i), report.kernel, seconds(report.seconds)) for i, report in enumerate(result.launches)]
    print_tables([("Launches", header, launches)])
    for note in dict.fromkeys(report.note for report in result.launches if report.note):
        print_line(f"note: {note}")
    if timed is not None:
        median, least, p10, p90 = map(seconds, timed.values())
        print_line(
            f"median of {arguments.time} runs with cleared caches: {median} (least {least}, 10 % below {p10}, 10 % "
            f"above {p90})"
        )
    if arguments.count:
        sites = [row for report in result.launches for row in site_rows(report)]
        names = ("kernel", "site", "space", "accesses", "bytes", "sectors", "phases", "least")
        print_tables([("Transactions by access site", names, sites)])
        names = ("kernel", "quantity", "counted", "planned", "")
        print_tables([("Transactions counted against planned", names, [row.cells() for row in rows])])
    if arguments.sanitize:
        print_line("sanitizer: nothing found")
    for index, comparison in enumerate(comparisons):
        subject = f"output {index}" if len(comparisons) > 1 else "result"
        print_line(_verdict(subject, comparison, judge, defined=not undefined))
    for one in undefined:
        print_line(f"the program has undefined behaviour on these inputs: {one}; any number is right there")


def _verdict(subject: str, comparison: "Comparison", judge: str, *, defined: bool) -> str:
    if not comparison.matches and not defined:
        return f"{subject} cannot be compared with {judge}: {comparison.mismatches} elements differ"
    if comparison.matches:
        return f"{subject} matches {judge} ({comparison})"
    return f"{subject} does not match {judge}: {comparison}"
