# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole compilations of functions of many ops, each in a process of its own without a cache.

python bench/compiling/growth/measure.py                                  # the table, as Markdown
python bench/compiling/growth/measure.py --ops 100,1000 --kind independent --json
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from typing import Any

from programs import KINDS

OPS = (10, 100, 500, 1000)

HEADER = """## Growth

Functions of many ops for {target}, each compiled from text to binaries in a process of its own, with an empty cache, on
{date}, {machine}: seconds on the wall, processor seconds with those of LLVM and the
vendor's assembler, peak MB of the process, kernels. The load of the machine was {load:.1f} at the end: where that is
more than its cores, the wall tells little. Made by `python bench/compiling/growth/measure.py`; `programs.py` beside it
says what the functions are. Python's start and imports, about half a second, are part of it.
"""


def compile_one(kind: str, count: int, target: str) -> dict[str, Any]:
    """Compile one function in this process and say what it took."""
    import roller_mlir
    from roller_mlir.lowering.backend.child.pool import process_pool

    started = time.perf_counter()
    options = roller_mlir.CompileOptions(cache=False)
    artifact = roller_mlir.compile(KINDS[kind](count), target=target, options=options)
    process_pool().close()  # so that what its processes took is known
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "kind": kind,
        "ops": count,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() + children.ru_utime + children.ru_stime,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "launches": len(artifact.manifest.launches),
        "kernels": len(artifact.kernels),
        "phases_s": artifact.manifest.phases_s,
    }


def measure(kind: str, count: int, target: str) -> dict[str, Any]:
    """Compile one function in a process of its own; its seconds count from the start of that."""
    command = [sys.executable, __file__, "--target", target, "--one", kind, str(count)]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {**json.loads(done.stdout), "seconds": time.perf_counter() - started}


def _cell(row: dict[str, Any]) -> str:
    return f"{row['seconds']:.1f} s, {row['processor_s']:.1f} s, {row['peak_mb']} MB, {row['kernels']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", default=",".join(map(str, OPS)), help="numbers of ops (10,100,500,1000)")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="may be given several times (all)")
    parser.add_argument("--most-distinct", type=int, default=1000, help="no more distinct products than this (1000)")
    parser.add_argument("--target", default="h200", help="device (h200)")
    parser.add_argument("--json", action="store_true", help="print records")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(compile_one(options.one[0], int(options.one[1]), options.target)))
        return 0
    kinds = options.kind or list(KINDS)
    counts = [int(count) for count in options.ops.split(",")]
    rows = [
        measure(kind, count, options.target)
        for count in counts
        for kind in kinds
        if kind != "distinct products" or count <= options.most_distinct
    ]
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    print(HEADER.format(target=options.target, date=date.today(), machine=machine, load=os.getloadavg()[0]))
    print("| ops | " + " | ".join(kinds) + " |")
    print("|---:|" + "---|" * len(kinds))
    for count in counts:
        cells = {row["kind"]: _cell(row) for row in rows if row["ops"] == count}
        print(f"| {count} | " + " | ".join(cells.get(kind, "") for kind in kinds) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
