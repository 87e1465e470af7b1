# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are constants of the module."""

from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import is_known_weight
from roller_mlir.support.constants.resources import ResourceError, read_resource, resource_name
from roller_mlir.support.values import defining_op

_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")


def constant_behind(value: ir.Value) -> ir.Operation | None:
    """Return the constant that a tensor is, perhaps reshaped; None where it is none."""
    while (reshape := defining_op(value)) is not None and reshape.name in _RESHAPES:
        value = reshape.operands[0]
    found = defining_op(value, "arith.constant")
    return found if found is not None and isinstance(value.type, ir.RankedTensorType) else None


def is_known_constant(value: ir.Value) -> bool:
    """Return whether a tensor is a constant whose data are at hand: the module holds them, or names a known weight."""
    found = constant_behind(value)
    if found is None:
        return False
    attribute = found.attributes["value"]
    if (name := resource_name(attribute)) is None:
        return isinstance(attribute, ir.DenseElementsAttr)
    if is_known_weight(name):
        return True
    try:
        read_resource(attribute)
    except ResourceError:
        return False
    return True
