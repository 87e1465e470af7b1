# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of older opsets become ones of `OPSET`, by ONNX's own converter, but for what it would change."""

from typing import Any

import numpy as np

from roller_mlir.importers.onnx.graph import graphs_of, inferred, misfits, nodes_of, opset_of
from roller_mlir.importers.onnx.values import Values, attributes_of, input_of

OPSET = 17
"""Of ONNX to which models of older ones are converted."""
_HARDMAX_OF_AN_AXIS = 13
"""From which opset on a Hardmax takes its own axis alone; ONNX's converter does not know."""
_AS_NUMPY = 7
"""From which opset on the shapes of two operands are aligned at their last axes."""
_RESIZE_WITH_MODES = 11
"""From which opset on a Resize says where it takes its samples; before, each starts at the input's first point."""


def convert_opset(proto: Any) -> Any:
    """Return a model of ONNX's opset `OPSET` that computes what one of an older opset does.

    torch-mlir has patterns for some operators from a later opset on, such as MaxPool from 12. A model that ONNX cannot
    convert stays as it is, as does one with branches, for which it invents names twice, and one with operators that it
    takes for what they have become: their operators may be lowered as they are. A converted model whose types do not
    fit together is none.
    """
    import onnx.version_converter

    version = opset_of(proto)
    if version >= OPSET or proto.functions:
        return proto
    try:
        values = Values.of_model(inferred(proto))
        if any(_is_changed(node, values) for node in nodes_of(proto.graph)):
            return proto
        found = onnx.version_converter.convert_version(proto, OPSET)
        inferred(found)
    except (*misfits(), onnx.version_converter.ConvertError):
        return proto
    for node in nodes_of(found.graph):
        if node.op_type == "Resize" and version < _RESIZE_WITH_MODES:
            modes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            node.attribute.extend(onnx.helper.make_attribute(*one) for one in modes.items())
    return found


def unaligned(node: Any, values: Values) -> bool:
    """Return whether an op of an old opset aligns the shapes of two operands elsewhere than at their last axes.

    Slopes of a PRelu belong to the second axis there, if there are several.
    """
    if values.opset >= _AS_NUMPY:
        return False
    first, second = (values.shapes.get(input_of(node, number)) for number in (0, 1))
    if node.op_type == "PRelu":
        return second is None or int(np.prod(second)) > 1
    attributes = attributes_of(node)
    if not attributes.get("broadcast", 0) or "axis" not in attributes:
        return False
    return first is None or second is None or attributes["axis"] != len(first) - len(second)


def _is_changed(node: Any, values: Values) -> bool:
    """Return whether a node would be something else behind ONNX's converter, or is none that it converts."""
    if node.op_type == "Hardmax":
        return values.opset < _HARDMAX_OF_AN_AXIS
    if node.op_type == "Resize" and values.opset < _RESIZE_WITH_MODES:
        # Which point is the nearest one of fewer, nothing says.
        scales = values.constants.get(node.input[1])
        nearest = attributes_of(node).get("mode", "nearest") == "nearest"
        return nearest and (scales is None or bool((scales < 1).any()))
    return unaligned(node, values) or any(True for _ in graphs_of(node))
