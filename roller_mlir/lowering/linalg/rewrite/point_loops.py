# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that one thread computes as a whole get a loop of one point, over which a block of many threads can be spread.

    %r = linalg.generic ins(%a, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>)
    // becomes
    %l = linalg.generic ins(%a, %b : tensor<f32>, tensor<f32>) outs(%n : tensor<1xf32>), loops [parallel]
    %r = tensor.collapse_shape %l [] : tensor<1xf32> into tensor<f32>

These are ops without loops, and those whose only loops are reductions that run in order. All others have loops that
threads share. A fill stays as it is where it is only what accumulators start from.
"""

from typing import Any

from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured
from roller_mlir.lowering.linalg.rewrite.axis_fusion import joins_in_any_order
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, indexing_maps, replace_op


def add_point_loops(function: Any) -> None:
    """Give the linalg ops of a function that no threads could share a loop of one point, in place."""
    for op in list(function.entry_block.operations):
        operation = op.operation
        if is_structured(operation) and operation.results and _is_for_one_thread(operation):
            _rewrite(operation)


def _is_for_one_thread(operation: ir.Operation) -> bool:
    maps = indexing_maps(operation)
    if "parallel" in iterators_of(operation, maps) or (maps[0].n_dims and joins_in_any_order(operation)):
        return False
    uses = [use for result in operation.results for use in result.uses]
    return fill_constant(operation.results[0]) is None or not all(map(_is_start, uses))


def _is_start(use: Any) -> bool:
    """Return whether an op starts its accumulators from what it uses so."""
    owner = use.owner.operation
    return is_structured(owner) and use.operand_number >= len(owner.operands) - len(owner.results)


def _rewrite(operation: ir.Operation) -> None:
    maps, values = indexing_maps(operation), list(operation.operands)
    loops, inputs = maps[0].n_dims, len(values) - len(operation.results)
    kinds = (*iterators_of(operation, maps), "parallel")
    point = [ir.AffineDimExpr.get(loops)]
    read = [ir.AffineMap.get(loops + 1, 0, list(each.results)) for each in maps[:inputs]]
    written = [ir.AffineMap.get(loops + 1, 0, point)] * len(operation.results)
    with ir.InsertionPoint(operation), operation.location:
        starts = [_start(value) for value in values[inputs:]]
        generic = bodiless_generic(values[:inputs], starts, [*read, *written], kinds)
        operation.regions[0].blocks[0].append_to(generic.regions[0])
        scalars = [result.type for result in operation.results]
        results = [tensor.collapse_shape(*pair, []) for pair in zip(scalars, generic.results, strict=True)]
    replace_op(operation, *results)


def _start(value: Any) -> Any:
    """Return what a result of one point starts from."""
    kind = ir.RankedTensorType.get([1], ir.RankedTensorType(value.type).element_type)
    if defining_op(value, "tensor.empty") is not None:
        return empty_like(kind)
    scalar = fill_constant(value)
    return tensor.expand_shape(kind, value, [], [], [1]) if scalar is None else filled(kind, scalar)
