# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants in the place of weights, whose shapes and types decide which plans there are, and not their numbers."""

from math import prod
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.constants import constant_behind, is_known_constant
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES, bf16_bits
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.constants.elements import is_readable, read_elements

_PERIOD = 31
_FLOATS = ("f16", "bf16", "f32", "f64")


def has_alike(value: ir.Value) -> bool:
    """Return whether a tensor is a constant, perhaps reshaped, whose numbers are at hand."""
    return is_known_constant(value) and is_readable(str(ir.RankedTensorType(value.type).element_type))


def alike_constant(value: ir.Value, number: int) -> Any:
    """Build a constant like another one at the insertion point.

    Floats are others, finite and in [-1, 1), that repeat after a few, so that files of large weights compress well.
    Integers are the same, as they may be positions.

    Args:
        value: A tensor of which `has_alike` is true.
        number: What tells it from others of its text.
    """
    tensor = ir.RankedTensorType(value.type)
    shape, element = list(tensor.shape), str(tensor.element_type)
    if element in _FLOATS:
        small = np.arange(prod(shape)) % _PERIOD - _PERIOD // 2
        values: Any = (small / ((_PERIOD + 1) // 2)).astype(np.float32)
        values = bf16_bits(values) if element == "bf16" else values.astype(NUMPY_TYPES[element])
    else:
        source = constant_behind(value)
        assert source is not None, "it is a constant"
        values = read_elements(source.attributes["value"])
    data: Any = np.ascontiguousarray(values.reshape(shape))
    if element == "i1" or data.size < 2:  # resources of i1 are said in bits
        attribute = ir.DenseElementsAttr.get(data, type=tensor.element_type, shape=shape)
    else:
        name = f"constant_{number}"
        attribute = ir.DenseResourceElementsAttr.get_from_buffer(data, name, tensor, context=value.type.context)
    return arith.constant(value.type, attribute)
