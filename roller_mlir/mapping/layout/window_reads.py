# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many registers hold what a thread reads while windows slide over its results.

Where nothing slides, a place of the reduction needs one fragment of each input, and the next place's are read ahead.
Windows share what they read, so that some of it waits for later results: how much depends on the order of the points
(`point_order`), which is the same here as in the generated code.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product

from roller_mlir.mapping.layout.data_tile import TileDimension, tile_dimensions
from roller_mlir.mapping.point_order import Reads, live_registers
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
    blocks = [axis.block for axis in axes]
    reduces = [loop.reduction for loop in expression.loops]
    tiles = [tile_dimensions(access, blocks) for access in expression.inputs]
    if not any(slides(tile, axes, reduces) for tile in tiles):
        return None

    def places(reduction: bool) -> list[dict[int, int]]:
        loops = [i for i, one in enumerate(reduces) if one == reduction and axes[i].registers > 1]
        steps = [range(0, axes[i].registers, axes[i].chunk if i == lane else 1) for i in loops]
        offsets = [[register_offset(axes[i], r) for r in step] for i, step in zip(loops, steps, strict=True)]
        return [dict(zip(loops, at, strict=True)) for at in product(*offsets)]

    in_reduction, results = places(True), places(False)
    if len(in_reduction) * len(results) > MOST_POINTS:
        return None
    lanes = [{lane: number} for number in range(axes[lane].chunk)] if lane is not None else [{}]
    reads: list[Reads] = []
    for access, tile, operand in zip(expression.inputs, tiles, operands, strict=True):
        staged = operand.layer == WORKGROUP
        ordered = [tile[d] for d in operand.order] if staged else list(tile)
        if ordered:
            reads.append(
                Reads(
                    tuple([_at(ordered, place) for place in in_reduction]),
                    tuple([_at(ordered, result) for result in results]),
                    tuple([_at(ordered, one) for one in lanes]),
                    operand.fragment_vector if staged else operand.vector,
                    max(1, access.element_bytes // 4),
                )
            )
    live = live_registers(reads, len(in_reduction), len(results), ordered=expression.ordered)
    return 2 * max(live, sum([_first_place(one) for one in reads])) if ahead else live


def _first_place(one: Reads) -> int:
    """Return the registers of all reads of one place of the reduction."""
    vectors = replace(one, places=one.places[:1]).vectors()
    return len(set(chain.from_iterable(vectors))) * one.width * one.words


def _at(dimensions: Sequence[TileDimension], positions: dict[int, int]) -> tuple[int, ...]:
    return tuple([sum([k * positions.get(loop, 0) for loop, k in d.coefficients.items()]) for d in dimensions])
