# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a point of a reduction takes in a tile of vectors: chains, loads that taps share, elements that are turned."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))

from vector_problems import product

from roller_mlir.hal import Device, find_device
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.padding import skipped_inputs
from roller_mlir.model.vectors.shape import TaskShape
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression

ZEN5 = find_device("zen5")


def core(**constants: float) -> Device:
    """Return a Zen 5 with other constants."""
    return replace(ZEN5, vectors=replace(ZEN5.vectors, **constants))


def depthwise(size: int, taps: int) -> TensorExpression:
    """Return sums of windows of an image of as many rows and columns, of 84 channels, which is padded."""
    pad = -(taps // 2)

    def index(*coefficients: int, constant: int = 0) -> LinearIndex:
        return LinearIndex(coefficients, constant)

    rows, columns = index(1, 0, 0, 1, 0, constant=pad), index(0, 1, 0, 0, 1, constant=pad)
    channel = index(0, 0, 1, 0, 0)
    image = Access("x", (size, size, 84), "f32", (rows, columns, channel))
    window = Access("w", (taps, taps, 84), "f32", (index(0, 0, 0, 1, 0), index(0, 0, 0, 0, 1), channel))
    output = Access("y", (size, size, 84), "f32", (index(1, 0, 0, 0, 0), index(0, 1, 0, 0, 0), channel))
    loops = (Loop(size), Loop(size), Loop(84), Loop(taps, True), Loop(taps, True))
    return TensorExpression(loops, (image, window), output, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)


def test_chains_of_short_sums_wait_beside_those_of_the_next_tiles() -> None:
    """One vector of sums waits four cycles for itself: over 8 points others are on their way, over 4096 none fit."""

    def cycles(depth: int, in_flight: float) -> float:
        shape = TaskShape((1, 16, depth), 1, (0, 1))
        return VectorCost(product(64, 64, depth), core(in_flight=in_flight), 1).kernel_cycles(shape) / depth

    assert cycles(8, 448) < 0.6 * cycles(8, 0)
    assert cycles(4096, 448) == cycles(4096, 0)
    many = TaskShape((14, 32, 8), 1, (0, 1))
    full = [VectorCost(product(56, 64, 8), core(in_flight=one), 1).kernel_cycles(many) for one in (448, 0)]
    assert full[0] == pytest.approx(full[1], rel=0.1)  # ports are busy all the time


def test_taps_that_stand_in_the_code_share_their_rows() -> None:
    """Tiles of a column read of five rows of taps each row once; tiles of a row walk the taps, and read all of them.

    On a Zen 5 the column took 0.5 of the time of the row (5x5 windows of 84 channels, 42 x 42, a constant filter).
    """
    expression = depthwise(42, 5)
    skips = skipped_inputs(expression, (1,))
    assert skips == (0,)
    cost, plain = VectorCost(expression, ZEN5, 1, skips), VectorCost(expression, ZEN5, 1)
    column, row = TaskShape((21, 1, 16, 5, 5), 2, (0, 1)), TaskShape((1, 21, 16, 5, 5), 2, (0, 1))
    assert cost.standing(column) == 3
    assert cost.standing(row) is None
    assert cost.kernel_cycles(column) < 0.75 * cost.kernel_cycles(row)
    # Where nothing is left out no tap of five stands, and both read all.
    assert plain.kernel_cycles(column) > plain.kernel_cycles(row)


def test_turned_elements_are_packed_one_by_one() -> None:
    """Rows of the second factor along the reduction: lanes of it are a row apart."""
    expression = product(64, 64, 256)
    index = (LinearIndex((0, 1, 0)), LinearIndex((0, 0, 1)))
    turned = replace(
        expression, inputs=(expression.inputs[0], Access("b", (64, 256), "f32", index)), pad_values=(0.0, 0.0)
    )
    slow, fast = (VectorCost(turned, core(turned_cycles=one), 1).packing(1, (8, 32, 256), 1) for one in (2.0, 0.5))
    assert (slow, fast) == (2.0 * 32 * 256, 0.5 * 32 * 256)
    straight = [VectorCost(expression, core(turned_cycles=one), 1).packing(1, (8, 32, 256), 1) for one in (2.0, 0.5)]
    assert straight[0] == straight[1]
