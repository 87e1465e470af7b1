# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensor.pad` as a way to read a tensor: what lies around it and what it reads as.

A padded tensor is never made where a loop nest reads it: the read moves by the padding, and elements outside of the
tensor read as the padding's value, on which the body computes as on any other element.

    %p = tensor.pad %x low[0, 1] high[0, 1] { tensor.yield %c } : tensor<4x6xf32> to tensor<4x8xf32>
    ... linalg.generic reads %p at (d0, d1 + d2)
    // is
    ... reads %x at (d0, d1 + d2 - 1), and %c outside of 4 x 6

Refused: paddings that are negative or known at run time only. Values that are no constant numbers are chosen by an op
of their own (`front_end.computed_pads`). Paper: ROLLER section 3.1
(data tiles follow from the index functions).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from roller_mlir.plan.records.exact import exact_number
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, defining_op

PAD = "tensor.pad"


@dataclass(frozen=True)
class Padding:
    """What lies around a tensor.

    Attributes:
        source: The tensor inside.
        low: Elements before it, one number a dimension.
        high: Elements behind it.
        scalar: The attribute of the constant that they read as.
    """

    source: Any
    low: tuple[int, ...]
    high: tuple[int, ...]
    scalar: Any

    @property
    def value(self) -> float:
        """The constant as a number."""
        return exact_number(self.scalar.value)


def padding_of(value: ir.Value) -> Padding | None:
    """Return the padding through which a value is read, None where no `tensor.pad` gives it.

    Paddings of one constant that follow each other are one. What cannot be read so is a located error.
    """
    operation = defining_op(value, PAD)
    if operation is None:
        return None
    outer = read_pad(operation)
    inner = padding_of(outer.source)
    if inner is None or inner.scalar != outer.scalar:
        return outer
    low = tuple(a + b for a, b in zip(outer.low, inner.low, strict=True))
    high = tuple(a + b for a, b in zip(outer.high, inner.high, strict=True))
    return Padding(inner.source, low, high, inner.scalar)


def read_pad(operation: ir.Operation) -> Padding:
    """Read one `tensor.pad`; what is not constant or negative is a located error."""
    low, high = (tuple(size for size in sizes if size is not None) for sizes in _sizes(operation))
    source, result = (ir.RankedTensorType(value.type) for value in (operation.operands[0], operation.results[0]))
    if len(low) + len(high) < 2 * source.rank:
        fail(operation, f"'{PAD}' has a padding that is known at run time only; give low and high as numbers")
    check_sizes(operation)
    if [a + n + b for a, n, b in zip(low, source.shape, high, strict=True)] != list(result.shape):
        fail(operation, f"'{PAD}' by low {list(low)} and high {list(high)} cannot give {result} of {source}")
    yielded = list(operation.regions[0].blocks[0].operations)[-1].operation.operands[0]
    constant = defining_op(yielded, "arith.constant")
    if constant is None:
        fail(operation, f"'{PAD}' pads with a value that is no constant; pad with an arith.constant")
    scalar = constant.attributes["value"]
    if isinstance(scalar, ir.FloatAttr) and isnan(scalar.value):
        fail(operation, f"'{PAD}' pads with a value that is no number; pad with a number or an infinity")
    return Padding(operation.operands[0], low, high, scalar)


def check_sizes(operation: ir.Operation) -> None:
    """Fail where a `tensor.pad` cuts something off, which upstream takes for no padding if the shape is kept."""
    low, high = _sizes(operation)
    if any(size is not None and size < 0 for size in (*low, *high)):
        shown = " and ".join(
            f"{side} [{', '.join('?' if size is None else str(size) for size in sizes)}]"
            for side, sizes in (("low", low), ("high", high))
        )
        fail(operation, f"'{PAD}' has {shown}; paddings must be at least 0, and what is cut off is extracted elsewhere")


def _sizes(operation: ir.Operation) -> tuple[list[int | None], list[int | None]]:
    """Return the paddings before and behind each dimension, None where one is known at run time only."""
    values = iter(list(operation.operands)[1:])
    found: list[list[int | None]] = []
    for name in ("static_low", "static_high"):
        sizes: list[int | None] = []
        for size in ir.DenseI64ArrayAttr(operation.attributes[name]):
            constant = defining_op(next(values), "arith.constant") if size == DYNAMIC else None
            number = size if constant is None else ir.IntegerAttr(constant.attributes["value"]).value
            sizes.append(None if number == DYNAMIC else number)
        found.append(sizes)
    return found[0], found[1]


def static_sizes(operation: ir.Operation) -> tuple[list[int], list[int]] | None:
    """Return the paddings before and behind each dimension, None where `read_pad` refuses them."""
    low, high = ([size for size in sizes if size is not None and size >= 0] for sizes in _sizes(operation))
    source, result = (list(ir.RankedTensorType(v.type).shape) for v in (operation.operands[0], operation.results[0]))
    fits = (
        len(low) == len(high) == len(source)
        and [a + n + b for a, n, b in zip(low, source, high, strict=True)] == result
    )
    return (low, high) if fits else None


def pad_tensor(source: ir.Value, low: Sequence[int], high: Sequence[int], scalar: Any) -> ir.Value:
    """Build a `tensor.pad` at the insertion point.

    Args:
        source: The tensor inside.
        low: Elements before it, one number a dimension.
        high: Elements behind it.
        scalar: The attribute of the constant that they read as.
    """
    kind = ir.RankedTensorType(source.type)
    shape = [a + extent + b for a, extent, b in zip(low, kind.shape, high, strict=True)]
    constant = ir.Operation.create("arith.constant", results=[kind.element_type], attributes={"value": scalar})
    pad = ir.Operation.create(
        PAD,
        results=[ir.RankedTensorType.get(shape, kind.element_type)],
        operands=[source],
        attributes={
            "static_low": ir.DenseI64ArrayAttr.get(low),
            "static_high": ir.DenseI64ArrayAttr.get(high),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0]),
        },
        regions=1,
    )
    index = ir.IndexType.get()
    block = pad.regions[0].blocks.append(*[index] * len(shape), arg_locs=[pad.location] * len(shape))
    ir.Operation.create("tensor.yield", operands=[constant.results[0]], ip=ir.InsertionPoint(block))
    return pad.results[0]
