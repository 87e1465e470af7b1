# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documented rules of what Hopper's asynchronous units take: tensor maps, boxes, matrix descriptors.

They stand here a second time, apart from the code generator, which is held to them. Sources: CUDA driver API,
cuTensorMapEncodeTiled; PTX ISA, "Tensor data, swizzling modes", "Matrix descriptor format", "Strides" and
"Asynchronous warpgroup-level matrix shared memory layout".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap

PIECE = 16
"""Bytes that swizzles move as a whole, and the unit of a descriptor's addresses and distances."""

_SPANS = {0: 0, 1: 128, 2: 64, 3: 32}
"""Bytes of a line by a descriptor's two uppermost bits."""

_RESERVED = 0b11 << 14 | 0b11 << 30 | 0b111 << 46 | 0x3FF << 52
_GROUP = 8
"""Lines of one pattern, and of one group."""

REPEATS = {0: 128, 32: 256, 64: 512, 128: 1024}
"""Where boxes may begin in workgroup memory, in bytes, by their swizzle: where its pattern begins."""


def element_bytes(described: TensorMap) -> int:
    """Return the bytes of an element."""
    return 4 if described.element == "tf32" else ELEMENT_BYTES[described.element]


@lru_cache(maxsize=64)
def box_shape(described: TensorMap) -> tuple[int, ...]:
    """Return the elements that one copy brings along each dimension."""
    return tuple(-(-box // step) for box, step in zip(described.box, described.steps, strict=True))


@lru_cache(maxsize=64)
def box_bytes(described: TensorMap) -> int:
    """Return the bytes that one copy brings; elements outside of the array count."""
    return prod(box_shape(described)) * element_bytes(described)


def map_problems(described: TensorMap) -> Iterator[tuple[str, int, str]]:
    """Return what the driver or the hardware does not take of a tensor map: what, how much it is, what it may be.

    >>> wide = TensorMap(argument=0, element="f16", extents=(9, 512), strides=(1024,), box=(257, 64), steps=(1, 1))
    >>> list(map_problems(wide))
    [('a box extent', 257, '1 to 256')]
    """
    for extent in described.static_extents:
        if extent > 1 << 32:
            yield "an extent", extent, "1 to 2^32"
    for stride in described.strides:
        if stride % PIECE or stride >= 1 << 40:
            yield "a stride of bytes", stride, "a multiple of 16 below 2^40"
    for box in described.box:
        if not 1 <= box <= 256:
            yield "a box extent", box, "1 to 256"
    for number, step in enumerate(described.steps):
        most = 1 if number == len(described.steps) - 1 else 8
        if not 1 <= step <= most:
            yield "an element stride", step, f"1 to {most}" if most > 1 else "1, that of the innermost dimension"
    line = described.box[-1] * element_bytes(described)
    if line % PIECE:
        yield "an innermost box extent of bytes", line, "a multiple of 16"
    if described.swizzle and line > described.swizzle:
        yield "an innermost box extent of bytes", line, f"{described.swizzle} at most, the span of its swizzle"


@dataclass(frozen=True)
class Descriptor:
    """A matrix in workgroup memory.

    Attributes:
        address: Of its first element, modulo 2^18.
        leading: Leading dimension byte offset.
        stride: Stride dimension byte offset.
        base_offset: Lines by which the pattern of the swizzle begins early.
        swizzle: Bytes of a line; 0 for none.
        reserved: Bits that must be 0.
    """

    address: int
    leading: int
    stride: int
    base_offset: int
    swizzle: int
    reserved: int

    @classmethod
    def of(cls, bits: int) -> "Descriptor":
        """Read one.

        >>> Descriptor.of(0x4000004000010440)
        Descriptor(address=17408, leading=16, stride=1024, base_offset=0, swizzle=128, reserved=0)
        """
        leading, stride = (bits >> 16 & 0x3FFF) * PIECE, (bits >> 32 & 0x3FFF) * PIECE
        return cls((bits & 0x3FFF) * PIECE, leading, stride, bits >> 49 & 7, _SPANS[bits >> 62], bits & _RESERVED)

    def place(self, own: int, depth: int, size: int, *, transposed: bool) -> int:
        """Return where an element is read, before the swizzle, which turns pieces within their line.

        Lines run along the reduction ("K-major") or, of a transposed factor, along its rows or columns ("MN-major").

        Args:
            own: Its row or column.
            depth: Its place along the reduction.
            size: Bytes of an element.
            transposed: Whether the instruction says so of the factor.
        """
        if not transposed:
            return self.address + own // _GROUP * self.stride + own % _GROUP * self.swizzle + depth * size
        piece, within = divmod(own * size, self.swizzle)
        return (
            self.address + piece * self.leading + depth // _GROUP * self.stride + depth % _GROUP * self.swizzle + within
        )
