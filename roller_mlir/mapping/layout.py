# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of a staged tile in workgroup memory: dimension order, padding and access widths, by simulating the banks.

Paper: ROLLER section 3.1 pads by a formula; here the padding with the fewest phases over one step's reads and writes is
chosen, which gives the formula's value where it applies and covers transposed and strided tiles too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod
from operator import mul

from roller_mlir.mapping.bank_phases import Banks, phases
from roller_mlir.mapping.data_tile import TileDimension, copy_map, copy_vector, tile_dimensions
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.thread_map import ThreadMap, delinearize
from roller_mlir.plan import Access, AxisPlan, Loop, OperandPlan
from roller_mlir.plan.plan import REGISTER, WORKGROUP

MAX_PAD = 20
MAX_VECTOR_BYTES = 16


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
    """Return the number of boxes that cover a loop."""
    return -(-loop.extent // axis.block)


def residue_shift(loop: Loop, axis: AxisPlan) -> int:
    """Return how far the first reduction step starts before zero, so that only that step is partial.

    >>> residue_shift(Loop(1020, True), AxisPlan(block=8))
    4
    """
    return steps_of(loop, axis) * axis.block - loop.extent if loop.reduction else 0


def row_alignment(access: Access, loops: Sequence[Loop], axes: Sequence[AxisPlan]) -> int:
    """Return what divides the innermost coordinate of every tile origin and the tensor's row length, in elements."""
    if not access.shape:
        return 1
    index = access.indices[-1]
    values = [index.constant, access.shape[-1]]
    for loop, k in index.terms().items():
        if steps_of(loops[loop], axes[loop]) > 1:
            values.append(k * axes[loop].block)
        values.append(k * residue_shift(loops[loop], axes[loop]))
    return gcd(*values)


def direct_vector(access: Access, loops: Sequence[Loop], axes: Sequence[AxisPlan]) -> int:
    """Return the elements of one read straight from global memory: neighbours that one thread holds, in aligned rows.

    >>> from roller_mlir.plan import LinearIndex
    >>> row = Access("x", (64, 100), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> direct_vector(row, (Loop(64), Loop(100, True)), (AxisPlan(block=1), AxisPlan(block=128, threads=32, chunk=4)))
    4
    """
    if not access.shape:
        return 1
    terms = access.indices[-1].terms()
    elsewhere = {loop for index in access.indices[:-1] for loop in index.terms()}
    runs = [axes[loop].chunk for loop, k in terms.items() if k == 1 and axes[loop].chunk > 1 and loop not in elsewhere]
    if not runs:
        return 1
    pitches = [k * axes[loop].chunk for loop, k in terms.items() if axes[loop].block > 1]
    limit = MAX_VECTOR_BYTES // access.element_bytes
    return power_of_two_divisor(gcd(*runs, *pitches, row_alignment(access, loops, axes)), limit)


def plan_operand(
    access: Access,
    loops: tuple[Loop, ...],
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    banks: Banks,
    subgroup_size: int,
    *,
    staged: bool,
    pad_value: float | None,
) -> OperandPlan:
    """Decide layer, layout and widths of one input.

    Args:
        access: The input.
        loops: The expression's loops.
        axes: One AxisPlan per loop.
        thread_order: See Plan.
        lane: See Plan.
        banks: Banks of the device's workgroup memory.
        subgroup_size: Lanes of a subgroup.
        staged: Whether the input goes through workgroup memory.
        pad_value: What elements outside the tensor read as.
    """
    if not staged:
        order = tuple(range(len(access.shape)))
        width = direct_vector(access, loops, axes)
        return OperandPlan(layer=REGISTER, order=order, vector=width, pad_value=pad_value)
    layout, _ = staged_layout(access, loops, axes, thread_order, lane, banks, subgroup_size)
    return OperandPlan(
        layer=WORKGROUP,
        order=layout.order,
        pad=layout.pad,
        vector=layout.vector,
        store_vector=layout.store_vector,
        fragment_vector=layout.fragment_vector,
        pad_value=pad_value,
    )


@lru_cache(maxsize=4096)
def staged_layout(
    access: Access,
    loops: tuple[Loop, ...],
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    banks: Banks,
    subgroup_size: int,
) -> tuple[OperandPlan, TileCost]:
    """Return the layout with the fewest bank phases per step, and those phases. Arguments as `plan_operand`."""
    threads = ThreadMap(axes, thread_order)
    dimensions = tile_dimensions(access, [axis.block for axis in axes])
    inner = len(dimensions) - 1
    limit = MAX_VECTOR_BYTES // access.element_bytes
    if inner < 0:
        raise ValueError(f"a staged operand needs at least one dimension, but got scalar '{access.name}'")
    vector = copy_vector(dimensions[inner].extent, dimensions[inner].step, row_alignment(access, loops, axes), limit)
    best = _fragment_dimension(dimensions, loops, axes, lane, inner)
    order = (*[d for d in range(len(dimensions)) if d != best], best)
    fragment = _fragment_vector(dimensions[best], axes, limit)
    widths = ((vector, 1) if vector > 1 else (1,)) if best == inner else (1,)
    lanes = _subgroup_accesses(dimensions, threads, vector, subgroup_size)
    found: list[tuple[int, int, int, OperandPlan, TileCost]] = []
    for store_vector in widths:
        pad_step = max(fragment, store_vector)
        for pad in range(0, MAX_PAD, pad_step) if dimensions[best].extent > 1 and inner > 0 else (0,):
            layout = OperandPlan(
                layer=WORKGROUP,
                order=order,
                pad=pad,
                vector=vector,
                store_vector=store_vector,
                fragment_vector=fragment,
            )
            cost, ideal = _cost(access.element_bytes, dimensions, layout, axes, threads, banks, subgroup_size, lanes)
            if ideal and store_vector == vector:
                return layout, cost
            found.append((cost.load_phases + cost.store_phases, pad, -store_vector, layout, cost))
    _, _, _, layout, cost = min(found, key=lambda item: item[:3])
    return layout, cost


def buffer_shape(dimensions: Sequence[TileDimension], layout: OperandPlan) -> tuple[int, ...]:
    """Return the extents of a staged tile's buffer in memory order, with rounding to whole vectors and padding."""
    inner = len(dimensions) - 1
    extents = [d.extent for d in dimensions]
    extents[inner] = -(-extents[inner] // layout.vector) * layout.vector
    shape = [extents[d] for d in layout.order]
    width = max(layout.fragment_vector, layout.store_vector)
    shape[-1] = -(-shape[-1] // width) * width + layout.pad
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
    lanes = _subgroup_accesses(dimensions, threads, layout.vector, subgroup_size)
    return _cost(access.element_bytes, dimensions, layout, axes, threads, banks, subgroup_size, lanes)[0]


Places = tuple[list[list[int]], list[list[int]]]
"""Tile coordinates of each lane's fragment, and of each lane's copied vector, of the first subgroup."""


def _subgroup_accesses(
    dimensions: Sequence[TileDimension], threads: ThreadMap, vector: int, subgroup_size: int
) -> Places:
    """Return where the first subgroup's lanes read and write a tile."""
    copy = copy_map([d.extent for d in dimensions], vector, threads.threads)
    reads: list[list[int]] = []
    writes: list[list[int]] = []
    for lane in range(min(subgroup_size, threads.threads)):
        at = threads.positions(lane)
        reads.append([sum(k * at.get(loop, 0) for loop, k in d.coefficients.items()) for d in dimensions])
        if lane < copy.vectors:
            digits = delinearize(lane, copy.sizes)
            digits[0] *= vector
            writes.append(digits[::-1])
    return reads, writes


def _cost(
    size: int,
    dimensions: Sequence[TileDimension],
    layout: OperandPlan,
    axes: tuple[AxisPlan, ...],
    threads: ThreadMap,
    banks: Banks,
    subgroup_size: int,
    places: Places,
) -> tuple[TileCost, bool]:
    """Return the cost of a layout, and whether no other could have fewer phases."""
    shape = buffer_shape(dimensions, layout)
    strides = [0] * len(dimensions)
    for i, d in enumerate(layout.order):
        strides[d] = prod(shape[i + 1 :]) * size
    reads, writes = [[sum(map(mul, strides, at)) for at in each] for each in places]
    vectors = copy_map([d.extent for d in dimensions], layout.vector, threads.threads).vectors
    used = {loop for dimension in dimensions for loop in dimension.coefficients}
    subgroups = -(-threads.threads // subgroup_size)
    read_count = prod(axes[loop].registers for loop in used) // layout.fragment_vector * subgroups
    write_count = -(-vectors // subgroup_size) * layout.vector // layout.store_vector
    read_bytes, write_bytes = size * layout.fragment_vector, size * layout.store_vector
    read = phases(reads, read_bytes, banks, load=True)
    write = phases(writes, write_bytes, banks, load=False)
    least = len(banks.served_together(len(reads), read_bytes, load=True))
    least += len(banks.served_together(len(writes), write_bytes, load=False))
    return TileCost(read * read_count, write * write_count, read_count, write_count), read + write == least


def _fragment_dimension(
    dimensions: Sequence[TileDimension],
    loops: Sequence[Loop],
    axes: Sequence[AxisPlan],
    lane: int | None,
    inner: int,
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
