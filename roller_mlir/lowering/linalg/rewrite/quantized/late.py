# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of 8 bits are dequantized where they are read, so that they are stored and moved as they are.

    %f = linalg.generic ins(%q : tensor<8x64xi8>) outs(... tensor<8x64xf32>) { (%q - 3) * 0.02 }
    %r = tensor.expand_shape %f ...                     // and another op that reads %f
    // becomes
    %e = tensor.expand_shape %q ...
    %r = linalg.generic ins(%e : tensor<2x4x64xi8>) ...  // and another one for the other op

Each element-wise reader gets an op of its own, which is composed into it (`rewrite.compose`); others share one.
"""

from roller_mlir.lowering.linalg.generic import bodiless_generic, copy_body, empty_like, iterators_of, with_element
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.read_through.moves import move_by
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps


def dequantize_late(block: ir.Block) -> int:
    """Give readers of dequantized tensors an op of their own; return how many of these are made.

    Args:
        block: Of structured ops on tensors.
    """
    made = 0
    pending = [op.operation for op in block.operations if _dequantizes(op.operation)]
    while pending:
        operation = pending.pop()
        value = operation.results[0]
        users = {
            use.owner.operation.results[0]: use.owner.operation for use in value.uses if use.owner.operation.results
        }
        for user in users.values():
            move = move_by(user)
            if move is not None:
                with ir.InsertionPoint(user), user.location:
                    new = _like(operation, move.of(operation.operands[0]))
                user.results[0].replace_all_uses_with(new.results[0])
                user.erase()
                pending.append(new)
            elif len(users) > 1 and _is_element_wise(user):
                with ir.InsertionPoint(user), user.location:
                    new = _like(operation, operation.operands[0])
                for number, operand in enumerate(user.operands):
                    if operand == value:
                        user.operands[number] = new.results[0]
            else:
                continue
            made += 1
        if not list(value.uses):
            operation.erase()
    return made


def _like(operation: ir.Operation, integers: ir.Value) -> ir.Operation:
    """Build what dequantizes a tensor as another one is."""
    element = ir.RankedTensorType(operation.results[0].type).element_type
    kind = with_element(ir.RankedTensorType(integers.type), element)
    identity = ir.AffineMap.get_identity(kind.rank)
    new = bodiless_generic([integers], [empty_like(kind)], [identity] * 2, ["parallel"] * kind.rank)
    copy_body(operation, new)
    return new


def _dequantizes(operation: ir.Operation) -> bool:
    """Return whether an op makes f32 of one tensor of i8, element by element."""
    if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) != 2:
        return False
    kinds = [value.type for value in (operation.operands[0], operation.results[0])]
    if not all(isinstance(kind, ir.RankedTensorType) for kind in kinds):
        return False
    elements = [str(ir.RankedTensorType(kind).element_type) for kind in kinds]
    read, written = indexing_maps(operation)
    identity = ir.AffineMap.get_identity(read.n_dims)
    block = operation.regions[0].blocks[0]
    alone = not list(block.arguments[1].uses) and all(op.operation.name != "linalg.index" for op in block.operations)
    return elements == ["i8", "f32"] and read == written == identity and alone


def _is_element_wise(operation: ir.Operation) -> bool:
    """Return whether an op is structured, and computes each element of its results at one point."""
    return is_structured(operation) and set(iterators_of(operation, indexing_maps(operation))) == {"parallel"}
