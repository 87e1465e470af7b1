# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counting of what a plan really moves: elements inside the tensors.

Edges count as the kernel treats them: an element outside its tensor is neither loaded nor stored.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from roller_mlir.mapping.layout.data_tile import TileDimension, tile_dimensions
from roller_mlir.mapping.layout.layout import residue_shift, steps_of
from roller_mlir.mapping.layout.thread_reads import live_offsets
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop

MAX_ENUMERATED = 4096
"""Origins that are enumerated per group of dimensions; beyond that, tiles are taken to lie inside."""
MAX_COORDINATES = 65536
"""Coordinates of threads that are told apart; beyond that, each point of a thread is taken to be a read of its own."""


@dataclass(frozen=True)
class Boxes:
    """The boxes of a plan: loops and how they are cut.

    Attributes:
        loops: The expression's loops.
        axes: One AxisPlan per loop.
        lane: The loop whose chunks are vectors, None for scalars.
        lane_order: Loops that a matrix instruction's lanes run along, fastest in the thread number first.
    """

    loops: tuple[Loop, ...]
    axes: tuple[AxisPlan, ...]
    lane: int | None = None
    lane_order: tuple[int, ...] = ()

    def count(self, loop: int) -> int:
        """Return the boxes along a loop."""
        return steps_of(self.loops[loop], self.axes[loop])

    def origins(self, loop: int) -> range:
        """Return where the boxes of a loop start."""
        block = self.axes[loop].block
        first = -residue_shift(self.loops[loop], self.axes[loop])
        return range(first, first + self.count(loop) * block, block)

    def firsts(self, loop: int) -> list[int]:
        """Return where the registers of each thread of a box begin along a loop."""
        axis = self.axes[loop]
        if not axis.lanes:
            return [thread * axis.chunk for thread in range(axis.threads)]
        tiles = range(0, axis.threads // axis.lanes * axis.tile, axis.tile)
        return [tile + lane * axis.chunk for tile in tiles for lane in range(axis.lanes)]

    def live_offsets(self, loop: int) -> list[int]:
        """Return where the registers of a thread lie along a loop that any thread needs."""
        return live_offsets(self.loops[loop], self.axes[loop], vector=loop == self.lane)


def inside(low: int, step: int, count: int, extent: int) -> int:
    """Return how many of low, low + step, ... (count of them) lie in [0, extent).

    >>> inside(-4, 1, 8, 1020), inside(1016, 1, 8, 1020), inside(-3, 2, 4, 100), inside(5, -1, 8, 1020)
    (4, 4, 2, 6)
    """
    if step < 0:
        low, step = low + (count - 1) * step, -step
    first = max(0, -(low // step))
    last = min(count - 1, (extent - 1 - low) // step)
    return max(0, last - first + 1)


def copied_elements(access: Access, boxes: Boxes, vector: int) -> int:
    """Return the in-range elements that the copies of all boxes' data tiles read, in whole vectors along the rows."""
    dimensions = tile_dimensions(access, [axis.block for axis in boxes.axes])
    extents = [d.extent for d in dimensions]
    if extents:
        extents[-1] = -(-extents[-1] // vector) * vector
    total = 1
    for group in _groups(access.indices):
        total *= _copied_group(access, boxes, dimensions, extents, group)
    used = access.loops()
    return total * prod(boxes.count(loop) for loop in range(len(boxes.loops)) if loop not in used)


def direct_elements(access: Access, boxes: Boxes) -> int:
    """Return the in-range elements that threads read or write directly, over all boxes.

    A thread touches an element once per box; threads along a loop that does not index the tensor each touch it.
    """
    total = 1
    for group in _groups(access.indices):
        special = any(_shares_points(access, boxes, d) or _reaches_further(access, boxes, d) for d in group)
        count = _elements_inside if special else _positions_inside
        total *= count(access, boxes, group)
    used = access.loops()
    others = [loop for loop in range(len(boxes.loops)) if loop not in used]
    return total * prod(boxes.count(loop) * boxes.axes[loop].threads for loop in others)


def _groups(indices: Sequence[LinearIndex]) -> list[list[int]]:
    """Group dimensions that share a loop: only those must be enumerated together."""
    groups: list[tuple[set[int], list[int]]] = []
    for d, index in enumerate(indices):
        loops, members = set(index.terms()), [d]
        rest: list[tuple[set[int], list[int]]] = []
        for other_loops, other_members in groups:
            if loops & other_loops:
                loops |= other_loops
                members = other_members + members
            else:
                rest.append((other_loops, other_members))
        groups = [*rest, (loops, members)]
    return [members for _, members in groups]


def _copied_group(
    access: Access, boxes: Boxes, dimensions: Sequence[TileDimension], extents: Sequence[int], group: Sequence[int]
) -> int:
    loops = sorted({loop for d in group for loop in access.indices[d].terms()})
    origins = [boxes.origins(loop) for loop in loops]
    if len(loops) == 1 and len(group) == 1:
        d, (loop,) = group[0], loops
        factor, block = access.indices[d].coefficients[loop], boxes.axes[loop].block
        if block == extents[d] and (block == 1 or dimensions[d].step == abs(factor)):
            low = access.indices[d].constant + factor * origins[0].start
            return inside(low, factor, len(origins[0]) * block, access.bounds[d])
    if prod(len(o) for o in origins) > MAX_ENUMERATED:
        return prod(len(o) for o in origins) * prod(extents[d] for d in group)
    total = 0
    for starts in product(*origins):
        at = dict(zip(loops, starts, strict=True))
        found = 1
        for d in group:
            index = access.indices[d]
            low = index.constant - dimensions[d].offset * dimensions[d].step
            low += sum(k * at[loop] for loop, k in index.terms().items())
            found *= inside(low, dimensions[d].step, extents[d], access.bounds[d])
        total += found
    return total


def _shares_points(access: Access, boxes: Boxes, dimension: int) -> bool:
    """Return whether several points of a thread may lie at one coordinate, as along a window."""
    return sum([boxes.axes[loop].registers > 1 for loop in access.indices[dimension].terms()]) > 1


def _reaches_further(access: Access, boxes: Boxes, dimension: int) -> bool:
    """Return whether points that no thread needs, outside of their loop, may lie inside the tensor."""
    index = access.indices[dimension]
    for loop, k in index.terms().items():
        extent, block = boxes.loops[loop].extent.bound, boxes.axes[loop].block
        plain = k == 1 and not index.constant and len(index.terms()) == 1 and access.bounds[dimension] <= extent
        if block > extent and boxes.axes[loop].registers > 1 and not plain:
            return True
    return False


def _elements_inside(access: Access, boxes: Boxes, group: Sequence[int]) -> int:
    """Return the coordinates in range that threads touch, each once a thread and box, along a group of dimensions."""
    indices = [access.indices[d] for d in group]
    loops = sorted({loop for index in indices for loop in index.terms()})
    starts: Counter[tuple[int, ...]] = Counter({tuple(index.constant for index in indices): 1})
    offsets = {(0,) * len(group)}
    for loop in loops:
        steps = [index.coefficients[loop] for index in indices]
        firsts = [origin + first for origin in boxes.origins(loop) for first in boxes.firsts(loop)]
        if len(starts) * len(firsts) > MAX_COORDINATES:
            return _positions_inside(access, boxes, group)
        moved: Counter[tuple[int, ...]] = Counter()
        for start, times in starts.items():
            for first in firsts:
                moved[tuple([at + k * first for at, k in zip(start, steps, strict=True)])] += times
        starts = moved
        live = boxes.live_offsets(loop)
        offsets = {
            tuple([at + k * one for at, k in zip(offset, steps, strict=True)]) for offset in offsets for one in live
        }
    if len(starts) * len(offsets) > MAX_COORDINATES:
        return _positions_inside(access, boxes, group)
    shape = [access.bounds[d] for d in group]
    return sum(
        times
        for start, times in starts.items()
        for offset in offsets
        if all(0 <= a + b < extent for a, b, extent in zip(start, offset, shape, strict=True))
    )


def _positions_inside(access: Access, boxes: Boxes, group: Sequence[int]) -> int:
    """Return the loop positions, of all boxes, at which the dimensions of a group are all in range."""
    loops = sorted({loop for d in group for loop in access.indices[d].terms()})
    spans: list[range] = []
    for loop in loops:
        origins = boxes.origins(loop)
        spans.append(range(origins[0], origins[0] + len(origins) * boxes.axes[loop].block))
    if not loops:
        return int(all(0 <= access.indices[d].constant < access.bounds[d] for d in group))
    if len(group) > 1 or prod(len(span) for span in spans[:-1]) > MAX_ENUMERATED:
        if prod(len(span) for span in spans) > MAX_ENUMERATED:
            return prod(min(len(span), boxes.loops[loop].extent.bound) for span, loop in zip(spans, loops, strict=True))
        return sum(
            all(
                0
                <= access.indices[d].constant + sum(access.indices[d].coefficients[i] * p for i, p in at)
                < access.bounds[d]
                for d in group
            )
            for positions in product(*spans)
            for at in [list(zip(loops, positions, strict=True))]
        )
    index = access.indices[group[0]]
    last, total = loops[-1], 0
    for positions in product(*spans[:-1]):
        low = index.constant + sum(index.coefficients[i] * p for i, p in zip(loops, positions, strict=False))
        step = index.coefficients[last]
        total += inside(low + step * spans[-1].start, step, len(spans[-1]), access.bounds[group[0]])
    return total
