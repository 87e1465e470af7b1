# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents: two readings, what holds at every value, JSON, and that planning asks bounds alone."""

import json
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from model_expressions import matmul

from roller_mlir.hal import find_device
from roller_mlir.model import construct
from roller_mlir.plan import Access, SplitKPartial
from roller_mlir.plan.extent import Extent, as_extents, product, static_sizes
from roller_mlir.plan.files.tuning_key import compact
from roller_mlir.plan.manifest import Launch
from roller_mlir.plan.records.codec import CodecError, from_json, to_json

N = Extent(1000, "n")
REFUSAL = r"code is generated for static extents only, but got n \(at most 1000\); give its size"


@pytest.mark.parametrize("use", [int, range, operator.index, lambda n: n + 1, lambda n: n - 1, lambda n: n % 8, bytes])
def test_an_extent_is_no_number(use: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        use(Extent(8))


def test_readings() -> None:
    assert (Extent(1000).bound, Extent(1000).static, N.bound) == (1000, 1000, 1000)
    with pytest.raises(ValueError, match=REFUSAL):
        _ = N.static
    with pytest.raises(ValueError, match=REFUSAL):
        static_sizes((Extent(8), N))


def test_what_holds_at_every_value() -> None:
    assert Extent(8) == 8 == Extent(8) != N != 1000
    assert hash(Extent(8)) == hash(8), "shapes of extents are found where shapes of numbers are kept"
    assert N <= 1000 and not N <= 999
    assert (Extent(96).divisor, N.divisor) == (96, 1)
    assert [str(one) for one in (N.tiles(128), Extent(1000).tiles(128), product(as_extents((4, N, 2))))] == [
        "(n + 127) floordiv 128 (at most 8)",
        "8",
        "(4 * (n)) * 2 (at most 8000)",
    ]


def test_on_disk_extents_are_numbers() -> None:
    part = SplitKPartial(loop=2, parts=Extent(3), extent=Extent(16))
    assert to_json(part) == {"loop": 2, "parts": 3, "extent": 16, "joined": False}
    assert from_json(SplitKPartial, json.loads(json.dumps(to_json(part)))) == part
    assert compact(Access("x", (4, 8), "f32", ())) == {
        "name": "x",
        "shape": [4, 8],
        "element_type": "f32",
        "indices": [],
    }
    with pytest.raises(CodecError, match=r"grid\[1\]: expected an integer of at least 1, but got 0"):
        from_json(Launch, {"kernel": "k", "grid": [1, 0, 1], "arguments": []})
    with pytest.raises(ValueError, match=REFUSAL):
        to_json(replace(part, parts=N))


def test_planning_asks_bounds_alone() -> None:
    bounded, whole = (construct(matmul(rows, 384, 256), find_device("h200")) for rows in (Extent(512, "m"), 512))
    assert bounded[0] == whole[0]
