# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile the ONNX models of the tests with `roller iree compile`: who compiles what, and how long it takes.

    python bench/models/in_iree.py                                   # all, for h200 and mi300x, in both modes
    python bench/models/in_iree.py --only resnet18 --targets h200 --modes graph --rounds 5

Prints a table in Markdown: launches, the share of operations (mode graph) or dispatches that is ours, bytes of the
module, and seconds of this machine, each run in a process of its own: the first without a compile cache, and the median
of so many that find the kernels in it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import onnx

TESTS = Path(__file__).parents[2] / "test" / "unit"
sys.path += [str(TESTS / "downstream" / "iree"), str(TESTS / "importers")]

import whole_models  # noqa: E402 - found by the path above


def compiled(model: Path, folder: Path, target: str, mode: str) -> tuple[dict[str, Any], float]:
    """Return the report of one run, and its seconds."""
    report = folder / "report.json"
    words = [str(model), "-o", str(folder / "m.vmfb"), "--target", target, "--mode", mode, "--report", str(report)]
    environment = {**os.environ, "ROLLER_CACHE": "1", "ROLLER_CACHE_DIR": str(folder / "cache")}
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "roller_mlir.tools.roller", "iree", "compile", *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    return json.loads(report.read_text()), time.perf_counter() - begun


def main() -> None:
    """Compile each and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--targets", default="h200,mi300x", help="devices (h200,mi300x)")
    parser.add_argument("--modes", default="graph,dispatch", help="modes (graph,dispatch)")
    parser.add_argument("--rounds", type=int, default=3, help="runs with a warm cache (3)")
    options = parser.parse_args()
    print("| model | target | mode | launches | share | module | cold | warm |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in (one for one in whole_models.MODELS if options.only in one):
            file = Path(folder, f"{name}.onnx")
            onnx.save(whole_models.MODELS[name](), file)
            for target in options.targets.split(","):
                for mode in options.modes.split(","):
                    own = Path(folder, f"{name}-{target}-{mode}")
                    own.mkdir()
                    report, cold = compiled(file, own, target, mode)
                    warm = statistics.median(compiled(file, own, target, mode)[1] for _ in range(options.rounds))
                    launches = sum(one["launches"] for one in report["programs"])
                    print(
                        f"| {name} | {target} | {mode} | {launches} | {report['share']:.0%} | "
                        f"{report['module_bytes'] / 1024:,.0f} KiB | {cold:.1f} s | {warm:.1f} s |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
