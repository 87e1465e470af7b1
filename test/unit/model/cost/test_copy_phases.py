# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases of a copy's writes, where subgroups lie across the ends of rows, against each subgroup's lanes."""

from math import ceil, prod

import pytest

from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.data_tile import copy_map, tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape, tile_cost
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.plan import Access, AxisPlan, LinearIndex, OperandPlan
from roller_mlir.plan.plan import WORKGROUP

# Rows, columns of the tile, element type, order in memory, pad, vector of the copy, vector of its writes, lanes.
TILES = [
    (32, 64, "f32", (0, 1), 0, 1, 1, 32),
    (24, 34, "f32", (0, 1), 2, 1, 1, 32),
    (40, 35, "f32", (0, 1), 1, 1, 1, 32),
    (17, 5, "f32", (0, 1), 3, 1, 1, 32),
    (64, 12, "f32", (1, 0), 4, 4, 1, 32),
    (33, 20, "f32", (0, 1), 4, 4, 4, 32),
    (48, 18, "f16", (0, 1), 2, 2, 2, 64),
    (50, 9, "f64", (0, 1), 0, 1, 1, 32),
]


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_every_subgroup_of_a_copy_counts(tile: tuple[int, int, str, tuple[int, ...], int, int, int, int]) -> None:
    rows, columns, element, order, pad, vector, store, lanes = tile
    access = Access("x", (rows, columns), element, (LinearIndex((1, 0)), LinearIndex((0, 1))))
    axes = (AxisPlan(block=rows, threads=1), AxisPlan(block=columns, threads=1))
    layout = OperandPlan(layer=WORKGROUP, order=order, pad=pad, vector=vector, store_vector=store)
    banks = Banks()
    dimensions = tile_dimensions(access, (rows, columns))
    shape = buffer_shape(dimensions, layout)
    strides = [0, 0]
    for place, dimension in enumerate(order):
        strides[dimension] = prod(shape[place + 1 :]) * access.element_bytes
    copy = copy_map((rows, columns), vector, 128)
    expected = 0
    for first in range(0, copy.vectors, lanes):
        for part in range(vector // store):
            places: list[int] = []
            for number in range(first, min(first + lanes, copy.vectors)):
                row, column = divmod(number, copy.sizes[0])
                places.append(row * strides[0] + (column * vector + part * store) * strides[1])
            expected += phases(places, store * access.element_bytes, banks, load=False)
    threads = ThreadMap((AxisPlan(block=128, threads=128), AxisPlan(block=1)), (0,))
    found = tile_cost(access, layout, axes, threads, banks, lanes)
    assert found.store_accesses == ceil(copy.vectors / lanes) * vector // store
    assert abs(found.store_phases - expected) <= 0.05 * expected + 2, (found, expected)
