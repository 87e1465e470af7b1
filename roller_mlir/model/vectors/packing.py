# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes whose tasks pack what many of their tiles read: panels of one factor, rows or images of the other.

Of a product A[m, k] B[k, n] with lanes along n, a task may

    for k-step { pack B[k, n];  for m { tile } }                               one column of tiles
    for k-step { pack B[k, N];  for m { pack A[m, k];  for n in N { tile } } }  B in the second cache, A in the first
    for k-step { pack A[M, k];  for n { pack B[k, n];  for m in M { tile } } }  A in the second cache

and of a convolution likewise, where the image's rows in place of A are packed with their paddings, so that no read of
them is tested. A step is the whole reduction, or a divisor whose panels fit into a cache.

Lanes may run along a loop that has no neighbours in memory, where a factor is packed with these last: along n of
A[m, k] B[n, k], along the filters of a convolution with channels first.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from roller_mlir.hal import Device
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.lanes import lane_dimension, reads_lanes, reads_packed
from roller_mlir.model.vectors.shape import UNROLLED, TaskShape, TaskWalk, grown
from roller_mlir.plan import Access, OperandPlan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.plan.tasks.walks import resumable

_TILES = 3
"""Register tiles for which shapes are made, of each loop along vectors: the best of so many columns, and its equals."""
_STEPS = (1024, 512, 256, 128)
"""Points of a reduction in a step that are tried where all are more."""
_PANEL_SHARE = 0.6
"""Of a core's second cache, for what is packed at a time."""
_ROOM = 0.75
"""A core's share of the largest cache that a packed input may take."""


def packed_shapes(
    expression: TensorExpression, device: Device, model: VectorCost, found: Sequence[TaskShape]
) -> Iterator[TaskShape]:
    """Yield shapes that pack.

    Args:
        expression: The operator.
        device: The device.
        model: What shapes cost.
        found: Shapes that pack nothing.
    """
    if expression.whole or not expression.reductions() or not device.caches:
        return
    tiles: dict[tuple[int, int], tuple[float, list[_Tile]]] = {}
    for shape in found:
        if shape.lane is None or expression.loops[shape.lane].reduction:
            continue
        tile = _Tile.of(expression, device, model, shape)
        if not tile.panels and not tile.rows:
            continue
        cycles = model.kernel_cycles(replace(shape, staged=(*tile.panels, *tile.rows)))
        key = shape.lane, shape.blocks[shape.lane]
        least, equal = tiles.get(key, (cycles, []))
        if cycles < least:
            equal = []
        if cycles <= least:
            tiles[key] = cycles, [*equal, tile]
    taken: Counter[int] = Counter()
    for (lane, _), (_, equal) in sorted(tiles.items(), key=lambda one: one[1][0]):
        taken[lane] += 1
        for tile in equal if taken[lane] <= _TILES else ():
            yield from (shape for shape in tile.shapes() if shape.inner)  # nothing is packed for a single tile


def constant_shapes(
    expression: TensorExpression, found: Sequence[TaskShape], constants: Sequence[int]
) -> Iterator[TaskShape]:
    """Yield shapes for which an input that is read as vectors was packed when the program was compiled.

    Args:
        expression: The operator.
        found: Shapes that pack nothing, or something in a task.
        constants: Inputs that may be packed then.
    """
    if not expression.reductions() or expression.whole:
        return
    made: set[tuple[object, ...]] = set()
    for number in constants:
        access = expression.inputs[number]
        if access.gathered or (expression.prologue_flops and expression.prologue_flops[number]):
            continue
        for shape in found:
            lane = shape.lane
            if lane is None or expression.loops[lane].reduction or reads_packed(access, lane) != "vector":
                continue
            staged = tuple(one for one in shape.staged if one != number)
            steps = any(shape.blocks[i] < expression.bounds[i] for i in expression.reductions())
            alone = not staged and not steps
            if steps and not shape.inner:
                continue
            one = replace(shape, staged=staged, ahead=(number,))
            if alone and shape.inner:  # a task of one tile, in any order, is as good
                continue
            if any(_tiles_of(expression, shape, i) % shape.walked.get(i, 1) for i in access.loops()):
                continue  # whole tiles alone are there
            key = one.blocks, one.lane, one.order, one.inner, tuple(sorted(one.walked.items())), one.staged, number
            if key not in made:
                made.add(key)
                yield one


def _tiles_of(expression: TensorExpression, shape: TaskShape, loop: int) -> int:
    return expression.loops[loop].extent.most_tiles(shape.blocks[loop])


@dataclass(frozen=True)
class _Tile:
    """A register tile, and the loops around it by what they move.

    Attributes:
        expression: The operator.
        device: The device.
        model: What its shapes cost.
        blocks: Points of each loop.
        lane: The loop along vectors.
        panels: Inputs that are read as vectors.
        rows: Inputs of which all lanes read one element.
        column_loops: Parallel loops of several tiles that move panels and no rows.
        row_loops: Those that move rows and no panels.
        others: The rest of them.
    """

    expression: TensorExpression
    device: Device
    model: VectorCost
    blocks: tuple[int, ...]
    lane: int
    panels: tuple[int, ...]
    rows: tuple[int, ...]
    column_loops: tuple[int, ...]
    row_loops: tuple[int, ...]
    others: tuple[int, ...]

    @classmethod
    def of(cls, expression: TensorExpression, device: Device, model: VectorCost, shape: TaskShape) -> "_Tile":
        """Return the tile of a shape that packs nothing."""
        lane = shape.lane
        assert lane is not None
        read = [None if one.gathered or not one.shape else reads_packed(one, lane) for one in expression.inputs]
        panels = tuple(number for number, how in enumerate(read) if how == "vector")
        rows = tuple(number for number, how in enumerate(read) if how == "one")
        moved = [frozenset().union(*(expression.inputs[number].loops() for number in part)) for part in (panels, rows)]
        around = sorted(shape.order)
        columns = tuple(i for i in around if i in moved[0] and i not in moved[1])
        along = tuple(i for i in around if i in moved[1] and i not in moved[0])
        others = tuple(i for i in around if i not in columns and i not in along)
        return cls(expression, device, model, shape.blocks, lane, panels, rows, columns, along, others)

    def shapes(self) -> Iterator[TaskShape]:
        """Yield the shapes that pack for this tile."""
        room = panel_room(self.model)
        for blocks in self._steps():
            if self.panels and self.row_loops and self._bytes(self.panels, blocks, {}) <= self._largest_room():
                walked = {loop: count for loop, count in enumerate(self._tiles(blocks)) if loop in self.row_loops}
                yield self._shape(blocks, self.row_loops, self._shared_out(blocks, walked), self.panels)
            if self.panels and self.row_loops and self.column_loops:
                yield from self._panels_outside(blocks, room)
            if self.rows and (self.column_loops or (self.row_loops and self._has_windows())):
                yield from self._rows_outside(blocks, room)

    def _panels_outside(self, blocks: tuple[int, ...], room: float) -> Iterator[TaskShape]:
        """Yield shapes of which a task packs several columns of tiles, and rows perhaps for each row of tiles."""
        lane, tiles = self.column_loops[-1], self._tiles(blocks)
        most = int(room // max(1.0, self._bytes(self.panels, blocks, {})))
        if most < 1:
            return
        walked = {lane: self.model.evenly(tiles[lane], most), **{loop: tiles[loop] for loop in self.row_loops}}
        if walked[lane] == 1:
            return
        walked = self._shared_out(blocks, walked)
        walks = (*self.row_loops, lane)
        yield self._shape(blocks, walks, walked, self.panels)
        if self.rows:
            yield self._shape(blocks, walks, walked, (*self.panels, *self.rows))
        if self.rows and len(self.row_loops) > 1:
            walks = (*self.row_loops[:-1], lane, self.row_loops[-1])
            yield self._shape(blocks, walks, walked, (*self.panels, *self.rows))

    def _rows_outside(self, blocks: tuple[int, ...], room: float) -> Iterator[TaskShape]:
        """Yield shapes of which a task packs many rows, and panels perhaps for each column of tiles."""
        tiles = self._tiles(blocks)
        walked = {loop: tiles[loop] for loop in self.row_loops}
        for loop in self.row_loops:
            if self._bytes(self.rows, blocks, walked) <= room:
                break
            kept = dict(walked)

            def is_too_much(count: int, loop: int = loop, kept: dict[int, int] = kept) -> bool:
                return self._bytes(self.rows, blocks, {**kept, loop: count}) > room

            most = bisect_left(range(1, tiles[loop] + 1), True, key=is_too_much)
            walked[loop] = self.model.evenly(tiles[loop], max(1, most))
        if self._bytes(self.rows, blocks, walked) > room:
            return
        walked |= {loop: tiles[loop] for loop in self.column_loops}
        walked = self._shared_out(blocks, walked)
        inner = tuple(loop for loop in self.row_loops if walked[loop] > 1)
        if not inner and not self.column_loops:
            return
        walks = (*self.column_loops, *inner)
        yield self._shape(blocks, walks, walked, self.rows)
        if self.panels and inner:
            yield self._shape(blocks, walks, walked, (*self.panels, *self.rows))

    def _has_windows(self) -> bool:
        """Return whether some rows are read at several points of a reduction, so that packing them pays by itself."""
        inputs = [self.expression.inputs[number] for number in self.rows]
        return any(one.moves_window(loop) for one in inputs for loop in self.row_loops)

    def _shape(
        self, blocks: tuple[int, ...], inner: Sequence[int], walked: Mapping[int, int], staged: Sequence[int]
    ) -> TaskShape:
        """Return a shape; loops whose tiles are all walked stand last in the order of tasks."""
        tiles = self._tiles(blocks)
        kept = {loop: count for loop, count in walked.items() if loop in inner and count < tiles[loop]}
        inner = tuple(loop for loop in inner if kept.get(loop, tiles[loop]) > 1)
        around = (*self.others, *self.column_loops, *self.row_loops)
        whole = tuple(loop for loop in inner if loop not in kept)
        order = (*(loop for loop in around if loop not in whole), *whole)
        kept = {loop: count for loop, count in kept.items() if loop in inner}
        return TaskShape(blocks, self.lane, order, inner, kept, tuple(sorted(staged)))

    def _steps(self) -> Iterator[tuple[int, ...]]:
        """Yield the tile with the whole reduction in a step, and with divisors: what a cache holds, and less."""
        bounds, reductions = self.expression.bounds, self.expression.reductions()
        if all(self.blocks[i] == bounds[i] for i in reductions):
            yield self.blocks
        if not resumable(self.expression) or self.expression.ordered:
            return
        longest = max(reductions, key=lambda i: bounds[i])
        beside = prod([bounds[i] for i in reductions if i != longest])
        taken: set[int] = set()
        one = tuple(1 if i == longest else bounds[i] if i in reductions else n for i, n in enumerate(self.blocks))
        held = int(panel_room(self.model) // max(1.0, self._bytes(self.panels, one, {}))) * beside
        for most in (held, *_STEPS) if held > _STEPS[0] else _STEPS:
            points = _divisor(bounds[longest], most // beside)
            if points < bounds[longest] and points not in taken and 2 * points * beside >= min(most, beside):
                taken.add(points)
                blocks = list(self.blocks)
                for i in reductions:
                    blocks[i] = points if i == longest else bounds[i]
                yield tuple(blocks)

    def _tiles(self, blocks: Sequence[int]) -> list[int]:
        return [loop.extent.most_tiles(block) for loop, block in zip(self.expression.loops, blocks, strict=True)]

    def _bytes(self, numbers: Sequence[int], blocks: tuple[int, ...], walked: Mapping[int, int]) -> float:
        """Return the bytes of inputs that several tiles read."""
        box = blocks
        for loop, trips in walked.items():
            box = grown(box, loop, trips, self.expression.bounds)
        return sum([self.model.size(number, box) for number in numbers])

    def _shared_out(self, blocks: Sequence[int], walked: Mapping[int, int]) -> dict[int, int]:
        """Return what tasks walk, where those of these are too few for all cores: columns are shared out, else rows."""
        tiles, units = self._tiles(blocks), self.model.units
        tasks = prod([-(-tiles[loop] // walked.get(loop, 1)) for loop in self.expression.parallel()])
        found = dict(walked)
        columns = [loop for loop in self.column_loops if walked.get(loop, 1) >= units]
        for loop in (*columns[-1:], *(loop for loop in self.row_loops if walked.get(loop, 1) > 1))[:1]:
            if tasks < units:
                found[loop] = -(-walked[loop] // min(walked[loop], units))
        return found

    def _largest_room(self) -> float:
        return room_of(self.device, self.model.units)


def _divisor(extent: int, most: int) -> int:
    """Return a large divisor of an extent, at most so much: one whose points can be unrolled, if it is not much less.

    >>> _divisor(500000, 19660), _divisor(96, 50), _divisor(35, 20)
    (12500, 48, 7)
    """
    found = next((n for n in range(min(extent, most), 0, -1) if extent % n == 0), 1)
    return next((n for n in range(found, found // 2, -1) if extent % n == 0 and n % UNROLLED == 0), found)


def panel_room(cost: VectorCost) -> float:
    """Return the bytes that are packed at a time at most: a part of a core's second cache, or of the only one."""
    return _PANEL_SHARE * cost.device.second_cache_bytes(cost.units)


def room_of(device: Device, units: int) -> float:
    """Return the bytes that an input which is packed at a time may take of a core's share of the caches."""
    return max((cache.total_capacity_bytes / units * _ROOM for cache in device.caches), default=0.0)


def packed_operand(
    expression: TensorExpression, shape: TaskShape, number: int, width: int, pad: float | None
) -> OperandPlan:
    """Return how a packed input lies: in vectors of so many elements, panels as wide as a tile, rows apart."""
    access = expression.inputs[number]
    box = TaskWalk.of(expression, shape).packed_box(shape, expression, number)
    dimensions, lane = tile_dimensions(access, box), shape.lane
    order = packed_order(access, lane)
    row = dimensions[order[-1]].extent if order else 1
    vector = width
    while vector > 1 and vector // 2 >= row:
        vector //= 2
    panel = beside = 0
    if lane is not None and reads_packed(access, lane) == "vector":
        # A window reads vectors across the ends of panels.
        alone = set(access.indices[order[-1]].terms()) == {lane}
        panel = shape.blocks[lane] if alone and row > shape.blocks[lane] else 0
    elif len(dimensions) > 1 and row * access.element_bytes % _SAME_SETS_BYTES == 0:
        beside = vector
    return OperandPlan(
        layer=WORKGROUP,
        order=order,
        pad=beside,
        vector=copied_vector(order, vector),
        store_vector=vector,
        fragment_vector=vector,
        pad_value=pad,
        panel=panel,
    )


def packed_order(access: Access, lane: int | None) -> tuple[int, ...]:
    """Return the order of a packed tile's dimensions: its tensor's, but that lanes find neighbours in the last.

    Args:
        access: The tensor.
        lane: The loop along vectors.
    """
    order = list(range(len(access.shape)))
    if lane is not None and reads_lanes(access, lane) == "each" and (last := lane_dimension(access, lane)) is not None:
        order.remove(last)
        order.append(last)
    return tuple(order)


def copied_vector(order: Sequence[int], width: int) -> int:
    """Return the elements that are copied at a time along a tensor's last dimension, to whose multiple it is filled up.

    Args:
        order: Of the packed tile's dimensions.
        width: The lanes of a vector.
    """
    return 1 if order and order[-1] != len(order) - 1 else width


_SAME_SETS_BYTES = 1024
"""Rows that are a multiple of it apart share few sets of a first cache."""
