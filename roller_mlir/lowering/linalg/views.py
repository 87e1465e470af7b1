# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to read a tensor that need no copy: slices (`tensor.extract_slice`) and paddings (`tensor.pad`, see `pads`).

    %s = tensor.extract_slice %x[2, 0] [4, 6] [1, 2] : tensor<8x12xf32> to tensor<4x6xf32>
    ... linalg.generic reads %s at (d0, d1)
    // is
    ... reads %x at (d0 + 2, 2 * d1)

A slice of a slice and a slice of a padding are read through both; a padding of a slice is not, because elements around
a slice are not what the padding says: `rtile-normalize` copies the slice. Refused: offsets, sizes or strides that are
known at run time only. Paper: ROLLER section 3.1 (data tiles follow from the index functions).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.body import gathered_arguments
from roller_mlir.lowering.linalg.pads import PAD, Padding, pad_tensor, padding_of
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, defining_op

SLICE = "tensor.extract_slice"
INSERT = "tensor.insert_slice"
VIEWS = (PAD, SLICE)
_PARTS = ("offsets", "sizes", "strides")


@dataclass(frozen=True)
class Slice:
    """Which elements a `tensor.extract_slice` takes, or a `tensor.insert_slice` writes, of the larger tensor.

    Attributes:
        offsets: The first element, one number a dimension.
        sizes: How many.
        strides: Elements from one to the next.
    """

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


def read_slice(operation: ir.Operation) -> Slice:
    """Read the offsets, sizes and strides of a slice; what is no constant is a located error."""
    found: list[tuple[int, ...]] = []
    for name in _PARTS:
        values = tuple(ir.DenseI64ArrayAttr(operation.attributes[f"static_{name}"]))
        if DYNAMIC in values:
            fail(operation, f"'{operation.name}' has {name} that are known at run time only; give them as numbers")
        found.append(values)
    return Slice(*found)


@dataclass(frozen=True)
class View:
    """How a value is read from another tensor: at start + stride * position in each dimension.

    Attributes:
        source: That tensor, of the same rank.
        start: Element that the view's first element is; negative where it is padded.
        strides: Elements from one element of the view to the next.
        shape: Extents of the view.
        padding: The padding whose value is read outside of the source, None where nothing lies outside.
    """

    source: Any
    start: tuple[int, ...]
    strides: tuple[int, ...]
    shape: tuple[int, ...]
    padding: Padding | None = None

    @property
    def value(self) -> float | None:
        """What is read outside of the source, None where nothing is."""
        return None if self.padding is None else self.padding.value

    @property
    def without_source(self) -> Hashable:
        """Which elements it takes, and what is read outside of them."""
        padding = None if self.padding is None else (self.padding.low, self.padding.high, self.padding.scalar)
        return self.start, self.strides, self.shape, padding

    def is_whole(self, dimension: int) -> bool:
        """Return whether the view has just the elements of its source along a dimension."""
        extent = ir.RankedTensorType(self.source.type).shape[dimension]
        return not self.start[dimension] and self.strides[dimension] == 1 and self.shape[dimension] == extent

    def moved(self, indices: tuple[LinearIndex, ...]) -> tuple[LinearIndex, ...]:
        """Return indices into the view as indices into its source."""
        return tuple(
            LinearIndex(tuple(k * stride for k in index.coefficients), index.constant * stride + start)
            for index, start, stride in zip(indices, self.start, self.strides, strict=True)
        )

    @property
    def is_collapsible(self) -> bool:
        """Return whether the view takes neighbours and either pads or cuts, so that `collapsed` can build it."""
        extents = ir.RankedTensorType(self.source.type).shape
        pads = all(at <= 0 and at + size >= n for at, size, n in zip(self.start, self.shape, extents, strict=True))
        return all(stride == 1 for stride in self.strides) and (self.padding is None or pads)

    def collapsed(self, groups: list[list[int]]) -> ir.Value:
        """Build the view, at the insertion point, with groups of dimensions as one: a view of the collapsed source.

        In each group the dimensions behind one that is padded or cut are whole, those before it have extent 1.
        """
        kind = ir.RankedTensorType(self.source.type)
        extents: list[int] = []
        start: list[int] = []
        shape: list[int] = []
        for group in groups:
            inner = [prod(kind.shape[later] for later in group[n + 1 :]) for n in range(len(group))]
            extents.append(prod(kind.shape[d] for d in group))
            start.append(sum(self.start[d] * size for d, size in zip(group, inner, strict=True)))
            shape.append(prod(self.shape[d] for d in group))
        source = tensor.collapse_shape(ir.RankedTensorType.get(extents, kind.element_type), self.source, groups)
        if self.padding is None:
            return extract_slice(source, Slice(tuple(start), tuple(shape), (1,) * len(groups)))
        high = [size + at - extent for size, at, extent in zip(shape, start, extents, strict=True)]
        return pad_tensor(source, [-at for at in start], high, self.padding.scalar)


def view_of(value: ir.Value) -> View | None:
    """Return how a value is read from another tensor, None where no padding or slice gives it."""
    operation = defining_op(value)
    if operation is None or operation.name not in VIEWS:
        return None
    shape = tuple(ir.RankedTensorType(value.type).shape)
    if operation.name == PAD:
        padding = padding_of(value)
        assert padding is not None
        view = View(padding.source, tuple(-low for low in padding.low), (1,) * len(shape), shape, padding)
    else:
        cut = read_slice(operation)
        if len(cut.sizes) != len(shape):
            fail(operation, f"'{SLICE}' drops dimensions; run rtile-normalize first")
        inner = view_of(operation.operands[0])
        view = View(operation.operands[0], cut.offsets, cut.strides, shape)
        if inner is not None:
            start = tuple(a + s * o for a, s, o in zip(inner.start, inner.strides, cut.offsets, strict=True))
            strides = tuple(a * b for a, b in zip(inner.strides, cut.strides, strict=True))
            view = View(inner.source, start, strides, shape, inner.padding)
    return view


def reads_through(use: Any) -> bool:
    """Return whether a use of a padding or a slice needs no copy of it: a loop nest's input, or a slice of it.

    A tensor that is read at computed positions is a tensor as it lies in memory.
    """
    user = use.owner.operation
    if user.name == SLICE:
        return True
    is_input = user.name.startswith("linalg.") and use.operand_number < len(user.operands) - len(user.results)
    return is_input and use.operand_number not in gathered_arguments(user)


def padded_behind(value: Any, high: list[int], scalar: ir.Attribute) -> ir.Value:
    """Build a tensor with room behind each dimension, at the insertion point, that can be read through.

    Args:
        value: A tensor; of a slice, what it is taken of is padded.
        high: Elements to add, one number a dimension.
        scalar: What they read as, where no elements of the tensor that a slice is taken of are there.
    """
    operation = defining_op(value, SLICE)
    if operation is not None:
        cut, whole = read_slice(operation), ir.RankedTensorType(operation.operands[0].type)
        sizes = tuple(size + more for size, more in zip(cut.sizes, high, strict=True))
        ends = [o + (n - 1) * s + 1 for o, n, s in zip(cut.offsets, sizes, cut.strides, strict=True)]
        missing = [max(0, end - extent) for end, extent in zip(ends, whole.shape, strict=True)]
        source = padded_behind(operation.operands[0], missing, scalar) if any(missing) else operation.operands[0]
        return extract_slice(source, Slice(cut.offsets, sizes, cut.strides))
    return pad_tensor(value, [0] * ir.RankedTensorType(value.type).rank, high, scalar)


def extract_slice(source: ir.Value, cut: Slice) -> ir.Value:
    """Build a `tensor.extract_slice` of all dimensions at the insertion point."""
    kind = ir.RankedTensorType.get(list(cut.sizes), ir.RankedTensorType(source.type).element_type)
    return build_slice(SLICE, kind, [source], cut)


def build_slice(
    name: str, kind: ir.Type, tensors: Sequence[ir.Value], cut: Slice, offsets: Sequence[ir.Value] = ()
) -> ir.Value:
    """Build a slice, or the insertion of one, at the insertion point.

    Args:
        name: `SLICE` or `INSERT`.
        kind: Type of the result.
        tensors: The tensor; of an insertion, what is inserted before it.
        cut: Which elements.
        offsets: Index values in the place of the offsets that are dynamic.
    """
    attributes: dict[str, ir.Attribute] = {
        f"static_{part}": ir.DenseI64ArrayAttr.get(list(getattr(cut, part))) for part in _PARTS
    }
    segments = [*(1 for _ in tensors), len(offsets), 0, 0]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(segments)
    return ir.Operation.create(name, results=[kind], operands=[*tensors, *offsets], attributes=attributes).results[0]
