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

from roller_mlir.lowering.loops.attributes import MADE_MAPS
from roller_mlir.plan.records.codec import from_json
from roller_mlir.plan.tensor_maps.fields import MAP_FIELDS, map_fields
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap as Plain
from roller_mlir.sim.gpu.memory_types import element_bytes
from roller_mlir.sim.hopper.layout import MOST_RANK, UNSAID, TensorMapRecord
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

ATTRIBUTE = "rtile.tensor_map"
_SWIZZLES = {0: 0, 32: 0x10, 64: 0x30, 128: 0x70}
_MOST_BOX, _MOST_STEP, _ALIGNMENT = 256, 8, 16
_IM2COL = ("pixels", "lower", "upper")


@dataclass(frozen=True, kw_only=True)
class MapSpec:
    """A tensor map.

    Attributes:
        plain: What it has in tile mode.
        pixels: im2col mode: pixels of a column; 0: tile mode.
        lower: im2col mode: lower corner of the box of pixels, outermost first.
        upper: im2col mode: its upper corner, from the last pixel on.
    """

    plain: Plain
    pixels: int = 0
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""
        return element_bytes(self.plain.element)

    @property
    def counts(self) -> tuple[int, ...]:
        """Elements of a box that are moved."""
        found = tuple(size // step for size, step in zip(self.plain.box, self.plain.steps, strict=True))
        return (self.pixels, *[1] * (len(found) - 2), found[-1]) if self.pixels else found

    @property
    def bytes(self) -> int:
        """Bytes of a box in workgroup memory, which a transaction counts."""
        return prod(self.counts) * self.element_bytes

    @property
    def end_bytes(self) -> int:
        """Bytes from the beginning of the buffer to behind the last element."""
        steps = (*self.plain.strides, self.element_bytes)
        last = sum((extent - 1) * step for extent, step in zip(self.plain.static_extents, steps, strict=True))
        return self.plain.offset_bytes + last + self.element_bytes

    def problem(self) -> str:
        """Return what the driver refuses of it; "": nothing."""
        plain = self.plain
        inner = self.counts[-1] * self.element_bytes
        if any(stride % _ALIGNMENT for stride in plain.strides):
            return f"its strides must be multiples of {_ALIGNMENT} B, but are {list(plain.strides)}"
        if any(one > _MOST_BOX for one in plain.box):
            return f"its box must have extents of 1 to {_MOST_BOX}, but is {list(plain.box)}"
        if any(one > _MOST_STEP for one in plain.steps):
            return f"its steps must be 1 to {_MOST_STEP}, but are {list(plain.steps)}"
        if plain.steps[-1] != 1:
            return f"its innermost step must be 1, which the driver takes for any other, but is {plain.steps[-1]}"
        if inner % _ALIGNMENT:
            return f"a row of its box must be a multiple of {_ALIGNMENT} B, but has {inner} B"
        if plain.swizzle and inner != plain.swizzle:
            return f"a row of its box must fill the swizzle's {plain.swizzle} B, but has {inner} B"
        return ""

    def fields(self, base: int) -> list[int]:
        """Return each element of a map that a kernel makes itself, `UNSAID` where it need not have it."""
        values = map_fields(self.plain, base)
        return [values.get(number, UNSAID) for number in range(MAP_FIELDS)]

    def record(self, base: int) -> "np.ndarray[Any, Any]":
        """Return the columns of `TensorMapRecord` for an array at an address."""
        plain, rank = self.plain, len(self.plain.extents)
        found = np.zeros(TensorMapRecord.SIZE, np.int64)
        found[TensorMapRecord.BASE], found[TensorMapRecord.RANK] = base, rank
        found[TensorMapRecord.ELEMENT_BYTES], found[TensorMapRecord.BYTES] = self.element_bytes, self.bytes
        found[TensorMapRecord.SWIZZLE], found[TensorMapRecord.PIXELS] = _SWIZZLES[plain.swizzle], self.pixels
        found[TensorMapRecord.ROUNDS] = plain.element == "tf32"
        for column, values, rest in (
            (TensorMapRecord.EXTENT, plain.static_extents, 1),
            (TensorMapRecord.STRIDE, (*plain.strides, self.element_bytes), 0),
            (TensorMapRecord.BOX, self.counts, 1),
            (TensorMapRecord.STEP, plain.steps, 1),
        ):
            found[column : column + MOST_RANK] = rest
            found[column : column + rank] = values[::-1]
        found[TensorMapRecord.LOWER : TensorMapRecord.LOWER + len(self.lower)] = self.lower[::-1]
        found[TensorMapRecord.UPPER : TensorMapRecord.UPPER + len(self.upper)] = self.upper[::-1]
        return found


def read_map(function: Any, number: int) -> MapSpec | None:
    """Return the tensor map that an argument of a kernel is; None: it is none.

    Raises:
        DiagnosedError: The attribute is no tensor map, or one that the driver refuses.
    """
    if "arg_attrs" not in function.attributes:
        return None
    given = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[number])
    return _spec(function, ATTRIBUTE, number, given[ATTRIBUTE]) if ATTRIBUTE in given else None


def read_made_maps(function: Any, number: int) -> tuple[MapSpec, ...]:
    """Return the tensor maps that each block makes in an argument of a kernel; none where it does not say so.

    Raises:
        DiagnosedError: The attribute describes no tensor maps, or one that the driver refuses.
    """
    if "arg_attrs" not in function.attributes:
        return ()
    given = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[number])
    described = ir.ArrayAttr(given[MADE_MAPS]) if MADE_MAPS in given else ()
    return tuple(_spec(function, MADE_MAPS, number, one) for one in described)


def _spec(function: Any, attribute: str, number: int, given: Any) -> MapSpec:
    fields = {entry.name: _value(entry.attr) for entry in ir.DictAttr(given)}
    more = {name: fields.pop(name) for name in _IM2COL if name in fields}
    try:
        spec = MapSpec(plain=from_json(Plain, fields), **{name: _tuple(value) for name, value in more.items()})
    except ValueError as error:
        fail(function, f"'{attribute}' of argument {number} describes no tensor map: {error}")
    if problem := spec.problem():
        fail(function, f"'{attribute}' of argument {number} describes no tensor map: {problem}")
    return spec


def _value(attribute: Any) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return [_value(one) for one in attribute]
    if isinstance(attribute, ir.StringAttr):
        return str(attribute.value)
    return int(ir.IntegerAttr(attribute).value)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
