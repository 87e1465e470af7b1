# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of integers and unions of boxes, against sets that are enumerated."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from model_expressions import QUICK

from roller_mlir.model.polydl.solve import Constraint, first_point
from roller_mlir.model.polydl.values import Values, add, as_bits, clipped, contains, span, union_size, volume

RANGES = st.tuples(st.integers(0, 9), st.integers(0, 6)).map(lambda one: (one[0], one[0] + one[1]))
VALUES: st.SearchStrategy[Values] = st.one_of(
    RANGES, st.sets(st.integers(0, 15), min_size=1).map(lambda s: sum(1 << x for x in s))
)
BOXES = st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[VALUES] * n), min_size=1, max_size=6))


def listed(values: Values) -> set[int]:
    bits = as_bits(values)
    return {x for x in range(bits.bit_length()) if bits >> x & 1}


@QUICK
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(0, 4), st.integers(0, 4)), max_size=4))
def test_span(drawn: list[tuple[int, int, int]]) -> None:
    terms = [(step, first, first + more) for step, first, more in sorted(drawn)]
    sums = {
        sum(step * x for (step, _, _), x in zip(terms, point, strict=True))
        for point in product(*[range(first, last + 1) for _, first, last in terms])
    }
    assert listed(span(terms)) == sums


@QUICK
@given(VALUES, st.integers(1, 8), VALUES)
def test_add(values: Values, step: int, more: Values) -> None:
    assert listed(add(values, step, more)) == {a + step * b for a in listed(values) for b in listed(more)}


@QUICK
@given(VALUES, st.integers(-3, 18), st.integers(-3, 18))
def test_clipped(values: Values, low: int, high: int) -> None:
    left = {x for x in listed(values) if low <= x <= high}
    found = clipped(values, low, high)
    assert (set() if found is None else listed(found)) == left


@QUICK
@given(BOXES)
def test_unions(boxes: list[tuple[Values, ...]]) -> None:
    points = [set(product(*map(listed, box))) for box in boxes]
    assert union_size(boxes) == len(set().union(*points))
    assert [volume(box) for box in boxes] == list(map(len, points))
    assert contains(boxes[0], boxes[-1]) == (points[-1] <= points[0])


@QUICK
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.lists(st.tuples(st.tuples(*[st.integers(-3, 3)] * 4), st.integers(-6, 6), st.integers(0, 4)), max_size=3),
)
def test_first_and_last_points(counts: list[int], drawn: list[tuple[tuple[int, ...], int, int]]) -> None:
    rows = [Constraint(one[: len(counts)], low, low + more) for one, low, more in drawn]
    admitted = [
        point
        for point in product(*map(range, counts))
        if all(row.low <= sum(c * x for c, x in zip(row.coefficients, point, strict=True)) <= row.high for row in rows)
    ]
    ranges = [(0, count - 1) for count in counts]
    assert first_point(ranges, rows) == (admitted[0] if admitted else None)
    assert first_point(ranges, rows, largest=True) == (admitted[-1] if admitted else None)
