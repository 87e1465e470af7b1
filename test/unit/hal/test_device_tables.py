# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tool prints about devices."""

from __future__ import annotations

from dataclasses import fields

import pytest

from roller_mlir.hal import Table, describe, device_names, device_table, find_device


def test_one_row_for_each_device() -> None:
    table = device_table()
    assert tuple(row[0] for row in table.rows) == device_names()
    assert {len(row) for row in table.rows} == {len(table.header)}
    (h200,) = [row for row in table.rows if row[0] == "h200"]
    (ipu,) = [row for row in table.rows if row[0] == "ipu-gc2"]
    assert ipu[1:8] == ("ipu", "ipu1", "1216", "31.1 Tflop/s", "304 MiB", "7.68 TB/s", "256 KiB")
    assert h200[1:8] == ("sm_90, sm_90a", "sm_90a", "132", "66.9 Tflop/s", "141 GiB", "4.80 TB/s", "227 KiB")


@pytest.mark.parametrize("name", device_names())
def test_a_description_has_every_layer_and_instruction(name: str) -> None:
    device = find_device(name)
    limits, layers, instructions, model = describe(device)
    assert limits.title == name
    assert ("architecture", device.architecture) in limits.rows
    assert [row[0] for row in layers.rows] == [layer.name for layer in device.layers]
    assert len(instructions.rows) == len(device.instructions)
    assert [row[0] for row in model.rows] == [
        field.name for field in fields(device.model if device.vector_bytes is None else device.vectors)
    ]
    for table in (limits, layers, instructions, model):
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_the_unknown_is_named() -> None:
    limits, layers, *_ = describe(find_device("mi300x"))
    assert _value(limits, "launch to launch") == "unknown"
    assert _value(limits, "registers per thread") == "at most 256 and 256 accumulators"
    workgroup = dict(zip(layers.header, layers.rows[1], strict=True))
    assert (workgroup["latency"], workgroup["banks"], workgroup["peak"]) == ("unknown", "32 x 4 B", "81.7 TB/s")
    h200 = describe(find_device("h200"))
    assert _value(h200[0], "launch to launch") == "2.50 us"
    assert h200[2].rows[3][4] == "64x8x16 to 64x256x16"


def _value(table: Table, name: str) -> str:
    return next(row[1] for row in table.rows if row[0] == name)
