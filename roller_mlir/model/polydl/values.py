# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of integers along one dimension, and the size of unions of boxes of them.

A set without holes is a pair (first, last); any other is a number whose bit i says that i is in the set. Affine indices
of tiled loops nearly always give the former, in closed form; strides and dilations sometimes need the latter.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

Values = tuple[int, int] | int
"""Integers from first to last, or those whose bits are set, all of them at least 0."""


def span(terms: Sequence[tuple[int, int, int]]) -> Values:
    """Return the values of sum(step * x), each x from its first to its last value; no sum may be below 0.

    Args:
        terms: (step, first, last) with steps above 0, the smallest first.

    >>> span([(1, 0, 3), (4, 0, 2)]), span([(1, 2, 2), (4, 0, 2)]) == 1 << 2 | 1 << 6 | 1 << 10
    ((0, 11), True)
    """
    low = width = 0
    dense = True
    for step, first, last in terms:
        low += step * first
        if last > first:
            dense = dense and step <= width + 1
            width += step * (last - first)
    if dense:
        return low, low + width
    bits = 1 << low
    for step, first, last in terms:
        bits = _spread(bits, step, last - first + 1)
    return bits


def add(values: Values, step: int, more: Values) -> Values:
    """Return {a + step * b} of a set and another, at a step above 0.

    >>> add((0, 1), 2, (0, 4)), add((0, 0), 2, (0, 1)) == 1 << 0 | 1 << 2
    ((0, 9), True)
    """
    if isinstance(values, tuple) and isinstance(more, tuple):
        (low, high), (first, last) = values, more
        if first == last or step <= high - low + 1:
            return low + step * first, high + step * last
    if isinstance(more, tuple):
        return _spread(as_bits(values) << (step * more[0]), step, more[1] - more[0] + 1)
    found, bits = 0, as_bits(values)
    while more:
        lowest = more & -more
        found |= bits << (step * (lowest.bit_length() - 1))
        more ^= lowest
    return found


def _spread(bits: int, step: int, count: int) -> int:
    """Return the bits at 0, step, ... (count - 1) * step behind each, in log2(count) shifts."""
    done = 1
    while done < count:
        more = min(done, count - done)
        bits |= bits << (step * more)
        done += more
    return bits


def as_bits(values: Values) -> int:
    """Return a set as bits.

    >>> bin(as_bits((1, 3)))
    '0b1110'
    """
    if isinstance(values, tuple):
        return (1 << (values[1] + 1)) - (1 << values[0])
    return values


def clipped(values: Values, low: int, high: int) -> Values | None:
    """Return those from low to high, None where there are none.

    >>> clipped((0, 9), -2, 4), clipped((5, 9), 0, 4), clipped(0b10100, 3, 9)
    ((0, 4), None, 16)
    """
    if isinstance(values, tuple):
        first, last = max(values[0], low), min(values[1], high)
        return (first, last) if first <= last else None
    return (values & as_bits((max(0, low), high)) if high >= max(0, low) else 0) or None


Box = tuple[Values, ...]
"""All points whose coordinate along each dimension is in that dimension's set."""


def contains(box: Box, other: Box) -> bool:
    """Return whether all points of another box are in a box."""
    for values, more in zip(box, other, strict=True):
        if values == more:
            continue
        if isinstance(values, tuple) and isinstance(more, tuple):
            if values[0] > more[0] or more[1] > values[1]:
                return False
        elif as_bits(more) & ~as_bits(values):
            return False
    return True


def union_size(boxes: Sequence[Box]) -> int:
    """Return how many points are in any of the boxes.

    >>> union_size([((0, 1), (0, 9)), ((0, 5), (0, 0)), ((5, 5), (0, 0))])
    24
    """
    if len(boxes) == 2:
        return volume(boxes[0]) + volume(boxes[1]) - _common(boxes[0], boxes[1])
    kept: list[Box] = []
    for box in boxes:
        for other in kept:
            if contains(other, box):
                break
        else:
            kept.append(box)
    if len(kept) > 2:
        kept = [box for box in kept if not any(other is not box and contains(other, box) for other in kept)]
    return _union(kept)


def volume(box: Box) -> int:
    """Return how many points a box has.

    >>> volume(((0, 1), (0, 9)))
    20
    """
    total = 1
    for values in box:
        total *= values[1] - values[0] + 1 if isinstance(values, tuple) else values.bit_count()
    return total


def _common(one: Box, other: Box) -> int:
    """Return how many points are in both of two boxes."""
    total = 1
    for values, more in zip(one, other, strict=True):
        if isinstance(values, tuple) and isinstance(more, tuple):
            first = values[0] if values[0] > more[0] else more[0]
            last = values[1] if values[1] < more[1] else more[1]
            if first > last:
                return 0
            total *= last - first + 1
        else:
            total *= (as_bits(values) & as_bits(more)).bit_count()
    return total


def _union(boxes: Sequence[Box]) -> int:
    if len(boxes) < 2:
        return volume(boxes[0]) if boxes else 0
    if len(boxes) == 2:
        return volume(boxes[0]) + volume(boxes[1]) - _common(boxes[0], boxes[1])
    # Along most dimensions all boxes are alike.
    total = 1
    columns = []
    for column in zip(*boxes, strict=True):
        if column.count(column[0]) == len(column):
            total *= volume(column[:1])
        else:
            columns.append(column)
    if not columns:
        return total
    parts = _parts(columns[0])
    if len(columns) == 1:
        return total * sum([count for _, count in parts])
    rests = list(zip(*columns[1:], strict=True))
    inside = 0
    for members, count in parts:
        inside += count * _union([rest for i, rest in enumerate(rests) if members >> i & 1])
    return total * inside


def _parts(sets: Sequence[Values]) -> list[tuple[int, int]]:
    """Return (which sets, how many integers are in just these) of all integers that are in any."""
    if all(isinstance(one, tuple) for one in sets):
        changes: dict[int, int] = {}
        for i, (first, last) in enumerate(sets):  # type: ignore[misc] - all of them are pairs
            changes[first] = changes.get(first, 0) ^ 1 << i
            changes[last + 1] = changes.get(last + 1, 0) ^ 1 << i
        members, found = 0, []
        places = sorted(changes)
        for place, after in pairwise(places):
            members ^= changes[place]
            if members:
                found.append((members, after - place))
        return found
    everything = [as_bits(one) for one in sets]
    parts = [(0, _any(everything))]
    for i, bits in enumerate(everything):
        split = [(members | 1 << i, own & bits) for members, own in parts]
        parts = [part for part in (*split, *[(members, own & ~bits) for members, own in parts]) if part[1]]
    return [(members, own.bit_count()) for members, own in parts]


def _any(sets: Iterable[int]) -> int:
    found = 0
    for bits in sets:
        found |= bits
    return found
