# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of a staged tile that matrix instructions read: which dimension its rows run along, and their pieces.

Fragments hold neighbours along the reduction: rows run along it, or along the other loop where a load of matrices
transposes 16-bit elements, or where each element fills a register. Rows are permuted or padded so that the pieces which
are read together lie in different banks, which is found by simulating the reads. Paper: ROLLER section 3.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from roller_mlir.hal.atoms import Family
from roller_mlir.hal.atoms.fragments import DEPTH, Shape
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout.data_tile import TileDimension, copy_vector, tile_copy, tile_dimensions
from roller_mlir.mapping.layout.layout import ASYNCHRONOUS_BYTES, TileCost, row_alignment
from roller_mlir.mapping.layout.matrix_phases import PIECE_BYTES, MatrixMemory, alone, loads, matrix_cost
from roller_mlir.plan import Access, AxisPlan, Loop, OperandPlan
from roller_mlir.plan.plan import ASYNCHRONOUS, SYNCHRONOUS, TENSOR, TMA128, WORKGROUP, XOR, AtomPlan

MOST_PADDINGS = 8
"""Paddings that are tried, in steps of one access."""

BANK_BYTES = 4
"""Least step of paddings."""

MOST_WRITES = 2
"""Paddings with the fewest phases of reads of which the writes are simulated."""

READ_INSTRUCTIONS, SCHEDULERS = 6, 4
"""Instructions of one read of a copy, with its address and mask; schedulers of a unit that share them."""


@dataclass(frozen=True)
class Rows:
    """What the rows of a factor's tile run along.

    Attributes:
        inner: The tile's dimension.
        row_bytes: Bytes of a row, without padding.
        fragment: Elements of one read of a fragment along them.
        as_stored: Whether they run along the tensor's rows, so that copies need not transpose.
        permuted: Whether their pieces are permuted, so that they need no padding.
        base_bytes: What each row must begin at a multiple of, 0 where any piece may.
    """

    inner: int
    row_bytes: int
    fragment: int
    as_stored: bool
    permuted: bool
    base_bytes: int = 0


def matrix_operand(
    access: Access,
    loops: Sequence[Loop],
    axes: tuple[AxisPlan, ...],
    atom: AtomPlan,
    family: Family,
    memory: MatrixMemory,
    *,
    pad_value: float | None = None,
    prologue: bool = False,
    spread: bool = True,
) -> OperandPlan:
    """Return the layout of one factor of a matrix instruction.

    Args:
        access: The factor.
        loops: The expression's loops.
        axes: One AxisPlan per loop.
        atom: The instruction's shape and loops.
        family: The instruction's family.
        memory: The device.
        pad_value: What elements outside the tensor read as.
        prologue: Whether each element is changed on its way to workgroup memory.
        spread: Whether rows may be padded or permuted to spread them over the banks.
    """
    blocks = [axis.block for axis in axes]
    alignment = row_alignment(access, loops, blocks)
    dimensions = tile_dimensions(access, blocks)
    size, inner = access.element_bytes, len(dimensions) - 1
    vector = copy_vector(dimensions[inner].extent, dimensions[inner].step, alignment, memory.access_bytes // size)
    if family.reads_memory:
        return OperandPlan(
            layer=WORKGROUP,
            order=tuple(range(len(dimensions))),
            vector=PIECE_BYTES // size,
            store_vector=PIECE_BYTES // size,
            fragment_vector=PIECE_BYTES // size,
            pad_value=pad_value,
            swizzle=TMA128,
            copy=TENSOR,
        )
    loops_of = atom.row, atom.column, atom.depth
    rows = choose_rows(access, blocks, loops_of, family, atom.shape, memory)
    # What only unrolled loops move along lies outermost: such moves are constants of the reads' addresses.
    outer = [d for d in range(len(dimensions)) if d != rows.inner]
    order = (*sorted(outer, key=lambda d: any(axes[i].threads > 1 for i in dimensions[d].coefficients)), rows.inner)
    # Asynchronous copies fill with 0 what lies outside of the tensor.
    direct = "async_copy" in memory.features and not prologue and rows.as_stored and not pad_value
    direct = direct and vector * size in ASYNCHRONOUS_BYTES
    best: tuple[float, OperandPlan] | None = None
    for wide, store_vector in _widths(dimensions, rows, vector, size, memory):
        layouts = [
            OperandPlan(
                layer=WORKGROUP,
                order=order,
                pad=pad,
                vector=wide,
                store_vector=store_vector,
                fragment_vector=rows.fragment,
                pad_value=pad_value,
                swizzle=XOR if rows.permuted and spread else None,
                copy=ASYNCHRONOUS if direct else SYNCHRONOUS,
            )
            for pad in (_paddings(dimensions, rows, store_vector, size) if spread else range(1))
        ]
        reads = [loads(access, layout, axes, atom, family, memory)[0] for layout in layouts]
        good = [layout for layout, phases_of_one in zip(layouts, reads, strict=True) if phases_of_one == min(reads)]
        ideal = False
        for layout in good[:MOST_WRITES]:
            cost = matrix_cost(access, layout, axes, atom, family, memory)
            score = cost.load_phases + cost.store_phases + _copy_cycles(dimensions, layout, axes, memory)
            if best is None or score < best[0]:
                best = score, layout
            ideal = cost.load_phases + cost.store_phases <= _fewest_phases(cost, layout, size, memory)
            if ideal:
                break
        if ideal and rows.as_stored:
            break
    assert best is not None, "there is always a padding"
    return best[1]


def _widths(
    dimensions: Sequence[TileDimension], rows: Rows, vector: int, size: int, memory: MatrixMemory
) -> list[tuple[int, int]]:
    """Return the widths of reads from the tensor and of writes to workgroup memory that are tried, widest first."""
    if rows.as_stored:
        narrower = rows.fragment < vector and "matrix_load" not in memory.features
        # Narrower where pieces of the reads' width lie better than those of the copy's.
        return [(vector, vector), *([(vector, rows.fragment)] if narrower else [])]
    # A thread transposes blocks in registers, as deep as a row's extent allows: the narrower its reads, the fewer rows
    # lie between those that neighbours write.
    depth = power_of_two_divisor(dimensions[rows.inner].extent, PIECE_BYTES // size)
    return [(vector >> bit, depth) for bit in range(vector.bit_length())]


def _copy_cycles(
    dimensions: Sequence[TileDimension], layout: OperandPlan, axes: Sequence[AxisPlan], memory: MatrixMemory
) -> float:
    """Return the cycles in which a unit issues the reads of a copy, of all subgroups, and what goes with each."""
    threads = prod(axis.threads for axis in axes)
    copy = tile_copy([d.extent for d in dimensions], layout, threads)
    return copy.rounds * copy.depth * READ_INSTRUCTIONS * threads / memory.subgroup_size / SCHEDULERS


def _fewest_phases(cost: TileCost, layout: OperandPlan, size: int, memory: MatrixMemory) -> int:
    """Return the phases of a layout without bank conflicts."""

    def each(width_bytes: int, *, load: bool) -> int:
        return len(memory.banks.served_together(memory.subgroup_size, width_bytes, load=load))

    piece = layout.fragment_vector * size
    read = cost.load_accesses * each(piece, load=True)
    return read + cost.store_accesses * each(layout.store_vector * size, load=False)


def choose_rows(
    access: Access,
    blocks: Sequence[int],
    loops: tuple[int, int, int],
    family: Family,
    shape: Shape,
    memory: MatrixMemory,
) -> Rows:
    """Choose what the rows of a factor's tile run along.

    Args:
        access: The factor.
        blocks: Points per loop of a task's step.
        loops: The loops of rows, columns and reduction.
        family: The instruction's family.
        shape: Its rows, columns and reduction length.
        memory: The device.
    """
    row, column, depth = loops
    dimensions, size = tile_dimensions(access, blocks), access.element_bytes
    last = len(dimensions) - 1
    if family.reads_memory:
        return Rows(last, dimensions[last].extent * size, PIECE_BYTES // size, as_stored=True, permuted=True)
    inner = last
    # A load of matrices transposes 16-bit elements; others are gathered, one by one, into the fragment, but bytes.
    gathered = size > 1
    if alone(dimensions, last) not in ((row, column, depth) if gathered else (depth,)):
        inner = next((d for d in range(last) if alone(dimensions, d) == depth), last)
    along = alone(dimensions, inner)
    row_bytes = dimensions[inner].extent * size
    whole = row_bytes % PIECE_BYTES == 0
    fragment = 1
    if family.loads_matrices(memory.features):
        wide = along == depth or (size == 2 and along in (row, column))
        fragment = PIECE_BYTES // size if wide and whole else 1
    elif along == depth:
        held = family.fragments(shape, size).first
        fragment = next((count for d, count, step in held.elements if d == DEPTH and step == 1), 1)
        fragment *= family.depth_pack(shape, size, blocks[depth])
    parts = row_bytes // PIECE_BYTES
    permuted = family.permutes(memory.features) and fragment * size == PIECE_BYTES and whole
    permuted = permuted and parts > 1 and parts & (parts - 1) == 0
    permuted = permuted and not any(len(dimension.coefficients) > 1 for dimension in dimensions)
    others = [d for d, dimension in enumerate(dimensions) if d != inner and dimension.coefficients]
    single = len(others) <= 1 and all(alone(dimensions, d) in (row, column, depth) for d in others)
    base = 0 if single else family.base_bytes
    return Rows(inner, row_bytes, fragment, inner == last, permuted, base)


def _paddings(dimensions: Sequence[TileDimension], rows: Rows, store_vector: int, size: int) -> range:
    """Return the paddings that are tried."""
    if rows.permuted or prod(d.extent for d in dimensions) == dimensions[rows.inner].extent:
        return range(1)
    step = max(rows.fragment, store_vector, ceil(BANK_BYTES / size))
    if rows.base_bytes:
        # A matrix may begin at any row, such as a window's: every row is aligned as its beginning must be.
        step = rows.base_bytes // size
        row = -(-rows.row_bytes // rows.base_bytes) * step
        return range(row - rows.row_bytes // size, MOST_PADDINGS * step, step)
    return range(0, MOST_PADDINGS * step, step)
