# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices at positions that are data, and insertions with strides, as element-wise ops that extract in their bodies.

    %r = tensor.extract_slice %x[%p] [4] [1] : tensor<9xf32> to tensor<4xf32>
    // becomes, %q being %p clamped to 0 to 5, so that the slice lies inside
    linalg.generic outs(tensor<4xf32>) { tensor.extract %x[%q + i] }

    %r = tensor.insert_slice %s into %x[%p] [4] [2] : tensor<4xf32> into tensor<9xf32>
    // becomes, with t = i - %q
    linalg.generic ins(%x) { 0 <= t <= 6 and t is even ? tensor.extract %s[t / 2] : the element of %x }

Slices of static positions, and insertions side by side, need no such op: they are read through (see
`lowering.linalg.views`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import empty_like, generic
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.rewrite.separate import splat_of
from roller_mlir.lowering.linalg.views import INSERT, SLICE
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.values import DYNAMIC, defining_op, number_attribute, replace_op


def move_slices(module: ir.Module) -> None:
    """Rewrite the slices and insertions of a module's functions that cannot be read through."""
    for operation in entry_operations(module):
        if operation.name not in (SLICE, INSERT):
            continue
        box = _read(operation)
        if box is None or not (box.moves or (operation.name == INSERT and box.is_spread)):
            continue
        with ir.InsertionPoint(operation), operation.location:
            new = (_extracted if operation.name == SLICE else _inserted)(operation, box)
        replace_op(operation, new)


@dataclass(frozen=True)
class _SliceBox:
    """Which elements of a larger tensor a slice is.

    Attributes:
        offsets: The first one, one number or index value a dimension.
        sizes: How many.
        strides: Elements from one to the next.
        kept: The dimensions that the slice has, in order; the others have one element in it.
    """

    offsets: tuple[Any, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    kept: tuple[int, ...]

    @property
    def moves(self) -> bool:
        """Whether it begins at positions that are data."""
        return any(not isinstance(offset, int) for offset in self.offsets)

    @property
    def is_spread(self) -> bool:
        """Whether elements lie between its elements."""
        return any(stride != 1 and size > 1 for stride, size in zip(self.strides, self.sizes, strict=True))

    def starts(self, shape: Sequence[int]) -> list[Any]:
        """Return the offsets as index values, each clamped so that the slice lies inside of a shape."""
        found: list[Any] = []
        for offset, size, stride, extent in zip(self.offsets, self.sizes, self.strides, shape, strict=True):
            if isinstance(offset, int):
                found.append(_index(offset))
                continue
            last = extent - (size - 1) * stride - 1
            found.append(arith.minsi(arith.maxsi(offset, _index(0)), _index(last)) if last else _index(0))
        return found


def _read(operation: ir.Operation) -> _SliceBox | None:
    """Read a slice of static size, None of any other."""
    part = operation.results[0].type if operation.name == SLICE else operation.operands[0].type
    types = (operation.operands[0].type, operation.results[0].type)
    if not all(ir.RankedTensorType(kind).has_static_shape for kind in types):
        return None
    values = iter(list(operation.operands)[1 if operation.name == SLICE else 2 :])
    parts: list[tuple[Any, ...]] = []
    for name in ("static_offsets", "static_sizes", "static_strides"):
        numbers = ir.DenseI64ArrayAttr(operation.attributes[name])
        parts.append(tuple(next(values) if number == DYNAMIC else int(number) for number in numbers))
    offsets, sizes, strides = parts
    if not all(isinstance(number, int) for number in (*sizes, *strides)):
        return None
    return _SliceBox(offsets, sizes, strides, _kept(sizes, ir.RankedTensorType(part).shape))


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> tuple[int, ...]:
    """Return the dimensions of a slice that a tensor of a shape has; which of those of one element makes no difference.

    >>> _kept((1, 4, 1, 6), (4, 6)), _kept((1, 1, 4), (1, 4)), _kept((3, 1), (3, 1))
    ((1, 3), (0, 2), (0, 1))
    """
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        if len(kept) < len(shape) and size == shape[len(kept)]:
            kept.append(dimension)
    return tuple(kept)


def _extracted(operation: ir.Operation, box: _SliceBox) -> Any:
    """Build a slice at positions that are data."""
    source: Any = operation.operands[0]
    kind = ir.RankedTensorType(operation.results[0].type)
    starts = box.starts(ir.RankedTensorType(source.type).shape)

    def body(_: Any) -> Any:
        at: list[Any] = []
        for dimension, start in enumerate(starts):
            if dimension not in box.kept or box.sizes[dimension] == 1:
                at.append(start)
                continue
            step: Any = linalg.IndexOp(box.kept.index(dimension)).result
            if box.strides[dimension] != 1:
                step = arith.muli(step, _index(box.strides[dimension]))
            at.append(arith.addi(start, step))
        return tensor.extract(source, at)

    return generic([], empty_like(kind), [None], body, loops=kind.rank)


def _inserted(operation: ir.Operation, box: _SliceBox) -> Any:
    """Build a tensor with a slice in it, at positions that are data or with elements between its elements."""
    source: Any = operation.operands[0]
    base: Any = operation.operands[1]
    kind = ir.RankedTensorType(operation.results[0].type)
    starts = box.starts(kind.shape)
    scalar = fill_constant(base) or splat_of(base)
    if defining_op(base, "tensor.empty") is not None:
        scalar = number_attribute(kind.element_type, 0)

    def body(*elements: Any) -> Any:
        condition: Any = None
        at: list[Any] = []
        for dimension, (start, size, stride) in enumerate(zip(starts, box.sizes, box.strides, strict=True)):
            position: Any = linalg.IndexOp(dimension).result
            if size < kind.shape[dimension]:
                position = arith.subi(position, start)
                reach = _index((size - 1) * stride + 1)
                condition = _both(condition, arith.cmpi(arith.CmpIPredicate.ult, position, reach))
            if stride != 1 and size > 1:
                rest = arith.remui(position, _index(stride))
                condition = _both(condition, arith.cmpi(arith.CmpIPredicate.eq, rest, _index(0)))
                position = arith.divui(position, _index(stride))
            if dimension in box.kept:
                at.append(position)
        element = tensor.extract(source, at)
        other = elements[0] if scalar is None else arith.constant(kind.element_type, scalar)
        return element if condition is None else arith.select(condition, element, other)

    inputs = [base] if scalar is None else []
    return generic(inputs, empty_like(kind), [None] * (len(inputs) + 1), body, loops=kind.rank)


def _both(left: Any, right: Any) -> Any:
    return right if left is None else arith.andi(left, right)


def _index(number: int) -> Any:
    return arith.constant(ir.IndexType.get(), number)
