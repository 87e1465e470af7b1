# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well the model ranks tiles within an operator: CNNOpt's exhaustively measured layers against their predictions.

python bench/accuracy/within_operators.py --data DIR [--csv FILE]

DIR holds `v100/exhaustive/*.csv` and `2080/exhaustive/*.csv` of HPCRL/AE-PACT (`rs_` and `st2_` are the RS kernel, `s_`
the S kernel). Prints the tables of docs/accuracy.md; the CSV holds a row per tile.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markdown_table import table

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import Row, RsRow, read_rows, row_seconds, row_work
from roller_mlir.evaluation.suites.stages.figures import Values, loss, spearman
from roller_mlir.hal import DeviceError, find_device
from roller_mlir.model.cost.timing import seconds_by_layer
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.support.source import write_output

FOLDERS = {"v100": "v100", "2080": "2080ti"}
RS, STRIDED, S = "rs_", "st2_", "s_"
QUANTITIES = ("tasks", "resident", "steps", "threads", "spilled words", "limit")
HEADER = ("layer", "tiles", "Spearman", "loss of 1", "loss of 10", "median tile's loss", "traffic alone, Spearman")


@dataclass(frozen=True)
class Layer:
    """One measured layer: its tiles, what the model expects of them and what was measured, in seconds."""

    device: str
    name: str
    machine: Machine
    rows: list[Row]
    predicted: Values
    measured: Values

    def figures(self) -> list[float]:
        """Return what HEADER names from its third entry on."""
        anywhere = float(np.median(self.measured / self.measured.min()) - 1)
        alone = spearman(np.array([traffic(row) for row in self.rows], dtype=np.float64), self.measured)
        losses = [loss(self.predicted, self.measured, first) for first in (1, 10)]
        return [spearman(self.predicted, self.measured), *losses, anywhere, alone]

    def surprises(self) -> Values:
        """Return by how much each tile differs from the layer's usual error: log2 of predicted over measured."""
        error = np.log2(np.minimum(self.predicted, 1e9) / self.measured)
        return error - np.median(error)

    def key(self, row: int) -> str:
        """Return the name of a tile: device, layer, tile."""
        return f"{self.device} {self.name} {tile(self.rows[row])}"


def read_layer(path: Path, device: str, machine: Machine) -> Layer:
    """Return a layer's tiles with predictions. Raises SuiteError for a malformed file."""
    read = read_rows(path)
    if not read.times_ms:
        raise SuiteError("has no column Time", file=str(path))
    predicted = np.array([row_seconds(row, machine) for row in read.rows])
    return Layer(device, path.stem, machine, read.rows, predicted, np.array(read.times_ms) / 1e3)


def read_within(data: Path) -> list[Layer]:
    """Return all layers. Raises SuiteError for a missing folder or a malformed file."""
    layers: list[Layer] = []
    for folder, name in FOLDERS.items():
        paths = sorted((data / folder / "exhaustive").glob("*.csv"))
        if not paths:
            raise SuiteError("holds no *.csv", file=str(data / folder / "exhaustive"))
        machine = machine_of(find_device(name))
        layers += [read_layer(path, name, machine) for path in paths]
    return layers


def select(layers: Sequence[Layer], device: str, *starts: str) -> list[Layer]:
    """Return the layers of a device whose names begin so."""
    return [one for one in layers if one.device == device and one.name.startswith(starts)]


def traffic(row: Row) -> int:
    """Return elements of inputs and weights that all blocks fetch: the reuse of tiles, and nothing else, as a time."""
    if isinstance(row, RsRow):
        inputs = row.inputs(row.bh * row.th) * row.inputs(row.bw * row.tw)
        return row.blocks * (row.c // row.cmult) * (inputs + row.r**2 * row.tk * row.bk)
    blocks = (row.k // row.channels) * (row.h // row.rows) * (row.w // row.columns)
    return blocks * row.c * (row.tile_inputs + row.r**2 * row.channels)


def quantities(row: Row, machine: Machine) -> list[str]:
    """Return what explains a prediction, in the order of QUANTITIES."""
    work = row_work(row, machine)
    if work is None:
        return ["", "0", "", "", "", "does not fit"]
    layers = seconds_by_layer(work, machine)
    limit = max((key for key in layers if key != "launch"), key=lambda key: layers[key])
    counts = (work.tasks, work.resident, work.steps, work.threads, work.spilled_words)
    return [*(f"{count:g}" for count in counts), limit]


def tile(row: Row) -> str:
    """Return a configuration in short."""
    if isinstance(row, RsRow):
        return f"T {row.tk}x{row.th}x{row.tw} B {row.bh}x{row.bw} C/{row.cmult}"
    return f"T {row.tk}x{row.th}x{row.tw} W {row.wk}x{row.wh}x{row.ww} B {row.bk}x{row.bh}x{row.bw}"


def medians(layers: Sequence[Layer]) -> str:
    """Return the medians over the layers, by device and kernel."""
    groups = {"RS kernel, stride 1": (RS,), "RS kernel, all": (RS, STRIDED), "S kernel": (S,)}
    rows: list[list[str]] = []
    for device in FOLDERS.values():
        for name, starts in groups.items():
            some = select(layers, device, *starts)
            if some:
                figures = np.median([one.figures() for one in some], axis=0)
                rows.append([device, name, str(len(some)), *(f"{value:.3f}" for value in figures)])
    return table(("device", "kernel", "layers", *HEADER[2:]), rows)


def by_layer(layers: Sequence[Layer]) -> str:
    """Return the figures of each layer, worst rank correlation first."""
    shown = sorted(((one.figures(), one) for one in layers), key=lambda found: found[0][0])
    rows = [[one.name, str(len(one.rows)), *(f"{value:.3f}" for value in figures)] for figures, one in shown]
    return table(HEADER, rows)


def worst_tiles(layers: Sequence[Layer], count: int = 10) -> list[tuple[float, Layer, int]]:
    """Return the tiles that differ most from their layer's usual error: by how much, the layer, the row."""
    found = [(float(signed), one, row) for one in layers for row, signed in enumerate(one.surprises())]
    return sorted(found, key=lambda entry: -abs(entry[0]))[:count]


def csv_text(layers: Sequence[Layer]) -> str:
    """Return one line per tile: predicted and measured seconds with what explains the prediction."""
    lines = [",".join(("device", "layer", "tile", "predicted_s", "measured_s", *QUANTITIES))]
    for one in layers:
        for row, predicted, measured in zip(one.rows, one.predicted.tolist(), one.measured.tolist(), strict=True):
            times = (f"{predicted:.6g}", f"{measured:.6g}")
            lines.append(",".join((one.device, one.name, tile(row), *times, *quantities(row, one.machine))))
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with v100/exhaustive and 2080/exhaustive")
    parser.add_argument("--csv", metavar="FILE", help="write predicted and measured seconds of every tile")
    options = parser.parse_args(arguments)
    try:
        layers = read_within(options.data)
        print(medians(layers))
        for device in FOLDERS.values():
            print(f"{device}\n\n{by_layer(select(layers, device, RS, STRIDED, S))}")
        if options.csv:
            write_output(options.csv, csv_text(layers).encode())
    except (SuiteError, DeviceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
