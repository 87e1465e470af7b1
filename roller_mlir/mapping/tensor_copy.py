# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that NVIDIA's tensor copies lay down with 128-byte swizzle, the ring of their buffers, and who holds registers.

A tile is cut along its innermost dimension into boxes of 128 bytes, one after another; a box is a sequence of lines of
128 bytes, one per element of the other dimensions. Piece p (16 bytes) of line l lies at piece p ^ (l % 8). Source: PTX
ISA, "Tensor data, swizzling modes" and "Asynchronous warpgroup-level matrix shared memory layout".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.mapping.arena_offsets import aligned

LINE_BYTES = 128
SWIZZLE_BYTES = 1024
"""The swizzle repeats after eight lines; tiles begin at multiples of it."""

WARPGROUP_THREADS = 128
PRODUCER_THREADS = 128
"""The warpgroup that starts the copies comes after the threads of the plan."""

BARRIER_BYTES = 8
MOST_BOX_ELEMENTS = 256
"""Elements of one box along a dimension (the span in the tensor, where it is read in steps)."""

MOST_DIMENSIONS = 5
STRIDE_BYTES = 16
"""What the strides of a tensor's dimensions, but the innermost, must be multiples of."""

_REGISTER_GRANULE = 8
_MOST_REGISTERS = 240


@dataclass(frozen=True)
class SwizzledTile:
    """Where the elements of a tile lie.

    Attributes:
        shape: Extents in memory order, innermost last; the innermost one is whole lines.
        element_bytes: Bytes of an element.
    """

    shape: tuple[int, ...]
    element_bytes: int

    @property
    def line_elements(self) -> int:
        """Elements of one line."""
        return LINE_BYTES // self.element_bytes

    @property
    def lines(self) -> int:
        """Lines of one box."""
        return prod(self.shape[:-1])

    @property
    def boxes(self) -> int:
        """Boxes, one after another."""
        return self.shape[-1] // self.line_elements

    @property
    def box_bytes(self) -> int:
        """Bytes of one box."""
        return self.lines * LINE_BYTES

    @property
    def size_bytes(self) -> int:
        """Bytes of the tile."""
        return self.boxes * self.box_bytes

    def line(self, at: Sequence[int]) -> int:
        """Return in which line of its box an element lies."""
        number = 0
        for extent, x in zip(self.shape[:-1], at[:-1], strict=True):
            number = number * extent + x
        return number

    def offset(self, at: Sequence[int]) -> int:
        """Return where an element would lie without the permutation, in bytes: what descriptors start from.

        >>> SwizzledTile((64, 128), 2).offset((1, 72))
        8336
        """
        box, within = divmod(at[-1], self.line_elements)
        return box * self.box_bytes + self.line(at) * LINE_BYTES + within * self.element_bytes


def stage_offsets(tile_bytes: Sequence[int]) -> tuple[list[int], int]:
    """Return where each tile of a step lies in its buffer, and the buffer's size, in bytes.

    >>> stage_offsets((16384, 1536))
    ([0, 16384], 18432)
    """
    offsets: list[int] = []
    at = 0
    for size in tile_bytes:
        offsets.append(at)
        at += aligned(size, SWIZZLE_BYTES)
    return offsets, at


def ring_bytes(stages: int, tile_bytes: Sequence[int]) -> int:
    """Return the workgroup memory of buffers that a producer fills and consumers empty, with two barriers a buffer.

    >>> ring_bytes(4, (16384, 32768))
    196672
    """
    _, size = stage_offsets(tile_bytes)
    return stages * (size + 2 * BARRIER_BYTES)


def role_registers(consumers: int, tasks_per_unit: int, registers_per_unit: int) -> tuple[int, int] | None:
    """Return the registers of a thread that copies and of one that computes; None where all can have the most.

    A block starts with the same number for each thread; then the producer gives some of its own away.

    Args:
        consumers: Threads that compute.
        tasks_per_unit: Blocks that share a unit's registers.
        registers_per_unit: 32-bit registers of a unit.

    >>> role_registers(256, 1, 65536), role_registers(384, 1, 65536), role_registers(128, 2, 65536)
    ((40, 232), (32, 160), (40, 216))
    """
    groups = consumers // WARPGROUP_THREADS
    each = registers_per_unit // tasks_per_unit // (consumers + PRODUCER_THREADS)
    each = each // _REGISTER_GRANULE * _REGISTER_GRANULE
    if each > _MOST_REGISTERS:
        return None
    producer = 40 if groups < 3 else 32
    if each <= producer:
        return None
    share = (each * (groups + 1) - producer) // groups // _REGISTER_GRANULE * _REGISTER_GRANULE
    return producer, min(share, _MOST_REGISTERS)
