# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/accuracy.md, and its plots.

python bench/accuracy/report.py                         what needs no data of others: across operators
python bench/accuracy/report.py --data DIR              within an operator too; DIR as of within_operators.py
python bench/accuracy/report.py --data DIR --plots      the plots too
python bench/accuracy/report.py --vendor DIR            beside published times too; DIR as of vendor_times.py
python bench/accuracy/report.py --check [--data DIR]    write nothing, fail where the page differs

A table stands between `<!-- begin NAME -->` and `<!-- end NAME -->`; the text around it is written by hand.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ablation import across_terms, within_terms
from across_operators import DEVICES, classes, read_across, summary, variants
from vendor_times import vendor_tables
from within_operators import FOLDERS, RS, STRIDED, S, by_layer, medians, read_within, select
from worst import worst_operators, worst_rows

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.hal import DeviceError
from roller_mlir.support.source import FileError, write_output

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


def across_tables() -> dict[str, str]:
    """Return the tables across operators by name."""
    every = [read_across(name) for name in DEVICES]
    tables = {
        "across-summary": summary(every),
        "across-variants": variants(every),
        "across-classes": classes(every),
        "across-terms": across_terms(),
    }
    return tables | {f"across-worst-{one.name}": worst_operators(one) for one in every}


def within_tables(data: Path) -> dict[str, str]:
    """Return the tables within an operator by name. Raises SuiteError for missing or malformed data."""
    layers = read_within(data)
    tables = {"within-medians": medians(layers), "within-terms": within_terms(layers)}
    for device in FOLDERS.values():
        tables[f"within-layers-{device}"] = by_layer(select(layers, device, RS, STRIDED, S))
        tables[f"within-worst-{device}"] = worst_rows(select(layers, device, RS, STRIDED))
    return tables


def fill(page: str, tables: dict[str, str], file: str) -> str:
    """Return the page with the tables in their places. Raises SuiteError for a table without a place."""
    for name, text in tables.items():
        pattern = re.compile(rf"(<!-- begin {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL)
        page, count = pattern.subn(lambda found, text=text: f"{found[1]}\n{text}\n{found[2]}", page)
        if count != 1:
            raise SuiteError(f"has {count} places '<!-- begin {name} -->', not one", file=file)
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/accuracy.md, and its plots.")
    parser.add_argument("--data", type=Path, help="folder with v100/exhaustive and 2080/exhaustive of HPCRL/AE-PACT")
    parser.add_argument("--vendor", type=Path, help="folder as of roller suite vendor-times --data")
    parser.add_argument("--jobs", type=int, default=1, help="operators of --vendor that are planned at a time (1)")
    parser.add_argument("--plots", action="store_true", help="write docs/accuracy/*.svg")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where the page differs")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (docs/accuracy.md)")
    options = parser.parse_args(arguments)
    if options.check and options.plots:
        parser.error("--check goes without --plots")
    try:
        tables = across_tables() | (within_tables(options.data) if options.data else {})
        tables |= vendor_tables(options.vendor, options.jobs) if options.vendor else {}
        old = options.page.read_text(encoding="utf-8")
        new = fill(old, tables, str(options.page))
        if options.check and new != old:
            raise SuiteError("is stale; run bench/accuracy/report.py", file=str(options.page))
        if not options.check:
            write_output(str(options.page), new.encode())
        if options.plots:
            from plots import write_plots

            write_plots(options.page.with_suffix(""), options.data)
    except (SuiteError, DeviceError, FileError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
