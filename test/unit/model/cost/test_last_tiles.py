# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tiles of a CPU take: the last ones of a loop, those of equal cycles, and those that dequantize weights."""

from dataclasses import replace

import pytest
from vector_problems import SPR, best, layer, product

from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.packing import packed_shapes
from roller_mlir.model.vectors.shape import TaskShape


def test_last_tiles_of_fewer_registers_take_less() -> None:
    """Of 112 columns in tiles of 32 the last has one vector, not two: 7/8 of the cycles, but for loads."""
    cost, even = VectorCost(product(196, 112, 512), SPR, 1), VectorCost(product(196, 128, 512), SPR, 1)
    shape = TaskShape((14, 32, 512), 1, (1, 0))
    assert cost.kernel_cycles(shape) == pytest.approx(7 / 8 * even.kernel_cycles(shape), rel=0.02)
    rows = VectorCost(product(45, 64, 512), SPR, 1)  # the last tile has one row: two chains, which wait for each other
    whole = VectorCost(product(56, 64, 512), SPR, 1)
    short = TaskShape((14, 32, 512), 1, (1, 0))
    assert 3 / 4 < rows.kernel_cycles(short) / whole.kernel_cycles(short) < 1
    plan = best(product(49, 512, 256))
    assert 49 % plan.axes[0].block == 1


def test_tiles_of_equal_cycles_are_all_tried() -> None:
    """Rows of one dimension of an image or of the other: what caches hold tells them apart later."""
    expression = layer(17, 64, 96)
    cost = VectorCost(expression, SPR, 1)
    tiles = [TaskShape((*rows, 48, 3, 3, 64), 2, (0, 1, 2)) for rows in ((9, 1), (1, 9))]
    cycles = [cost.kernel_cycles(replace(one, staged=(0, 1))) for one in tiles]
    assert cycles[0] == cycles[1]
    for found in (tiles, tiles[::-1]):
        assert {one.blocks[:2] for one in packed_shapes(expression, SPR, cost, found)} == {(9, 1), (1, 9)}


def test_a_tile_dequantizes_a_weight_once_for_all_of_its_rows() -> None:
    plain = product(120, 64, 512)
    dequantizing = replace(plain, input_flops=(0, 2))
    for rows, most in ((1, 4.0), (4, 1.8), (12, 1.3)):
        shape = TaskShape((rows, 32, 512), 1, (1, 0))
        ratio = VectorCost(dequantizing, SPR, 1).kernel_cycles(shape) / VectorCost(plain, SPR, 1).kernel_cycles(shape)
        assert 1.0 < ratio < most
