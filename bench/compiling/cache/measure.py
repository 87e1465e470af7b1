# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a compilation that the cache does not have against one that it has, in a warm process, as a Markdown table.

python bench/compiling/cache/measure.py --repeat 10

Times of the compiler, source text to artifact; how fast a kernel is on a GPU is not among them. A miss includes writing
what was compiled. Medians; the cache is in a folder of its own, which is removed.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import roller_mlir
from roller_mlir.compiler.cache.store import CacheStore
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.programs.write import function_text

OPERATORS = (("M3", None), ("M3", "f16"))
WITHOUT = roller_mlir.CompileOptions(cache=False)


def seconds(
    text: str, target: str, options: roller_mlir.CompileOptions | None = None
) -> tuple[float, dict[str, float]]:
    """Return how long a compilation takes, and its phases."""
    started = time.perf_counter()
    artifact = roller_mlir.compile(text, target=target, options=options)
    return time.perf_counter() - started, dict(artifact.manifest.phases_s)


def measure(text: str, target: str, repeat: int, store: CacheStore) -> tuple[list[float], int]:
    """Return median seconds without a cache, of a miss, of a hit and of the hit's look-up; and the bytes of entries."""
    seconds(text, target, WITHOUT)
    without, missed, found, looked = list[float](), list[float](), list[float](), list[float]()
    for _ in range(repeat):
        without.append(seconds(text, target, WITHOUT)[0])
        store.clear()
        taken, phases = seconds(text, target)
        assert "cache: missed" in phases, "the compiler's sources change while it runs"
        missed.append(taken)
        taken, phases = seconds(text, target)
        assert "cache: artifact" in phases, "the compiler's sources change while it runs"
        found.append(taken)
        looked.append(phases["cache: artifact"])
    return [statistics.median(one) for one in (without, missed, found, looked)], store.statistics().size_bytes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=10, help="compilations of each kind (10)")
    parser.add_argument("--target", default="a100", help="device (a100)")
    options = parser.parse_args()
    operators = {one.id: one for one in find_suite("roller119")}
    print("| operator | without a cache | missed | found | of which the look-up | entries |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="roller-cache-") as folder:
        os.environ.update(ROLLER_CACHE="1", ROLLER_CACHE_DIR=folder)
        store = CacheStore(Path(folder), 1 << 30)
        for name, dtype in OPERATORS:
            text = function_text(operators[name], dtype)
            times, size = measure(text, options.target, options.repeat, store)
            cells = " | ".join(f"{1e3 * one:.1f} ms" for one in times)
            print(f"| {name} {dtype or operators[name].dtype}, {options.target} | {cells} | {size / 1e3:.0f} kB |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
