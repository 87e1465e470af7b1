# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each term of the model adds: the figures with one term taken away, everything else as it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import numpy as np
from across_operators import DEVICES, Across, read_across
from baseline import ARTIFACT
from markdown_table import table
from within_operators import FOLDERS, RS, STRIDED, Layer, select

from roller_mlir.evaluation.suites.published import published
from roller_mlir.evaluation.suites.published.cnnopt_rows import row_work
from roller_mlir.evaluation.suites.stages.figures import Values, loss, miss, spearman
from roller_mlir.hal import Device, find_device
from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds

Change = Callable[[CandidateWork], CandidateWork]
LAYERS = ("latency", "compute", "l2", "global", "workgroup")


def _same(work: CandidateWork) -> CandidateWork:
    return work


def _from_last_cache(work: CandidateWork) -> CandidateWork:
    shared = work.tasks * work.steps * work.shared_bytes
    return replace(work, shared_bytes=0.0, cache_bytes=work.cache_bytes + shared)


CHANGES: Mapping[str, Change] = {
    "no spilled registers": lambda work: replace(work, spilled_accesses=0.0, spilled_words=0.0),
    "weights always from the last cache": _from_last_cache,
    "no atomic updates": lambda work: replace(work, atomic_bytes=0.0),
    "no output at all": lambda work: replace(work, atomic_bytes=0.0, tail_waits=0, tail_issue=0, tail_phases=0),
    "a whole occupancy: no limit of resident tasks": lambda work: replace(work, resident=32),
}


def within_terms(layers: Sequence[Layer]) -> str:
    """Return the medians over the layers of the RS kernel without each term."""
    rows = [["**all terms**", *_within(layers, _same)]]
    rows += [[name, *_within(layers, change)] for name, change in CHANGES.items()]
    rows.append(
        ["slowest layer and 5 % of the others, not the root of squares", *_within(layers, _same, squares=False)]
    )
    rows += [[f"without the layer '{name}'", *_within(layers, _same, without=name)] for name in LAYERS]
    return table(
        ("model", *(f"{device}: {what}" for device in FOLDERS.values() for what in ("Spearman", "loss of 1"))), rows
    )


def _within(layers: Sequence[Layer], change: Change, squares: bool = True, without: str = "") -> list[str]:
    cells: list[str] = []
    for device in FOLDERS.values():
        figures: list[tuple[float, float]] = []
        for one in select(layers, device, RS, STRIDED):
            predicted = _predict(one, change, squares, without)
            figures.append((spearman(predicted, one.measured), loss(predicted, one.measured, 1)))
        cells += [f"{value:.3f}" for value in np.median(figures, axis=0)] if figures else ["", ""]
    return cells


def _predict(layer: Layer, change: Change, squares: bool, without: str) -> Values:
    times: list[float] = []
    for row in layer.rows:
        work = row_work(row, layer.machine)
        if work is None:
            times.append(np.inf)
            continue
        seconds = seconds_by_layer(change(work), layer.machine)
        if without:
            seconds[without] = 0.0
        times.append(total_seconds(seconds, alternates=squares))
    return np.array(times)


def across_terms() -> str:
    """Return both figures across operators without each term."""
    rates = published.RATES

    def with_rates(**changes: Any) -> dict[str, Any]:
        return {"RATES": {key: replace(value, **changes) for key, value in rates.items()}}

    def no_conflicts(addresses: Sequence[int], width: int, banks: Banks, *, load: bool) -> int:
        return max(1, len(addresses) * width // (banks.count * banks.bank_bytes))

    counts = ("POINT_INSTRUCTIONS", "TAP_INSTRUCTIONS", "COPY_INSTRUCTIONS", "DIVISION_INSTRUCTIONS")
    without: dict[str, dict[str, Any]] = {
        "slowest layer and 5 % of the others, not loading and computing in turn": {
            "alternating_seconds": total_seconds
        },
        "no bank conflicts": {"phases": no_conflicts},
        "no guards that make a load wait for the one before": {"BRANCHING_COMPARISONS": 99},
        "no instructions of copies, divisions, loops": dict.fromkeys(counts, 0),
        "integer multiplications cost nothing": with_rates(multiplication_cycles=0),
        "no launch": with_rates(launch_s=0.0),
        "clocks of the device's description": with_rates(clock_hz=None),
    }
    rows = [
        ["**all terms**", *_across()],
        ["bandwidths that the artifact counts with", *_across(_artifact_bandwidths())],
    ]
    for name, changes in without.items():
        with patch.multiple(published, **changes):
            rows.append([name, *_across()])
    return table(("model", *(f"{name}: {what}" for name in DEVICES for what in ("Spearman", "abs(log2)"))), rows)


def _artifact_bandwidths() -> dict[str, Device]:
    changed: dict[str, Device] = {}
    for name, rates in ARTIFACT.items():
        device = find_device(name)
        layers = [
            replace(one, sustained_bandwidth_bytes_per_s=rates.bytes_per_s) if one.name == "global" else one
            for one in device.layers
        ]
        changed[name] = replace(device, layers=tuple(layers))
    return changed


def _across(devices: Mapping[str, Device] = MappingProxyType({})) -> list[str]:
    every: list[Across] = [read_across(name, devices.get(name)) for name in DEVICES]
    pairs = [(spearman(one.predicted, one.measured), miss(one.predicted, one.measured)) for one in every]
    return [f"{value:.3f}" for pair in pairs for value in pair]
