# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that affine maps take over a box, by interval arithmetic (exact where each loop occurs once a result)."""

from collections.abc import Sequence
from typing import Any

from roller_mlir.support.bindings import ir

Range = tuple[int, int]


def map_ranges(affine_map: Any, box: Sequence[int]) -> list[Range]:
    """Return the least and greatest value of each result over the points of `box`.

    (d0, d1) -> (d0 * 2 + d1 - 1) over a box of 4 x 3 gives [(-1, 7)]: 0 + 0 - 1 and 3 * 2 + 2 - 1.
    """
    return [_range(expression, box) for expression in affine_map.results]


def _range(expression: Any, box: Sequence[int]) -> Range:
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value, expression.value
    if isinstance(expression, ir.AffineDimExpr):
        return 0, box[expression.position] - 1
    if not isinstance(expression, ir.AffineBinaryExpr):
        raise ValueError(f"ranges are known of dimensions, constants and their combinations, but got {expression}")
    left, right = _range(expression.lhs, box), _range(expression.rhs, box)
    if isinstance(expression, ir.AffineAddExpr):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(expression, ir.AffineMulExpr):
        corners = [a * b for a in left for b in right]
        return min(corners), max(corners)
    divisor = right[0]
    if isinstance(expression, ir.AffineModExpr):
        whole = left[0] // divisor == left[1] // divisor
        return (left[0] % divisor, left[1] % divisor) if whole else (0, divisor - 1)
    if isinstance(expression, ir.AffineFloorDivExpr):
        return left[0] // divisor, left[1] // divisor
    return -(-left[0] // divisor), -(-left[1] // divisor)
