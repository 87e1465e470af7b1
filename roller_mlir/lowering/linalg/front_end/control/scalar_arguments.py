# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars that a function takes or returns become tensors of rank 0, which kernels read from memory.

    func.func @f(%s: f32) -> i32            func.func @f(%t: tensor<f32>) -> tensor<i32>
                                              %s = tensor.extract %t[] : tensor<f32>
      return %k : i32                         %r = tensor.from_elements %k : tensor<i32>

An index is passed as i64.
"""

from typing import Any

from roller_mlir.lowering.linalg.accepted_input import SCALAR_TYPES, compiled_functions
from roller_mlir.support.bindings import arith, ir, tensor


def wrap_scalars(module: ir.Module) -> None:
    """Change the signatures of the functions of a module that take or return scalars."""
    for function in compiled_functions(module):
        blocks = function.regions[0].blocks
        scalars = [kind for kind in (*function.type.inputs, *function.type.results) if str(kind) in SCALAR_TYPES]
        if not scalars or len(blocks) != 1:
            continue
        for argument in list(blocks[0].arguments):
            if str(argument.type) in SCALAR_TYPES:
                with ir.InsertionPoint.at_block_begin(blocks[0]), argument.location:
                    _wrap_argument(argument)
        terminator = blocks[0].operations[len(blocks[0].operations) - 1].operation
        for number, value in enumerate(terminator.operands):
            if str(value.type) in SCALAR_TYPES:
                with ir.InsertionPoint(terminator), terminator.location:
                    terminator.operands[number] = _wrap_result(value)
        inputs = [argument.type for argument in blocks[0].arguments]
        kind = ir.FunctionType.get(inputs, [value.type for value in terminator.operands], context=module.context)
        function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)


def _wrap_argument(argument: Any) -> None:
    scalar, uses = argument.type, list(argument.uses)
    element = _stored(scalar)
    argument.set_type(ir.RankedTensorType.get([], element))
    value = tensor.extract(argument, [])
    if element != scalar:
        value = arith.index_cast(scalar, value)
    for use in uses:
        use.owner.operation.operands[use.operand_number] = value


def _wrap_result(value: Any) -> Any:
    element = _stored(value.type)
    if element != value.type:
        value = arith.index_cast(element, value)
    return tensor.from_elements(ir.RankedTensorType.get([], element), [value])


def _stored(scalar: Any) -> Any:
    return ir.IntegerType.get_signless(64) if isinstance(scalar, ir.IndexType) else scalar
