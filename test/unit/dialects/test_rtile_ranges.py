# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of affine maps against enumeration."""

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from roller_mlir.dialects.rtile.ranges import map_ranges
from roller_mlir.support.bindings import ir, make_context

CONTEXT = make_context()


@settings(deadline=None, max_examples=60)
@given(
    box=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    factors=st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    constant=st.integers(-9, 9),
    operation=st.sampled_from(["none", "floordiv", "ceildiv", "mod"]),
    divisor=st.integers(1, 5),
)
def test_ranges_hold_every_value_and_are_exact_for_linear_maps(
    box: list[int], factors: list[int], constant: int, operation: str, divisor: int
) -> None:
    def value(point: tuple[int, ...]) -> int:
        linear = sum(f * x for f, x in zip(factors, point, strict=False)) + constant
        return {
            "none": linear,
            "floordiv": linear // divisor,
            "ceildiv": -(-linear // divisor),
            "mod": linear % divisor,
        }[operation]

    with CONTEXT:
        expression: Any = ir.AffineConstantExpr.get(constant)
        for loop in range(len(box)):
            expression = ir.AffineDimExpr.get(loop) * factors[loop] + expression
        if operation != "none":
            kinds = {"floordiv": ir.AffineFloorDivExpr, "ceildiv": ir.AffineCeilDivExpr, "mod": ir.AffineModExpr}
            expression = kinds[operation].get(expression, ir.AffineConstantExpr.get(divisor))
        ((low, high),) = map_ranges(ir.AffineMap.get(len(box), 0, [expression]), box)
    values = [value(point) for point in product(*(range(extent) for extent in box))]
    if operation == "mod":
        assert low <= min(values)
        assert max(values) <= high < divisor
    else:
        assert (low, high) == (min(values), max(values))
