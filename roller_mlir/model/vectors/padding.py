# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of reductions that read padding alone, which a task may leave out: which, and how many are left.

Of an image of 7 rows, padded by one on each side, and a window of 3 rows, tiles of one row compute 19 of 21 taps.
"""

from collections.abc import Sequence
from functools import lru_cache

from roller_mlir.plan import LinearIndex, TensorExpression
from roller_mlir.plan.rewrite.uneven import reads_outside


def skipped_inputs(expression: TensorExpression, finite: Sequence[int]) -> tuple[int, ...]:
    """Return the inputs of which points on padding contribute nothing: factors of constants of finite numbers.

    Args:
        expression: The operator.
        finite: Its inputs that are such constants.
    """
    inputs = expression.inputs
    if len(inputs) != 2 or not expression.fused_multiply_add or expression.whole:
        return ()
    return tuple(
        number
        for number, (access, pad) in enumerate(zip(inputs, expression.pad_values, strict=True))
        if 1 - number in finite and pad == 0 and not access.gathered and reads_outside(expression, access)
    )


@lru_cache(maxsize=4096)
def computed_share(expression: TensorExpression, blocks: tuple[int, ...], skips: tuple[int, ...]) -> float:
    """Return the share of a reduction's points that tiles compute.

    Args:
        expression: The operator.
        blocks: Points of each loop in a tile.
        skips: Inputs of which points on padding are left out.
    """
    share = 1.0
    for number in skips:
        access = expression.inputs[number]
        for index, extent in zip(access.indices, access.bounds, strict=True):
            share *= _share_along(expression, blocks, index, extent)
    return share


def _share_along(expression: TensorExpression, blocks: Sequence[int], index: LinearIndex, extent: int) -> float:
    """Return the share along one dimension: that of one reduction loop under the tiles of one parallel loop."""
    terms, last = index.terms(), expression.reductions()[-1]
    reduced = [loop for loop in terms if expression.loops[loop].reduction]
    along = [loop for loop in terms if not expression.loops[loop].reduction]
    if len(reduced) != 1 or len(along) != 1 or reduced[0] == last or terms[reduced[0]] <= 0:
        return 1.0  # the last loop is unrolled
    (loop,), (moving,) = reduced, along
    bound, trips, factor, step = expression.bounds[moving], expression.bounds[loop], terms[loop], terms[moving]
    left = 0
    starts = range(0, bound, blocks[moving])
    for start in starts:
        ends = [index.constant + step * at for at in (start, start + blocks[moving] - 1)]
        left += sum(max(ends) + factor * trip >= 0 and min(ends) + factor * trip < extent for trip in range(trips))
    return left / (trips * len(starts))
