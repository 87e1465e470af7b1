# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions whose channels lie last: tensors are copied so where the product saves more than the copies take.

    %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%z) -> tensor<8x64x14x14xf16>
    // is
    %a = linalg.generic reads %x at (n, c, h, w) and writes at (n, h, w, c)
    %b = linalg.generic reads %w at (f, c, kh, kw) and writes at (f, kh, kw, c)
    %c = linalg.generic { the body } ins(%a, %b) outs(zero) -> tensor<8x14x14x64xf16>
    %y = linalg.generic reads %c at (n, h, w, f) and writes at (n, f, h, w)

Matrix instructions read neighbours of the reduction from both factors, and wide stores write neighbours of a row. Where
channels lie outside of windows, neighbours are pixels, which windows move: each tile is brought element by element. A
padding is one of the copy. Copies that follow each other, or an element-wise op, are composed later (`compose`).

Paper: none; libraries copy so inside (cuDNN, for its channels-first convolutions of f16).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled, generic, iterators_of
from roller_mlir.lowering.linalg.pads import pad_tensor, padding_of
from roller_mlir.lowering.linalg.reader import StructuredOp, StructuredReader, fill_constant, is_structured
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps

WORTH = 0.9
"""Of the time of a convolution as it is: copies that save less are not made."""

ELEMENT_BYTES = 2
"""Of factors at most: matrix instructions of wider ones are slower than their copies, or there are none."""

Order = tuple[int, ...]
"""Of each dimension of a tensor in its new order, which one of the old it is."""


@dataclass(frozen=True)
class CopiedConvolution:
    """A convolution that was copied.

    Attributes:
        operation: What computes it now.
        before_s: What it was predicted to take.
        after_s: What it is predicted to take now, with the copies.
    """

    operation: ir.Operation
    before_s: float
    after_s: float


def put_channels_last(
    block: ir.Block, seconds: Callable[[TensorExpression], float | None]
) -> tuple[CopiedConvolution, ...]:
    """Copy factors and results of convolutions of a block where that saves time.

    Args:
        block: Of a function; ops on static tensors.
        seconds: What an expression is predicted to take; None where it cannot be planned.
    """
    reader, changed = StructuredReader(), list[CopiedConvolution]()
    for operation in [op.operation for op in block.operations if is_structured(op.operation)]:
        read = reader.read(operation)
        orders = _orders_of(read) if _is_product(read) else ()
        if any(list(order) != sorted(order) for order in orders):
            times = _times(read, orders, seconds)
            if times is not None and times[1] < WORTH * times[0]:
                changed.append(CopiedConvolution(_copy(operation, orders), *times))
    return tuple(changed)


def _orders_of(read: StructuredOp) -> tuple[Order, ...]:
    """Return the orders of a convolution's tensors in which channels are last; none for what is no convolution."""
    indices = [[index.terms() for index in map_indices(each)] for each in indexing_maps(read.operation)]
    single = [[next(iter(terms)) if list(terms.values()) == [1] else -1 for terms in each] for each in indices]
    image, kernel, result = ({loop for terms in each for loop in terms} for each in indices)
    loops = read.expression.loops
    steps = [[step for loop, step in terms.items() if loops[loop].extent.bound > 1] for terms in indices[0]]
    if all(each in ([], [1]) for each in steps) or min([*single[1], *single[2]], default=-1) < 0:
        return ()
    channels = [loop for loop in image & kernel if loops[loop].reduction and loop in single[0]]
    filters = [loop for loop in kernel & result if loop not in image]
    if len(channels) != 1 or len(filters) != 1:
        return ()
    last = channels[0], channels[0], filters[0]
    return tuple(_moved_last(each, loop) for each, loop in zip(single, last, strict=True))


def _moved_last(loops: Sequence[int], loop: int) -> Order:
    """Return the order in which the dimension that a loop indexes is last."""
    own = list(loops).index(loop)
    return (*(d for d in range(len(loops)) if d != own), own)


def _is_product(read: StructuredOp) -> bool:
    expression = read.expression
    factors = expression.inputs
    return (
        expression.fused_multiply_add
        and expression.widens_only
        and len(factors) == 2
        and read.inputs == (0, 1)
        and len(read.operation.operands) == len(factors) + 1
        and len(expression.outputs) == 1
        and all(one.element_bytes <= ELEMENT_BYTES for one in factors)
    )


def _times(
    read: StructuredOp, orders: Sequence[Order], seconds: Callable[[TensorExpression], float | None]
) -> tuple[float, float] | None:
    """Return what a convolution takes as it is, and between copies; None where one of them cannot be planned."""
    expression = read.expression
    accesses = *expression.inputs, expression.output
    last = [moved(access, order) for access, order in zip(accesses, orders, strict=True)]
    copies = [copy_of(access, order) for access, order in zip(accesses, orders, strict=True)]
    if read.accumulated:
        copies.append(copies[-1])
    needed = [copy for copy in copies if copy is not None]
    found = [seconds(one) for one in (expression, replace(expression, inputs=tuple(last[:2]), output=last[2]), *needed)]
    known = [one for one in found if one is not None]
    return (known[0], sum(known[1:])) if len(known) == len(found) else None


def moved(access: Access, order: Order) -> Access:
    """Return an access to the tensor whose dimensions are in another order."""
    shape, indices = [access.shape[d] for d in order], tuple(access.indices[d] for d in order)
    return Access(access.name, shape, access.element_type, indices)


def copy_of(access: Access, order: Order) -> TensorExpression | None:
    """Return the copy that brings a tensor into another order; None where that is the same.

    The copy back reads and writes as much, in the other order.
    """
    if list(order) == sorted(order):
        return None
    loops = range(len(order))
    along = [LinearIndex(tuple(int(loop == one) for loop in loops)) for one in loops]
    source = Access(access.name, access.shape, access.element_type, tuple(along[order.index(d)] for d in loops))
    return TensorExpression(
        loops=tuple(Loop(access.shape[d]) for d in order),
        inputs=(source,),
        output=Access("copy", [access.shape[d] for d in order], access.element_type, tuple(along)),
        combiner=None,
        flops_per_point=0,
        pad_values=(None,),
    )


def _copy(operation: ir.Operation, orders: Sequence[Order]) -> ir.Operation:
    """Replace a convolution by one between copies, and return that."""
    maps = indexing_maps(operation)
    first, second, start = operation.operands
    with ir.InsertionPoint(operation), operation.location:
        inputs = [transposed(one, order) for one, order in zip((first, second), orders[:2], strict=True)]
        scalar = fill_constant(start)
        begun = transposed(start, orders[2]) if scalar is None else filled(reordered(start.type, orders[2]), scalar)
        indices = [
            ir.AffineMap.get(each.n_dims, 0, [each.results[d] for d in order])
            for each, order in zip(maps, orders, strict=True)
        ]
        new = bodiless_generic(inputs, [begun], indices, iterators_of(operation, maps))
        operation.regions[0].blocks[0].append_to(new.regions[0])
        back = tuple(orders[2].index(d) for d in range(len(orders[2])))
        operation.results[0].replace_all_uses_with(transposed(new.results[0], back))
    operation.erase()
    return new


def reordered(kind: Any, order: Order) -> ir.RankedTensorType:
    """Return the type of a tensor in another order."""
    ranked = ir.RankedTensorType(kind)
    return ir.RankedTensorType.get([ranked.shape[d] for d in order], ranked.element_type)


def transposed(value: Any, order: Order) -> Any:
    """Build the copy of a tensor in another order at the insertion point; what lies around it stays around it."""
    if list(order) == sorted(order):
        return value
    if (padding := padding_of(value)) is not None:
        low, high = ([each[d] for d in order] for each in (padding.low, padding.high))
        return pad_tensor(transposed(padding.source, order), low, high, padding.scalar)
    loops = len(order)
    reads = [order.index(d) for d in range(loops)]
    return generic(
        [value], empty_like(reordered(value.type, order)), [reads, None], lambda element, _: element, loops=loops
    )
