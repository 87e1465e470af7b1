# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the elements of a tensor move on their way to who reads it, and the same moves of another element type."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, with_element
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND, along_loops, loops_read, only_moves
from roller_mlir.lowering.linalg.pads import PAD, pad_tensor, static_sizes
from roller_mlir.support.bindings import ir, linalg
from roller_mlir.support.values import indexing_maps

_RESHAPES = (COLLAPSE, EXPAND)


@dataclass(frozen=True)
class Move:
    """A way of an operand's elements to another place.

    Attributes:
        operation: A reshape, a padding, or an element-wise op whose result has an operand's elements, each once.
        operand: Number of the operand.
    """

    operation: ir.Operation
    operand: int = 0

    @property
    def pads(self) -> bool:
        """Whether others stand around the elements."""
        return self.operation.name == PAD

    @property
    def groups(self) -> list[list[int]] | None:
        """Of a reshape, the dimensions of the larger rank that each of the smaller one stands for; None of others."""
        if self.operation.name not in _RESHAPES:
            return None
        return [[ir.IntegerAttr(n).value for n in group] for group in self.operation.attributes["reassociation"]]

    def of(self, value: ir.Value, padding: Any = None) -> ir.Value:
        """Build the move of another tensor at the insertion point.

        Args:
            value: Of the operand's shape.
            padding: The attribute of the constant that padding reads as.
        """
        if self.pads:
            sizes = static_sizes(self.operation)
            assert sizes is not None, "the padding was looked at"
            return pad_tensor(value, *sizes, padding)
        element = ir.RankedTensorType(value.type).element_type
        kind = with_element(ir.RankedTensorType(self.operation.results[0].type), element)
        attributes = {name: self.operation.attributes[name] for name in self.operation.attributes}
        if self.groups is not None:
            operands = [value, *list(self.operation.operands)[1:]]
            new = ir.Operation.create(self.operation.name, results=[kind], operands=operands, attributes=attributes)
            return new.results[0]
        maps, operands = indexing_maps(self.operation), [value, empty_like(kind)]
        if len(self.operation.operands) == 2:  # which may have a name
            copy = ir.Operation.create(
                self.operation.name, results=[kind], operands=operands, attributes=attributes, regions=1
            )
        else:
            ends = [maps[self.operand], maps[-1]]
            copy = bodiless_generic(operands[:1], operands[1:], ends, ["parallel"] * maps[0].n_dims)
        block = copy.regions[0].blocks.append(element, element, arg_locs=[copy.location] * 2)
        with ir.InsertionPoint(block):
            linalg.YieldOp([block.arguments[0]])
        return copy.results[0]

    def of_array(self, array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Return an array as a move that does not pad puts it.

        Args:
            array: Of the operand's rank; dimensions of one element are the same for all.
        """
        groups = self.groups
        if groups is None:
            maps = indexing_maps(self.operation)
            return along_loops(array, loops_read(maps[self.operand]), maps[0].n_dims).transpose(loops_read(maps[-1]))
        before, after = (
            tuple(ir.RankedTensorType(value.type).shape)
            for value in (self.operation.operands[0], self.operation.results[0])
        )
        collapses, whole, shape = self.operation.name == COLLAPSE, list[int](), list[int]()
        for place, group in enumerate(groups):
            there, here = (group, [place]) if collapses else ([place], group)
            varies = any(array.shape[n] > 1 for n in there)
            whole += [before[n] if varies else 1 for n in there]
            shape += [after[n] if varies else 1 for n in here]
        return np.broadcast_to(array, whole).reshape(shape if groups else [1] * len(after))


def move_by(operation: ir.Operation) -> Move | None:
    """Return what an op does with its operand, None where it does more than to put elements in another order."""
    if operation.name in _RESHAPES:
        return Move(operation)
    if not only_moves(operation):
        return None
    before, after = (ir.RankedTensorType(v.type).shape for v in (operation.operands[0], operation.results[0]))
    return Move(operation) if prod(before) == prod(after) else None


def moved(value: ir.Value, moves: Sequence[Move], padding: Any = None) -> ir.Value:
    """Build moves of a tensor at the insertion point, the first one first; see `Move.of`."""
    for move in moves:
        value = move.of(value, padding)
    return value
