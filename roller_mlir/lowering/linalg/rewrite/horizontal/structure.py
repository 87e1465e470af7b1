# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops are together but for their tensors: those of the next cell, or layer, are weighed like those of one."""

from collections.abc import Hashable, Sequence
from typing import Any

from roller_mlir.lowering.linalg.constants import Constants
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.moved_constants import COLLAPSE, EXPAND
from roller_mlir.lowering.linalg.pads import PAD, read_pad
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.rewrite.horizontal.along import KnownBodies
from roller_mlir.lowering.linalg.rewrite.horizontal.concatenation import reassociation
from roller_mlir.lowering.linalg.views import SLICE, read_slice
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, indexing_maps

PERIOD = 64
"""Elements: where a slice begins in a row counts modulo this, and in other dimensions not."""


def structure_of(operations: Sequence[ir.Operation], bodies: KnownBodies, constants: Constants) -> Hashable:
    """Return what ops of one result are; equal where they differ in their tensors alone.

    Args:
        operations: The ops, those first that others read.
        bodies: Their bodies.
        constants: What is known of tensors.
    """
    own = {operation.results[0] for operation in operations}
    numbers: dict[Any, int] = {}
    found = list[Hashable]()
    for operation in operations:
        body, maps = bodies.of(operation), indexing_maps(operation)
        said = object() if body is None else body[0]
        read = tuple([_operand(value, numbers, constants) for value in operation.operands])
        numbers.setdefault(operation.results[0], len(numbers))
        kinds = iterators_of(operation, maps)
        found.append((operation.name, tuple(maps), kinds, said, read, _leaves(operation.results[0], own)))
    return tuple(found)


def _operand(value: Any, numbers: dict[Any, int], constants: Constants) -> Hashable:
    """Return how a tensor is read, which one it is, and whether it is a constant."""
    through = list[Hashable]()
    kind = value.type
    while (operation := defining_op(value)) is not None and operation.name in (SLICE, COLLAPSE, EXPAND, PAD):
        through.append(_view(operation))
        value = operation.operands[0]
    if (scalar := fill_constant(value)) is not None:
        return kind, tuple(through), scalar
    is_constant = isinstance(value.type, ir.RankedTensorType) and constants.knows(value)
    return kind, tuple(through), value.type, numbers.setdefault(value, len(numbers)), is_constant


def _view(operation: ir.Operation) -> Hashable:
    if operation.name == SLICE:
        cut = read_slice(operation)
        return SLICE, tuple([at % PERIOD for at in cut.offsets[-1:]]), cut.sizes, cut.strides
    if operation.name == PAD:
        padding = read_pad(operation)
        return PAD, padding.low, padding.high, padding.scalar
    return operation.name, str(reassociation(operation)), operation.operands[0].type


def _leaves(value: Any, own: set[Any]) -> bool:
    """Return whether others read a tensor, or a part or reshape of it."""
    for use in value.uses:
        user = use.owner.operation
        if user.name in (SLICE, COLLAPSE, EXPAND, PAD):
            if _leaves(user.results[0], own):
                return True
        elif len(user.results) != 1 or user.results[0] not in own:
            return True
    return False
