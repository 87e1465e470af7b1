# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that must be of their own: function results, views that cannot be read through, operands that nobody reads.

Upstream's canonicalization drops such copies, and folds what was read: they are made, or made anew, after it.
"""

from math import prod
from typing import Any

from roller_mlir.lowering.linalg.accepted_input import RESHAPES
from roller_mlir.lowering.linalg.generic import empty_like, filled
from roller_mlir.lowering.linalg.views import VIEWS, reads_through
from roller_mlir.support.bindings import ir, linalg, tensor
from roller_mlir.support.values import defining_op, number_attribute


def separate_views(function: Any) -> bool:
    """Copy what a padding or a slice gives, where it cannot be read through; return whether there was any.

    The copy is an element-wise program that reads the tensor inside, as every other reader does.
    """
    found = False
    outer = [op.operation for op in function.entry_block.operations]
    inner = [
        op.operation for each in outer if each.name == "rtile.program" for op in each.regions[0].blocks[0].operations
    ]
    for op in outer + inner:
        if op.operation.name not in VIEWS:
            continue
        uses = list(op.operation.results[0].uses)
        others = [use for use in uses if not reads_through(use) and use.owner.operation.name != "rtile.yield"]
        if not others:
            continue
        found = True
        with ir.InsertionPoint.after(op.operation), op.operation.location:
            copied = linalg.copy(op.operation.results[0], outs=[empty_like(op.operation.results[0].type)])
        for use in others:
            use.owner.operation.operands[use.operand_number] = copied
    return found


def _root(value: Any) -> Any:
    """Return the value that a chain of reshapes begins with."""
    while (reshape := defining_op(value)) is not None and reshape.name in RESHAPES:
        value = reshape.operands[0]
    return value


def separate_results(function: Any, *, flat: bool) -> None:
    """Copy what a function, or a program in it, returns where no op of its own has produced it."""
    *operations, terminator = [op.operation for op in function.entry_block.operations]
    for operation in operations:
        if operation.name == "rtile.program":
            block = operation.regions[0].blocks[0]
            _separate(list(block.operations)[-1].operation, flat=False)
    _separate(terminator, flat=flat)


def _separate(terminator: Any, *, flat: bool) -> None:
    seen: set[Any] = set()
    copies: dict[Any, Any] = {}
    for number, value in enumerate(terminator.operands):
        root = _root(value)
        source = defining_op(root)
        made = source is not None and (source.name.startswith("linalg.") or source.name == "rtile.program")
        if made and root not in seen:
            seen.add(root)
            continue
        with ir.InsertionPoint(terminator), terminator.location:
            # What is returned several times is copied from copy to copy: one program can make both.
            copies[value] = _new_result(copies.get(value, value), root, flat=flat)
            terminator.operands[number] = copies[value]


def _new_result(value: Any, root: Any, *, flat: bool) -> Any:
    kind = ir.RankedTensorType(value.type)
    scalar = splat_of(root)
    if defining_op(root, "tensor.empty") is not None:
        scalar = number_attribute(kind.element_type, 0)
    if scalar is not None:
        return filled(kind, scalar)
    if not flat or kind.rank < 2:
        return linalg.copy(value, outs=[empty_like(kind)])
    axes = [list(range(kind.rank))]
    line = ir.RankedTensorType.get([prod(kind.shape)], kind.element_type)
    copied = linalg.copy(tensor.collapse_shape(line, value, axes), outs=[empty_like(line)])
    return tensor.expand_shape(kind, copied, axes, [], list(kind.shape))


def splat_of(value: Any) -> Any:
    """Return the scalar attribute of a splat constant, None of any other value."""
    if defining_op(value, "arith.constant") is None:
        return None
    elements = value.owner.attributes["value"]
    is_splat = isinstance(elements, ir.DenseElementsAttr) and elements.is_splat
    return elements.get_splat_value() if is_splat else None


def renew_operands(function: Any) -> None:
    """Let operands that are not read be empty tensors that nobody has to make, and constant outputs start as fills."""
    for op in list(function.entry_block.operations):
        operation = op.operation
        if not operation.name.startswith("linalg.") or not operation.regions:
            continue
        arguments = list(operation.regions[0].blocks[0].arguments)
        first = len(operation.operands) - len(operation.results)
        for number, value in enumerate(operation.operands):
            if not isinstance(value.type, ir.RankedTensorType) or not value.type.has_static_shape:
                continue  # what is dynamic is refused where it is checked
            is_read = number < len(arguments) and any(True for _ in arguments[number].uses)
            scalar = splat_of(value) if number >= first else None
            with ir.InsertionPoint(operation), operation.location:
                if not is_read and defining_op(value, "tensor.empty") is None:
                    operation.operands[number] = empty_like(value.type)
                elif is_read and scalar is not None:
                    operation.operands[number] = filled(value.type, scalar)
