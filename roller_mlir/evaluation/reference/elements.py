# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single elements of tensors: read, replaced, and generated from their positions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.body import BodyEvaluator
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def element(op: ir.Operation, source: Array, *position: Array) -> Array:
    """Return what tensor.extract reads; a position outside of the tensor is a located error."""
    return np.asarray(source[_checked(op, source, position)])


def with_element(op: ir.Operation, scalar: Array, target: Array, *position: Array) -> Array:
    """Return a tensor in which tensor.insert has replaced an element; positions are as those of `element`."""
    result = target.copy()
    result[_checked(op, target, position)] = scalar
    return result


def generated(op: ir.Operation, shape: tuple[int, ...], outer: Mapping[Any, Bounded]) -> Bounded:
    """Return what the body of a tensor.generate or tensor.pad yields at the positions along each dimension.

    Args:
        op: The op.
        shape: Of its result.
        outer: Values of the function that the body uses.
    """
    block = op.regions[0].blocks[0]
    positions = np.meshgrid(*(np.arange(extent) for extent in shape), indexing="ij", sparse=True)
    evaluator = BodyEvaluator(
        op, block, [Bounded(each) for each in positions], tuple(range(extent) for extent in shape), outer
    )
    yielded = evaluator.value(list(block.operations)[-1].operation.operands[0])
    return yielded.map(lambda array: np.broadcast_to(array, shape).copy())


def _checked(op: ir.Operation, source: Array, position: tuple[Array, ...]) -> tuple[int, ...]:
    found = tuple(int(at) for at in position)
    if any(not 0 <= at < extent for at, extent in zip(found, source.shape, strict=True)):
        fail(op, f"numpy reference: '{op.name}' is at {list(found)}, outside of a tensor of shape {list(source.shape)}")
    return found
