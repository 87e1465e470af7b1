# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Working sets in closed form: the paper's numbers, and equality with counts of integer sets."""

import re
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import assume, given
from isl_oracle import Oracle
from model_expressions import QUICK, conv2d, matmul
from nests import nests, point_nest, window

from roller_mlir.model.polydl.dependences import touched
from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.model.polydl.working_sets import WorkingSet, working_sets
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression


def by_place(found: tuple[WorkingSet, ...]) -> dict[tuple[int, int], tuple[int, int]]:
    return {(one.dependence.tensor, one.dependence.level): (one.min_bytes, one.max_bytes) for one in found}


def pads_a_diagonal(access: Access, extents: tuple[int, ...]) -> bool:
    """Return whether an axis moves along two dimensions at once, and into padding, which is then counted too."""
    terms = [set(index.terms()) for index in access.indices]
    ends = [
        [
            index.constant + sum(least(0, c * (extents[axis] - 1)) for axis, c in index.terms().items())
            for least in (min, max)
        ]
        for index in access.indices
    ]
    outside = any(low < 0 or high >= bound for (low, high), bound in zip(ends, access.bounds, strict=True))
    return outside and any(one & other for one, other in combinations(terms, 2))


@pytest.mark.parametrize(("m", "n", "k"), [(4, 3, 5), (8, 7, 5), (32, 32, 32), (3, 64, 80)])
def test_papers_product(m: int, n: int, k: int) -> None:
    """Section 4.1: of A along j, 2K + 3 and N K + N + 1."""
    found = by_place(working_sets(point_nest(matmul(m, n, k))))
    assert sorted(found) == [(0, 1), (1, 0), (2, 2)]
    assert found[0, 1] == (4 * (2 * k + 3), 4 * (n * k + n + 1))
    # B along i: one row of A and an element, all of B, a row of C and an element; then all but the last row, and it.
    assert found[1, 0][0] == 4 * ((k + 1) + n * k + (n + 1))
    assert found[1, 0][1] == 4 * (((m - 1) * k + 1) + n * k + ((m - 1) * n + 1))
    # C along k: two elements of A, of B, and itself; then K of them.
    assert found[2, 2] == (4 * 5, 4 * (2 * k + 1))


@QUICK
@given(nests())
def test_random_nests_equal_the_oracle(nest: TiledNest) -> None:
    assume(not any(pads_a_diagonal(one, nest.extents) for one in touched(nest)))
    assert by_place(working_sets(nest)) == Oracle(nest).working_sets()


WINDOWS = [
    window(9, 3),
    window(7, 3, stride=2),
    window(7, 2, stride=3),
    window(8, 3, dilation=2),
    window(8, 3, stride=2, dilation=3),
    window(8, 3, padding=1),
    window(8, 5, dilation=2, padding=4),
    window(9, 3, backwards=True),
    window(7, 4, stride=2, backwards=True),
    window(8, 3, dilation=2, padding=2, backwards=True),
]


@pytest.mark.full(every=4)
@pytest.mark.parametrize("place", range(len(WINDOWS)))
@pytest.mark.parametrize(
    "loops",
    [
        [(0, 0, 1), (1, 0, 1)],
        [(1, 0, 1), (0, 0, 1)],
        [(0, 0, 3), (1, 0, 1), (0, 3, 1)],
        [(0, 0, 4), (0, 2, 2), (1, 0, 1)],
        [(1, 0, 1), (0, 0, 2)],
        [(0, 2, 1), (1, 0, 1), (0, 0, 2)],
    ],
)
def test_windows(place: int, loops: list[tuple[int, int, int]]) -> None:
    """Strides, dilations, padding, windows that run backwards; whole and cut tiles; 0 for as many as cover the axis."""
    expression = WINDOWS[place]
    nest = TiledNest(
        expression,
        tuple(TileLoop(axis, count or -(-expression.bounds[axis] // size), size) for axis, count, size in loops),
    )
    assert by_place(working_sets(nest)) == Oracle(nest).working_sets()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("order", [(1, 2, 3, 6, 4, 5), (6, 3, 4, 5, 1, 2), (1, 4, 5, 3, 2, 6), (4, 5, 3, 6, 2, 1)])
def test_convolution(order: tuple[int, ...]) -> None:
    expression = conv2d(1, 4, 3, 2, 3)
    assert by_place(working_sets(point_nest(expression, order))) == Oracle(point_nest(expression, order)).working_sets()
    tiled = [TileLoop(1, 2, 2), *[TileLoop(axis, expression.bounds[axis], 1) for axis in order if axis != 1]]
    nest = TiledNest(expression, (*tiled, TileLoop(1, 2, 1)))
    assert by_place(working_sets(nest)) == Oracle(nest).working_sets()


def test_an_axis_along_two_dimensions() -> None:
    """x[i + j, i]: 4 x 3 points touch 12 elements."""
    x = Access("x", (6, 4), "f32", (LinearIndex((1, 1, 0)), LinearIndex((1, 0, 0))))
    y = Access("y", (4, 3, 2), "f64", tuple(LinearIndex(tuple(int(a == b) for a in range(3))) for b in range(3)))
    expression = TensorExpression((Loop(4), Loop(3), Loop(2)), (x,), y, None, 1, (0.0,))
    for order in permutations(range(3)):
        nest = point_nest(expression, order)
        assert by_place(working_sets(nest)) == Oracle(nest).working_sets()
    (only,) = working_sets(point_nest(expression, (2, 0, 1)))
    assert only.min_bytes == 4 * 12 + 8 * 13


def test_epilogues_are_not_reused_by_reductions() -> None:
    expression = replace(matmul(4, 3, 5), epilogue=(Access("b", (3,), "f32", (LinearIndex((0, 1, 0)),)),))
    found = by_place(working_sets(point_nest(expression)))
    assert found == Oracle(point_nest(expression)).working_sets()
    assert sorted(found) == [(0, 1), (1, 0), (2, 2), (3, 0)]


def test_gathered_tensors_are_held_whole() -> None:
    expression = replace(matmul(4, 3, 5), inputs=(*matmul(4, 3, 5).inputs, Access("t", (), "f32", (), gathered=1000)))
    found = by_place(working_sets(point_nest(expression)))
    assert sorted(found) == [(0, 1), (1, 0), (3, 2)]
    assert found[0, 1][0] == 4 * (2 * 5 + 3 + 1000)


@pytest.mark.parametrize("tile", [1, 4, 8])
def test_tiled_product(tile: int) -> None:
    """A nest tiled twice: A along the inner tiles of j touches two tiles of the body."""
    loops = (
        *[TileLoop(axis, 2, 8) for axis in (0, 1, 2)],
        *[TileLoop(axis, 8 // tile, tile) for axis in (0, 1, 2)],
    )
    nest = TiledNest(matmul(16, 16, 16), loops)
    found = by_place(working_sets(nest))
    assert found == Oracle(nest).working_sets()
    assert len(found) == 3 * (2 if tile < 8 else 1)


@pytest.mark.parametrize(
    ("loops", "problem"),
    [
        ([TileLoop(0, 4, 2)], "the loops of axis 0 must cover its 6 elements with no tile to spare, but got 4 x 2"),
        (
            [TileLoop(0, 2, 4), TileLoop(0, 3, 1)],
            "the loops inside of a tile of axis 0 must cover its 4 elements, but got",
        ),
        ([TileLoop(0, 0, 2)], "a loop needs a count and a size of at least 1, but got TileLoop"),
        ([TileLoop(3, 1, 2)], "axes are 0 to 2, but got 3"),
    ],
)
def test_refused_nests(loops: list[TileLoop], problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        TiledNest(matmul(6, 4, 2), tuple(loops))


def test_tiles_that_are_larger_than_the_axis() -> None:
    """i has 3 rows in tiles of 8, cut in 4 and 2: no second tile of 4 exists, so that nothing is reused along it."""
    for extent in (1, 3, 5):
        loops = (TileLoop(0, 1, 8), TileLoop(1, 4, 1), TileLoop(0, 2, 4), TileLoop(2, 2, 1), TileLoop(0, 2, 2))
        nest = TiledNest(matmul(extent, 4, 2), loops)
        found = by_place(working_sets(nest))
        assert found == Oracle(nest).working_sets()
        # Loops without iterations are none: j, i in tiles of 4, k, i in tiles of 2.
        assert ((1, 1) in found, (1, 3) in found) == (extent > 4, extent > 2)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_windows_over_parallel_loops(order: tuple[int, int], backwards: bool) -> None:
    """Rows of a window that moves meet in other iterations of the loop inside, before or behind the source's."""
    expression = window(9, 3, backwards=backwards)
    outer, inner = [TileLoop(axis, expression.bounds[axis], 1) for axis in order]
    nest = TiledNest(expression, (outer, replace(inner, parallel=True)))
    sets = working_sets(nest)
    assert by_place(sets) == Oracle(nest).working_sets()
    assert all(one.dependence.parallel for one in sets if one.dependence.tensor == 0)
