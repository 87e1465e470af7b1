# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: the argument attribute `rtile.tensor_map`, what the driver demands of it, and the simulator's record.

    %map: !llvm.ptr {rtile.tensor_map = {argument = 0, element = "f16", extents = [512, 256], strides = [512],
                                         box = [64, 64], steps = [1, 1], swizzle = 128, fill = 0}}

Dimensions are outermost first; strides are bytes, of all dimensions but the innermost. In im2col mode (a box of 1 pixel
each, with the channels innermost) there are also `pixels` (of a column), `lower` and `upper` (corners of the box of
pixels, outermost spatial dimension first).
"""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from roller_mlir.sim.hopper_layout import MOST_RANK, TensorMap
from roller_mlir.sim.memory_types import element_bytes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

ATTRIBUTE = "rtile.tensor_map"
_SWIZZLES = {0: 0, 32: 0x10, 64: 0x30, 128: 0x70}
_MOST_BOX, _MOST_STEP, _ALIGNMENT = 256, 8, 16
_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF}


@dataclass(frozen=True, kw_only=True)
class MapSpec:
    """A tensor map.

    Attributes:
        argument: The number of the kernel's buffer that it describes.
        element: MLIR's name of the element type.
        extents: Outermost first.
        strides: Bytes, of all dimensions but the innermost.
        box: Elements of a box, those that the steps leave out counted.
        steps: Every so many elements are moved.
        swizzle: Bytes of the span of the swizzle; 0: none.
        fill: What elements outside become: 0, or anything else for NaN.
        pixels: im2col mode: pixels of a column; 0: tile mode.
        lower: im2col mode: lower corner of the box of pixels, outermost first.
        upper: im2col mode: its upper corner, from the last pixel on.
    """

    argument: int
    element: str
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int
    fill: int = 0
    pixels: int = 0
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """Elements of a box that are moved."""
        found = tuple(-(-size // step) for size, step in zip(self.box, self.steps, strict=True))
        return (self.pixels, *[1] * (len(found) - 2), found[-1]) if self.pixels else found

    @property
    def bytes(self) -> int:
        """Bytes of a box in workgroup memory, which a transaction counts."""
        return prod(self.counts) * element_bytes(self.element)

    @property
    def end_bytes(self) -> int:
        """Bytes from the base to behind the last element."""
        size = element_bytes(self.element)
        steps = (*self.strides, size)
        return sum((extent - 1) * step for extent, step in zip(self.extents, steps, strict=True)) + size

    def problem(self) -> str:
        """What the driver refuses of it; "": nothing."""
        rank, size = len(self.extents), element_bytes(self.element)
        inner = self.counts[-1] * size if rank else 0
        if not 1 <= rank <= MOST_RANK:
            return f"its rank must be 1 to {MOST_RANK}, but is {rank}"
        if self.swizzle not in _SWIZZLES:
            return f"its swizzle must be 0, 32, 64 or 128, but is {self.swizzle}"
        if any(stride % _ALIGNMENT or stride <= 0 for stride in self.strides):
            return f"its strides must be multiples of {_ALIGNMENT} B, but are {list(self.strides)}"
        if any(not 1 <= one <= _MOST_BOX for one in self.box):
            return f"its box must have extents of 1 to {_MOST_BOX}, but is {list(self.box)}"
        if any(not 1 <= one <= _MOST_STEP for one in self.steps):
            return f"its steps must be 1 to {_MOST_STEP}, but are {list(self.steps)}"
        if inner % _ALIGNMENT:
            return f"a row of its box must be a multiple of {_ALIGNMENT} B, but has {inner} B"
        if self.swizzle and inner != self.swizzle:
            return f"a row of its box must fill the swizzle's {self.swizzle} B, but has {inner} B"
        return ""

    def record(self, base: int) -> "np.ndarray[Any, Any]":
        """Return the columns of `TensorMap` for a buffer at an address."""
        size, rank = element_bytes(self.element), len(self.extents)
        found = np.zeros(TensorMap.SIZE, np.int64)
        found[TensorMap.BASE], found[TensorMap.RANK] = base, rank
        found[TensorMap.ELEMENT_BYTES], found[TensorMap.BYTES] = size, self.bytes
        found[TensorMap.SWIZZLE] = _SWIZZLES[self.swizzle]
        found[TensorMap.FILL] = _NAN.get(self.element, 0) if self.fill else 0
        found[TensorMap.PIXELS] = self.pixels
        for column, values, rest in (
            (TensorMap.EXTENT, self.extents, 1),
            (TensorMap.STRIDE, (*self.strides, size), 0),
            (TensorMap.BOX, self.counts, 1),
            (TensorMap.STEP, self.steps, 1),
        ):
            found[column : column + MOST_RANK] = rest
            found[column : column + rank] = values[::-1]
        found[TensorMap.LOWER : TensorMap.LOWER + len(self.lower)] = self.lower[::-1]
        found[TensorMap.UPPER : TensorMap.UPPER + len(self.upper)] = self.upper[::-1]
        return found


def read_map(function: Any, number: int) -> MapSpec | None:
    """Return the tensor map that an argument of a kernel is; None: it is none.

    Raises:
        DiagnosedError: The attribute is no tensor map, or one that the driver refuses.
    """
    if "arg_attrs" not in function.attributes:
        return None
    given = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[number])
    if ATTRIBUTE not in given:
        return None
    fields = ir.DictAttr(given[ATTRIBUTE])
    names = {entry.name for entry in fields}
    needed = {"argument", "element", "extents", "strides", "box", "steps", "swizzle"}
    if needed - names:
        fail(function, f"'{ATTRIBUTE}' of argument {number} must have {', '.join(sorted(needed - names))}")

    def one(name: str) -> int:
        return int(ir.IntegerAttr(fields[name]).value) if name in names else 0

    def several(name: str) -> tuple[int, ...]:
        return tuple(int(ir.IntegerAttr(value).value) for value in ir.ArrayAttr(fields[name])) if name in names else ()

    spec = MapSpec(
        argument=one("argument"),
        element=str(ir.StringAttr(fields["element"]).value),
        extents=several("extents"),
        strides=several("strides"),
        box=several("box"),
        steps=several("steps"),
        swizzle=one("swizzle"),
        fill=one("fill"),
        pixels=one("pixels"),
        lower=several("lower"),
        upper=several("upper"),
    )
    rank = len(spec.extents)
    sizes = (len(spec.strides) + 1, len(spec.box), len(spec.steps))
    problem = f"it must have {rank} extents everywhere" if sizes != (rank,) * 3 else spec.problem()
    if problem:
        fail(function, f"'{ATTRIBUTE}' of argument {number} describes no tensor map: {problem}")
    return spec
