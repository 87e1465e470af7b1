# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for windows on devices of vectors: which loads have masks, how wide tiles are, and their order."""

from dataclasses import replace
from math import prod

import pytest
from vector_problems import SPR, best, depthwise

from roller_mlir.hal import find_device
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.masks import mask_operations
from roller_mlir.model.vectors.shape import TaskShape
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression


def test_rows_lie_where_taps_that_stand_in_the_code_read_them_again() -> None:
    """Of a tile of 7 rows to the side, three taps read 9 vectors together; down the image each reads its own."""
    cost = VectorCost(depthwise(42, 96, 3), find_device("zen4"))
    aside, down = (cost.shaped(TaskShape((*rows, 16, 3, 3), 2, (0, 1, 2))).cycles for rows in ((1, 7), (7, 1)))
    assert aside < 0.9 * down
    assert best(depthwise(42, 96, 3), find_device("zen4")).axes[1].block > 1


@pytest.mark.parametrize(
    ("size", "window", "tile", "masked"),
    [
        (21, 5, (1, 21), 4),  # two at each end of the row, whose taps are a loop
        (21, 5, (1, 7), 4),  # two at each end of some tile
        (21, 5, (3, 3), 9),  # each column of a tile is the first or the last, or near
        (22, 5, (1, 11), 4),
        (21, 3, (1, 21), 0),  # each tap stands in the code, and reads padding or does not
        (20, 5, (1, 7), 5 * 20 / 21),  # the last tile ends behind the row, and has one column less
    ],
)
def test_vectors_that_a_window_moves_over_padding_have_masks(
    size: int, window: int, tile: tuple[int, int], masked: float
) -> None:
    """Masks of the rows of the window are made once for all of its columns."""
    expression, known = depthwise(size, 16, window), SPR.vectors
    without = replace(SPR, vectors=replace(known, mask_cycles=0.0))
    shape = TaskShape((*tile, 16, window, window), 2, (0, 1))
    points = prod(-(-size // one) for one in tile) * window * window
    cycles = [VectorCost(expression, device, 1).kernel_cycles(shape) / points for device in (SPR, without)]
    assert cycles[0] - cycles[1] == pytest.approx(masked * known.mask_cycles)


@pytest.mark.parametrize(
    ("size", "channels", "tile", "share", "masks", "loads"),
    [
        (21, 16, (1, 21), 1.0, 4 + 1 / 5, 4),  # each tile has padding at both ends; that of its row is made once for 5
        (21, 16, (1, 3), 1 - (17 / 21) * (5 / 7), 3 + 1 / 5, 3),  # two rows and columns of an image at each end read it
        (23, 16, (1, 3), 1 - (19 / 23) * (6 / 8), 3 + 1 / 5, 3),  # the last tile ends behind the row as well
        (21, 20, (1, 7), 1 - (17 / 21) * (1 / 3), 4 + 1 / 5, 7),  # the third vector of channels is cut
        (21, 16, (3, 1), 1 - (5 / 7) * (17 / 21), 1 + 3 / 5, 3),
    ],
)
def test_tiles_that_read_no_padding_have_no_masks_where_masks_have_no_registers(
    size: int, channels: int, tile: tuple[int, int], share: float, masks: float, loads: int
) -> None:
    """Six operations for each mask, and a load for each vector under one, which is else part of a multiply-add."""
    expression, haswell = depthwise(size, channels, 5), find_device("haswell")
    image, blocks = expression.inputs[0], (*tile, 8, 5, 5)
    operations, inner = mask_operations(expression, image, blocks, 2, 8, prod(tile))
    assert operations == pytest.approx(share * (6 * masks + loads)) and inner
    cost, shape = VectorCost(expression, haswell, 1), TaskShape(blocks, 2, (0, 1, 2))
    idle = VectorCost(expression, replace(haswell, vectors=replace(haswell.vectors, jostle_share=0.0)), 1)
    points = prod(-(-size // one) for one in tile) * -(-channels // 8) * 25
    assert cost.kernel_cycles(shape) > idle.kernel_cycles(shape) > points * operations / haswell.vectors.issue_per_cycle


def test_sums_beside_masks_find_fewer_registers() -> None:
    """With AVX2 on an AMD Zen 4, tiles of 12 sums took 660 and 776 us, of 9 sums 608 and 633 (83 x 83 x 42, 7 x 7)."""
    cost = VectorCost(depthwise(83, 42, 7), find_device("haswell"), 1)
    twelve, nine = (
        [cost.kernel_cycles(TaskShape((*tile, 7, 7), 2, (0, 1, 2))) for tile in tiles]
        for tiles in (((1, 12, 8), (3, 4, 8)), ((3, 3, 8), (1, 3, 24)))
    )
    assert min(twelve) > max(nine)
    assert best(depthwise(83, 42, 7), find_device("haswell"), max_units=1).axes[1].block < 8


@pytest.mark.parametrize("size", [21, 11])
def test_tiles_are_as_wide_as_a_small_image(size: int) -> None:
    plan = best(depthwise(size, 336, 5), find_device("zen4"), max_units=1)
    assert plan.axes[1].block == size


@pytest.mark.parametrize("channels", [42, 96])
def test_the_next_tile_takes_the_channels_beside(channels: int) -> None:
    """Of an image that no second cache holds: else a line of each pixel comes, and its neighbours in vain."""
    expression = depthwise(165, channels, 5, stride=2)
    plan = best(expression, find_device("zen4"), max_units=1)
    assert plan.axes[2].block >= channels or plan.unit_order[-1] == 2
    cost = VectorCost(expression, find_device("zen4"), 1)
    beside, below = (
        cost.shaped(TaskShape((1, 14, 16, 5, 5), 2, order)).caches.seconds["l3"] for order in ((1, 0, 2), (2, 1, 0))
    )
    assert below > 2 * beside


@pytest.mark.parametrize("window", [5, 7])
def test_lanes_lie_along_a_row_in_the_place_of_its_taps(window: int) -> None:
    """Channels first, stride 2: pairs of vectors along the row; LLVM loads seven taps as four, two and one."""
    last = depthwise(83, 84, window, stride=2)
    turned = [
        replace(access, shape=access.shape[2:] + access.shape[:2], indices=access.indices[2:] + access.indices[:2])
        for access in (*last.inputs, last.output)
    ]
    first = replace(last, inputs=tuple(turned[:2]), output=turned[2])
    assert best(first, find_device("zen4"), max_units=1).lane == 1


def test_loads_of_a_column_of_a_whole_image_share_a_mask_where_taps_on_padding_are_left_out() -> None:
    """Its rows' taps are known when code is generated; whether a tap lies on the image is the same for all of them."""
    expression, zen4 = depthwise(21, 336, 5), find_device("zen4")
    without = replace(zen4, vectors=replace(zen4.vectors, mask_cycles=0.0))
    shape, wide = (TaskShape((*rows, 16, 5, 5), 2, (0, 2)) for rows in ((21, 1), (1, 21)))

    def masks(shape: TaskShape, skips: tuple[int, ...]) -> float:
        costs = [VectorCost(expression, device, 1, skips).kernel_cycles(shape) for device in (zen4, without)]
        return costs[0] - costs[1]

    assert masks(shape, (0,)) == 0 < masks(wide, (0,)) and masks(shape, ()) > 0
    constant = best(expression, zen4, max_units=1, constants=(1,), finite=(1,))
    assert [axis.block for axis in constant.axes[:2]] == [21, 1]


@pytest.mark.parametrize("moved", [False, True])
def test_tests_of_what_the_innermost_loop_does_not_move_stand_in_front_of_it(moved: bool) -> None:
    """Rows of an image, an element for all lanes: the channels of a pixel lie on the image if the pixel does."""
    taps, channels = (3, 2) if moved else (2, 3)

    def along(*loops: int, constant: int = 0) -> LinearIndex:
        return LinearIndex(tuple(int(loop in loops) for loop in range(4)), constant)

    image = Access("x", (14, 64), "f32", (along(0, taps, constant=-1), along(channels)))
    window = Access("w", (3, 64, 32), "f32", (along(taps), along(channels), along(1)))
    sums = Access("y", (14, 32), "f32", (along(0), along(1)))
    reductions = sorted([(taps, Loop(3, True)), (channels, Loop(64, True))], key=lambda one: one[0])
    loops = (Loop(14), Loop(32), *(loop for _, loop in reductions))
    expression = TensorExpression(loops, (image, window), sums, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
    without = replace(SPR, vectors=replace(SPR.vectors, mask_cycles=0.0))
    shape = TaskShape((7, 32, *expression.bounds[2:]), 1, (0,))
    cycles = [VectorCost(expression, device, 1).kernel_cycles(shape) for device in (SPR, without)]
    assert (cycles[0] > cycles[1]) == moved
