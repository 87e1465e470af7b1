# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the construction over the suite roller119 and writes docs/method/construction.md; on CPU, in about two minutes.

python bench/compiling/construction/table.py --date 2026-11-21
python bench/compiling/construction/table.py --page-only                  # the page anew, from results.json
"""

import argparse
import json
import os
import platform
import sys
from datetime import date
from pathlib import Path
from typing import Any

from ablation import COUNTED, counted, gains, predicted
from measure import TOP_K, one_core, read, scaling, sweep
from page import page

from roller_mlir.evaluation.suites import Operator, SuiteError, find_suite
from roller_mlir.evaluation.suites.select import select

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parents[2] / "docs" / "method" / "construction.md"

BY_CLASS = ("v100", "k80", "mi50", "a100-80", "h100", "h200", "mi300x")
OTHERS = ("2080ti", "a100-40", "rtx4090", "b200", "mi210", "mi250x", "ipu-gc2")
DETAILED = ("v100", "h200")
"""Devices of the tables over sizes and of the ablation."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, help="today, for the page: YYYY-MM-DD; required to measure")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results that there are")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="some operators; may be repeated")
    parser.add_argument("--device", action="append", default=[], help="some devices; may be repeated")
    parser.add_argument("--repeat", type=int, default=3, help="sweeps per device (3)")
    parser.add_argument("--size-repeat", type=int, default=7, help="repeats per size (7)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what is measured (results.json)")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page (docs/method/construction.md)")
    options = parser.parse_args()
    try:
        results = json.loads(options.results.read_text()) if options.page_only else measured(parser, options)
    except (OSError, ValueError, SuiteError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if not options.page_only:
        write(options.results, packed(results))
        results = json.loads(options.results.read_text())
    write(options.output, page(unpacked(results)))
    return 0


def measured(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[str, Any]:
    """Return what the page is made of."""
    if options.date is None:
        parser.error("--date is required to measure")
    one_core()
    operators: tuple[Operator, ...] = select(find_suite("roller119"), options.only)
    by_class = [name for name in BY_CLASS if not options.device or name in options.device]
    others = [name for name in OTHERS if not options.device or name in options.device]
    detailed = [name for name in DETAILED if name in by_class]
    if not by_class:
        parser.error(f"--device must name one of {', '.join(BY_CLASS)}, but got {', '.join(options.device)}")
    expressions = read(operators)
    sweeps: dict[str, Any] = {}
    for name in by_class + others:
        print(f"construct for {name}", file=sys.stderr)
        sweeps[name] = sweep(operators, expressions, name, options.repeat if name in by_class else 1)
    print("sizes, rules, counts", file=sys.stderr)
    few = COUNTED if not options.only else COUNTED[-1:]
    return {
        "made": {
            "date": options.date.isoformat(),
            "machine": f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}",
            "count": len(operators),
            "top_k": TOP_K,
            "repeat": options.repeat,
            "size_repeat": options.size_repeat,
            "by_class": by_class,
        },
        "sweeps": sweeps,
        "scaling": scaling(detailed, options.size_repeat),
        "gains": {name: gains(operators, predicted(operators, expressions, name)) for name in detailed},
        "counted": {name: counted(name, few) for name in detailed},
    }


COLUMNS = ("class", "programs", "cpu_s", "wall_s", "predicted_s", "saturated", "share", "roof", "error")
"""What the file of results has of an operator, null where there is none."""


def packed(results: dict[str, Any]) -> str:
    """Return the file of results: operators as rows, one a line."""
    plain: dict[str, Any] = rounded(results)
    lines: list[str] = ["{", f'"columns": {json.dumps(COLUMNS)},', '"sweeps": {']
    sweeps: list[str] = []
    for name, swept in plain.pop("sweeps").items():
        rows = [
            f"{json.dumps(key)}: {json.dumps([one.get(column) for column in COLUMNS])}"
            for key, one in swept["operators"].items()
        ]
        head = f'"{name}": {{"cpu_s": {swept["cpu_s"]}, "wall_s": {swept["wall_s"]}, "operators": {{\n'
        sweeps.append(head + ",\n".join(rows) + "}}")
    lines += [",\n".join(sweeps), "},"]
    lines += [",\n".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in plain.items()), "}"]
    return "\n".join(lines) + "\n"


def unpacked(results: dict[str, Any]) -> dict[str, Any]:
    """Return the results with operators as objects again."""
    columns = results["columns"]
    for swept in results["sweeps"].values():
        for key, row in swept["operators"].items():
            swept["operators"][key] = {c: one for c, one in zip(columns, row, strict=True) if one is not None}
    return results


def rounded(value: Any) -> Any:
    """Return data with its fractions to four digits, so that the file of results stays small."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def write(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    written = path.with_name(f".{path.name}.partial")
    written.write_text(text)
    written.replace(path)


if __name__ == "__main__":
    sys.exit(main())
