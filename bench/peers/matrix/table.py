# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/method/matrix.md: our tiles of products of f16 beside carver's and Triton's, all through our model.

python bench/peers/matrix/table.py

Needs no TileLang, no Triton and no GPU: `hints.json` holds carver's tiles, `TRITON` the ones of Triton's tutorial.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites import Operator
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.hal import Device, find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.support.bindings import make_context

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "method" / "matrix.md"
TEXT = HERE / "page.md.in"

sys.path.insert(0, str(HERE.parent / "carver"))
carver: Any = import_module("compare")
carver_page: Any = import_module("table")

# Block M, N, K, warps, stages: the configurations for f16 of Triton's tutorial 03-matrix-multiplication, in its order.
TRITON = {
    "nvidia": (
        (128, 256, 64, 8, 3),
        (64, 256, 32, 4, 4),
        (128, 128, 32, 4, 4),
        (128, 64, 32, 4, 4),
        (64, 128, 32, 4, 4),
        (128, 32, 32, 4, 4),
        (64, 32, 32, 2, 5),
        (32, 64, 32, 2, 5),
    ),
    "amd": (
        (32, 32, 64, 8, 2),
        (64, 32, 64, 8, 2),
        (32, 64, 64, 8, 2),
        (64, 64, 64, 8, 2),
        (128, 64, 64, 8, 2),
        (128, 128, 64, 8, 2),
        (256, 128, 64, 8, 2),
        (256, 256, 64, 8, 2),
    ),
}
COLUMNS = (
    "tile", "block / step, points of a thread, threads, stages", "instruction", "global", "l2", "workgroup",
    "registers", "per task", "occupancy", "waves", "predicted", "limit",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page to write (docs/method/matrix.md)")
    options = parser.parse_args()
    found = carver.read_hints(HERE / "hints.json")
    text = TEXT.read_text()
    text = text.replace("@TILELANG@", found["tilelang"]).replace("@TILES@", "\n".join(tables(found)))
    written = options.output.with_name(f".{options.output.name}.partial")
    written.write_text(text)
    written.replace(options.output)
    return 0


def tables(found: dict[str, Any]) -> list[str]:
    """Return a table per device and operator."""
    lines: list[str] = []
    with make_context() as context:
        expressions = {
            name: read_operator(Operator(name, given["kind"], given["dtype"], given["sizes"]), context)
            for name, given in found["operators"].items()
        }
    for arch, facts in found["devices"].items():
        device = find_device(facts["compared_on"])
        for name, given in found["operators"].items():
            sizes = given["sizes"]
            lines.append(f"\n### {sizes['M']}x{sizes['N']}x{sizes['K']} on {facts['compared_on']}\n")
            lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---|---|" + "---:|" * 8 + "---|"]
            rows = [
                carver.hint_row(given["hints"][arch][0], "carver 1", given["kind"], expressions[name], device),
                *triton_rows(expressions[name], device),
                carver.own_row(expressions[name], device),
            ]
            lines += [f"| {' | '.join(carver_page.cells(row))} |" for row in rows]
    return lines


def triton_rows(expression: TensorExpression, device: Device) -> list[Any]:
    """Return the rows of the tutorial's first configuration, and of the one that our model expects least time of."""
    rows = [
        triton_row(f"Triton {number}", expression, device, one) for number, one in enumerate(TRITON[device.vendor], 1)
    ]
    usable = [row for row in rows if not row.refused]
    best = min(usable, key=lambda row: row.predicted_s, default=rows[0])
    return [rows[0], *([best] if best is not rows[0] else [])]


def triton_row(whose: str, expression: TensorExpression, device: Device, one: tuple[int, ...]) -> Any:
    """Return what the model says of a configuration; where its warps stand is chosen as for our own plans."""
    m, n, k, warps, stages = one
    threads = warps * device.subgroup_size
    text = f"{m}x{n}/{k}, {threads} threads, {carver.stages(stages)}"
    families = tuple(dict.fromkeys(atom.instruction.family for atom in atoms(expression, device) if atom.is_matrix))
    try:
        plan = forced(expression, device, (m, n, k), threads, stages, families)
    except ConstructionError as error:
        return carver.Row(whose=whose, tile=text, refused=str(error))
    return carver.row(whose, text, expression, plan, device)


def forced(
    expression: TensorExpression,
    device: Device,
    tile: tuple[int, int, int],
    threads: int,
    stages: int,
    families: tuple[str, ...],
) -> Plan:
    """Return the first plan of a tile with so many threads, with the fastest family that has one.

    Raises:
        ConstructionError: There is none.
    """
    reason = ""
    for family in families:
        try:
            options = ConstructOptions(top_k=20, tile_sizes=tile, stages=stages, split=False, instructions=(family,))
            found = [plan for plan in construct(expression, device, options) if plan.threads == threads]
        except ConstructionError as error:
            reason = reason or str(error)
            continue
        if found:
            return found[0]
        reason = reason or f"no plan of {carver.by(tile)} has {threads} threads that hold whole instructions"
    raise ConstructionError(reason)


if __name__ == "__main__":
    sys.exit(main())
