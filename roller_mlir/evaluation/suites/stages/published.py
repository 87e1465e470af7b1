# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions of the tiles that others published, beside the times that they measured."""

from collections.abc import Sequence
from typing import Any

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.published.published import predict_published
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.hal import Device

MEASURED = "roller_top10"
"""The system whose times belong to the published tiles: the best of ROLLER's first ten programs."""


def predict_tiles(operators: Sequence[Operator], device: Device) -> list[dict[str, Any]]:
    """Predict the published tile of each operator that has one for a device.

    Args:
        operators: Of a suite.
        device: The device, by whose name the table has tiles and times.

    Returns:
        Objects with what `operator_record` says, `predicted_s`, `saturated`, `tiles` (`block`, `step`, `thread`, over
        the loops that `PublishedTiles` names) and `measured_s` (None where no time is published).

    Raises:
        SuiteError: No operator has a published tile for the device.
    """
    known = dict.fromkeys(name for operator in operators for name in operator.tiles)
    if device.name not in known:
        listed = f"there are tiles for {', '.join(known)}" if known else "there are none for any device"
        raise SuiteError(f"no operator has published tiles for {device.name}; {listed}")
    records: list[dict[str, Any]] = []
    for operator in operators:
        if device.name not in operator.tiles:
            continue
        tiles, prediction = operator.tiles[device.name], predict_published(operator, device)
        records.append(
            {
                **operator_record(operator),
                "predicted_s": prediction.seconds,
                "saturated": prediction.saturated,
                "tiles": {"block": tiles.block, "step": tiles.step, "thread": tiles.thread},
                "measured_s": operator.times.get(f"{device.name}_{MEASURED}"),
            }
        )
    return records
