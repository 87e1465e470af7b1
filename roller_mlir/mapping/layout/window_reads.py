# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many registers hold what a thread reads while windows slide over its results.

Where nothing slides, a place of the reduction needs one fragment of each input, and the next place's are read ahead.
Windows share what they read, so that some of it waits for later results: how much depends on the order of the points
(`point_order`), which is the same here as in the generated code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod

from roller_mlir.mapping.layout.data_tile import TileDimension, tile_dimensions
from roller_mlir.mapping.point_order import Coordinates, Reads, live_registers
from roller_mlir.mapping.thread_map import register_offset
from roller_mlir.plan import AxisPlan, OperandPlan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP

MOST_POINTS = 4096
"""Points of one thread and step beyond which nobody unrolls them all, so that counting them would be of no use."""


def slides(dimensions: Sequence[TileDimension], axes: Sequence[AxisPlan], reduces: Sequence[bool]) -> bool:
    """Return whether several results of a thread and several places of its reduction meet in a dimension of a tile."""
    for dimension in dimensions:
        several = {reduces[loop] for loop in dimension.coefficients if axes[loop].registers > 1}
        if len(several) == 2:
            return True
    return False


def window_registers(
    expression: TensorExpression,
    axes: Sequence[AxisPlan],
    lane: int | None,
    operands: Sequence[OperandPlan],
    *,
    ahead: bool,
) -> int | None:
    """Return the most registers that hold reads at one point of a step, None where no window slides.

    Args:
        expression: The operator.
        axes: One AxisPlan per loop.
        lane: The loop whose chunks are vectors.
        operands: One OperandPlan per input.
        ahead: Whether steps follow each other in a loop, in which ptxas reads ahead: twice what lives, or what one
            place of the reduction needs.
    """
    if not any(access.windows for access in expression.inputs):
        return None
    blocks = [axis.block for axis in axes]
    reduces = [loop.reduction for loop in expression.loops]
    tiles = [tile_dimensions(access, blocks) for access in expression.inputs]
    if not any(slides(tile, axes, reduces) for tile in tiles):
        return None

    def offsets(reduction: bool) -> dict[int, Coordinates]:
        loops = [i for i, one in enumerate(reduces) if one == reduction and axes[i].registers > 1]
        steps = {i: range(0, axes[i].registers, axes[i].chunk if i == lane else 1) for i in loops}
        return {i: tuple([register_offset(axes[i], r) for r in step]) for i, step in steps.items()}

    in_reduction, results = offsets(True), offsets(False)
    places, held = prod(map(len, in_reduction.values())), prod(map(len, results.values()))
    if places * held > MOST_POINTS:
        return None
    lanes = {lane: tuple(range(axes[lane].chunk))} if lane is not None else {}
    reads: list[Reads] = []
    for access, tile, operand in zip(expression.inputs, tiles, operands, strict=True):
        staged = operand.layer == WORKGROUP
        ordered = [tile[d] for d in operand.order] if staged else list(tile)
        if ordered:
            reads.append(
                Reads(
                    _coordinates(ordered, in_reduction),
                    _coordinates(ordered, results),
                    _coordinates(ordered, lanes),
                    operand.fragment_vector if staged else operand.vector,
                    max(1, access.element_bytes // 4),
                )
            )
    live = live_registers(reads, places, held, ordered=expression.ordered)
    return 2 * max(live, sum([_first_place(one) for one in reads])) if ahead else live


@lru_cache(maxsize=1024)
def _first_place(one: Reads) -> int:
    """Return the registers of all reads of one place of the reduction."""
    import numpy as np

    return len(np.unique(replace(one, places=one.places[:1]).vectors())) * one.width * one.words


def _coordinates(dimensions: Sequence[TileDimension], offsets: Mapping[int, Coordinates]) -> tuple[Coordinates, ...]:
    """Return where in a tile all combinations of offsets along loops lie, the last loop's fastest."""
    loops = offsets.keys()
    factors = tuple([tuple([one.coefficients.get(loop, 0) for loop in loops]) for one in dimensions])
    return _combined(factors, tuple(offsets.values()))


@lru_cache(maxsize=1024)
def _combined(factors: tuple[Coordinates, ...], offsets: tuple[Coordinates, ...]) -> tuple[Coordinates, ...]:
    """Return, of all combinations of offsets, the sums for each dimension, each offset times its loop's factor."""
    columns: list[list[int]] = []
    for each in factors:
        column = [0]
        for factor, steps in zip(each, offsets, strict=True):
            column = [at + factor * step for at in column for step in steps]
        columns.append(column)
    return tuple(zip(*columns, strict=True))
