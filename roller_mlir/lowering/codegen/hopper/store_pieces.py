# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A register tile written by tensor copies: each piece through workgroup memory, while the piece before is copied.

`stmatrix` takes what wgmma leaves in registers: lane l of a subgroup gives the address of line l % 8 of matrix l / 8.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile
from roller_mlir.lowering.codegen.hopper.ops import (
    binary,
    fence_copies,
    plus,
    pointer_at,
    store_box,
    store_matrices,
    wait_stores,
    warpgroup_barrier,
)
from roller_mlir.lowering.codegen.hopper.stores import TensorStore
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.tensor_copy import (
    STORE_BUFFERS,
    STORED_BYTES,
    WARP_THREADS,
    WARPGROUP_THREADS,
    store_piece_bytes,
)
from roller_mlir.mapping.thread_map import register_offset
from roller_mlir.support.bindings import ir

_GROUP = 8
_PIECE_BITS = 4  # of an address in a piece of 16 bytes, which the swizzle leaves


@dataclass(frozen=True)
class Staging:
    """Where a warpgroup lays its pieces down.

    Attributes:
        base: Pointer to the arena.
        offset: Of the first buffer of all warpgroups, in bytes.
        warpgroup: Number of the thread's warpgroup, 32 bits.
        thread: Number of the thread in its block, 32 bits.
        leads: Condition that the thread speaks for its warpgroup.
    """

    base: ir.Value
    offset: int
    warpgroup: ir.Value
    thread: ir.Value
    leads: ir.Value


@dataclass(frozen=True)
class StorePiece:
    """What is written at once.

    Attributes:
        registers: First register of each parallel loop.
        groups: Groups of eight columns.
    """

    registers: dict[int, int]
    groups: int


def store_by_copies(
    context: TaskContext, how: TensorStore, tile: RegisterTile, target: DirectTile, map_: ir.Value, staging: Staging
) -> None:
    """Write a tile.

    Args:
        context: The task.
        how: The copies.
        tile: Joined.
        target: The tile's place in the destination.
        map_: Pointer to the tensor map.
        staging: Where pieces are laid down.
    """
    emit = context.emit
    writer = _PieceWriter(context, how, tile, staging)
    for number, piece in enumerate(_pieces(how, tile)):
        # The copies that still read may be those of the other buffer; nothing is known of those of the task before.
        wait_stores(emit, staging.leads, 0 if number == 0 else STORE_BUFFERS - 1)
        warpgroup_barrier(emit, staging.warpgroup)
        start = writer.buffer(number % STORE_BUFFERS)
        writer.lay_down(piece, start)
        fence_copies()
        warpgroup_barrier(emit, staging.warpgroup)
        at = writer.place(piece, target)

        def copy(start: ir.Value = start, at: list[Linear] = at) -> list[ir.Value]:
            narrow = ir.IntegerType.get_signless(32)
            coordinates = [emit.op("arith.index_cast", [emit.index(x)], narrow) for x in reversed(at)]
            store_box(pointer_at(emit, staging.base, start), map_, coordinates)
            return []

        emit.branch(staging.leads, [], copy)


def _pieces(how: TensorStore, tile: RegisterTile) -> Iterator[StorePiece]:
    """Give the pieces of a warpgroup: by rows of an instruction, then by its columns."""
    box = tile.box
    own: dict[int, range] = {}
    for loop, bound in enumerate(box.loops):
        axis = box.axes[loop]
        if bound.reduction:
            continue
        step = axis.tile // axis.lanes if loop == how.row else axis.chunk * how.width // _GROUP
        own[loop] = range(0, axis.registers, step if loop in (how.row, how.column) else 1)
    for registers in product(*own.values()):
        offsets = zip(own, registers, strict=True)
        if any(not box.axes[i].lanes and box.loops[i].extent <= register_offset(box.axes[i], r) for i, r in offsets):
            continue  # beyond the loop's end, where no thread holds anything
        yield StorePiece(dict(zip(own, registers, strict=True)), how.width // _GROUP)


class _PieceWriter:
    """Writes the pieces of one tile."""

    def __init__(self, context: TaskContext, how: TensorStore, tile: RegisterTile, staging: Staging) -> None:
        self._context, self._how, self._tile, self._staging = context, how, tile, staging
        self._places = {tuple(sorted(key.items())): number for number, key in enumerate(tile.box.keys)}
        self._pitch = how.width * STORED_BYTES
        emit = context.emit
        lane = binary(emit, "arith.andi", staging.thread, WARP_THREADS - 1)
        warp = binary(
            emit,
            "arith.shrui",
            binary(emit, "arith.andi", staging.thread, WARPGROUP_THREADS - 1),
            WARP_THREADS.bit_length() - 1,
        )
        # Matrices 0 and 1 are the upper and lower half of 16 lines, 2 and 3 those of the next eight columns.
        half = binary(emit, "arith.andi", lane, 15)
        line = binary(emit, "arith.addi", binary(emit, "arith.muli", warp, 16), half)
        self._line = binary(emit, "arith.muli", line, self._pitch)
        self._right = binary(emit, "arith.shli", binary(emit, "arith.shrui", lane, 4), _PIECE_BITS)
        mask = {128: 0x70, 64: 0x30, 32: 0x10, 0: 0}[how.map.swizzle]
        self._turn = binary(emit, "arith.andi", binary(emit, "arith.shrui", self._line, 3), mask) if mask else None

    def buffer(self, number: int) -> ir.Value:
        """Return where a buffer of the warpgroup begins, in bytes of the arena."""
        emit, piece = self._context.emit, store_piece_bytes(self._how.width)
        own = binary(emit, "arith.muli", self._staging.warpgroup, STORE_BUFFERS * piece)
        return plus(emit, own, self._staging.offset + number * piece)

    def lay_down(self, piece: StorePiece, start: ir.Value) -> None:
        """Write a piece to workgroup memory."""
        emit = self._context.emit
        for group in range(0, piece.groups, 2):
            count = min(2, piece.groups - group)
            registers = [self._packed(piece, group + g, half) for g in range(count) for half in (0, 1)]
            within = plus(emit, self._right, group << _PIECE_BITS)
            if self._turn is not None:
                within = binary(emit, "arith.xori", within, self._turn)
            offset = binary(emit, "arith.addi", binary(emit, "arith.addi", start, self._line), within)
            store_matrices(pointer_at(emit, self._staging.base, offset), registers)

    def place(self, piece: StorePiece, target: DirectTile) -> list[Linear]:
        """Return where a piece begins in the destination, per dimension of the map, for the thread that copies it."""
        box, how = self._tile.box, self._how
        positions = {
            loop: (box.tile_base(loop) if box.axes[loop].lanes else box.base(loop))
            + register_offset(box.axes[loop], register)
            for loop, register in piece.registers.items()
        }
        local = apply_indices(self._tile.indices, [positions.get(loop, Linear()) for loop in range(len(box.axes))])
        return [target.origin[d] + local[d] for d in how.dimensions]

    def _packed(self, piece: StorePiece, group: int, half: int) -> ir.Value:
        """Return two neighbouring elements of a thread as 32 bits: columns of a group, in the upper or lower lines."""
        emit, how = self._context.emit, self._how
        chunk = self._tile.box.axes[how.column].chunk
        key = dict(piece.registers)
        key[how.column] += chunk * group
        key[how.row] += half
        value = self._tile.values[self._places[tuple(sorted(key.items()))]]
        word = ir.IntegerType.get_signless(32)
        return emit.extract(emit.op("vector.bitcast", [value], ir.VectorType.get([1], word)), 0)
