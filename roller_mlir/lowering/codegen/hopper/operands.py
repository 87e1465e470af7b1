# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The factors of a wgmma in workgroup memory, as its descriptors see them.

A descriptor names the first element of a 64 x k (first factor) or k x n matrix (second factor), and the distances of
its parts. Where the reduction is innermost ("K-major") a matrix is groups of eight lines at one distance; else
("MN-major") it is eight lines of the reduction, and again eight, for each 128 bytes of rows or columns. Source: PTX
ISA, "Asynchronous warpgroup-level matrix shared memory layout", and CUTLASS, `mma_sm90_desc.hpp`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW
from roller_mlir.lowering.codegen.hopper.copies import TensorCopy
from roller_mlir.lowering.codegen.matrix.product import Matrix
from roller_mlir.mapping.tensor_copy import LINE_BYTES, SWIZZLE_BYTES, WARP_THREADS, WARPGROUP_THREADS
from roller_mlir.mapping.thread_map import ThreadMap, register_offset
from roller_mlir.plan import LinearIndex
from roller_mlir.support.diagnostics import fail

_GROUP = 8
"""Lines over which the swizzle goes, and points of a core matrix."""

_SWIZZLE_128 = 1 << 62
ADDRESS_UNIT = 16
"""Descriptors count addresses and distances in units of 16 bytes."""


@dataclass(frozen=True)
class WarpgroupOperand:
    """One factor of the instruction.

    Attributes:
        copy: How its tile is copied.
        functions: Tile coordinates, in memory order, as functions of the box's loops.
        k_major: Whether the reduction is innermost.
        leading: Bytes between 128-byte pieces of rows or columns.
        stride: Bytes between groups of eight lines.
    """

    copy: TensorCopy
    functions: tuple[LinearIndex, ...]
    k_major: bool
    leading: int
    stride: int

    @property
    def constant_bits(self) -> int:
        """The descriptor but for its address."""
        return _SWIZZLE_128 | (self.stride // ADDRESS_UNIT) << 32 | (self.leading // ADDRESS_UNIT) << 16

    def offset(self, positions: Mapping[int, int]) -> int:
        """Return where the element at a position of the box would lie without permutation, in bytes."""
        return self.copy.tile.offset(_at(self.functions, positions))


def _at(functions: Sequence[LinearIndex], positions: Mapping[int, int]) -> list[int]:
    return [f.constant + sum(k * positions.get(loop, 0) for loop, k in f.terms().items()) for f in functions]


def warp_positions(matrix: Matrix, lane_order: tuple[int, ...], warp: int) -> dict[int, int]:
    """Return the first position of a warp on each loop."""
    threads = ThreadMap(matrix.box.axes, matrix.box.order, lane_order)
    return threads.positions(warp * WARP_THREADS)


def atom_positions(matrix: Matrix, atom: Mapping[int, int]) -> dict[int, int]:
    """Return where an instruction's rows and columns begin, relative to the warpgroup's first position."""
    return {loop: register_offset(matrix.box.axes[loop], register) for loop, register in atom.items()}


def operand_of(
    matrix: Matrix, side: str, copy: TensorCopy, functions: Sequence[LinearIndex], lane_order: tuple[int, ...]
) -> WarpgroupOperand:
    """Return a factor, refusing a tile whose lines do not lie as the instruction reads them.

    Args:
        matrix: The instruction.
        side: "m" for the first factor, "n" for the second.
        copy: The copy of its tile.
        functions: Tile coordinates as functions of the box's loops.
        lane_order: Loops with lanes, fastest in the thread number first.
    """
    order = copy.load.layout.read().order if copy.load.layout is not None else ()
    ordered = tuple(functions[d] for d in order)
    own, depth = matrix.loops[side], matrix.loops[DEPTH]
    inner = ordered[-1].terms()
    if inner not in ({own: 1}, {depth: 1}) or ordered[-1].constant:
        fail(
            copy.load,
            f"'rtile.load' of a wgmma must hold loop {own} or {depth} innermost, but holds {ordered[-1]}; change order",
        )
    k_major = depth in inner
    tile = copy.tile
    if not k_major and tile.element_bytes != 2:
        fail(
            copy.load,
            f"'rtile.load' of a wgmma must hold the reduction (loop {depth}) innermost where elements have "
            f"{tile.element_bytes} B; use instruction mma",
        )
    line_of = depth if not k_major else own
    first = [warp_positions(matrix, lane_order, warp) for warp in range(WARPGROUP_THREADS // WARP_THREADS)]
    if side == COLUMN:
        groups = [{own: _GROUP * number} for number in range(matrix.shape[1] // _GROUP)]
    else:
        groups = [{**at, own: at.get(own, 0) + half} for at in first for half in (0, _GROUP)]
    if not k_major:
        _check_pieces(matrix, side, copy, groups)
        groups = [{depth: 0}, {depth: _GROUP}]
    lines = [tile.line(_at(ordered, at)) for at in groups]
    pitch = lines[1] - lines[0] if len(lines) > 1 else _GROUP
    even = all(line == lines[0] + number * pitch for number, line in enumerate(lines))
    near = tile.line(_at(ordered, {line_of: 1})) - tile.line(_at(ordered, {}))
    if not even or near != 1 or pitch % _GROUP or lines[0] % _GROUP:
        fail(
            copy.load,
            f"'rtile.load' of a wgmma needs neighbours along loop {line_of} in neighbouring lines, and groups of "
            f"{_GROUP} at one distance, but has lines {lines} at a distance of {near}; change the tile or the threads",
        )
    return WarpgroupOperand(copy, ordered, k_major, ADDRESS_UNIT if k_major else tile.box_bytes, pitch * LINE_BYTES)


def _check_pieces(matrix: Matrix, side: str, copy: TensorCopy, groups: Sequence[Mapping[int, int]]) -> None:
    """Check that what an instruction reads of an MN-major tile are whole 128-byte pieces."""
    own = matrix.loops[side]
    piece = copy.tile.line_elements
    starts = {register_offset(matrix.box.axes[own], atom[own]) for atom in matrix.atoms}
    whole = all(start % piece == 0 for start in starts)
    if side == ROW:
        whole = whole and [at[own] for at in groups] == [_GROUP * number for number in range(len(groups))]
    if not whole:
        fail(
            copy.load,
            f"'rtile.load' of a wgmma whose rows or columns (loop {own}) are innermost needs instructions that begin "
            f"at multiples of {piece} of it; change the instruction's shape or the threads",
        )


@dataclass(frozen=True)
class GroupDigit:
    """One digit of a warpgroup's number, the number being a sum of digits by their weights.

    Attributes:
        weight: What the digit counts in the number.
        count: Values of the digit.
        pitch: Bytes from what a warpgroup reads to what the one with the next higher digit does.
    """

    weight: int
    count: int
    pitch: int


def group_digits(
    matrix: Matrix, operand: WarpgroupOperand, lane_order: tuple[int, ...], warpgroups: int
) -> tuple[GroupDigit, ...]:
    """Return where each warpgroup begins to read: digits of its number, those that make no difference left out."""
    warps = WARPGROUP_THREADS // WARP_THREADS
    offsets = [operand.offset(warp_positions(matrix, lane_order, warp)) for warp in range(warps * warpgroups)]
    found = [offset - offsets[0] for offset in offsets[::warps]]
    alike = [offset == found[warp // warps] + offsets[warp % warps] for warp, offset in enumerate(offsets)]
    digits = digits_of(found)
    if digits is None or any(digit.pitch % SWIZZLE_BYTES for digit in digits) or not all(alike):
        fail(
            operand.copy.load,
            "'rtile.load' of a wgmma needs the parts of its warpgroups at even distances, multiples of "
            f"{SWIZZLE_BYTES} B, but has them at {found}; change the threads",
        )
    return digits


def digits_of(offsets: Sequence[int]) -> tuple[GroupDigit, ...] | None:
    """Return digits whose pitches add up to the offset of each number, None where there are none.

    >>> digits_of([0, 8, 0, 8])
    (GroupDigit(weight=1, count=2, pitch=8),)
    >>> digits_of([0, 8, 32, 40])
    (GroupDigit(weight=1, count=2, pitch=8), GroupDigit(weight=2, count=2, pitch=32))
    >>> digits_of([0, 8, 24]) is None
    True
    """
    found: list[GroupDigit] = []
    weight = 1
    while weight < len(offsets):
        pitch = offsets[weight]
        counts = (n for n in range(len(offsets) // weight, 1, -1) if len(offsets) % (weight * n) == 0)
        count = next((n for n in counts if _repeats(offsets, GroupDigit(weight, n, pitch))), 0)
        if not count:
            return None
        found.append(GroupDigit(weight, count, pitch))
        weight *= count
    return tuple(digit for digit in found if digit.pitch)


def _repeats(offsets: Sequence[int], digit: GroupDigit) -> bool:
    """Return whether the offsets below a digit's weight come again for each of its values, a pitch further on."""
    values = range(digit.count * digit.weight)
    return all(offsets[i] == offsets[i % digit.weight] + i // digit.weight * digit.pitch for i in values)
