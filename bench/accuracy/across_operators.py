# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions of the tiles that ROLLER's artifact published against their measured times, on K80 and MI50.

python bench/accuracy/across_operators.py --csv across_operators.csv

Prints, over the distinct kernels, the tables of docs/accuracy.md; the CSV holds a row per device and kernel.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from baseline import ARTIFACT, FITS, JOINS, Rates, baseline, device_rates
from markdown_table import table
from numpy.typing import NDArray

from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.published.published import PublishedPrediction, predict_published
from roller_mlir.evaluation.suites.stages.figures import Values, miss, spearman
from roller_mlir.evaluation.suites.tables.find import find_suite
from roller_mlir.hal import Device, find_device
from roller_mlir.support.source import write_output

DEVICES = ("k80", "mi50")
LAYERS = ("global", "l2", "workgroup", "compute", "latency")


@dataclass(frozen=True)
class Across:
    """The distinct kernels of a device: what the model expects of each and what was measured, in seconds."""

    device: Device
    operators: list[Operator]
    found: list[PublishedPrediction]
    predicted: Values
    measured: Values

    @property
    def name(self) -> str:
        """The device's name."""
        return self.device.name

    def errors(self) -> Values:
        """Return log2 of predicted over measured."""
        return np.log2(self.predicted / self.measured)

    def kinds(self) -> dict[str, NDArray[np.bool_]]:
        """Return which kernels are of each class."""
        kinds = np.array([one.kind for one in self.operators])
        return {kind: kinds == kind for kind in sorted(set(kinds.tolist()))}

    def worst(self, count: int = 10) -> list[int]:
        """Return the kernels that the model misses most, by |log2|."""
        return [int(i) for i in np.argsort(-np.abs(self.errors()), kind="stable")[:count]]


def read_across(name: str, device: Device | None = None) -> Across:
    """Return the kernels of a device, with another description of it if one is given."""
    device = device or find_device(name)
    operators = [one for one in find_suite("roller119") if one.duplicate_of is None]
    found = [predict_published(one, device) for one in operators]
    measured = np.array([one.times[f"{name}_roller_top10"] for one in operators])
    return Across(device, operators, found, np.array([one.seconds for one in found]), measured)


def summary(every: list[Across]) -> str:
    """Return both figures of the model and of the baseline's main variants."""
    rows: list[list[str]] = []
    for one in every:
        rows.append([one.name, "**model**", *_pair(one.predicted, one.measured)])
        for rates in (ARTIFACT[one.name], device_rates(one.device)["sustained"]):
            for join in JOINS:
                times = baseline(one.operators, one.measured, rates, join, "median")
                spelled = f"{rates.bytes_per_s / 1e9:.0f} GB/s, {rates.flops_per_s / 1e9:.0f} GFLOPS"
                rows.append(
                    [one.name, f"baseline, {join}, {rates.name} rates ({spelled})", *_pair(times, one.measured)]
                )
    return table(("device", "predictor", "Spearman", "median abs(log2)"), rows)


def variants(every: list[Across]) -> str:
    """Return how far the choices that the baseline leaves open change it."""
    rows: list[list[str]] = []
    for one in every:
        own, artifact = device_rates(one.device), ARTIFACT[one.name]
        bandwidths = {artifact.bytes_per_s, own["sustained"].bytes_per_s, own["peak"].bytes_per_s}
        flops = {artifact.flops_per_s, own["peak"].flops_per_s}
        found: list[tuple[float, float, str]] = []
        for band in sorted(bandwidths):
            for peak in sorted(flops):
                for join in JOINS:
                    for fit in FITS:
                        times = baseline(one.operators, one.measured, Rates("", band, peak), join, fit)
                        text = f"{join}, {fit}, {band / 1e9:.0f} GB/s, {peak / 1e9:.0f} GFLOPS"
                        found.append((spearman(times, one.measured), miss(times, one.measured), text))
        best = max(found, key=lambda row: row[0]), min(found, key=lambda row: row[1])
        for what, (rank, median, text) in zip(("highest Spearman", "smallest median"), best, strict=True):
            rows.append([one.name, f"{what} of {len(found)}: {text}", f"{rank:.3f}", f"{median:.3f}"])
    return table(("device", "variant", "Spearman", "median abs(log2)"), rows)


def classes(every: list[Across]) -> str:
    """Return the figures by class, the baseline's (max, sustained rates) beside them."""
    rows: list[list[str]] = []
    for one in every:
        times = baseline(one.operators, one.measured, device_rates(one.device)["sustained"], "max", "median")
        for kind, same in [*one.kinds().items(), ("all", np.full(len(one.operators), True))]:
            error, known = one.errors()[same], one.measured[same]
            rank = f"{spearman(one.predicted[same], known):.3f}", f"{spearman(times[same], known):.3f}"
            sizes = f"{np.median(np.abs(error)):.3f}", f"{miss(times[same], known):.3f}"
            row = [one.name, kind, str(int(same.sum())), f"{np.median(error):+.2f}", sizes[0], sizes[1], *rank]
            rows.append(row)
    header = ("device", "class", "kernels", "median log2", "median abs(log2)", "baseline", "Spearman", "baseline")
    return table(header, rows)


def _pair(predicted: Values, measured: Values) -> tuple[str, str]:
    return f"{spearman(predicted, measured):.3f}", f"{miss(predicted, measured):.3f}"


def csv_rows(one: Across) -> list[str]:
    """Return a device's rows of the CSV."""
    return [
        ",".join(
            [one.name, operator.id, operator.kind, str(operator.tiles[one.name]), found.saturated]
            + [f"{value:.6g}" for value in (time, found.seconds, *(found.seconds_by_layer[key] for key in LAYERS))]
        )
        for operator, found, time in zip(one.operators, one.found, one.measured.tolist(), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Predicted against measured times of ROLLER's published tiles.")
    parser.add_argument("--csv", metavar="FILE", help="write one row per device and kernel")
    arguments = parser.parse_args()
    every = [read_across(name) for name in DEVICES]
    print(summary(every), variants(every), classes(every), sep="\n")
    if arguments.csv:
        rows = ["device,id,class,tile,saturated,measured_s,predicted_s," + ",".join(f"{key}_s" for key in LAYERS)]
        rows += [row for one in every for row in csv_rows(one)]
        write_output(arguments.csv, ("\n".join(rows) + "\n").encode())


if __name__ == "__main__":
    main()
