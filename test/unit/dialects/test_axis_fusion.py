# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion: the groups keep every operand's elements in the same row-major order (checked by enumeration)."""

from itertools import product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from roller_mlir.codegen.axis_fusion import fusible_groups


@st.composite
def nests(draw: st.DrawFn) -> tuple[list[list[int]], list[str], list[int]]:
    count = draw(st.integers(1, 4))
    operands = [
        list(draw(st.permutations(sorted(draw(st.sets(st.integers(0, count - 1)))))))
        for _ in range(draw(st.integers(1, 3)))
    ]
    kinds = [draw(st.sampled_from(["parallel", "reduction"])) for _ in range(count)]
    return operands, kinds, [draw(st.integers(1, 3)) for _ in range(count)]


def offset(dimensions: list[int], point: dict[int, int], extents: list[int]) -> int:
    """Row-major position of an operand's element at a point of the loops."""
    position = 0
    for loop in dimensions:
        position = position * extents[loop] + point[loop]
    return position


@settings(deadline=None, max_examples=200)
@given(nests())
def test_fused_loops_reach_the_same_elements(nest: tuple[list[list[int]], list[str], list[int]]) -> None:
    operands, kinds, extents = nest
    groups = fusible_groups(operands, [set(each) for each in operands], kinds)
    assert [loop for group in groups for loop in group] == list(range(len(kinds)))
    fused_extents = [prod(extents[loop] for loop in group) for group in groups]
    group_of = {loop: number for number, group in enumerate(groups) for loop in group}
    for group in groups:
        assert len({kinds[loop] for loop in group}) == 1
    for values in product(*(range(extent) for extent in extents)):
        point = dict(enumerate(values))
        fused = {number: offset(group, point, extents) for number, group in enumerate(groups)}
        for dimensions in operands:
            fused_dimensions = list(dict.fromkeys(group_of[loop] for loop in dimensions))
            assert offset(dimensions, point, extents) == offset(fused_dimensions, fused, fused_extents)


def test_neighbours_that_every_operand_has_together_are_fused() -> None:
    assert fusible_groups([[0, 1, 2], [2]], [{0, 1, 2}, {2}], ["parallel"] * 3) == [[0, 1], [2]]
    assert fusible_groups([[0, 1], [1, 0]], [{0, 1}] * 2, ["parallel"] * 2) == [[0], [1]]
    assert fusible_groups([[0, 1]], [{0, 1}], ["parallel", "reduction"]) == [[0], [1]]
    assert fusible_groups([[0, 1, 2]], [{0, 1, 2}], ["parallel"] * 3) == [[0, 1, 2]]
    assert fusible_groups([], [], []) == []
