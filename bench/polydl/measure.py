# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times variants of loop nests on this machine, one thread, and writes what train.py learns from.

python bench/polydl/measure.py --date 2026-11-26 -o bench/polydl/results/zen4.json
"""

import argparse
import json
import os
import platform
import sys
from datetime import date
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from cache_probe import caches
from nest_kernel import native_columns
from nest_problems import problems
from nest_timing import measured

from roller_mlir.support.foreign.cpuinfo import CPUINFO, parse_cpuinfo


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, required=True, help="today: YYYY-MM-DD")
    parser.add_argument("--variants", type=int, default=36, help="of each problem (36)")
    parser.add_argument("--rounds", type=int, default=5, help="samples of each, of which the least counts (5)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="some problems; may be repeated")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    known = problems(native_columns())
    chosen = [one for one in known if not options.only or one.name in options.only]
    if not chosen:
        print(f"error: no such problem; there are: {', '.join(one.name for one in known)}", file=sys.stderr)
        return 1
    rows: list[list[Any]] = []
    for problem in chosen:
        found = measured(problem, options.variants, options.rounds)
        for nest, seconds in found:
            rows.append([problem.name, [[x.axis, x.count, x.size] for x in nest.loops], float(f"{seconds:.4g}")])
        best, worst = min(seconds for _, seconds in found), max(seconds for _, seconds in found)
        rate = problem.expression.flops / best / 1e9
        print(f"{problem.name}: {len(found)} variants, best {rate:.1f} GFLOP/s, worst {worst / best:.2f} times as long")
        sys.stdout.flush()
    data = {
        "provenance": {
            "machine": machine(),
            "date": options.date.isoformat(),
            "command": f"python bench/polydl/measure.py --variants {options.variants} --rounds {options.rounds}",
            "clock": "least of the processor time of one thread",
            "load": f"{os.getloadavg()[2]:.1f} processes, in the mean of 15 minutes, on {os.cpu_count()} cores",
        },
        "panel": native_columns(),
        "caches": caches(),
        "rows": rows,
    }
    options.output.write_text(packed(data))
    return 0


def packed(data: dict[str, Any]) -> str:
    """Return data as JSON, one row of it a line."""
    head = json.dumps({key: value for key, value in data.items() if key != "rows"}, indent=1)
    rows = ",\n".join(f"  {json.dumps(row)}" for row in data["rows"])
    return f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n'


def machine() -> str:
    """Return what the system says of its processor."""
    try:
        name = parse_cpuinfo(CPUINFO.read_text()).name
    except OSError:
        name = ""
    return f"{name or platform.processor()} ({llvm.get_host_cpu_name()})"


if __name__ == "__main__":
    sys.exit(main())
