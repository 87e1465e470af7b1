# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How results pass workgroup memory: passes cover the tile, elements lie apart, rows are without bank conflicts."""

from itertools import product
from math import prod

import pytest

from roller_mlir.mapping.layout.staged_store import (
    LEAST_BUFFER_BYTES,
    ResultTile,
    StagedStore,
    result_walks,
    staged_store,
    staged_store_problem,
)
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, TensorExpression

ROWS, COLUMNS = (
    AxisPlan(block=64, threads=16, lanes=8, tile=16),
    AxisPlan(block=64, threads=8, chunk=2, lanes=4, tile=8),
)


def tile(axes, order, *, lane=None, lane_order=(), size=4, extents=None, alignment=16, walks=None) -> ResultTile:
    walks = tuple(range(len(axes))) if walks is None else walks
    full = tuple(axes[loop].block if loop is not None else 1 for loop in walks)
    return ResultTile(walks, tuple(axes), order, lane_order, lane, size, extents or full, alignment)


CASES = {
    "threads along rows": tile([AxisPlan(block=32, threads=32), AxisPlan(block=16, chunk=4)], (0,), lane=1),
    "threads along channels": tile(
        [AxisPlan(block=32, threads=32), AxisPlan(block=4, threads=4), AxisPlan(block=14)], (0, 1)
    ),
    "fragments": tile([ROWS, COLUMNS], (0, 1), lane=1, lane_order=(1, 0), size=2),
    "fragments, rows along memory": tile([ROWS, COLUMNS], (0, 1), lane=1, lane_order=(1, 0), size=2, walks=(1, 0)),
    "several passes": tile([AxisPlan(block=128, threads=32, chunk=2), AxisPlan(block=128, threads=8, chunk=4)], (0, 1)),
    "a part of a pass": tile([AxisPlan(block=80, threads=8), AxisPlan(block=64, threads=16)], (0, 1)),
    "vectors of a part": tile([AxisPlan(block=8, threads=8), AxisPlan(block=270, threads=5, chunk=2)], (0, 1), lane=1),
    "edges": tile(
        [AxisPlan(block=64, threads=16), AxisPlan(block=64, threads=16)], (0, 1), extents=(5, 37), alignment=1
    ),
}


def starts(how: StagedStore) -> list[dict[int, int]]:
    return list(how.starts())


@pytest.mark.parametrize("name", CASES)
def test_passes_cover_the_tile_once(name: str) -> None:
    how = staged_store(CASES[name], 0, 32)
    seen: set[tuple[int, ...]] = set()
    for start in starts(how):
        for at in product(*map(range, how.copied)):
            place = tuple(x + start.get(walk, 0) for x, walk in zip(at, how.tile.walks, strict=True))
            if all(x < extent for x, extent in zip(place, how.tile.extents, strict=True)):
                assert place not in seen
                seen.add(place)
    assert len(seen) == prod(how.tile.extents)
    assert how.size_bytes <= max(LEAST_BUFFER_BYTES * 1.3, 16)


@pytest.mark.parametrize("free_bytes", [0, 1 << 20])
@pytest.mark.parametrize("name", CASES)
def test_elements_lie_apart_and_vectors_are_aligned(name: str, free_bytes: int) -> None:
    how = staged_store(CASES[name], free_bytes, 32)
    places = [
        sum(x * stride for x, stride in zip(at, how.strides, strict=True)) for at in product(*map(range, how.shape))
    ]
    assert len(set(places)) == len(places) and max(places) < how.elements
    assert all(stride % max(how.vector, how.write) == 0 for stride in how.strides[:-1])
    assert how.copied[-1] % how.vector == 0
    assert how.part[how.tile.walks[-1]] >= how.tile.extents[-1] or how.tile.extents[-1] % how.vector == 0
    assert how.tile.alignment % how.vector == 0


@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("edges", "several passes", "vectors of a part")]
)
def test_the_banks_serve_all_lanes_at_once(name: str) -> None:
    how = staged_store(CASES[name], 1 << 20, 32)
    size = how.tile.element_bytes
    assert how.write_phases == max(1, 32 * how.write * size // 128)
    assert how.read_phases <= 2 * max(1, 32 * how.vector * size / 128)


def test_without_padding_they_would_not() -> None:
    """32 rows of 16 elements begin in two banks."""
    how = staged_store(CASES["threads along rows"], 1 << 20, 32)
    assert how.strides[0] > 16


def test_each_dimension_needs_a_loop_of_its_own() -> None:
    def problem(indices: tuple[LinearIndex, ...], shape: tuple[int, ...], kind: str = "f32") -> str:
        loops = (Loop(8), Loop(8))
        read = Access("x", (8, 8), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
        return staged_store_problem(
            TensorExpression(loops, (read,), Access("y", shape, kind, indices), None, 1, (None,)), (8, 8)
        )

    both = LinearIndex((1, 0)), LinearIndex((0, 1))
    assert problem(both, (8, 8)) == ""
    assert problem(both[::-1], (8, 8)) == ""
    assert "needs a loop for each dimension of 'y'" in problem((LinearIndex((8, 1)),), (64,))
    assert "needs a loop for each dimension of 'y'" in problem((LinearIndex((-1, 0), 7), LinearIndex((0, 1))), (8, 8))
    assert "but loop 1 is none" in problem((LinearIndex((1, 0)),), (8,))
    assert "elements of one bit" in problem(both, (8, 8), "i1")
    assert result_walks(Access("y", (8, 16), "f32", (LinearIndex((1, 0)), LinearIndex((0, 2)))), (8, 8)) == (0, 1)
