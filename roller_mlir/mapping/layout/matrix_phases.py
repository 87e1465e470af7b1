# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases of tiles that matrix instructions read, by simulating the reads of fragments and the writes of copies.

Loads of matrices read eight rows of 16 bytes in one go; other fragments are read by all lanes at once. Paper: ROLLER
section 3.1 (bank conflicts).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

from roller_mlir.hal.atoms import Factors, Family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, Fragment, lane_places
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.data_tile import CopyMap, TileDimension, tile_copy, tile_dimensions, walked_alone
from roller_mlir.mapping.layout.digit_phases import crossing_phases, spread_phases
from roller_mlir.mapping.layout.layout import TileCost, buffer_shape
from roller_mlir.mapping.layout.swizzle import PIECE_BYTES
from roller_mlir.plan import Access, AxisPlan, OperandPlan
from roller_mlir.plan.plan import XOR, AtomPlan

MATRIX_ROWS = 8
"""Rows of a matrix that one load of matrices reads in one go, a piece each."""

MATRICES = 4
"""Matrices that one load reads at most."""

LOOKED_AT = 2
"""Subgroups of a copy whose writes are simulated."""


@dataclass(frozen=True)
class MatrixMemory:
    """What the layout depends on of a device.

    Attributes:
        banks: Banks of the workgroup memory.
        subgroup_size: Lanes of a subgroup.
        access_bytes: Bytes of the widest access of one thread.
        features: What the device has ("matrix_load", "async_copy", "tensor_copy").
    """

    banks: Banks
    subgroup_size: int
    access_bytes: int
    features: tuple[str, ...]


def reads_matrices(operand: OperandPlan, element_bytes: int, family: Family, features: Sequence[str]) -> bool:
    """Return whether fragments are read by loads of matrices: rows of 16 bytes, one a lane, or whole ones."""
    return family.loads_matrices(features) and (
        family.factors is Factors.WHOLE or operand.fragment_vector * element_bytes == PIECE_BYTES
    )


def alone(dimensions: Sequence[TileDimension], d: int) -> int | None:
    """Return the loop that alone runs along a dimension of a tile (see `walked_alone`), None where there is none."""
    return walked_alone([dimension.coefficients for dimension in dimensions], d)


def swizzled(address: int, row_bytes: int) -> int:
    """Return where the byte at an address of a tile lies with its rows permuted ("xor").

    >>> [swizzled(64 * row, 64) // 16 % 4 for row in range(8)]
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    pieces = row_bytes // PIECE_BYTES
    row, within = divmod(address, row_bytes)
    piece, byte = divmod(within, PIECE_BYTES)
    turn = row // (8 // pieces) % pieces if pieces < 8 else row % 8
    return row * row_bytes + (piece ^ turn) * PIECE_BYTES + byte


@lru_cache(maxsize=4096)
def matrix_cost(
    access: Access,
    operand: OperandPlan,
    axes: tuple[AxisPlan, ...],
    atom: AtomPlan,
    family: Family,
    memory: MatrixMemory,
) -> TileCost:
    """Return the bank phases of one step of a factor's tile: all subgroups' fragments and the copy's writes."""
    dimensions = tile_dimensions(access, [axis.block for axis in axes])
    size, lanes = access.element_bytes, memory.subgroup_size
    subgroups = -(-prod(axis.threads for axis in axes) // lanes)
    _, factor = _fragment(access, atom, family)
    line = memory.banks.count * memory.banks.bank_bytes
    if family.reads_memory:
        # Each instruction reads both of its factors.
        elements, columns = float(_share(access, axes, factor)), axes[atom.column]
        others = columns.block // (columns.threads // columns.lanes * columns.tile)
        if factor == atom.column:
            others, elements = axes[atom.row].registers // 2, elements / 4
        written = ceil(prod(buffer_shape(dimensions, operand)) * size / line)
        return TileCost(ceil(elements * others * size * subgroups / line), written, 0, 0)
    reads, accesses = loads(access, operand, axes, atom, family, memory)
    stores, writes = _store_phases(
        _ElementPlacement(dimensions, operand, size), dimensions, operand, axes, memory, size
    )
    return TileCost(reads * subgroups, stores, accesses * subgroups, writes)


@lru_cache(maxsize=4096)
def loads(
    access: Access,
    operand: OperandPlan,
    axes: tuple[AxisPlan, ...],
    atom: AtomPlan,
    family: Family,
    memory: MatrixMemory,
) -> tuple[int, int]:
    """Return the phases of the reads of one subgroup's fragments in a step, and the reads."""
    dimensions = tile_dimensions(access, [axis.block for axis in axes])
    place, size, lanes = (
        _ElementPlacement(dimensions, operand, access.element_bytes),
        access.element_bytes,
        memory.subgroup_size,
    )
    fragment, factor = _fragment(access, atom, family)
    elements = _share(access, axes, factor)
    if reads_matrices(operand, size, family, memory.features):
        matrices = ceil(elements * size / (MATRIX_ROWS * PIECE_BYTES))
        across = factor if alone(dimensions, operand.order[-1]) == atom.depth else atom.depth
        rows = [place.at({across: position}) for position in range(MATRIX_ROWS)]
        return matrices * phases(rows, PIECE_BYTES, memory.banks, load=True), ceil(matrices / MATRICES)
    width = operand.fragment_vector
    names = {ROW: atom.row, COLUMN: atom.column, DEPTH: atom.depth}
    pack = family.depth_pack(atom.shape, size, axes[atom.depth].block)
    digits = [(d, count, stride * (pack if d == DEPTH else 1)) for d, count, stride in fragment.lanes]
    accesses = ceil(elements / lanes / width)
    if place.row:
        starts = [place.at({names[d]: at for d, at in where.items()}) for where in lane_places(digits, lanes)]
        return accesses * phases(starts, width * size, memory.banks, load=True), accesses
    steps = tuple((count, place.step(names[d]) * stride) for d, count, stride in digits)
    return accesses * spread_phases(steps, lanes, width * size, memory.banks, load=True)[0], accesses


def _share(access: Access, axes: Sequence[AxisPlan], factor: int) -> int:
    """Return the elements of a factor that one subgroup multiplies in a step, windows at each of their points."""
    return prod(axes[loop].registers * (axes[loop].lanes if loop == factor else 1) for loop in access.loops())


def _fragment(access: Access, atom: AtomPlan, family: Family) -> tuple[Fragment, int]:
    """Return the fragment of a factor, and the loop of the result that it is indexed by."""
    fragments = family.fragments(atom.shape, access.element_bytes)
    if atom.row in access.loops():
        return fragments.first, atom.row
    return fragments.second, atom.column


def _store_phases(
    place: "_ElementPlacement",
    dimensions: Sequence[TileDimension],
    operand: OperandPlan,
    axes: Sequence[AxisPlan],
    memory: MatrixMemory,
    size: int,
) -> tuple[int, int]:
    """Return the phases of the writes of a copy, of its first subgroups, on average, times all; and those writes."""
    lanes = memory.subgroup_size
    copy = tile_copy([d.extent for d in dimensions], operand, prod(axis.threads for axis in axes))
    looked_at = min(LOOKED_AT, -(-copy.vectors // lanes))
    width = operand.store_vector * size
    if place.row:
        total = sum(
            phases(_starts(copy, place, group * lanes, lanes), width, memory.banks, load=False)
            for group in range(looked_at)
        )
    else:
        steps = place.strides[::-1]
        steps[0] *= operand.vector
        if copy.across >= 0:
            steps[copy.across] *= copy.depth
        digits = tuple(zip(copy.sizes, steps, strict=True))
        total = crossing_phases(digits, min(lanes * looked_at, copy.vectors), lanes, width, memory.banks)
    # What a thread transposed it writes row by row.
    times = operand.vector if copy.across >= 0 else max(1, operand.vector // operand.store_vector)
    times *= -(-copy.vectors // lanes)
    return ceil(total * times / looked_at), times


def _starts(copy: CopyMap, place: "_ElementPlacement", first: int, lanes: int) -> list[int]:
    """Return where the vectors of a copy lie from a first one on, of one subgroup."""
    starts: list[int] = []
    for number in range(first, min(first + lanes, copy.vectors)):
        coordinates: list[int] = []
        for extent in copy.sizes:
            number, digit = divmod(number, extent)
            coordinates.append(digit)
        coordinates[0] *= copy.vector
        if copy.across >= 0:
            coordinates[copy.across] *= copy.depth
        starts.append(place.of(coordinates[::-1]))
    return starts


class _ElementPlacement:
    """Where the elements of a tile lie in workgroup memory, in bytes."""

    def __init__(self, dimensions: Sequence[TileDimension], operand: OperandPlan, size: int) -> None:
        shape = buffer_shape(dimensions, operand)
        self._dimensions = dimensions
        self.strides = [0] * len(dimensions)
        stride = size
        for d, extent in zip(reversed(operand.order), reversed(shape), strict=True):
            self.strides[d] = stride
            stride *= extent
        self.row = shape[-1] * size if operand.swizzle == XOR else 0

    def of(self, coordinates: Sequence[int]) -> int:
        """Return where the element at some coordinates of the tile lies."""
        address = sum(map(int.__mul__, coordinates, self.strides))
        return swizzled(address, self.row) if self.row else address

    def step(self, loop: int) -> int:
        """Return the bytes from one point of a loop to the next, where rows are not permuted."""
        return sum(d.coefficients.get(loop, 0) * k for d, k in zip(self._dimensions, self.strides, strict=True))

    def at(self, positions: dict[int, int]) -> int:
        """Return where the element at some positions of the loops lies, the others at 0."""
        return self.of(
            [
                dimension.offset + sum(k * positions.get(loop, 0) for loop, k in dimension.coefficients.items())
                for dimension in self._dimensions
            ]
        )
