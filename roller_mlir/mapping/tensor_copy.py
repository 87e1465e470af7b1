# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that NVIDIA's tensor copies lay down with 128-byte swizzle, and the workgroup memory that they pass through.

A tile is cut along its innermost dimension into boxes of 128 bytes, one after another; a box is a sequence of lines of
128 bytes, one per element of the other dimensions. Piece p (16 bytes) of line l lies at piece p ^ (l % 8). Source: PTX
ISA, "Tensor data, swizzling modes" and "Asynchronous warpgroup-level matrix shared memory layout".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from roller_mlir.mapping.alignment import aligned
from roller_mlir.plan.tensor_maps.tensor_map import MapElement

LINE_BYTES = 128
SWIZZLE_BYTES = 1024
"""The swizzle repeats after eight lines; tiles begin at multiples of it."""

WARP_THREADS = 32
WARPGROUP_THREADS = 128
PRODUCER_THREADS = 128
"""The warpgroup that starts the copies comes after the threads of the plan."""

BARRIER_BYTES = 8
MOST_BOX_ELEMENTS = 256
"""Elements of one box along a dimension. N that are read in steps of s take N * s of them, the last steps included: the
driver wants it so, though a box that ends with the last element has as many (cuTensorMapEncodeTiled, elementStrides).
"""

MOST_STEP = 8
"""Elements of a tensor from one that is copied to the next."""

MOST_DIMENSIONS = 5
STRIDE_BYTES = 16
"""What the strides of a tensor's dimensions, but the innermost, must be multiples of."""

STORE_LINES = 64
"""Lines that a warpgroup writes at once: the rows of one instruction."""

WIDEST_STORE = 64
"""Columns of one line of results of 16 bits."""

STORED_TYPES: tuple[MapElement, ...] = ("f16", "bf16")
"""Types of results that tensor copies write."""

STORE_BUFFERS = 2
"""Buffers of a warpgroup for what it writes: one is filled while the other one is copied."""

STORED_BYTES = 2
"""Of one such result."""


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


def store_columns(columns: int) -> int:
    """Return the columns that are written at once, of results of 16 bits: whole lines where the instruction has such.

    >>> [store_columns(columns) for columns in (256, 96, 80, 72)]
    [64, 32, 16, 8]
    """
    return next(width for width in (WIDEST_STORE, 32, 16, 8) if columns % width == 0)


def store_swizzle(width: int) -> Literal[0, 32, 64, 128]:
    """Return the swizzle of lines of so many columns, in bytes; 0 for none.

    >>> [store_swizzle(width) for width in (64, 32, 16, 8)]
    [128, 64, 32, 0]
    """
    swizzles: dict[int, Literal[32, 64, 128]] = {64: 128, 32: 64, 16: 32}
    return swizzles.get(width, 0)


def store_bytes(consumers: int, columns: int) -> int:
    """Return the workgroup memory through which results of 16 bits are written by tensor copies.

    Args:
        consumers: Threads that compute.
        columns: Columns of an instruction.

    >>> store_bytes(256, 256)
    32768
    """
    return consumers // WARPGROUP_THREADS * STORE_BUFFERS * store_piece_bytes(store_columns(columns))


def store_piece_bytes(width: int) -> int:
    """Return the bytes of what a warpgroup writes at once, lines of so many columns."""
    return STORE_LINES * width * STORED_BYTES
