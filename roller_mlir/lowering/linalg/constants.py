# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are constants of the module."""

from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import is_finite, is_known_weight
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


class Constants:
    """What is known of tensors of a module that stays as it is for as long as this is asked: each is read once."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, bool] = {}
        self._finite: dict[ir.Value, bool] = {}

    def knows(self, value: ir.Value) -> bool:
        """Return whether a tensor is a constant whose data are at hand; see `is_known_constant`."""
        if value not in self._known:
            self._known[value] = is_known_constant(value)
        return self._known[value]

    def is_finite(self, value: ir.Value) -> bool:
        """Return whether a tensor is such a constant, of f32 or f64, all of whose elements are finite."""
        if value not in self._finite:
            found = constant_behind(value) if self.knows(value) else None
            self._finite[value] = found is not None and is_finite(found.attributes["value"])
        return self._finite[value]
