# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/evaluation/carver.md: tiles of TileLang's carver beside ours, both through our model.

Needs no TileLang and no GPU.

python bench/peers/carver/table.py
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from compare import HINTS, Row, compare, read_hints

PAGE = Path(__file__).parents[3] / "docs" / "evaluation" / "carver.md"

HEADER = """# Tiles of carver beside ours

Carver is the part of TileLang that recommends tiles; it descends from ROLLER as we do. This page puts its first tiles
of some operators and our own first choice through the same model, ours. **Every figure is the model's: nothing here
was measured on a device, and the model that ranks our tiles is bound to like them.** What the page is good for is the
columns of bytes, registers and occupancy, which follow from the tiles by counting, and the tiles themselves.

Made by `python bench/peers/carver/table.py` from `bench/peers/carver/hints.json`, which
`bench/peers/carver/hints.py` wrote with TileLang {version} (carver asked for {arch} without a GPU: its
description of the device is filled in by hand, with {limit} KiB of workgroup memory per task, which is what
carver reads on real devices; its bandwidths are those of a V100 for every device, as in the package).

How a hint becomes a plan: its block, reduction step, threads per axis (or warp tiles) and stages are forced; what
carver leaves to its code generator (widths of accesses, padding of rows, the order of tasks) is chosen as for our own
plans. Carver ranks ten hints, which are meant to be measured on the device; shown are its first {top}, then, where it
is another, the one of the ten that our model expects least time of. "ours" is the first plan of `roller explain`,
free to use all workgroup memory, both stages and a divided reduction.

Columns: bytes between global memory and the last cache, between that and the units, and through workgroup memory;
registers per thread; workgroup memory of a task; occupancy; waves (tasks over those that the device holds at a time);
predicted time and the layer that limits it. A hint that cannot be a plan has the reason instead.
"""
COLUMNS = (
    "tile", "block / step, thread tile, threads, stages", "instruction", "global", "l2", "workgroup", "registers",
    "per task", "occupancy", "waves", "predicted", "limit",
)  # fmt: skip
NOTES = """
C0 is NCHW as in the suite, which carver gets as a function of its input form (it has no template for it), and D0
likewise; C0-nhwc is the same convolution in the layout of carver's template. The axes of carver's tiles are in carver's
order: N, F, OH, OW / C, KH, KW for C0; N, C, OH, OW / KH, KW for D0; N, OH, OW, F / KH, KW, C for C0-nhwc. Ours are in
the order of the loops of the linalg op: N, OH, OW, C / KH, KW for D0, otherwise the same.
On H200 the matrix instruction is wgmma, whose rows belong to four warps: a hint's warp tiles are laid as it lays them,
or, where they are no tiles of wgmma, as mma.sync does.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=3, help="hints that are shown per operator (3)")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="some operators; may be repeated")
    parser.add_argument("--hints", type=Path, default=HINTS, help="the file of hints")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page to write (docs/evaluation/carver.md)")
    options = parser.parse_args()
    try:
        found = read_hints(options.hints)
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {options.hints} cannot be used: {error}", file=sys.stderr)
        return 1
    unknown = [name for name in options.only if name not in found["operators"]]
    if unknown:
        print(f"error: no operator '{unknown[0]}'; known: {', '.join(found['operators'])}", file=sys.stderr)
        return 1
    written = options.output.with_name(f".{options.output.name}.partial")
    written.write_text(page(found, compare(found, options.top, options.only), options.top))
    written.replace(options.output)
    return 0


def page(found: dict[str, Any], results: dict[str, dict[str, list[Row]]], top: int) -> str:
    """Return the page."""
    devices = found["devices"]
    limit = next(iter(devices.values()))["workgroup_bytes"] >> 10
    parts = [HEADER.format(version=found["tilelang"], arch=" and ".join(devices), limit=limit, top=top)]
    for device, operators in results.items():
        for name, rows in operators.items():
            parts.append(f"\n## {name} on {device}\n\n{describe(found['operators'][name])}\n")
            parts.append("| " + " | ".join(COLUMNS) + " |")
            parts.append("|---|---|---|" + "---:|" * 8 + "---|")
            parts += [f"| {' | '.join(cells(row))} |" for row in rows]
    return "\n".join([*parts, NOTES, below_ours(results)])


def below_ours(results: dict[str, dict[str, list[Row]]]) -> str:
    """Return which shown hints the model expects less time of than of our own first choice: what we miss."""
    found: list[str] = []
    for device, operators in results.items():
        for name, rows in operators.items():
            ours = rows[-1].predicted_s
            best = min((one for one in rows[:-1] if not one.refused), key=lambda one: one.predicted_s, default=None)
            if best is not None and best.predicted_s < 0.995 * ours:
                found.append(
                    f"- {name} on {device}, {best.whose}: {time(best.predicted_s)} against {time(ours)} predicted"
                )
    if not found:
        return "No hint is predicted more than 0.5 % below our own first choice.\n"
    return "\n".join(["Hints that are predicted more than 0.5 % below our own first choice:\n", *found, ""])


def describe(operator: dict[str, Any]) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in operator["sizes"].items())
    return f"{operator['kind']}, {operator['dtype']}: {sizes}."


def cells(row: Row) -> list[str]:
    if row.refused:
        return [row.whose, row.tile, f"no plan: {row.refused}", *[""] * 9]
    return [
        row.whose,
        row.tile,
        row.instruction,
        size(row.global_bytes),
        size(row.cache_bytes),
        size(row.workgroup_bytes),
        str(row.registers),
        f"{row.task_bytes:,} B",
        f"{row.occupancy:.0%}",
        f"{row.waves:.2f}",
        time(row.predicted_s),
        row.saturated,
    ]


def size(amount: float) -> str:
    """Return bytes in decimal units."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= scale:
            return f"{amount / scale:.3g} {unit}" if amount < 999 * scale else f"{amount / scale:.0f} {unit}"
    return f"{amount:.0f} B"


def time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} us"


if __name__ == "__main__":
    sys.exit(main())
