# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The iterations between two of a nest, as boxes, and what those touch."""

from collections.abc import Sequence

from roller_mlir.model.polydl.footprint import TouchedTensor
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.values import Box, Values, clipped, span, union_size, volume

Point = tuple[int, ...]
"""One iteration: the number of each loop's."""

Part = tuple[Point, int, int, int]
"""A box of iterations: (point, loop, first, last) has loops outside of that one as the point has them, that loop from
its first to its last iteration, and all iterations of the loops inside."""


def between(counts: Sequence[int], source: Point, target: Point) -> tuple[int, list[Part], list[Part], list[Part]]:
    """Return the iterations from one to a later one, both included, as boxes that do not meet.

    Returns:
        The outermost loop in which the two differ; the iterations of that loop which lie between as a whole, if any;
        boxes that end the source's own iteration of it; boxes that begin the target's. Both are in the order of loops.

    >>> between((4, 3), (0, 0), (2, 1))
    (0, [((0, 0), 0, 0, 1)], [], [((2, 1), 1, 0, 1)])
    """
    depth = len(counts)
    level = next((m for m in range(depth) if source[m] != target[m]), depth - 1)
    # The source's last loop that is not at its start, and the target's that is not at its end, take in what is inside.
    start = end = level
    for m in range(level + 1, depth):
        if source[m]:
            start = m
        if target[m] != counts[m] - 1:
            end = m
    first, last = source[level] + (start > level), target[level] - (end > level)
    middle = [(source, level, first, last)] if first <= last else []
    behind = [
        (source, m, source[m] + (m < start), counts[m] - 1)
        for m in range(level + 1, start + 1)
        if source[m] + (m < start) < counts[m]
    ]
    before = [(target, m, 0, target[m] - (m < end)) for m in range(level + 1, end + 1) if target[m] >= (m < end)]
    return level, middle, behind, before


_Boxes = list[tuple[int, list[Values]]]
"""Boxes by the loop that is divided there, and the values of each axis."""


class Footprints:
    """What iterations of a nest touch of its tensors.

    Attributes:
        nest: The nest.
        counts: Iterations of each of its point loops.
    """

    def __init__(self, nest: TiledNest) -> None:
        self.nest = nest
        self._loops = [(loop.axis, loop.size) for loop in nest.point_loops]
        self.counts = tuple([loop.count for loop in nest.point_loops])
        self._extents = nest.extents
        # Of each axis the distance from the first to the last point of the loops inside of each, and whether they reach
        # all in between.
        width, dense = [0] * len(self._extents), [True] * len(self._extents)
        self._inside = [(width, dense)]
        for (axis, size), count in zip(reversed(self._loops), reversed(self.counts), strict=True):
            width, dense = list(width), list(dense)
            dense[axis] = dense[axis] and size <= width[axis] + 1
            width[axis] += size * (count - 1)
            self._inside.append((width, dense))
        self._inside.reverse()
        self._all_dense = all(self._inside[0][1])
        self._cut = [axis for axis, extent in enumerate(self._extents) if self._inside[0][0][axis] >= extent]

    def axis_values(self, parts: Sequence[Part]) -> _Boxes:
        """Return the loop that each box divides, and its values of each axis; boxes without points are left out.

        The parts are of one point, in the order of their loops.
        """
        boxes: _Boxes = []
        start, passed = [0] * len(self._extents), 0
        for part in parts:
            point, loop, first, last = part
            for m in range(passed, loop):
                if point[m]:
                    axis, size = self._loops[m]
                    start[axis] += size * point[m]
            passed = loop
            width, dense = self._inside[loop + 1]
            axis, size = self._loops[loop]
            found: list[Values] = [(low, low + reach) for low, reach in zip(start, width, strict=True)]
            low = start[axis] + size * first
            found[axis] = (low, low + width[axis] + size * (last - first))
            if self._cut and not self._clip(found):
                continue
            if last > first and size > width[axis] + 1:
                self._leave_out(found, axis, part)
            if not self._all_dense:
                for other, every in enumerate(dense):
                    if not every:
                        self._leave_out(found, other, part)
            boxes.append((loop, found))
        return boxes

    def _clip(self, found: list[Values]) -> bool:
        """Leave out what lies beyond the axes; return whether there is anything else."""
        for axis in self._cut:
            values = clipped(found[axis], 0, self._extents[axis] - 1)
            if values is None:
                return False
            found[axis] = values
        return True

    def _leave_out(self, found: list[Values], axis: int, part: Part) -> None:
        """Put the exact values of an axis in the place of those from its first to its last."""
        point, loop, first, last = part
        terms: list[tuple[int, int, int]] = []
        for m, ((own, size), x, count) in enumerate(zip(self._loops, point, self.counts, strict=True)):
            if own == axis:
                low, high = (x, x) if m < loop else (first, last) if m == loop else (0, count - 1)
                terms.append((size, low, high))
        values = clipped(span(sorted(terms)), 0, self._extents[axis] - 1)
        assert values is not None, "its first value is there"
        found[axis] = values

    def touched_bytes(self, source: Point, target: Point, tensors: Sequence[TouchedTensor]) -> int:
        """Return how many bytes of tensors the iterations from one to another touch."""
        level, *groups = between(self.counts, source, target)
        middle, *ends = map(self.axis_values, groups)
        return sum(
            (tensor.access.gathered or self._touched(tensor, level, middle, ends)) * tensor.access.element_bytes
            for tensor in tensors
        )

    def _touched(self, tensor: TouchedTensor, level: int, middle: _Boxes, ends: Sequence[_Boxes]) -> int:
        """Return how many elements of a tensor the boxes of an interval touch.

        Boxes differ in the outermost of their loops. Where that does not move along the tensor, the outer box touches
        what the inner does, since its inner loops make all iterations. Where it is alone in moving along a dimension,
        the two touch different elements.
        """
        loops, behind = self._loops, ends[0]
        moves = loops[level][0] in tensor.axes
        boxes = list(middle)
        if moves or not boxes:
            for group in ends:
                for box in group:
                    boxes.append(box)
                    if loops[box[0]][0] not in tensor.axes:
                        break
        total = 0
        images: list[Box] = []
        apart = tensor.plain and moves
        for loop, values in boxes:
            image = tensor.image(values, self._extents)
            if image is None:
                continue
            if apart or (not images and not behind and loops[loop][0] in tensor.alone):
                total += volume(image)
            else:
                images.append(image)
        return total + (volume(images[0]) if len(images) == 1 else union_size(images))
