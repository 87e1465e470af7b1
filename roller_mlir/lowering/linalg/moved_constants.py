# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants behind ops that only move elements: slices, reshapes, transposes, broadcasts.

    %t = linalg.transpose ins(%w) outs(...) permutation = [1, 0]        // %w is a constant, two ops read %t
    // is
    %t = arith.constant dense_resource<moved_0>

Where several ops read what is moved, none of them can read the constant in its place (`compose`), and it would be moved
at each run.
"""

from collections.abc import Sequence
from itertools import count
from math import prod
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.constants import Constants, constant_behind
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.views import SLICE, read_slice
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.constants.elements import ElementsError, is_readable, read_elements
from roller_mlir.support.values import defining_op, indexing_maps, replace_op

COLLAPSE, EXPAND = "tensor.collapse_shape", "tensor.expand_shape"


class MovedConstants:
    """What is a constant of a block, or moved of one.

    Args:
        block: Of a function; where constants are made.
    """

    def __init__(self, block: ir.Block) -> None:
        self._block, self._constants = block, Constants()
        self._known: dict[tuple[tuple[Any, ...], int], Any] = {}
        self._names = (f"moved_{number}" for number in count())

    def knows(self, value: Any) -> bool:
        """Return whether a tensor is a constant whose elements are at hand, or what is moved of one, none twice."""
        while constant_behind(value) is None:
            operation = defining_op(value)
            if operation is None:
                return False
            if operation.name not in (SLICE, COLLAPSE, EXPAND) and not only_moves(operation):
                return False
            if _size(value) > _size(operation.operands[0]):
                return False
            value = operation.operands[0]
        element = str(ir.RankedTensorType(value.type).element_type)
        return element != "i1" and is_readable(element) and self._constants.knows(value)

    def together(self, values: Sequence[Any], axis: int = 0) -> Any:
        """Return the constant that several are along a dimension, in the order given; each is made once."""
        key = (*values,), axis
        if key not in self._known:
            arrays = [self.elements(value) for value in values]
            array = np.concatenate(arrays, axis) if len(arrays) > 1 else arrays[0]
            with values[0].owner.location:
                self._known[key] = self.made(array, ir.RankedTensorType(values[0].type).element_type)
        return self._known[key]

    def made(self, array: Any, element: ir.Type) -> Any:
        """Return a new constant of some elements, at the begin of the block.

        Args:
            array: They, as `read_elements` gives them.
            element: Their type.
        """
        kind = ir.RankedTensorType.get(list(array.shape), element)
        data: Any = np.ascontiguousarray(array)
        attribute = ir.DenseResourceElementsAttr.get_from_buffer(data, next(self._names), kind, context=element.context)
        with ir.InsertionPoint.at_block_begin(self._block):
            return arith.constant(kind, attribute)

    def elements(self, value: Any) -> "np.ndarray[Any, Any]":
        """Return the elements of a tensor that it `knows`, in its shape."""
        return _elements(value)


def fold_moved_constants(block: ir.Block) -> int:
    """Make constants of what ops move of constants, where several read it and it is not more; return how many.

    Args:
        block: Of a function; ops on static tensors.
    """
    constants, folded = MovedConstants(block), 0
    for op in list(block.operations):
        operation = op.operation
        if not only_moves(operation):
            continue
        readers = {use.owner.operation for use in operation.results[0].uses}
        if len(readers) > 1 and all(map(is_structured, readers)) and constants.knows(operation.results[0]):
            replace_op(operation, constants.together([operation.results[0]]))
            folded += 1
    return folded


def _size(value: Any) -> int:
    return prod(ir.RankedTensorType(value.type).shape)


def only_moves(operation: ir.Operation) -> bool:
    """Return whether an op of one operand, and what its result starts from, only moves that operand's elements."""
    if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) != 2:
        return False
    block = operation.regions[0].blocks[0]
    *body, end = [op.operation for op in block.operations]
    if body or end.operands[0] != block.arguments[0] or not isinstance(operation.operands[0].type, ir.RankedTensorType):
        return False
    read, written = indexing_maps(operation)
    loops = loops_read(read)
    parallel = set(iterators_of(operation, [read, written])) == {"parallel"}
    return parallel and written.is_permutation and bool(loops) and len(set(loops)) == len(loops)


def keeps_order(operation: ir.Operation) -> bool:
    """Return whether what an op moves lies as it did, but for dimensions of one element: that needs no program."""
    if not only_moves(operation):
        return False
    read, made = map(loops_read, indexing_maps(operation))
    shape = ir.RankedTensorType(operation.results[0].type).shape
    left = [loop for loop, extent in zip(made, shape, strict=True) if extent != 1]
    return [loop for loop in read if loop in left] == left


def loops_read(map_: ir.AffineMap) -> list[int]:
    """Return the loop of each dimension; empty where one is none."""
    results = list(map_.results)
    if not all(isinstance(one, ir.AffineDimExpr) for one in results):
        return []
    return [ir.AffineDimExpr(one).position for one in results]


def _elements(value: Any) -> "np.ndarray[Any, Any]":
    """Return the elements of a constant, or of what is moved of one."""
    shape = tuple(ir.RankedTensorType(value.type).shape)
    if (found := constant_behind(value)) is not None:
        try:
            return read_elements(found.attributes["value"]).reshape(shape)
        except ElementsError as error:
            raise AssertionError(f"the constant is known, but {error}") from None
    operation = defining_op(value)
    array = _elements(operation.operands[0])
    if operation.name == SLICE:
        cut = read_slice(operation)
        ranges = zip(cut.offsets, cut.sizes, cut.strides, strict=True)
        return array[tuple(slice(at, at + (size - 1) * step + 1, step) for at, size, step in ranges)]
    if operation.name in (COLLAPSE, EXPAND):
        return array.reshape(shape)
    read, made = map(loops_read, indexing_maps(operation))
    return np.broadcast_to(along_loops(array, read, len(made)).transpose(made), shape)


def along_loops(array: "np.ndarray[Any, Any]", loops: Sequence[int], count: int) -> "np.ndarray[Any, Any]":
    """Return an array with a dimension for each loop of a nest, of one element where it has none.

    Args:
        array: A dimension of it for each loop by which it is read.
        loops: These.
        count: How many loops there are.
    """
    ordered = array.transpose(sorted(range(len(loops)), key=loops.__getitem__))
    extents = iter(ordered.shape)
    return ordered.reshape([next(extents) if loop in loops else 1 for loop in range(count)])
