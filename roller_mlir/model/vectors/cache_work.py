# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the caches do for a plan of vectors: its loops as a nest, whose working sets say which cache serves which reuse.

    unit_order (1, 0), blocks 8 x 32, all of k, two cores: for j in 0..16 parallel, j' in 0..2, i in 0..128: 8 x 32 x K

Threads take ranges of neighbouring tasks, so that the outermost loops are divided among them. What the tasks do is the
body; sums lie in registers over all of a reduction.

Paper: PolyDL section 4 (Algorithms 1 and 2), section 4.2 (what a layer serves costs its latency and bandwidth). It
differs in four points: a working set has to fit by itself, since those of one nest contain each other; what lies in few
of a cache's sets is not held; lines move whole; and what is touched for the first time comes from the nearest cache
that holds all of it, since a program's tensors were just made. docs/method/polydl.md shows how that ranks measured
plans.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

from roller_mlir.hal import Device
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.model.polydl.caches import Cache, assign, caches_of
from roller_mlir.model.polydl.cost import Handed, handed_over, holder, seconds_by_layer, served_bytes
from roller_mlir.model.polydl.footprint import TouchedTensor
from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.model.polydl.values import volume
from roller_mlir.model.polydl.working_sets import WorkingSet, working_sets
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import Access, TensorExpression
from roller_mlir.plan.expression import dense_strides

PAGE_BYTES = 4096
"""Of memory: what lies in another is looked up anew, and not fetched ahead."""
APART_BYTES = PAGE_BYTES // 2
"""From one place to the next, from which on a core's prefetchers do not follow (Intel 248966: half a page)."""
LINE_BYTES = 64
"""Of a cache, where nobody says another."""
_SHORT_ROW_BYTES = 256
"""Of a tile's row: a core's prefetchers do not follow from one such row to the next."""
_ROWS_APART_BYTES = 1024
"""From row to row of these."""
_FAR_FROM_MEMORY = 2.0
"""Times `short_row_factor` that they take from memory where each lies in a page of its own. Measured on an AMD Zen 5:
23 ns for 128 bytes of each row of 115 KB."""
_LEAST_BESIDE = 1 / 16
"""Bytes of others that come beside rows, as a share of theirs, that count."""


@dataclass(frozen=True)
class CacheWork:
    """What moves between the layers, for the whole operator.

    Attributes:
        moved: Bytes that come into each cache from behind it, from the nearest on; the last come from memory.
        seconds: What each layer behind the nearest cache takes, were it the only limit.
        packed_s: What a core waits for what it packs, while it computes nothing and the others need no layer.
    """

    moved: tuple[float, ...]
    seconds: Mapping[str, float]
    packed_s: float = 0.0


class CacheModel:
    """The caches of a device under the nests of one operator."""

    def __init__(self, expression: TensorExpression, device: Device) -> None:
        self.expression, self._device = expression, device
        self._base = TiledNest(expression, ())
        self._caches: dict[int, tuple[Cache, ...]] = {}
        self._layers = {layer.name: layer for layer in device.layers}
        self._short_rows: dict[tuple[int, ...], dict[int, bool]] = {}
        first = device.caches[0] if device.caches else device.layer("global")
        self._line_bytes = first.line_bytes or LINE_BYTES

    def caches(self, cores: int) -> tuple[Cache, ...]:
        """Return the caches and memory as each of so many cores sees them."""
        if cores not in self._caches:
            self._caches[cores] = caches_of(self._device, cores)
        return self._caches[cores]

    def walked(self, shape: TaskShape, walk: TaskWalk, cores: int = 1) -> TiledNest:
        """Return the loops around the tiles of a shape: those over tasks, steps of reductions, and what a task walks.

        Args:
            shape: The shape.
            walk: Its loops.
            cores: How many share the tasks out, each a range of neighbours.
        """
        inside = dict(walk.inner)
        loops: list[TileLoop] = []
        left = cores
        for i, count, apart in walk.units:
            size = shape.blocks[i] * inside.get(i, 1) * apart
            if left > 1 and shape.raster:  # a level inside of another has to stay whole
                parts = next(n for n in range(min(left, count), 0, -1) if count % n == 0)
                loops.append(TileLoop(i, parts, count // parts * size, parallel=True))
                count, left = count // parts, left // parts if parts == count else 1
            elif left > 1:
                chunk = -(-count // min(left, count))
                parts = -(-count // chunk)
                loops.append(TileLoop(i, parts, chunk * size, parallel=True))
                count, left = chunk, -(-left // parts) if chunk == 1 else 1
            loops.append(TileLoop(i, count, size))
        loops += [TileLoop(i, trips, shape.blocks[i]) for i, trips in (*walk.steps, *walk.inner)]
        return self._base.with_loops([one for one in loops if one.count > 1])

    def work(
        self, nest: TiledNest, packed: Collection[int] = (), cores: int = 1, inside: Mapping[int, int] | None = None
    ) -> CacheWork:
        """Return what the caches do for a nest.

        Args:
            nest: One of the operator.
            packed: Inputs whose tiles lie dense.
            cores: How many run it.
            inside: By each of them that tasks pack, how many of the loops stand inside of its packing.
        """
        sets, caches = (
            working_sets(nest, largest=False),
            self.caches(cores),
        )  # where all fit by themselves, the first decides
        dense = self._places(packed)

        def collides(one: WorkingSet, cache: Cache) -> bool:
            number = one.dependence.tensor
            if number in dense or cache.capacity_bytes is None:
                return False
            layer, box = self._layers[cache.name], _inside(nest, one.dependence.level)
            known = self._device.vectors
            lines = (layer.line_bytes or LINE_BYTES, layer.ways or known.ways)
            return _few_sets(nest.tensors[number].access, box, cache.capacity_bytes, *lines, known.ways_share)

        assigned = assign(sets, caches, collides, apart=False)
        weights = self._weights(nest, dense)
        handed = handed_over(
            nest,
            sets,
            assigned,
            line_bytes=self._line_bytes,
            packed=dense,
            again=True,
            weights=weights,
        )
        handed = self._beside_others(nest, handed, dense, weights, len(caches) - 1)
        handed = self._in_short_rows(handed, self.short_rows(nest.body, packed), weights, caches)
        served = served_bytes(nest, sets, assigned, handed)
        seconds = seconds_by_layer(nest, sets, assigned, threads=cores, served=served)
        behind = caches[1:] or caches
        moved = tuple([sum(served[place:]) for place in range(1, len(served))]) or served
        around = {min(self._places([number])): len(nest.loops) - n for number, n in (inside or {}).items()}
        packs = [one for one in handed if one.level < around.get(one.tensor, -1)]
        rates = [one.bandwidth_bytes_per_s or math.inf for one in self.caches(1)]  # while others compute
        packed_s = sum([one.size_bytes / rates[one.place] for one in packs]) / cores
        return CacheWork(moved, {one.name: seconds[one.name] for one in behind}, packed_s)

    def _weights(self, nest: TiledNest, dense: Collection[int]) -> list[float]:
        """Return how much longer a byte of each tensor takes than one that is read in order.

        Of rows of more than a page in a tile, one page each is not fetched ahead.
        """
        factor, found = self._device.vectors.far_factor, list[float]()
        for number, tensor in enumerate(nest.tensors):
            row = 0 if number in dense else _walks_down(nest, tensor)
            found.append(1 + (factor - 1) * min(1.0, PAGE_BYTES / row) if row else 1.0)
        return found

    def _beside_others(
        self, nest: TiledNest, handed: list[Handed], dense: Collection[int], weights: Sequence[float], memory: int
    ) -> list[Handed]:
        """Return what layers hand over, where rows of a tile come from memory while another input does, too.

        Lines of rows that lie pages apart are fetched ahead where theirs are the only ones; beside as many of another
        tensor they take as long as if they were not.
        """
        inputs = {number for number, one in enumerate(nest.tensors) if one.access in self.expression.inputs}
        streams = dict.fromkeys(inputs.difference(dense), 0.0)
        for one in handed:
            if one.place == memory and one.tensor in streams:
                streams[one.tensor] += one.size_bytes
        total = sum(streams.values())
        slower = dict[int, float]()
        for number, size in streams.items():
            if size and total - size > _LEAST_BESIDE * size and _far_rows(nest, nest.tensors[number]):
                beside = min(1.0, (total - size) / size)
                slower[number] = max(1.0, (1 + (self._device.vectors.far_factor - 1) * beside) / weights[number])
        return [
            one._replace(size_bytes=one.size_bytes * slower.get(one.tensor, 1.0)) if one.place == memory else one
            for one in handed
        ]

    def short_rows(self, box: tuple[int, ...], packed: Collection[int] = ()) -> dict[int, bool]:
        """Return the tensors of which a tile reads short rows that lie apart, and whether each has a page of its own.

        Args:
            box: Points of each loop in a tile.
            packed: Inputs whose tiles lie dense.
        """
        found = self._short_rows.get(box)
        if found is None:
            found = self._short_rows[box] = {
                number: rows_apart(one.access, box, PAGE_BYTES)
                for number, one in enumerate(self._base.tensors)
                if one.access in self.expression.inputs and rows_apart(one.access, box, _ROWS_APART_BYTES)
            }
        dense = self._places(packed)
        return {number: far for number, far in found.items() if number not in dense} if dense else found

    def _places(self, inputs: Collection[int]) -> frozenset[int]:
        """Return which tensors of a nest some inputs are."""
        places = {one.access: number for number, one in enumerate(self._base.tensors)} if inputs else {}
        return frozenset(places[self.expression.inputs[number]] for number in inputs)

    def _row_factor(self, one: Cache, far: bool) -> float:
        """Return how much longer lines of short rows take from a cache or from memory than others.

        A core alone takes `short_row_factor` times as long from what cores share, twice that from memory where each row
        has a page of its own; where it gets no more than a share of their bandwidth anyway, nothing.
        """
        memory = one.capacity_bytes is None
        if not memory and self._layers[one.name].instances >= self._device.units:
            return 1.0
        factor = self._device.vectors.short_row_factor
        if memory and far:
            factor *= _FAR_FROM_MEMORY
        rate, alone = one.bandwidth_bytes_per_s, one.unit_bandwidth_bytes_per_s
        return max(1.0, factor if rate is None or alone is None else factor * rate / alone)

    def _in_short_rows(
        self, handed: list[Handed], rows: Mapping[int, bool], weights: Sequence[float], caches: Sequence[Cache]
    ) -> list[Handed]:
        """Return what layers hand over, where tiles read short rows of some tensors."""
        slower = {
            (number, place): max(1.0, self._row_factor(one, far) / weights[number])
            for number, far in rows.items()
            for place, one in enumerate(caches)
        }
        return [
            one._replace(size_bytes=one.size_bytes * slower.get((one.tensor, one.place), 1.0)) if rows else one
            for one in handed
        ]

    @cached_property
    def _sizes(self) -> tuple[float, ...]:
        """Bytes of each tensor that are touched."""
        extents = self._base.extents
        whole = [(0, extent - 1) for extent in extents]
        return tuple(
            one.access.element_bytes * one.access.gathered or _touched(one, whole, extents)
            for one in self._base.tensors
        )

    def least(self, cores: int = 1, rows: Mapping[int, bool] | None = None) -> CacheWork:
        """Return what no order of tasks comes below: each tensor comes once from the nearest cache that holds all.

        Args:
            cores: How many run it.
            rows: What `short_rows` says of the tiles.
        """
        caches, held_bytes = self.caches(cores), sum(self._sizes)
        held = holder(caches, held_bytes)
        written = [one.access in self.expression.outputs for one in self._base.tensors]  # is read before
        moved_bytes = sum([size * (1 + again) for size, again in zip(self._sizes, written, strict=True)])
        for number, far in (rows or {}).items():
            moved_bytes += (self._row_factor(caches[held], far) - 1) * self._sizes[number]
        behind = list(enumerate(caches))[1:] or [(0, caches[0])]
        moved = {one.name: moved_bytes if place <= held else 0.0 for place, one in behind}
        seconds = {one.name: moved[one.name] / (one.bandwidth_bytes_per_s or 1.0) / cores for _, one in behind}
        return CacheWork(tuple(moved.values()), seconds)

    def at_least(self, nest: TiledNest, cores: int = 1) -> CacheWork:
        """Return what `work` does not come below for a nest, in a fraction of its time.

        Where a loop does not move a tensor, what one iteration of it touches of that tensor is read again by each
        other, from no nearer a cache than one that holds as much. Lines, rows that lie apart and what else has to be
        held until then are left out.
        """
        caches, tensors, runs, inside = self.caches(cores), nest.tensors, 1, list(nest.extents)
        served, totals = [0.0] * len(caches), list(self._sizes)
        twice = [1 + (one.access in self.expression.outputs) for one in tensors]
        sizes = totals
        for loop in nest.loops:
            before, inside[loop.axis] = inside[loop.axis], min(inside[loop.axis], loop.size)
            if inside[loop.axis] < before:
                box = [(0, points - 1) for points in inside]
                sizes = [
                    size if loop.axis not in one.axes else _touched(one, box, nest.extents)
                    for size, one in zip(sizes, tensors, strict=True)
                ]
            for one, size, times in zip(tensors, sizes, twice, strict=True):
                if loop.axis not in one.axes:
                    served[holder(caches, size)] += runs * (loop.count - 1) * size * times
            runs *= loop.count
        served[holder(caches, sum(totals))] += sum([size * times for size, times in zip(totals, twice, strict=True)])
        parallel = prod([loop.count for loop in nest.loops if loop.parallel])
        share = -(-parallel // min(cores, parallel)) / parallel
        moved = [sum(served[place:]) for place in range(len(served))]
        behind = list(enumerate(caches))[1:] or [(0, caches[0])]
        seconds = {one.name: moved[place] * share / (one.bandwidth_bytes_per_s or math.inf) for place, one in behind}
        return CacheWork(tuple(moved[1:]) or tuple(moved), seconds)


def _touched(tensor: TouchedTensor, box: Sequence[tuple[int, int]], extents: Sequence[int]) -> float:
    """Return the bytes of a tensor that a box of points touches."""
    if tensor.access.gathered:
        return 0.0
    image = tensor.image(box, extents)
    return 0.0 if image is None else float(volume(image) * tensor.access.element_bytes)


def _walks_down(nest: TiledNest, tensor: TouchedTensor) -> int:
    """Return the bytes of a tile's row where the next tile lies far away: nothing is fetched ahead.

    0 where it lies beside, or near. Rows of a page or more are far from each other. Of shorter ones, such as the
    channels of an image that come last, half a page is far; a tile of one line in each wastes what cores fetch in
    pairs of lines, until the next tile takes the others.
    """
    access, size = tensor.access, tensor.access.element_bytes
    if access.gathered or tensor.row is None:
        return 0
    body = tile_dimensions(access, nest.body)
    reach = body[-1].extent * body[-1].step
    moving = [loop for loop in nest.loops if loop.count > 1 and loop.axis in tensor.axes]
    if reach >= access.bounds[-1] or not moving or moving[-1].axis in access.indices[-1].terms():
        return 0
    if access.bounds[-1] * size < PAGE_BYTES:
        strides = zip(access.indices, dense_strides(access.bounds), strict=True)
        apart = moving[-1].size * abs(sum(index.coefficients[moving[-1].axis] * stride for index, stride in strides))
        if reach * size > LINE_BYTES or apart * size < APART_BYTES:
            return 0
    return reach * size


def _far_rows(nest: TiledNest, tensor: TouchedTensor) -> bool:
    """Return whether a tile has several rows of more than a line that lie a page or more apart."""
    access, size = tensor.access, tensor.access.element_bytes
    if access.gathered or not access.shape:
        return False
    *rows, row = tile_dimensions(access, nest.body)
    strides = dense_strides(access.bounds)
    return row.extent * row.step * size > LINE_BYTES and any(
        one.extent > 1 and one.step * stride * size >= PAGE_BYTES for one, stride in zip(rows, strides, strict=False)
    )


def rows_apart(access: Access, box: Sequence[int], pitch_bytes: int) -> bool:
    """Return whether a tile has short rows so far from each other, such as 32 columns of each row of 256 f32.

    Args:
        access: The tensor.
        box: Points of each loop in the tile.
        pitch_bytes: From row to row, at least.
    """
    size = access.element_bytes
    if access.gathered or not access.shape:
        return False
    *rows, row = tile_dimensions(access, box)
    strides = dense_strides(access.bounds)
    pitches = [one.step * stride * size for one, stride in zip(rows, strides, strict=False) if one.extent > 1]
    return row.extent * row.step * size <= _SHORT_ROW_BYTES and min(pitches, default=0) >= pitch_bytes


def _inside(nest: TiledNest, level: int) -> list[int]:
    """Return the points of each axis in one iteration of a loop of a nest."""
    points = [1] * len(nest.extents)
    for loop in reversed(nest.point_loops[level + 1 :]):
        points[loop.axis] = min(nest.extents[loop.axis], loop.count * loop.size)
    return points


def _few_sets(
    access: Access, box: Sequence[int], capacity_bytes: int, line: int, ways: int, ways_share: float = 1.0
) -> bool:
    """Return whether rows of a tensor lie so far apart that they share a few of a cache's sets, which do not hold them.

    Rows of one line, 1024 f32 apart, all lie in one of 64 sets, of 8 lines: it holds eight of them, not 64. Where rows
    come back to the same sets, other data have their share of the ways.

    >>> from roller_mlir.plan import LinearIndex
    >>> x = Access("x", (4096, 1024), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> _few_sets(x, (8, 16), 32768, 64, 8), _few_sets(x, (64, 16), 32768, 64, 8)
    (False, True)
    """
    if access.gathered or not access.shape:
        return False
    dimensions, pitch, share = tile_dimensions(access, box), access.element_bytes, 1.0
    sets = max(1, capacity_bytes // (line * ways))
    lines = -(-dimensions[-1].extent * dimensions[-1].step * access.element_bytes // line)
    for dimension, extent in zip(reversed(dimensions[:-1]), reversed(access.bounds[1:]), strict=True):
        pitch *= extent
        if dimension.extent > 1 and pitch % line == 0:
            distinct = sets // gcd(pitch * dimension.step // line, sets)
            if dimension.extent > distinct:
                share = min(share, 1.0, distinct * lines / sets * ways_share)
    rows = prod([one.extent for one in dimensions[:-1]])
    return rows * lines * line > capacity_bytes * share
