# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verifies both suites on four devices in the simulator and writes docs/evaluation/verification.md.

About 30 minutes on 2 cores.

python bench/correctness/verification/table.py --date 2026-11-21 --jobs 2
python bench/correctness/verification/table.py --date 2026-11-21 --only f16,bf16   # these sections, others as they are
python bench/correctness/verification/table.py --page-only                  # the page anew, from results.json
"""

import argparse
import json
import os
import platform
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from page import page

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.stages.each import Crew
from roller_mlir.evaluation.suites.stages.verify_all import verify_pairs

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parents[2] / "docs" / "evaluation" / "verification.md"
SECTIONS = {
    "roller119": ("roller119", None, ()),
    "f16": ("roller119", "f16", ("matmul", "conv2d")),
    "bf16": ("roller119", "bf16", ("matmul", "conv2d")),
    "shapes60": ("shapes60", None, ()),
}
"""Per section of the page its suite, the element type of the inputs where it is not the suite's, and the classes."""
TARGETS = ("v100", "a100", "h200", "mi300x")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, help="today, for the page: YYYY-MM-DD; required to verify")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results that there are")
    parser.add_argument("--only", type=sections, default=tuple(SECTIONS), metavar="SECTION,...", help="of the page")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what was found (results.json)")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page (docs/evaluation/verification.md)")
    options = parser.parse_args()
    if not options.page_only:
        if options.date is None:
            parser.error("--date is required to verify")
        known = {} if len(options.only) == len(SECTIONS) else json.loads(options.results.read_text())
        write(options.results, packed(verified(options.date, options.jobs, options.only, known)))
    try:
        results = json.loads(options.results.read_text())
    except (OSError, ValueError) as error:
        print(f"error: {options.results}: {error}", file=sys.stderr)
        return 1
    write(options.output, page(results))
    wrong = [row for rows in results["suites"].values() for row in rows if not row.get("matches")]
    for row in wrong:
        print(f"{row['id']} on {row['target']}: {row.get('error', 'does not match')}", file=sys.stderr)
    return 1 if wrong else 0


def sections(text: str) -> tuple[str, ...]:
    """Return names of sections of the page."""
    names = tuple(text.split(","))
    if not set(names) <= set(SECTIONS):
        raise argparse.ArgumentTypeError(f"must be some of {', '.join(SECTIONS)}, but got '{text}'")
    return names


def verified(today: date, jobs: int, only: tuple[str, ...], known: dict[str, Any]) -> dict[str, Any]:
    """Return what the operators of some sections gave on every target, of the other sections what is known."""
    suites: dict[str, list[dict[str, Any]]] = {}
    seconds: dict[str, float] = {}
    for section, (name, dtype, classes) in SECTIONS.items():
        if section not in only:
            suites[section], seconds[section] = known["suites"][section], known["seconds"][section]
            continue
        begun = time.perf_counter()
        operators = [one for one in find_suite(name) if not classes or one.kind in classes]
        pairs = [(operator, target) for target in TARGETS for operator in operators]
        suites[section] = []
        for number, record in enumerate(verify_pairs(pairs, CompileOptions(), dtype=dtype, crew=Crew(workers=jobs)), 1):
            suites[section].append(row_of(record))
            if number % 20 == 0:
                print(f"{section}: {number} of {len(pairs)}", file=sys.stderr, flush=True)
        seconds[section] = round(time.perf_counter() - begun)
    machine = f"{os.cpu_count()} cores ({platform.machine()})"
    return {"date": str(today), "jobs": jobs, "machine": machine, "seconds": seconds, "suites": suites}


def row_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return what the page needs of a record."""
    if "error" in record:
        return {key: record[key] for key in ("id", "class", "target", "error")}
    kept = ("id", "class", "target", "dtype", "shrunk", "points", "matches", "equal", "bytes_exact", "instructions")
    return {
        **{key: record[key] for key in kept},
        "extents": ["x".join(map(str, one["extents"])) for one in record["programs"]],
        "reduced": any(one["reduced"] for one in record["programs"]),
        "error_share": round(record["max_error"], 4),
        "unsaid": record["unsaid"],
        "sectors": round(record["sectors_ratio"], 4),
        "phases": round(record["phases_ratio"], 4),
        "moved": {unit: moved(record["counted"], unit) for unit in ("sectors", "phases")},
    }


def moved(counted: list[dict[str, Any]], unit: str) -> list[int]:
    """Return how many transactions were counted and planned, of all kernels, loads and stores together."""
    rows = [row for row in counted if row["quantity"].endswith(unit)]
    return [sum(row[key] for row in rows) for key in ("counted", "planned")]


def packed(results: dict[str, Any]) -> str:
    """Return results as JSON with one line a row."""
    suites = ",\n".join(
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in results["suites"].items()
    )
    head = {key: value for key, value in results.items() if key != "suites"}
    return json.dumps(head)[:-1] + f', "suites": {{\n{suites}\n}}}}\n'


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    aside = path.with_name(f".{path.name}.partial")
    aside.write_text(text)
    aside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
