# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paddings by values that are no constant numbers: paddings by zero, and a choice between element and value.

    tensor.pad %x low[1] high[2] {        %p = tensor.pad %x low[1] high[2] { tensor.yield 0.0 }
    ^bb0(%i: index):                      linalg.generic ins(%p) {
      tensor.yield %s                       %i = linalg.index 0
    }                                       yield select(1 <= %i < 1 + n, element, %s)
                                          }

    linalg.pack %x padding_value(%s)      linalg.pack of such a padding, which fills the last tiles

A value may be a scalar of the function, one that the padding computes from the position, or a NaN.
"""

from math import isnan
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import empty_like, generic
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.pads import PAD, pad_tensor, read_pad, static_sizes
from roller_mlir.lowering.linalg.rewrite.decompose import TensorPart, is_inside
from roller_mlir.lowering.linalg.rewrite.packing import PACK, missing_in_last_tiles
from roller_mlir.support.bindings import arith, ir, linalg
from roller_mlir.support.values import defining_op, is_static, number_attribute, replace_op


def choose_paddings(module: ir.Module) -> None:
    """Rewrite the `tensor.pad` and `linalg.pack` of a module that pad with something else than a constant number."""
    for operation in entry_operations(module):
        if not all(map(is_static, (*operation.operands, *operation.results))):
            continue
        with ir.InsertionPoint(operation), operation.location:
            if operation.name == PACK:
                _fill_tiles(operation)
            elif operation.name == PAD:
                _choose(operation)


def _choose(operation: ir.Operation) -> None:
    block = operation.regions[0].blocks[0]
    *_, terminator = block.operations
    if _is_number(terminator.operation.operands[0]):
        return
    sizes = static_sizes(operation)
    if sizes is None:
        read_pad(operation)  # an error that says what is refused
        return

    def value() -> Any:
        mapping: dict[Any, Any] = {one: linalg.IndexOp(d).result for d, one in enumerate(block.arguments)}
        for inner in list(block.operations)[:-1]:
            copy_mapped(inner.operation, mapping)
        yielded = terminator.operation.operands[0]
        return mapping.get(yielded, yielded)

    replace_op(operation, _padded(operation.operands[0], *sizes, value))


def _fill_tiles(operation: ir.Operation) -> None:
    if len(operation.operands) < 3 or _is_number(operation.operands[2]):
        return
    given: list[ir.Value] = list(operation.operands)
    source, result, scalar = given[:3]
    high = missing_in_last_tiles(operation)
    if any(high):
        source = _padded(source, [0] * len(high), high, lambda: scalar)
    attributes = dict(operation.attributes.items())
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([1, 1, 0, 0])
    new = ir.Operation.create(PACK, results=[result.type], operands=[source, result], attributes=attributes)
    replace_op(operation, new.results[0])


def _padded(source: Any, low: list[int], high: list[int], value: Any) -> Any:
    """Build the element-wise op that reads a tensor where it is and a value around it."""
    zero = number_attribute(ir.RankedTensorType(source.type).element_type, 0)
    padded = pad_tensor(source, low, high, zero)
    whole = ir.RankedTensorType(padded.type)
    part = TensorPart(source, tuple(low))

    def body(element: Any, _: Any) -> Any:
        inside = is_inside(part, whole)
        return element if inside is None else arith.select(inside, element, value())

    return generic([padded], empty_like(whole), [None, None], body, loops=whole.rank)


def _is_number(value: ir.Value) -> bool:
    constant = defining_op(value, "arith.constant")
    scalar = None if constant is None else constant.attributes["value"]
    return scalar is not None and not (isinstance(scalar, ir.FloatAttr) and isnan(scalar.value))
