# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The whole way of a measurement without a GPU: a small kit is packed, run on the simulator, and reported.

  python bench/gpu/dry_run.py -o DIR               DIR/kit, DIR/results.json, DIR/report
  python bench/gpu/dry_run.py -o DIR --faults      with faults that `planted.py` beside it plants: a family of kernels
                                                   kills the process, one hangs, the driver refuses cubins

It shows that every part works, and nothing else: times are those of the simulator on this machine's processor, and all
that is written says so.
"""

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from types import FrameType

from graphs import add_model_options, missing_ways, of_graphs, of_models
from microbenchmarks.probes import experiments
from microbenchmarks.scale import Scale
from microbenchmarks.tasks import tasks
from smoke import of_smoke

from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.kit.contents import PackRequest, of_example, of_suite
from roller_mlir.evaluation.measure.kit.files import KitError
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.evaluation.measure.records import Probe
from roller_mlir.evaluation.measure.report.results_file import read_results
from roller_mlir.evaluation.measure.runner.main import main as run_kit
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.errors import ArtifactError
from roller_mlir.tools.console.interrupt import interruptible
from roller_mlir.tools.roller import main as roller

ROOT = Path(__file__).resolve().parents[2]
MODELS, SCALE = ("seq2seq",), 32
"""Which model is in it unless others are named, and what its sizes are divided by: so that it takes seconds."""
PLANTED = ("smoke/product/f16", "smoke/stored", "smoke/product-mma")
"""What is packed beside where faults are planted: a family that has none, and two that have."""
PRODUCT = Operator("small", "matmul", "f32", {"M": 32, "N": 48, "K": 40})


def wanted(device: Device, models: Sequence[str], scale: int) -> list[PackRequest]:
    """Return small functions: a product with its two best candidates, the fused softmax, graphs in several ways.

    Args:
        device: What the kit is for.
        models: Names of models, or patterns of these, that are among the graphs.
        scale: What their sizes are divided by.

    Raises:
        SuiteError: There is no such model.
    """
    one = [*of_suite("dry-run", [PRODUCT], "", top_k=2), of_example(ROOT / "examples" / "softmax.mlir")]
    return [*one, *of_graphs(device, small=True), *of_models(device, models, scale)]


def probes(device: Device) -> list[tuple[Probe, Artifact]]:
    """Return one micro-benchmark, and those of tasks of persistent kernels, with their baselines."""
    one = next(one for one in experiments(device, small=True) if one.quantity == "bandwidth")
    options = CompileOptions(binaries=False)
    artifacts = {
        name: compile_kernel_module(Source("-", text), device.name, options) for name, text in one.sources().items()
    }
    found = [(probe, artifacts[probe.artifact]) for probe in one.probes()]
    return found + tasks(Scale(device=device, small=True), options)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    return interruptible("dry_run.py", lambda: _main(argv), whole_process=False)


def _main(argv: list[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="dry_run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a new folder")
    parser.add_argument("--target", default="h200", help="device (h200)")
    add_model_options(parser, MODELS, SCALE)
    parser.add_argument("--faults", action="store_true", help="plant faults; all other results must be there (h200)")
    options = parser.parse_args(argv)
    output: Path = options.output
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        if output.exists():
            raise KitError(f"{output} exists; choose another name")
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as staging:
            folder = Path(staging) / "dry-run"
            folder.mkdir()
            functions = wanted(find_device(options.target), options.models, options.scale)
            code = dry_run(folder, options.target, functions, faults=options.faults)
            folder.rename(output)
    except (ArtifactError, DeviceError, SuiteError, OSError) as error:
        print(f"dry_run.py: error: {error}", file=sys.stderr)
        return 1
    print(f"wrote {output}: a dry run, whose times are the simulator's and say nothing of any device")
    return code


def dry_run(folder: Path, target: str, functions: Sequence[PackRequest], *, faults: bool = False) -> int:
    """Pack functions, run them and report; return the first exit code that is not 0.

    Where faults are planted that is 1 unless two families are lost and all other results are there and right.
    """
    settings = PackOptions(jobs=1, simulator=True, binaries=faults, command="python bench/gpu/dry_run.py")
    device = find_device(target)
    if faults:
        functions = [
            *functions,
            *(one for one in of_smoke(device, ROOT / "examples" / "matmul_f16.mlir") if one.id in PLANTED),
        ]
    pack_kit(folder / "kit", target, functions, settings, probes(device), missing_ways(device, functions))
    worker = [sys.executable, str(Path(__file__).with_name("planted.py")), "kit"] if faults else None
    limit = ["--step-limit", "10"] if faults else []
    with chdir(folder):  # what is written names no place of this machine
        code = run_kit(["kit", "--on", "sim", "-o", ".", "--repeat", "2", *limit], worker)
        reported = roller(["report", "results.json", "-o", "report"])
        return (0 if _only_planted(folder) else 1) if faults else code or reported


def _only_planted(folder: Path) -> bool:
    """Return whether two families are lost and all else is right."""
    results = read_results(folder / "results.json")
    lost = {one.item for one in results.lost}
    wrong = {check.item for check in results.checks if not check.ok}
    done = {check.item for check in results.checks} == {item.id for item in results.kit.items}
    return results.complete and done and len(lost) == 2 and wrong == lost


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
