# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of a staged tile in workgroup memory: dimension order, padding and access widths, by simulating the banks.

Paper: ROLLER section 3.1 pads by a formula (`model.search.alignment.bank_padding`); here the padding with the fewest
phases over one step's reads and writes is chosen, which are no more than with the formula, and transposed and strided
tiles are covered too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, prod
from operator import mul

from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.data_tile import TileDimension, copy_map, copy_vector, tile_dimensions
from roller_mlir.mapping.layout.digit_phases import crossing_phases, first_digits, spread_phases, spread_places
from roller_mlir.mapping.layout.thread_reads import own_reads, own_vectors
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.plan import Access, AxisPlan, Loop, OperandPlan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP

MAX_PAD = 20
MAX_VECTOR_BYTES = 16
"""Bytes of the widest access that code is generated for; a device may have narrower ones."""

ASYNCHRONOUS_BYTES = (4, 8, 16)
"""Widths of an asynchronous copy of one thread."""


@dataclass(frozen=True)
class TileCost:
    """Bank phases of one step of one staged tile, for a whole task.

    Attributes:
        load_phases: Phases of the fragment reads of all threads.
        store_phases: Phases of the copy's writes.
        load_accesses: Subgroup accesses that read.
        store_accesses: Subgroup accesses that write.
    """

    load_phases: int
    store_phases: int
    load_accesses: int
    store_accesses: int


def steps_of(loop: Loop, axis: AxisPlan) -> int:
    """Return the number of boxes that cover a loop, at most."""
    return loop.extent.most_tiles(axis.block)


def row_blocks(expression: TensorExpression, axes: Sequence[AxisPlan]) -> list[int]:
    """Return the points per loop of what a task brings to workgroup memory at once: a box, rows from end to end."""
    return [
        axis.block * (steps_of(loop, axis) if number in expression.whole else 1)
        for number, (loop, axis) in enumerate(zip(expression.loops, axes, strict=True))
    ]


def keeps_rows(expression: TensorExpression, access: Access) -> bool:
    """Return whether a task that walks its rows in steps could keep an input's in workgroup memory.

    The input has the rows' loops, and each dimension is a loop or one element.
    """
    terms = [index.terms() for index in access.indices]
    loops = [loop for each in terms for loop in each]
    plain = len(set(loops)) == len(loops) and all(list(each.values()) in ([], [1]) for each in terms)
    return plain and not access.gathered and set(expression.whole) <= set(loops)


def residue_shift(loop: Loop, axis: AxisPlan) -> int:
    """Return how far the first reduction step starts before zero, so that only that step is partial.

    >>> residue_shift(Loop(1020, True), AxisPlan(block=8))
    4
    """
    return steps_of(loop, axis) * axis.block - loop.extent.static if loop.reduction else 0


def row_alignment(access: Access, loops: Sequence[Loop], blocks: Sequence[int]) -> int:
    """Return what divides the innermost coordinate of every tile origin and the tensor's row length, in elements."""
    if not access.shape:
        return 1
    index = access.indices[-1]
    values = [index.constant, access.shape[-1].divisor]
    for loop, k in index.terms().items():
        extent, block = loops[loop].extent, blocks[loop]
        covered = -(-extent.bound // block) * block
        if k < 0:  # tiles begin at the far end of the box
            values[0] += k * (block - 1)
        if covered > block:
            values.append(k * block)
        if loops[loop].reduction:  # see `residue_shift`
            values.append(k * (covered - extent.static))
    return gcd(*values)


def direct_vector(
    access: Access,
    loops: Sequence[Loop],
    blocks: Sequence[int],
    chunks: Sequence[int],
    access_bytes: int,
) -> int:
    """Return the elements of one read straight from global memory: neighbours that one thread holds, in aligned rows.

    Args:
        access: What is read.
        loops: The expression's loops.
        blocks: Points of each loop in a box.
        chunks: Neighbouring points of one thread.
        access_bytes: Bytes of the widest access of one thread.

    >>> from roller_mlir.plan import LinearIndex
    >>> row = Access("x", (64, 100), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> direct_vector(row, (Loop(64), Loop(100, True)), (1, 128), (1, 4), 16)
    4
    """
    if not access.shape:
        return 1
    terms = access.indices[-1].terms()
    elsewhere = {loop for index in access.indices[:-1] for loop in index.terms()}
    runs = [chunks[loop] for loop, k in terms.items() if k == 1 and chunks[loop] > 1 and loop not in elsewhere]
    if not runs or min(terms.values()) < 0:
        return 1
    pitches = [k * chunks[loop] for loop, k in terms.items() if blocks[loop] > 1]
    limit = access_bytes // access.element_bytes
    return power_of_two_divisor(gcd(*runs, *pitches, row_alignment(access, loops, blocks)), limit)


def planned_vector(access: Access, loops: Sequence[Loop], axes: Sequence[AxisPlan], access_bytes: int) -> int:
    """Return what `direct_vector` returns, of axes."""
    return direct_vector(access, loops, [axis.block for axis in axes], [axis.chunk for axis in axes], access_bytes)


@lru_cache(maxsize=4096)
def staged_layout(
    access: Access,
    loops: tuple[Loop, ...],
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    banks: Banks,
    subgroup_size: int,
    *,
    padded: bool = True,
    access_bytes: int,
) -> tuple[OperandPlan, TileCost]:
    """Return the layout with the fewest bank phases per step, and those phases.

    Args:
        access: An input that goes through workgroup memory.
        loops: The expression's loops.
        axes: One AxisPlan per loop.
        thread_order: See Plan.
        lane: See Plan.
        banks: Banks of the device's workgroup memory.
        subgroup_size: Lanes of a subgroup.
        padded: Whether rows may be padded to spread them over the banks.
        access_bytes: Bytes of the widest access of one thread.
    """
    threads = ThreadMap(axes, thread_order)
    blocks = [axis.block for axis in axes]
    dimensions = tile_dimensions(access, blocks)
    inner = len(dimensions) - 1
    limit = access_bytes // access.element_bytes
    if inner < 0:
        raise ValueError(f"a staged operand needs at least one dimension, but got scalar '{access.name}'")
    vector = copy_vector(dimensions[inner].extent, dimensions[inner].step, row_alignment(access, loops, blocks), limit)
    lanes, count = _subgroup_accesses(dimensions, threads, vector), threads.threads
    found: list[tuple[int, int, int, OperandPlan, TileCost]] = []
    size = access.element_bytes
    for best, fragment in _fragments(dimensions, loops, axes, lane, limit):
        order = (*[d for d in range(len(dimensions)) if d != best], best)
        reads = own_reads(dimensions, axes, best, fragment)
        widths = ((vector, 1) if vector > 1 else (1,)) if best == inner else (1,)
        for store_vector in widths:
            pad_step = max(fragment, store_vector)
            plain = OperandPlan(
                layer=WORKGROUP, order=order, vector=vector, store_vector=store_vector, fragment_vector=fragment
            )
            *outer, row = buffer_shape(dimensions, plain)
            for pad in range(0, MAX_PAD, pad_step) if padded and dimensions[best].extent > 1 and inner > 0 else (0,):
                cost, ideal = _cost(size, plain, (*outer, row + pad), reads, count, banks, subgroup_size, lanes)
                if ideal and store_vector == vector:
                    return replace(plain, pad=pad), cost
                found.append((cost.load_phases + cost.store_phases, pad, -store_vector, plain, cost))
    _, pad, _, plain, cost = min(found, key=lambda item: item[:3])
    return replace(plain, pad=pad), cost


def _fragments(
    dimensions: Sequence[TileDimension], loops: Sequence[Loop], axes: Sequence[AxisPlan], lane: int | None, limit: int
) -> list[tuple[int, int]]:
    """Return which dimensions the buffer's rows may run along, each with the elements of one fragment read.

    A window along the tensor's rows is read along them, as wide as its start allows: neighbouring points of a thread
    share most of it. Any other tile is read along the dimension whose points a thread holds side by side.
    """
    inner = len(dimensions) - 1
    if len(dimensions[inner].coefficients) > 1 and dimensions[inner].step == 1:
        return [(inner, window_vector(dimensions[inner], axes, limit))]
    best = _fragment_dimension(dimensions, loops, axes, lane, inner)
    return [(best, _fragment_vector(dimensions[best], axes, limit))]


def window_vector(dimension: TileDimension, axes: Sequence[AxisPlan], limit: int) -> int:
    """Return the elements of one read along a window: those that make the fewest reads of a thread's elements.

    >>> row = TileDimension({0: 1, 1: 1}, 1, 34)
    >>> window_vector(row, (AxisPlan(block=32, threads=8, chunk=4), AxisPlan(block=3)), 4)
    4
    """
    starts = [k * axes[loop].chunk for loop, k in dimension.coefficients.items() if axes[loop].threads > 1]
    width = power_of_two_divisor(gcd(*starts), limit) if starts else limit
    while width > 1 and 2 * own_vectors(dimension, axes, width) > own_vectors(dimension, axes, width // 2) * 1.5:
        width //= 2
    return width


def window_phases(
    dimensions: Sequence[TileDimension],
    axes: Sequence[AxisPlan],
    thread_order: Sequence[int],
    width: int,
    element_bytes: int,
    banks: Banks,
    lanes: int,
) -> int:
    """Return the bank phases of one fragment read along a window's rows, the better of two paddings.

    What `staged_layout` finds by trying all paddings, cheaply: only where rows lie relative to the banks matters.
    """
    line = banks.count * banks.bank_bytes
    pitch = -(-dimensions[-1].extent // width) * width
    least = 0
    for pad in (0, width):
        strides, stride = [element_bytes], (pitch + pad) * element_bytes
        for dimension in reversed(dimensions[:-1]):
            strides.append(stride % line)
            stride *= dimension.extent
        strides.reverse()
        digits: list[tuple[int, int]] = []
        places = 1
        for loop in thread_order:
            if places >= lanes:
                break
            axis = axes[loop]
            step = sum([d.coefficients.get(loop, 0) * s for d, s in zip(dimensions, strides, strict=True)])
            digits.append((axis.threads, step * axis.chunk % line if step else -1))
            places *= axis.threads
        found = _line_phases(tuple(digits), min(lanes, places), width * element_bytes, banks)
        least = found if not least else min(least, found)
    return least


@lru_cache(maxsize=4096)
def _line_phases(digits: tuple[tuple[int, int], ...], lanes: int, width_bytes: int, banks: Banks) -> int:
    """Return the phases of a read whose lanes lie at these steps, each known up to whole lines of banks.

    Steps get different whole lines added, which tells their words apart and leaves their banks; -1 stands for lanes
    that read the same.
    """
    line = banks.count * banks.bank_bytes
    apart = [
        (count, 0 if step < 0 else step + line * 64 ** (number + 1)) for number, (count, step) in enumerate(digits)
    ]
    return phases(spread_places(apart, lanes), width_bytes, banks, load=True)


def lies_as_stored(layout: OperandPlan, element_bytes: int) -> bool:
    """Return whether each vector of a tile goes to workgroup memory as it lies in its tensor, in one access.

    Such vectors, of widths that asynchronous copies have, need no registers on their way.

    >>> lies_as_stored(OperandPlan(layer=WORKGROUP, order=(0, 1), vector=4, store_vector=4), 4)
    True
    >>> lies_as_stored(OperandPlan(layer=WORKGROUP, order=(1, 0), vector=4, store_vector=1), 4)
    False
    """
    return layout.vector == layout.store_vector and layout.vector * element_bytes in ASYNCHRONOUS_BYTES


def buffer_shape(dimensions: Sequence[TileDimension], layout: OperandPlan) -> tuple[int, ...]:
    """Return the extents of a staged tile's buffer in memory order, with rounding to whole vectors and padding.

    A tile of panels has one extent more in front: how many there are.
    """
    inner = len(dimensions) - 1
    extents = [d.extent for d in dimensions]
    extents[inner] = -(-extents[inner] // layout.vector) * layout.vector
    shape = [extents[d] for d in layout.order]
    width = max(layout.fragment_vector, layout.store_vector)
    shape[-1] = -(-shape[-1] // width) * width + layout.pad
    if layout.panel:
        shape = [-(-extents[layout.order[-1]] // layout.panel), *shape[:-1], layout.panel + layout.pad]
    if layout.interleave is not None:
        shape[-2:] = [-(-shape[-2] // layout.interleave), shape[-1] * layout.interleave]
    return tuple(shape)


def tile_cost(
    access: Access,
    layout: OperandPlan,
    axes: tuple[AxisPlan, ...],
    threads: ThreadMap,
    banks: Banks,
    subgroup_size: int,
) -> TileCost:
    """Count the bank phases of one step: every subgroup's fragment reads and copy writes.

    The first subgroup stands for all others: tiles are the same up to a constant offset.
    """
    dimensions = tile_dimensions(access, [axis.block for axis in axes])
    lanes = _subgroup_accesses(dimensions, threads, layout.vector)
    reads = own_reads(dimensions, axes, layout.order[-1], layout.fragment_vector)
    shape = buffer_shape(dimensions, replace(layout, panel=0))  # panels are for memory without banks
    return _cost(access.element_bytes, layout, shape, reads, threads.threads, banks, subgroup_size, lanes)[0]


Places = tuple[list[tuple[int, tuple[int, ...]]], tuple[int, ...]]
"""Of the first subgroup: threads per loop with the steps of one of them in each dimension, fastest first; and the
vectors per dimension of a copy, innermost first."""


def _subgroup_accesses(dimensions: Sequence[TileDimension], threads: ThreadMap, vector: int) -> Places:
    """Return where the first subgroup's lanes read and write a tile."""
    reads = [
        (threads.axes[loop].threads, tuple(d.coefficients.get(loop, 0) * threads.axes[loop].chunk for d in dimensions))
        for loop in threads.order
    ]
    return reads, copy_map([d.extent for d in dimensions], vector, threads.threads).sizes


_LOOKED_AT = 24
"""Subgroups of a copy of which the bank phases are counted where they differ."""


def _cost(
    size: int,
    layout: OperandPlan,
    shape: tuple[int, ...],
    own: int,
    threads: int,
    banks: Banks,
    subgroup_size: int,
    places: Places,
) -> tuple[TileCost, bool]:
    """Return the cost of a layout, and whether no other could have fewer phases.

    Args:
        size: Bytes of an element.
        layout: The layout, whose padding is the shape's.
        shape: Extents of the buffer in memory order.
        own: Reads of each thread.
        threads: Threads of a task.
        banks: Banks of the device's workgroup memory.
        subgroup_size: Lanes of a subgroup.
        places: Where the first subgroup's lanes read and write.
    """
    strides, stride = [0] * len(shape), size
    for d, extent in zip(reversed(layout.order), reversed(shape), strict=True):
        strides[d] = stride
        stride *= extent
    by_thread, sizes = places
    lanes = min(subgroup_size, threads)
    reads = first_digits([(count, sum(map(mul, steps, strides))) for count, steps in by_thread], lanes)
    reversed_strides = strides[::-1]
    reversed_strides[0] *= layout.vector
    vectors = prod(sizes)
    writes = first_digits(zip(sizes, reversed_strides, strict=True), lanes)
    read_count = own * -(-threads // subgroup_size)
    write_count = -(-vectors // subgroup_size) * layout.vector // layout.store_vector
    read_bytes, write_bytes = size * layout.fragment_vector, size * layout.store_vector
    read, least_read = spread_phases(reads, lanes, read_bytes, banks, load=True)
    write, least_write = spread_phases(writes, min(lanes, vectors), write_bytes, banks, load=False)
    written = write * write_count
    if vectors > lanes and not _rows_fit(sizes, lanes):
        steps = zip(sizes, reversed_strides, strict=True)
        looked_at = min(_LOOKED_AT, -(-vectors // lanes))
        written = crossing_phases(steps, lanes * looked_at, lanes, write_bytes, banks) * write_count // looked_at
    ideal = read + write == least_read + least_write and written == write * write_count
    return TileCost(read * read_count, written, read_count, write_count), ideal


def _rows_fit(sizes: Sequence[int], lanes: int) -> bool:
    """Return whether each subgroup of a copy covers whole rows or the same share of one, so that the first is as all.

    >>> _rows_fit((32, 5), 32), _rows_fit((8, 4, 3), 32), _rows_fit((34, 64), 32), _rows_fit((8, 6), 32)
    (True, True, False, False)
    """
    for size in sizes:
        if size % lanes == 0:
            return True
        if lanes % size:
            return False
        lanes //= size
    return True


def _fragment_dimension(
    dimensions: Sequence[TileDimension], loops: Sequence[Loop], axes: Sequence[AxisPlan], lane: int | None, inner: int
) -> int:
    """Choose the buffer's innermost dimension: the one that the compute step reads as vectors."""
    wanted = [lane] if lane is not None else []
    wanted += [loop for loop, axis in enumerate(axes) if axis.chunk > 1 and not loops[loop].reduction]
    for loop in wanted:
        for d, dimension in enumerate(dimensions):
            if axes[loop].chunk > 1 and dimension.coefficients.get(loop) == 1:
                return d
    return inner


def _fragment_vector(dimension: TileDimension, axes: Sequence[AxisPlan], limit: int) -> int:
    """Return the elements of one fragment read along a dimension."""
    terms = dimension.coefficients
    units = [axes[loop].chunk for loop, k in terms.items() if k == 1 and axes[loop].chunk > 1]
    if not units:
        return 1
    units += [k * axes[loop].chunk for loop, k in terms.items() if axes[loop].threads > 1]
    return power_of_two_divisor(gcd(*units), limit)
