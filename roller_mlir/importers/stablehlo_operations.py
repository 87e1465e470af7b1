# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of StableHLO that its passes lower to another function, or not at all, replaced by what says the same.

stablehlo.add %a, %b : tensor<4xi1>      stablehlo.or %a, %b: as a sum of integers it would be an exclusive or
stablehlo.optimization_barrier %a, %b    %a, %b: nothing here moves operations along what they do not depend on
stablehlo.reduce over no dimensions      over the first one of 1 x ...: each element and the value that it starts from
"""

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import operations_inside


def replace_operations(module: ir.Module) -> None:
    """Replace them in a module, in place, also in the regions of others, such as a reduction's."""
    for operation in operations_inside(module.operation):
        operands = list(operation.operands)
        if operation.name == "stablehlo.add" and _holds_truth_values(operands[0]):
            at = ir.InsertionPoint(operation)
            made = ir.Operation.create("stablehlo.or", [operands[0].type], operands, loc=operation.location, ip=at)
            _replace(operation, list(made.results))
        elif operation.name == "stablehlo.optimization_barrier":
            _replace(operation, operands)
        elif operation.name == "stablehlo.reduce" and not len(ir.DenseI64ArrayAttr(operation.attributes["dimensions"])):
            _give_a_dimension(operation)


def _holds_truth_values(value: ir.Value) -> bool:
    return str(ir.ShapedType(value.type).element_type) == "i1"


def _give_a_dimension(reduction: ir.Operation) -> None:
    location, at = reduction.location, ir.InsertionPoint(reduction)
    for number in range(len(reduction.operands) // 2):  # behind them stand the values to start from
        value = reduction.operands[number]
        given = ir.RankedTensorType(value.type)
        wide = ir.RankedTensorType.get([1, *given.shape], given.element_type, loc=location)
        made = ir.Operation.create("stablehlo.reshape", [wide], [value], loc=location, ip=at)
        reduction.operands[number] = made.result
    reduction.attributes["dimensions"] = ir.DenseI64ArrayAttr.get([0], context=location.context)


def _replace(operation: ir.Operation, values: list[ir.Value]) -> None:
    for old, new in zip(operation.results, values, strict=True):
        old.replace_all_uses_with(new)
    operation.erase()
