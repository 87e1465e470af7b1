# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a kit: everything to check and to time on a machine with a GPU, torch and Triton but without this compiler.

  python bench/gpu/pack.py -o kit                            ROLLER's 119 operators, f16 products, examples, probes
  python bench/gpu/pack.py -o kit --only 'M*' --top-k 1 --dtypes f32 --no-{smoke,persistent,gemms,examples,probes}
  python bench/gpu/pack.py -o kit --models '*' --dtypes f32 --only M0 --top-k 1 --no-{gemms,examples}    whole models
  python bench/gpu/pack.py -o kit --jobs 8 --time-limit 300  leaves out candidates of high rank where there is no time
  # copy the folder to the machine with the GPU:
  python kit/run.py -o results

Candidates are in the kit in the order of their ranks: the model's first choice for every function, then the second, and
so on. Of types other than a row's own, products and convolutions are packed. bench/gpu/README.md has more.
"""

import argparse
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from graphs import add_model_options, missing_ways, of_graphs, of_models
from microbenchmarks.probes import left_out, probes_for
from smoke import of_smoke

from roller_mlir.evaluation.measure.kit.contents import HALF_KINDS, PackRequest, of_example, of_gemms, of_suite
from roller_mlir.evaluation.measure.kit.example_sizes import LARGE
from roller_mlir.evaluation.measure.kit.files import KitError
from roller_mlir.evaluation.measure.kit.pack import Packed, PackOptions, pack_kit
from roller_mlir.evaluation.measure.records import Skipped
from roller_mlir.evaluation.suites import SuiteError, find_suite
from roller_mlir.evaluation.suites.element_types import DTYPES
from roller_mlir.evaluation.suites.select import select
from roller_mlir.hal import DeviceError, find_device
from roller_mlir.model.options import CandidateOptions
from roller_mlir.runtime.errors import ArtifactError
from roller_mlir.support.jobs.jobs import JobsError
from roller_mlir.tools.console.arguments import add_options, patterns, positive
from roller_mlir.tools.console.interrupt import interruptible
from roller_mlir.tools.console.targets import anywhere

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHOWN = 3
UNITS = {"": 1, "B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def wanted(options: argparse.Namespace) -> list[PackRequest]:
    """Return the functions to pack, the most valuable first."""
    rows, suite = select(find_suite(options.suite), options.only), Path(options.suite).resolve().name
    own: list[PackRequest] = []
    other: list[PackRequest] = []
    for dtype in options.dtypes:
        mine = [row for row in rows if row.dtype == dtype]
        rest = [row for row in rows if row.dtype != dtype and row.kind in HALF_KINDS]
        own += of_suite(suite, mine, options.target, top_k=options.top_k)
        other += of_suite(suite, rest, options.target, dtype, top_k=options.top_k)
    gemms = of_gemms(top_k=options.top_k) if options.gemms else []
    examples = [of_example(path) for path in sorted(EXAMPLES.glob("*.mlir"))] if options.examples else []
    large = [of_example(EXAMPLES / f"{name}.mlir", large=True) for name in LARGE] if options.examples else []
    device = find_device(options.target)
    smoke = of_smoke(device, EXAMPLES / "matmul_f16.mlir") if options.smoke else []
    persistent = of_graphs(device) if options.persistent else []
    models = of_models(device, options.models, options.scale)
    return [*smoke, *persistent, *models, *own, *gemms, *other, *large, *examples]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="pack.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="KIT", help="the folder to make")
    parser.add_argument("--target", default="h200", help="device (h200)")
    parser.add_argument("--suite", default="roller119", metavar="NAME|DIR", help="a suite (roller119)")
    parser.add_argument("--only", type=patterns, default=(), metavar="ID,...", help="ids, patterns or classes of it")
    parser.add_argument("--dtypes", type=_dtypes, default=("f32", "f16"), help="element types (f32,f16)")
    add_options(parser, CandidateOptions)
    for name, what in (
        ("smoke", "small functions with a kernel of each family, which are run first"),
        ("persistent", "graphs of small operators as persistent kernels, beside other ways to launch them"),
        ("gemms", "f16 products of square matrices"),
        ("examples", "the functions of the folder examples, with and without fusion"),
        ("probes", "micro-benchmarks that calibrate the device's description"),
    ):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=True, help=f"{what} (yes)")
    add_model_options(parser, (), 1)
    parser.add_argument("--jobs", type=positive, metavar="N", help="processes that compile (2)")
    parser.add_argument("--ray", metavar="ADDRESS", help="compile on a Ray cluster: auto, local or HOST:PORT")
    parser.add_argument("--time-limit", type=_seconds, metavar="S", help="stop adding candidates after so many seconds")
    parser.add_argument("--max-bytes", type=_bytes, default=60_000_000, metavar="N", help="of the whole kit (60MB)")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    return interruptible("pack.py", lambda: _main(argv), whole_process=False)


def _main(argv: list[str] | None) -> int:
    options = parse(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    command = shlex.join(["python", "bench/gpu/pack.py", *(sys.argv[1:] if argv is None else argv)])
    jobs = options.jobs if options.jobs or options.ray else 2
    settings = PackOptions(
        jobs=jobs, ray=options.ray, time_limit_s=options.time_limit, max_bytes=options.max_bytes, command=command
    )
    try:
        device = find_device(options.target)
        device.require_compiles()
        functions = wanted(options)
        if not functions and not options.probes:
            raise KitError("there is nothing to pack: none of the operators has one of the types; see --only, --dtypes")
        probes, missing = (probes_for(device), left_out(device)) if options.probes else ([], ())
        target = options.target if options.ray is None else anywhere(options.target)
        missing = (*missing, *missing_ways(device, functions))
        packed = pack_kit(options.output, target, functions, settings, probes, missing)
    except (ArtifactError, SuiteError, DeviceError, JobsError, OSError) as error:
        print(f"pack.py: error: {error}", file=sys.stderr)
        return 1
    print(summary(packed, options.output))
    return 0 if packed.kit.items or not functions else 1


def summary(packed: Packed, folder: Path) -> str:
    """Return what was packed, in lines."""
    kit = packed.kit
    candidates = sum(len(item.candidates) for item in kit.items)
    same = sum(len(item.same_as) for item in kit.items)
    lines = [
        f"wrote {folder}: {len(kit.items)} functions and {same} that are the same, {candidates} candidates, "
        f"{len(kit.probes)} probes, {packed.size_bytes / 1e6:.1f} MB, in {packed.seconds:.0f} s",
        *left_out_lines(kit.skipped),
        f"on the machine with the GPU: python {folder.name}/run.py -o results",
    ]
    return "\n".join(lines)


def left_out_lines(skipped: Sequence[Skipped]) -> list[str]:
    """Return what was left out, a line for each reason."""
    found: dict[str, list[str]] = {}
    for one in skipped:
        found.setdefault(one.reason, []).append(one.id)
    return [
        f"left out: {', '.join(ids[:SHOWN])}{f' and {len(ids) - SHOWN} more' * (len(ids) > SHOWN)}: {reason}"
        for reason, ids in found.items()
    ]


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _dtypes(text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    wrong = [one for one in found if one not in DTYPES]
    if wrong or not found:
        raise argparse.ArgumentTypeError(f"must be some of {', '.join(DTYPES)}, but got '{text}'")
    return found


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be seconds above 0, but got '{text}'")
    return value


def _bytes(text: str) -> int:
    number = text.rstrip("BKMGIbkmgi")
    unit = UNITS.get(text[len(number) :].upper())
    if unit is None or not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"must be bytes as in 60MB or 64MiB, but got '{text}'")
    return int(number) * unit


if __name__ == "__main__":
    sys.exit(main())
