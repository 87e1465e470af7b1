# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What boxes of iterations touch of a tensor, in closed form.

Along a dimension with index sum(c * axis) + constant, the tiles of a box give intervals of each axis, and these an
interval of the dimension, in which every c-th element is missing only where a stride or a dilation leaves it out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from roller_mlir.model.polydl.values import Box, Values, add, as_bits, clipped, volume
from roller_mlir.plan import Access


@dataclass(frozen=True, slots=True)
class TouchedDimension:
    """A dimension of a tensor: value = sum(step * axis), the index but for a factor and a constant.

    Attributes:
        terms: (step, axis, whether the axis runs backwards), the smallest step first.
        factor: What the index is divided by: elements from one value to the next.
        limits: First and last value that lie in the tensor, where not all do; others are padding, which nothing holds.
    """

    terms: tuple[tuple[int, int, bool], ...]
    factor: int = 1
    limits: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class TouchedTensor:
    """An access as footprints see it.

    Attributes:
        access: The access.
        dimensions: Those that any axis moves along, and those that lie in padding; no two share an axis.
        axes: The axes that move along it.
        alone: Those of them that are alone in moving along a dimension.
        plain: Whether each dimension belongs to one axis and holds no padding, so that an element is touched by one
            value of each axis alone.
        direct: The axis of each dimension, where their values are the same; None of other tensors.
        row: The place of the tensor's last dimension, whose elements are neighbours; None where no axis moves along it,
            or it is one with another.
    """

    access: Access
    dimensions: tuple[TouchedDimension, ...]
    axes: frozenset[int]
    alone: frozenset[int]
    plain: bool
    direct: tuple[int, ...] | None
    row: int | None

    def image(self, values: Sequence[Values], extents: Sequence[int]) -> Box | None:
        """Return what a box of axis values touches, None where that is padding alone."""
        if self.direct is not None:
            return tuple([values[axis] for axis in self.direct])
        found: list[Values] = []
        for dimension in self.dimensions:
            total: Values | None = None
            for step, axis, backwards in dimension.terms:
                own = values[axis]
                if backwards:
                    own = _turned(own, extents[axis])
                total = own if total is None and step == 1 else add((0, 0) if total is None else total, step, own)
            total = (0, 0) if total is None else total
            if dimension.limits is not None:
                total = clipped(total, *dimension.limits)
                if total is None:
                    return None
            found.append(total)
        return tuple(found)

    def in_lines(self, image: Box, line_bytes: int) -> int:
        """Return the elements of an image in whole lines.

        A row that is touched whole goes on in the next one and is not rounded. Where rows are no multiples of lines,
        they begin anywhere in one, so that a piece of a row touches more of them, which is counted on average.

        Of x[i, j] in rows of 128 f32, (0..3, 8..23) are two lines in each of four rows; of rows of 42 a piece of 16
        begins with one of 8 pairs of a line, so that it touches two lines but where it begins with the first:

        >>> from roller_mlir.plan import LinearIndex
        >>> from roller_mlir.plan import LinearIndex
        >>> indices = LinearIndex((1, 0)), LinearIndex((0, 1))
        >>> x, y = (Access("x", (8, n), "f32", indices) for n in (128, 42))
        >>> boxes = (x, ((0, 3), (8, 23))), (y, ((0, 3), (16, 31)))
        >>> [tensor_of(one, one.bounds).in_lines(box, 64) for one, box in boxes]
        [128, 120]
        """
        whole, each = volume(image), line_bytes // self.access.element_bytes
        if each <= 1 or not image:
            return whole
        if self.row is None:
            return whole * each if self.access.shape and self.access.bounds[-1] > 1 else whole
        values, step = image[self.row], self.dimensions[self.row].factor
        count, row = volume((values,)), self.access.bounds[-1]
        if count == row:
            return whole
        first, last = values if isinstance(values, tuple) else (0, values.bit_length() - 1)
        begins = gcd(row, each)
        if begins < each:
            touched = -(-((last - first) * step + 1) // begins) * begins + each - begins
        else:
            touched = (last * step // each - first * step // each + 1) * each
        return whole // count * min(count * each, touched)


@lru_cache(maxsize=1024)
def tensor_of(access: Access, extents: tuple[int, ...]) -> TouchedTensor:
    """Return an access over axes of those extents as footprints see it."""
    rows: list[tuple[dict[int, int], int, int | None]] = []
    last: tuple[dict[int, int], int, int | None] | None = None
    for index, bound in zip(access.indices, access.bounds, strict=True):
        terms = {axis: c for axis, c in index.terms().items() if extents[axis] > 1}
        low, high = _range(terms, extents)
        outside = low + index.constant < 0 or high + index.constant >= bound
        row = (terms, index.constant, bound if outside else None)
        # Dimensions that an axis moves along together become one, whose index tells both.
        for other in [one for one in rows if one[0].keys() & terms.keys()]:
            rows.remove(other)
            low, high = _range(row[0], extents)
            factor = high - low + 1
            joined = {
                a: row[0].get(a, 0) + factor * other[0].get(a, 0) for a in sorted(row[0].keys() | other[0].keys())
            }
            row = (joined, 0, None)
        last = None
        if terms or outside:
            rows.append(row)
            last = row if row[0] is terms else None
    dimensions = tuple(_dimension(*row, extents) for row in rows)
    plain = all(len(one.terms) == 1 and one.limits is None for one in dimensions)
    direct = plain and not any(one.terms[0][2] for one in dimensions)
    return TouchedTensor(
        access,
        dimensions,
        frozenset(axis for one in dimensions for _, axis, _ in one.terms),
        frozenset(one.terms[0][1] for one in dimensions if len(one.terms) == 1),
        plain,
        tuple([one.terms[0][1] for one in dimensions]) if direct else None,
        len(rows) - 1 if last is not None else None,
    )


def _range(terms: dict[int, int], extents: Sequence[int]) -> tuple[int, int]:
    ends = [sorted((0, c * (extents[axis] - 1))) for axis, c in terms.items()]
    return sum(end[0] for end in ends), sum(end[1] for end in ends)


def _dimension(terms: dict[int, int], constant: int, bound: int | None, extents: Sequence[int]) -> TouchedDimension:
    common = gcd(*terms.values()) or 1
    first = constant + _range(terms, extents)[0]
    steps = tuple(sorted((abs(c) // common, axis, c < 0) for axis, c in terms.items() if c))
    limits = None if bound is None else (-(first // common), (bound - 1 - first) // common)
    return TouchedDimension(steps, common, limits)


def _turned(values: Values, extent: int) -> Values:
    if isinstance(values, tuple):
        return extent - 1 - values[1], extent - 1 - values[0]
    return int(f"{as_bits(values):0{extent}b}"[::-1], 2)
