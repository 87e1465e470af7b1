# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/evaluation/cnnopt.md: CNNOpt's table 8 by our model, by a forest, by model and residual.

python bench/accuracy/cnnopt.py --data DIR [--check]

DIR is as of within_operators.py, with the training rows beside the measured layers (`v100/train_rs.csv.gz`,
`v100/train_s.csv.gz`, and of 2080 the same). The forest is trained here, on problems that no measured layer is among,
and needs scikit-learn; residuals are those of the package. A minute or two.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from markdown_table import table
from report import fill
from within_operators import FOLDERS

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import Row, read_rows, row_kind
from roller_mlir.evaluation.suites.published.cnnopt_rs import RsRow
from roller_mlir.evaluation.suites.published.cnnopt_s import SRow
from roller_mlir.evaluation.suites.published.tile_prediction import rows_residual, rows_seconds
from roller_mlir.evaluation.suites.stages.figures import Values, loss, spearman, trials
from roller_mlir.evaluation.suites.stages.vendor import peak_flops_per_s
from roller_mlir.hal import DeviceError, find_device
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.support.source import write_output

PAGE = Path(__file__).parents[2] / "docs" / "evaluation" / "cnnopt.md"


@dataclass(frozen=True)
class PublishedTrials:
    """A layer of CNNOpt's table 8 that has files of measurements, and its trials to 95 % and to 100 %, by device."""

    files: tuple[str, ...]
    v100: tuple[int, int]
    rtx2080ti: tuple[int, int]


TABLE_8 = {
    "R1": PublishedTrials(("st2_64x112x112_3_7",), (1, 6), (1, 9)),
    "R4": PublishedTrials(("st2_128x28x28_64_3",), (8, 11), (1, 37)),
    "R6": PublishedTrials(("rs_128x28x28_128_3", "s_128x28x28_128_3"), (7, 29), (1, 10)),
    "R10": PublishedTrials(("st2_512x7x7_256_3",), (1, 1), (4, 4)),
    "Y0": PublishedTrials(("rs_32x544x544_3_3", "s_32x544x544_3_3"), (28, 29), (12, 19)),
    "Y4": PublishedTrials(("rs_128x136x136_64_3", "s_128x136x136_64_3"), (1, 3), (48, 183)),
    "Y8": PublishedTrials(("rs_256x68x68_128_3", "s_256x68x68_128_3"), (4, 11), (1, 1)),
    "Y18": PublishedTrials(("rs_1024x17x17_512_3",), (3, 8), (3, 3)),
    "D1": PublishedTrials(("rs_32x108x108_3_3", "s_32x108x108_3_3"), (1, 1), (2, 3)),
    "D3": PublishedTrials(("rs_64x54x54_32_3", "s_64x54x54_32_3"), (3, 3), (9, 9)),
    "D4": PublishedTrials(("rs_64x54x54_64_3", "s_64x54x54_64_3"), (3, 332), (1, 28)),
    "D5": PublishedTrials(("rs_128x27x27_64_3",), (1, 1), (6, 9)),
}
"""CNNOpt (PACT 2022), table 8, columns CNNOpt; R10's input channels are those of its file."""

WAYS = ("forest", "model", "hybrid")


@dataclass(frozen=True)
class MeasuredTiles:
    """The tiles of a file: class, device, measured seconds, and predicted ones by way."""

    name: str
    kind: str
    device: str
    measured: Values
    predicted: Mapping[str, Values]


def read_tiles(path: Path, device: str, forest: Callable[[Sequence[Row]], Values]) -> MeasuredTiles:
    """Return the tiles of a file that ran. Raises SuiteError for a malformed one."""
    machine = machine_of(find_device(device))
    rows, measured = rows_of(path, machine)
    known = rows_residual(rows, machine)
    used = known if known is not None and known.counts else None
    predicted = {
        "forest": forest(rows),
        "model": np.array(rows_seconds(rows, machine, None)),
        "hybrid": np.array(rows_seconds(rows, machine, used)),
    }
    return MeasuredTiles(path.stem, row_kind(rows[0]), device, measured, predicted)


def rows_of(path: Path, machine: Machine) -> tuple[list[Row], Values]:
    """Return the rows of a file with times that the device's arithmetic allows, and these, in seconds."""
    read = read_rows(path)
    if not read.times_ms:
        raise SuiteError("has no column Time", file=str(path))
    peak = peak_flops_per_s(machine.device)
    rows = [
        (row, ms / 1e3)
        for row, ms in zip(read.rows, read.times_ms, strict=True)
        if ms / 1e3 * peak >= 2.0 * row.k * row.h * row.w * row.c * row.r**2
    ]
    return [row for row, _ in rows], np.array([seconds for _, seconds in rows])


def forest_of(path: Path, machine: Machine) -> Callable[[Sequence[Row]], Values]:
    """Return what a forest predicts that was trained on a file: extents and tile alone, no term of the model.

    As CNNOpt's black-box model (section 4.3), but for log2 of the time; a third of the rows and of the columns for each
    of 50 trees.
    """
    from sklearn.ensemble import RandomForestRegressor

    rows, measured = rows_of(path, machine)
    settings: dict[str, Any] = {"n_estimators": 50, "max_samples": 1 / 3, "max_features": 1 / 3, "random_state": 0}
    fitted = RandomForestRegressor(**settings).fit([astuple(row) for row in rows], np.log2(measured))

    def predict(some: Sequence[Row]) -> Values:
        found: Values = np.exp2(fitted.predict([astuple(row) for row in some]))
        return found

    return predict


def read_data(data: Path) -> dict[str, list[MeasuredTiles]]:
    """Return the measured layers by device. Raises SuiteError for a missing folder or a malformed file."""
    found: dict[str, list[MeasuredTiles]] = {}
    for folder, device in FOLDERS.items():
        machine = machine_of(find_device(device))
        paths = sorted((data / folder / "exhaustive").glob("*.csv"))
        if not paths:
            raise SuiteError("holds no *.csv", file=str(data / folder / "exhaustive"))
        forests = cache(lambda kernel, place=data / folder, on=machine: forest_of(place / f"train_{kernel}.csv.gz", on))
        found[device] = [
            read_tiles(path, device, forests("s" if path.name.startswith("s_") else "rs")) for path in paths
        ]
    return found


def table_8(tiles: Sequence[MeasuredTiles], device: str) -> str:
    """Return trials to 95 % and to 100 % of the best tile of both kernels, published and by each way."""
    files = {one.name: one for one in tiles}
    rows: list[list[str]] = []
    counted: list[list[int]] = []
    for layer, published in TABLE_8.items():
        parts = [files[name] for name in published.files if name in files]
        if not parts:
            continue
        measured = np.concatenate([one.measured for one in parts])
        said = published.v100 if device == "v100" else published.rtx2080ti
        counts = [
            [said[number], *(trials(_joined(parts, way), measured, most) for way in WAYS)]
            for number, most in enumerate((0.05, 0.0))
        ]
        counted.append([*counts[0], *counts[1]])
        rows.append([layer, str(len(measured)), *map(str, counted[-1])])
    for name, of in (("mean", np.mean), ("median", np.median)):
        rows.append([f"**{name}**", "", *(f"{of(column):.1f}" for column in zip(*counted, strict=True))])
    names = ("CNNOpt's", *WAYS)
    return table(("layer", "tiles", *(f"{most}: {way}" for most in ("95 %", "100 %") for way in names)), rows)


def _joined(parts: Sequence[MeasuredTiles], way: str) -> Values:
    return np.concatenate([one.predicted[way] for one in parts])


def by_kernel(every: Mapping[str, Sequence[MeasuredTiles]]) -> str:
    """Return medians over the layers, by device and kernel: rank correlation, loss of the first choice, trials."""
    rows: list[list[str]] = []
    for device, tiles in every.items():
        for kind in dict.fromkeys(one.kind for one in tiles):
            some = [one for one in tiles if one.kind == kind]
            figures = [
                np.median([of(one.predicted[way], one.measured) for one in some])
                for of in (spearman, _first, _tries)
                for way in WAYS
            ]
            shown = (f"{value:.3f}" if number < 6 else f"{value:g}" for number, value in enumerate(figures))
            rows.append([device, kind, str(len(some)), *shown])
    names = [f"{figure}: {way}" for figure in ("Spearman", "loss of 1", "trials") for way in WAYS]
    return table(("device", "kernel", "layers", *names), rows)


def _first(predicted: Values, measured: Values) -> float:
    return loss(predicted, measured, 1)


def _tries(predicted: Values, measured: Values) -> float:
    return float(trials(predicted, measured))


def verdicts() -> str:
    """Return what the residuals of the package were judged by."""
    rows: list[list[str]] = []
    for device in FOLDERS.values():
        machine = machine_of(find_device(device))
        for kind in ("RS kernel", "S kernel"):
            one = rows_residual([_ROWS[kind]], machine)
            if one is None or one.verdict.loss is None or one.verdict.trials is None:
                continue
            gains = (
                f"{gain.before:.3f} to {gain.after:.3f} ({gain.low:.3f} to {gain.high:.3f})"
                for gain in (one.verdict.loss, one.verdict.trials)
            )
            counts = (str(one.verdict.problems), str(one.verdict.candidates))
            rows.append([device, kind, *counts, *gains, "yes" if one.counts else "no"])
    header = ("device", "kernel", "problems", "tiles", "loss of the first choice", "trials to 95 %", "counts")
    return table(header, rows)


_ROWS: dict[str, Row] = {
    "RS kernel": RsRow(64, 54, 54, 32, 3, 2, 1, 9, 32, 1, 1, 1),
    "S kernel": SRow(64, 54, 54, 32, 3, 1, 9, 2, 1, 2, 16, 1, 3, 1),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/evaluation/cnnopt.md.")
    parser.add_argument("--data", type=Path, required=True, help="a copy of AE-PACT's measurements")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where the page differs")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (docs/evaluation/cnnopt.md)")
    options = parser.parse_args(arguments)
    try:
        every = read_data(options.data)
        tables = {f"table-8-{device}": table_8(tiles, device) for device, tiles in every.items()}
        tables |= {"kernels": by_kernel(every), "verdicts": verdicts()}
        old = options.page.read_text(encoding="utf-8")
        new = fill(old, tables, str(options.page))
        if options.check and new != old:
            raise SuiteError("is stale; run bench/accuracy/cnnopt.py", file=str(options.page))
        if not options.check:
            write_output(str(options.page), new.encode())
    except (SuiteError, DeviceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
