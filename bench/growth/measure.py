# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole compilations of functions of many ops, each in a process of its own without a cache.

python bench/growth/measure.py                                  # the table, as Markdown
python bench/growth/measure.py --ops 100,1000 --kind independent --json
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
{date}, {machine}: seconds on the wall / peak MB of the process (kernels). Made by `python bench/growth/measure.py`;
`programs.py` beside it says what the functions are. Python's start and imports, about half a second, are part of it.
"""


def compile_one(kind: str, count: int, target: str) -> dict[str, Any]:
    """Compile one function in this process and say what it took."""
    import roller_mlir

    started = time.perf_counter()
    options = roller_mlir.CompileOptions(cache=False)
    artifact = roller_mlir.compile(KINDS[kind](count), target=target, options=options)
    return {
        "kind": kind,
        "ops": count,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time(),
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", default=",".join(map(str, OPS)), help="numbers of ops (10,100,500,1000)")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="may be given several times (all)")
    parser.add_argument("--target", default="h200", help="device (h200)")
    parser.add_argument("--json", action="store_true", help="print records")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(compile_one(options.one[0], int(options.one[1]), options.target)))
        return 0
    kinds = options.kind or list(KINDS)
    counts = [int(count) for count in options.ops.split(",")]
    rows = [measure(kind, count, options.target) for count in counts for kind in kinds]
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    print(HEADER.format(target=options.target, date=date.today(), machine=machine))
    print("| ops | " + " | ".join(kinds) + " |")
    print("|---:|" + "---|" * len(kinds))
    for count in counts:
        cells = [f"{r['seconds']:.1f} / {r['peak_mb']} ({r['kernels']})" for r in rows if r["ops"] == count]
        print(f"| {count} | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
