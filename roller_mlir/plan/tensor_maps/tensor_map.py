# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: what NVIDIA's tensor copies must know of an array, as kernels say it and runtimes encode it.

A kernel takes its tensor maps after its buffers, each an opaque record of 128 bytes that the launcher makes of this
description and of the buffer's address; of NVIDIA's driver that is `cuTensorMapEncodeTiled`, which counts dimensions
innermost first.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from roller_mlir.plan.extent import Extent, as_extents, static_sizes
from roller_mlir.plan.records.codec import Range, seldom

MAP_BYTES = 128
"""Bytes of an encoded tensor map."""

ADDRESS_BYTES = 16
"""What the address of an array must be a multiple of."""

MapElement: TypeAlias = Literal["f16", "bf16", "f32", "tf32", "i8"]
_Count: TypeAlias = Annotated[int, Range(0)]
_Positive: TypeAlias = Annotated[int, Range(1)]


@dataclass(frozen=True, kw_only=True)
class TensorMap:
    """How boxes of an array are copied to workgroup memory.

    Attributes:
        argument: Number of the kernel's buffer.
        offset_bytes: Where in it the array begins, a multiple of 16.
        element: Element type; "tf32" is f32 that is rounded to tf32 on the way.
        extents: Of the array, outermost first; numbers stand for static ones.
        strides: Bytes from one element to the next along each dimension but the innermost.
        box: Span of a box in the array's elements, per dimension: a multiple of the step.
        steps: Elements from one that is copied to the next, per dimension: box / steps are.
        swizzle: Bytes after which the permutation of 16-byte pieces repeats in a line; 0 for none.
        fill: What elements outside of the array read as.
    """

    argument: _Count
    element: MapElement
    extents: tuple[Annotated[Extent, Range(1)], ...]
    strides: tuple[_Positive, ...]
    box: tuple[_Positive, ...]
    steps: tuple[_Positive, ...]
    swizzle: Literal[0, 32, 64, 128] = 128
    fill: Literal[0] = 0
    offset_bytes: _Count = seldom(0)

    def __post_init__(self) -> None:
        """Take numbers as extents, and check that all dimensions are described."""
        object.__setattr__(self, "extents", as_extents(self.extents))
        rank = len(self.extents)
        if not 1 <= rank <= 5 or (len(self.strides), len(self.box), len(self.steps)) != (rank - 1, rank, rank):
            raise ValueError(
                "a tensor map needs 1 to 5 extents, and as many strides (less one), box extents and steps, "
                f"but got {self}"
            )
        if self.offset_bytes % ADDRESS_BYTES:
            raise ValueError(f"a tensor map's array must begin at a multiple of {ADDRESS_BYTES} B, but got {self}")
        if any(box % step for box, step in zip(self.box, self.steps, strict=True)):
            raise ValueError(f"a tensor map's box must be whole steps, but got {self}")

    @property
    def static_extents(self) -> tuple[int, ...]:
        """The array's extents as they are at every launch."""
        return static_sizes(self.extents)
