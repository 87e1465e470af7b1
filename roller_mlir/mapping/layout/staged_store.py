# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the results of a task pass workgroup memory: in which passes, where they lie there, and how wide they move.

    threads write results to the buffer | barrier | all threads store its rows | barrier | the next pass

Threads whose results lie apart in the tensor would each write to a line of its own; behind the buffer, neighbouring
threads store neighbouring elements. A pass is a box of the tile: of the loops whose results do not fit as a whole, as
many runs of all threads as fit, outermost dimension first. Rows are padded along that dimension which costs the fewest
phases of the banks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import gcd, prod

from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.data_tile import CopyMap, copy_map, tile_dimensions
from roller_mlir.mapping.layout.digit_phases import crossing_phases
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES, row_alignment
from roller_mlir.mapping.thread_map import Digit, ThreadMap
from roller_mlir.plan import Access, AxisPlan, Loop, TensorExpression

LEAST_BUFFER_BYTES = 8192
"""Workgroup memory that results may take where the tiles of operands took less."""

RING_RESULT_BYTES = 16384
"""Workgroup memory for results beside a ring of buffers, in which the tiles of the next task arrive meanwhile."""

PADS = (0, 1, 2, 4, 8, 16, 32)
"""Elements between rows that are tried."""

BANKS = Banks()
"""The banks that rows are padded for: code generation does not know the device's, and nearly all have these."""

WRITE_INSTRUCTIONS = 1.5
"""Instructions for a write of the buffer: the write, and now and then its place."""

MOVE_INSTRUCTIONS = 5
"""Instructions for a vector from the buffer to the tensor: the read, the store, the places of both, and a mask."""

SAMPLED_SUBGROUPS = 4
"""Subgroups whose reads stand for those of all."""


@dataclass(frozen=True)
class ResultTile:
    """What decides how a tile of results passes workgroup memory.

    Attributes:
        walks: Of each dimension, the loop that walks it, element by element; None of one element.
        axes: How the loops are spread over threads.
        order: Loops with threads, fastest first.
        lane_order: Loops with lanes of a matrix instruction, fastest first.
        lane: Loop whose chunk is a vector; None for scalars.
        element_bytes: Bytes of an element.
        extents: Elements inside of the tensor at most, per dimension.
        alignment: What divides where rows begin in the tensor and how long they are there, in elements; 1 where a row's
            elements are no neighbours there.
    """

    walks: tuple[int | None, ...]
    axes: tuple[AxisPlan, ...]
    order: tuple[int, ...]
    lane_order: tuple[int, ...]
    lane: int | None
    element_bytes: int
    extents: tuple[int, ...]
    alignment: int


@dataclass(frozen=True)
class StagedStore:
    """The way of a tile's results through workgroup memory.

    Attributes:
        tile: The tile.
        part: Points of each loop in one pass.
        shape: Elements of a pass, per dimension.
        copied: Those of them that may lie inside of the tensor.
        strides: Elements of the buffer from one to the next, per dimension.
        vector: Elements of one read of the buffer, and of one store to global memory.
        write: Elements of one write of the buffer.
        threads: Threads of the task.
        write_phases: Phases of the banks for one write of a subgroup.
        read_phases: The same for one read, on average.
    """

    tile: ResultTile
    part: tuple[int, ...]
    shape: tuple[int, ...]
    copied: tuple[int, ...]
    strides: tuple[int, ...]
    vector: int
    write: int
    threads: int
    write_phases: int
    read_phases: float

    @property
    def elements(self) -> int:
        """Elements of the buffer."""
        return sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True)) + 1

    @property
    def size_bytes(self) -> int:
        """Bytes of the buffer, whole vectors."""
        return aligned(self.elements * self.tile.element_bytes, MAX_VECTOR_BYTES)

    @cached_property
    def copy(self) -> CopyMap:
        """How threads share what one pass stores."""
        return copy_map(self.copied, self.vector, self.threads)

    @cached_property
    def passes(self) -> int:
        """How many passes there are."""
        return len(list(self.starts()))

    def starts(self) -> Iterator[dict[int, int]]:
        """Yield the first point of each loop in each pass; those that lie outside of the tensor are left out."""
        walked = {loop: d for d, loop in enumerate(self.tile.walks) if loop is not None}
        firsts = [
            range(0, min(self.tile.axes[loop].block, self.tile.extents[d]), self.part[loop])
            for loop, d in walked.items()
        ]
        for point in product(*firsts):
            yield dict(zip(walked, point, strict=True))


def run_points(axis: AxisPlan) -> int:
    """Return the neighbouring points of a loop that all of its threads hold together.

    >>> run_points(AxisPlan(block=64, threads=8, chunk=2)), run_points(AxisPlan(block=64, threads=16, lanes=8, tile=16))
    (16, 32)
    """
    return axis.threads // axis.lanes * axis.tile if _several_tiles(axis) else axis.threads * axis.chunk


def run_of(axis: AxisPlan, register: int) -> int:
    """Return in which of these runs a register of a thread lies."""
    return register // (axis.tile // axis.lanes if _several_tiles(axis) else axis.chunk)


def _several_tiles(axis: AxisPlan) -> bool:
    """Return whether several subgroups have an instruction's tiles along a loop: only whole tiles are neighbours."""
    return axis.lanes > 0 and axis.threads > axis.lanes


def result_walks(access: Access, blocks: Sequence[int]) -> tuple[int | None, ...] | None:
    """Return which loop walks each dimension of a tile of results; None where it is not one for each.

    >>> from roller_mlir.plan import LinearIndex
    >>> result_walks(Access("y", (8, 8), "f32", (LinearIndex((1, 0)), LinearIndex((0, 2)))), (4, 4))
    (0, 1)
    >>> result_walks(Access("y", (64,), "f32", (LinearIndex((8, 1)),)), (4, 4)) is None
    True
    """
    if access.gathered or not access.shape:
        return None
    walks: list[int | None] = []
    for dimension in tile_dimensions(access, blocks):
        terms = list(dimension.coefficients.items())
        if len(terms) > 1 or (terms and terms[0][1] != 1) or dimension.offset:
            return None
        walks.append(terms[0][0] if terms else None)
    walked = [loop for loop in walks if loop is not None]
    return tuple(walks) if len(set(walked)) == len(walked) else None


def staged_store_problem(expression: TensorExpression, blocks: Sequence[int]) -> str:
    """Return why results cannot pass workgroup memory on their way, or an empty string.

    Args:
        expression: The operator.
        blocks: Points of each loop in a task.
    """
    for access in (expression.output, *expression.more_outputs):
        walks = result_walks(access, blocks)
        if walks is None:
            return f"needs a loop for each dimension of '{access.name}', which has another form"
        missing = [i for i in expression.parallel() if blocks[i] > 1 and i not in walks]
        if missing:
            return f"needs each loop of a task to be a dimension of '{access.name}', but loop {missing[0]} is none"
        if access.element_type == "i1":
            return f"takes whole bytes, but '{access.name}' has elements of one bit"
    return ""


def result_tile(
    access: Access,
    loops: Sequence[Loop],
    axes: Sequence[AxisPlan],
    order: Sequence[int],
    lane_order: Sequence[int],
    lane: int | None,
) -> ResultTile:
    """Return the tile of an output for boxes of loops, against which `staged_store_problem` has nothing.

    Args:
        access: The output.
        loops: The expression's loops.
        axes: How they are spread.
        order: Loops with threads, fastest first.
        lane_order: Loops with lanes, likewise.
        lane: The lane loop.
    """
    blocks = [axis.block for axis in axes]
    walks, dimensions = result_walks(access, blocks), tile_dimensions(access, blocks)
    assert walks is not None, "`staged_store_problem` has seen it"
    extents: list[int] = []
    for index, dimension, bound in zip(access.indices, dimensions, access.bounds, strict=True):
        moves = any(-(-loops[loop].extent.bound // blocks[loop]) > 1 for loop in index.terms())
        inside = dimension.extent if moves else -(-(bound - index.constant) // dimension.step)
        extents.append(min(dimension.extent, inside))
    return ResultTile(
        walks=walks,
        axes=tuple(axes),
        order=tuple(order),
        lane_order=tuple(lane_order),
        lane=lane if lane is not None and lane in walks else None,
        element_bytes=access.element_bytes,
        extents=tuple(extents),
        alignment=row_alignment(access, loops, blocks) if dimensions[-1].step == 1 else 1,
    )


@lru_cache(maxsize=1024)
def staged_store(tile: ResultTile, free_bytes: int, lanes: int) -> StagedStore:
    """Decide how a tile of results passes workgroup memory.

    Args:
        tile: The tile.
        free_bytes: Workgroup memory that operands have left.
        lanes: Threads of a subgroup.
    """
    part = _part(tile, max(free_bytes, LEAST_BUFFER_BYTES))
    shape = tuple(1 if loop is None else part[loop] for loop in tile.walks)
    copied = tuple(min(one, inside) for one, inside in zip(shape, tile.extents, strict=True))
    threads = prod(axis.threads for axis in tile.axes)
    inner = tile.walks[-1]
    several = inner is not None and part[inner] < tile.axes[inner].block
    alignment = gcd(tile.alignment, copied[-1], *((shape[-1], tile.extents[-1]) if several else ()))
    widest = power_of_two_divisor(alignment, max(1, MAX_VECTOR_BYTES // tile.element_bytes))
    digits = ThreadMap(tile.axes, tile.order, tile.lane_order).digits()
    best: StagedStore | None = None
    least = 0.0
    for strides in _strides(shape):
        found = _laid_out(tile, part, shape, copied, strides, widest, threads, lanes, digits)
        cost = _cost(found)
        if best is None or cost < least - 1e-9:
            best, least = found, cost
        if found.vector == widest and _is_free_of_conflicts(found, lanes):
            break
    assert best is not None, "rows without padding are among them"
    return best


def _part(tile: ResultTile, most_bytes: int) -> tuple[int, ...]:
    """Return the points of each loop in a pass: whole runs of all threads, cut along outer dimensions first."""
    part = [axis.block for axis in tile.axes]
    walked = [loop for loop in tile.walks if loop is not None]

    def size() -> int:
        return prod(part[loop] for loop in walked) * tile.element_bytes

    for loop in walked:
        if size() <= most_bytes:
            break
        run = run_points(tile.axes[loop])
        runs = part[loop] // run
        part[loop] = run
        count = max(1, min(runs, most_bytes // size()))
        passes = -(-runs // count)
        part[loop] = run * -(-runs // passes)
    return tuple(part)


def _strides(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield strides of a buffer: dense rows, and rows or planes of them with padding."""
    outer = [d for d in range(len(shape) - 1) if shape[d] > 1]
    for pad, level in [(0, -1), *((pad, level) for pad in PADS[1:] for level in reversed(outer))]:
        strides = [1] * len(shape)
        for d in range(len(shape) - 2, -1, -1):
            strides[d] = strides[d + 1] * shape[d + 1] + (pad if d == level else 0)
        yield tuple(strides)


def _laid_out(
    tile: ResultTile,
    part: tuple[int, ...],
    shape: tuple[int, ...],
    copied: tuple[int, ...],
    strides: tuple[int, ...],
    widest: int,
    threads: int,
    lanes: int,
    digits: Sequence[Digit],
) -> StagedStore:
    grid = gcd(*(stride for stride, extent in zip(strides[:-1], shape, strict=False) if extent > 1))
    vector, write = (power_of_two_divisor(gcd(grid, width), width) for width in (widest, _widest_write(tile)))
    size = tile.element_bytes
    written = [at * size for at in _written(tile, strides, min(lanes, threads), digits)]
    sizes = copy_map(copied, vector, threads).sizes
    steps = [size * step for step in (strides[-1] * vector, *reversed(strides[:-1]))]
    looked_at = min(prod(sizes), SAMPLED_SUBGROUPS * lanes)
    read = crossing_phases(zip(sizes, steps, strict=True), looked_at, lanes, vector * size, BANKS)
    return StagedStore(
        tile=tile,
        part=part,
        shape=shape,
        copied=copied,
        strides=strides,
        vector=vector,
        write=write,
        threads=threads,
        write_phases=phases(written, write * size, BANKS, load=False),
        read_phases=read / -(-looked_at // lanes),
    )


def _written(tile: ResultTile, strides: Sequence[int], lanes: int, digits: Sequence[Digit]) -> list[int]:
    """Return where the threads of the first subgroup write their first results, in elements of the buffer."""
    stride_of = {loop: strides[d] for d, loop in enumerate(tile.walks) if loop is not None}
    places = [0]
    for digit in digits:
        if len(places) >= lanes:
            break
        if digit.loop in stride_of:
            step = stride_of[digit.loop] * digit.stride
            places = [at + step * number for number in range(digit.count) for at in places]
        else:  # of the threads along a reduction the first one writes
            lanes = max(1, lanes // digit.count)
    return places[:lanes]


def _cost(store: StagedStore) -> float:
    """Return what an element costs: phases of a unit's banks, and the issue of its schedulers."""
    write = (store.write_phases + WRITE_INSTRUCTIONS / _SCHEDULERS) / store.write
    return write + (store.read_phases + MOVE_INSTRUCTIONS / _SCHEDULERS) / store.vector


_SCHEDULERS = 4
"""Instructions that a unit issues during a phase."""


def _is_free_of_conflicts(store: StagedStore, lanes: int) -> bool:
    """Return whether accesses are as wide as they can be, and the banks serve as many bytes as they can."""
    row, lanes = BANKS.count * BANKS.bank_bytes, min(lanes, store.threads)
    fewest = [max(1, -(-lanes * width * store.tile.element_bytes // row)) for width in (store.write, store.vector)]
    return (
        store.write == _widest_write(store.tile) and store.write_phases <= fewest[0] and store.read_phases <= fewest[1]
    )


def _widest_write(tile: ResultTile) -> int:
    """Return the elements that a thread may write at once: a chunk along rows."""
    if tile.lane is None or tile.lane != tile.walks[-1]:
        return 1
    return power_of_two_divisor(tile.axes[tile.lane].chunk, max(1, MAX_VECTOR_BYTES // tile.element_bytes))
