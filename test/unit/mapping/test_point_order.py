# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of the points of a step: complete, kept where it must be, and better for windows than place by place."""

from collections.abc import Iterable, Iterator
from itertools import chain, product

from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.mapping.point_order import Reads, live_registers, point_order

Point = tuple[int, int]


def most_live(reads: tuple[Reads, ...], points: Iterable[Point]) -> int:
    """The most registers of reads at one point, by sets of what was read before and will be read again."""
    held = [[(number, vector) for number, one in enumerate(reads) for vector in vectors(one, at)] for at in points]
    size = [one.width * one.words for one in reads]
    live = [set(chain(*held[: at + 1])) & set(chain(*held[at:])) for at in range(len(held))]
    return max(sum(size[number] for number, _ in reads_at) for reads_at in live)


def vectors(one: Reads, point: Point) -> Iterator[tuple[int, ...]]:
    """What a point reads: per lane, the coordinates of a vector."""
    for lane in one.lanes:
        *outer, inner = (sum(at) for at in zip(one.places[point[0]], one.results[point[1]], lane, strict=True))
        yield (*outer, inner // one.width)


def rows(kernel: int, results: int, stride: int, columns: int, width: int) -> tuple[Reads, Reads]:
    """A window of kernel x kernel over results x columns results, and its weights."""
    places = tuple(product(range(kernel), range(kernel)))
    at = tuple((stride * i, stride * j) for i, j in product(range(results), range(columns)))
    window = Reads(places, at, ((0, 0),), width, 1)
    return window, Reads(places, ((0, 0),) * len(at), ((0, 0),), 1, 1)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 2), st.integers(1, 4), st.sampled_from([1, 2, 4]))
def test_order_is_complete_and_no_worse(kernel: int, results: int, stride: int, columns: int, width: int) -> None:
    reads = rows(kernel, results, stride, columns, width)
    places, held = kernel * kernel, results * columns
    plain = list(product(range(places), range(held)))
    for ordered in (False, True):
        found = point_order(reads, places, held, ordered=ordered)
        assert sorted(found) == plain
        assert live_registers(reads, places, held, ordered=ordered) == most_live(reads, found)
        assert most_live(reads, found) <= most_live(reads, plain)


@given(st.integers(2, 4), st.integers(2, 4), st.integers(1, 2), st.integers(1, 3))
def test_ordered_keeps_each_results_places(kernel: int, results: int, stride: int, columns: int) -> None:
    reads = rows(kernel, results, stride, columns, 1)
    last: dict[int, int] = {}
    for place, result in point_order(reads, kernel * kernel, results * columns, ordered=True):
        assert place > last.get(result, -1)
        last[result] = place


def test_a_window_lives_row_by_row() -> None:
    """A 5x5 window with stride 2 over 7 rows of one column: 297 registers place by place for four images, 12 so."""
    places = tuple((0, 0, h, w) for h, w in product(range(5), range(5)))
    results = tuple((n, 0, 2 * h, 0) for n, h in product(range(4), range(7)))
    image = Reads(places, results, ((0, 0, 0, 0),), 2, 1)
    weights = Reads(tuple(place[1:] for place in places), ((0, 0, 0),) * 28, ((0, 0, 0),), 1, 1)
    plain = list(product(range(25), range(28)))
    assert most_live((image, weights), plain) == 297
    assert live_registers([image, weights], 25, 28) == 12


def test_a_matmul_stays_place_by_place() -> None:
    left = Reads(
        tuple((0, k) for k in range(8)), tuple((i, 0) for i, _ in product(range(4), range(4))), ((0, 0),), 1, 1
    )
    right = Reads(
        tuple((k, 0) for k in range(8)), tuple((0, j) for _, j in product(range(4), range(4))), ((0, 0),), 4, 1
    )
    assert point_order([left, right], 8, 16) == tuple(product(range(8), range(16)))
