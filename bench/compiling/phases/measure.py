# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the compiler itself: source to binary in a warm process, phase by phase, as a Markdown table.

python bench/compiling/phases/measure.py --repeat 20 > docs/evaluation/compile-time.md
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from suite import suite_lines

import roller_mlir
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

HEADER = """# Compile time

Milliseconds from `.mlir` text to the binary of one f32 matmul in a warm process, medians of {repeat}; {date},
{machine}. Made by
`python bench/compiling/phases/measure.py > docs/evaluation/compile-time.md`. Phases are timed inside the compiler; how
fast the kernel runs is not among them. What is left of a CPU's whole links its library. The product is kept in one
kernel: small ones are otherwise divided over two.
"""
ONE_KERNEL = roller_mlir.CompileOptions(split=False, cache=False)
SUITE_TARGETS = ("v100", "a100", "h200", "mi300x", "zen5")
SIZES = ((1024, 1024, 1024), (4096, 4096, 4096), (1023, 1023, 1023))


def matmul(m: int, n: int, k: int) -> str:
    return f"""func.func @matmul(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
                     outs(%i : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %r : tensor<{m}x{n}xf32>
}}"""


def construction(size: tuple[int, int, int], target: str, repeat: int) -> float:
    """Return the median seconds of the construction alone, without reading the op and wrapping it into a program."""
    device = find_device(target)
    with make_context() as context, ir.Location.unknown():
        module = parse_module(matmul(*size), context)
        block = module.body.operations[0].regions[0].blocks[0]
        expression = read_structured(list(block.operations)[-2].operation).expression
    options = ConstructOptions(top_k=1, split=False)
    construct(expression, device, options)
    seconds: list[float] = []
    for _ in range(repeat):
        started = time.perf_counter()
        construct(expression, device, options)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def measure(size: tuple[int, int, int], target: str, repeat: int) -> tuple[float, dict[str, float]]:
    """Return the median seconds of the whole and of each phase, without the first compilation, which starts tools."""
    source = matmul(*size)
    roller_mlir.compile(source, target=target, options=ONE_KERNEL)
    totals: list[float] = []
    phases: dict[str, list[float]] = {}
    for _ in range(repeat):
        started = time.perf_counter()
        manifest = roller_mlir.compile(source, target=target, options=ONE_KERNEL).manifest
        totals.append(time.perf_counter() - started)
        (kernel,) = manifest.kernels
        found = {key: value for key, value in manifest.phases_s.items() if key not in ("binaries", "total")}
        found |= {key.removesuffix("_s"): value for key, value in kernel.phases_s.items()}
        for key, value in found.items():
            phases.setdefault(key, []).append(value)
    medians = {key: statistics.median(values) for key, values in phases.items()}
    medians["of rtile-construct, the construction alone"] = construction(size, target, repeat)
    return statistics.median(totals), medians


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="compilations per row (20)")
    parser.add_argument("--target", action="append", help="device; may be given several times (h200, mi300x, zen5)")
    parser.add_argument(
        "--no-growth", action="store_true", help="leave out the table of bench/compiling/growth, which takes longest"
    )
    parser.add_argument("--suite", default="roller119", help="suite of the second table; '' leaves it out (roller119)")
    options = parser.parse_args()
    targets = options.target or ["h200", "mi300x", "zen5"]
    columns = [(size, target) for target in targets for size in SIZES]
    results = [measure(size, target, options.repeat) for size, target in columns]
    names = list(dict.fromkeys(name for _, phases in results for name in phases))
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    print(HEADER.format(repeat=options.repeat, date=date.today(), machine=machine))
    print("| phase | " + " | ".join(f"{m}x{n}x{k} {target}" for (m, n, k), target in columns) + " |")
    print("|---|" + "---:|" * len(columns))
    for name in names:
        cells = [f"{1e3 * phases[name]:.1f}" if name in phases else "" for _, phases in results]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("| **whole** | " + " | ".join(f"**{1e3 * total:.0f}**" for total, _ in results) + " |")
    if options.suite:
        print("\n".join(suite_lines(options.suite, options.target or SUITE_TARGETS)))
    if not options.no_growth:
        print(flush=True)
        subprocess.run([sys.executable, str(Path(__file__).parents[1] / "growth" / "measure.py")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
