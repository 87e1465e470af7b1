# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses what torch-mlir lowers to another function than ONNX says, as ONNX's tests and ONNX Runtime find it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from roller_mlir.importers.imported import refuse
from roller_mlir.importers.onnx.equal.nodes import axis_of_blocks
from roller_mlir.importers.onnx.equal.pools import Windows
from roller_mlir.importers.onnx.graph import label_of, nodes_of
from roller_mlir.importers.onnx.opsets import unaligned
from roller_mlir.importers.onnx.values import Values, attributes_of, input_of

_ACTIVATIONS = ("Tanh", "Sigmoid", "Relu")


def check_lowerings(proto: Any, name: str) -> None:
    """Refuse nodes whose lowering is wrong.

    Args:
        proto: A model; the types of its values are known, and functions stand in place of their calls.
        name: What diagnostics call it.

    Raises:
        DiagnosedError: There is one.
    """
    values = Values.of_model(proto)
    for node in nodes_of(proto.graph):
        rule = _RULES.get(node.op_type)
        use = "" if rule is None else rule(node, attributes_of(node), values)
        if unaligned(node, values):
            use = "of opsets before 7, whose shapes are aligned along an axis,"
        if use:
            refuse(name, f"torch-mlir lowers '{node.op_type}' {use} to another function", label_of(node))


def _bit_shift(node: Any, _: Mapping[str, Any], values: Values) -> str:
    """Return a count that may be negative, or the width or more: ONNX defines such shifts, and LLVM does not."""
    count = values.constants.get(input_of(node, 1))
    if count is None:
        return "by a count that is no constant"
    return "" if ((count >= 0) & (count < 8 * count.dtype.itemsize)).all() else "by no count of 0 to the width less 1"


def _dequantize(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return large zero points of an axis, which the lowering reads as signed numbers, or blocks, which it ignores."""
    import onnx

    if attributes.get("block_size"):
        return "" if axis_of_blocks(node, values) is not None else "of blocks of which the last has fewer elements"
    point = input_of(node, 2)
    if values.types.get(point) != onnx.TensorProto.UINT8 or not values.shapes.get(point):
        return ""
    known = values.constants.get(point)
    return "" if known is not None and (known < 128).all() else "with zero points of 128 and more for each of an axis"


def _grid_sample(_: Any, attributes: Mapping[str, Any], __: Values) -> str:
    """Return a mode that rounds halves away, where ONNX rounds them to even, or reads the edge where zero stands."""
    if attributes.get("mode", "linear") == "nearest":
        return "of mode 'nearest'"
    return "of padding_mode 'zeros'" if attributes.get("padding_mode", "zeros") == "zeros" else ""


def _hardmax(_: Any, __: Mapping[str, Any], values: Values) -> str:
    """Return old opsets, in which the operator took the axes from its own on as one."""
    return "of opsets before 13" if values.opset < 13 else ""


def _norm(_: Any, __: Mapping[str, Any], ___: Values) -> str:
    """Return any use: a tensor of norm zero is zero in ONNX, and the lowering divides it by zero."""
    return "of what may be all zeros"


def _recurrent(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return lengths, peepholes, clip or parameters, which the lowering ignores, or an activation new to it."""
    lengths, steps = input_of(node, 4), values.shapes.get(node.input[0], (0,))[0]
    if lengths and (lengths not in values.constants or (values.constants[lengths] != steps).any()):
        return "with sequences shorter than the longest"
    if input_of(node, 7):
        return "with peepholes"
    if other := next((one for one in attributes.get("activations", []) if one not in _ACTIVATIONS), ""):
        return f"with the activation '{other}'"
    if attributes.get("activation_alpha") or attributes.get("activation_beta"):
        return "with parameters of activations"
    return "with 'clip'" if "clip" in attributes else ""


def _pad(_: Any, attributes: Mapping[str, Any], __: Values) -> str:
    """Return the mode whose lowering does not end."""
    return "of mode 'wrap'" if attributes.get("mode", "constant") == "wrap" else ""


def _batched_product(node: Any, _: Mapping[str, Any], values: Values) -> str:
    return "of batches" if len(values.shapes.get(node.input[0], ())) > 2 else ""


def _resize(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return scales to sizes with fractions, of which ONNX aligns the corners and the lowering those of whole sizes."""
    scales = input_of(node, 2)
    if not scales or attributes.get("coordinate_transformation_mode", "half_pixel") != "align_corners":
        return ""
    known, extents = values.constants.get(scales), values.shapes.get(node.input[0], ())
    if known is not None and len(known) == len(extents) and not (known * np.array(extents) % 1).any():
        return ""
    return "of aligned corners by scales whose sizes are no whole numbers"


def _upsample(_: Any, attributes: Mapping[str, Any], __: Values) -> str:
    """Return the mode whose points lie elsewhere."""
    return "of mode 'linear'" if attributes.get("mode", "nearest") == "linear" else ""


def _normalization_of_channels(_: Any, attributes: Mapping[str, Any], __: Values) -> str:
    """Return an even size: ONNX has the channel that is left over behind, and the lowering in front."""
    return "of an even size" if attributes["size"] % 2 == 0 else ""


def _quantize(node: Any, _: Mapping[str, Any], values: Values) -> str:
    """Return types for which the lowering crashes."""
    kind = values.type_of(node.output[0])
    return "to integers of 16 bits" if kind in ("UINT16", "INT16") else ""


def _quantized_convolution(node: Any, _: Mapping[str, Any], values: Values) -> str:
    """Return a bias beside zero points for each channel, as the sums of equal/nodes.py take one zero point alone."""
    if not input_of(node, 8) or not values.shapes.get(node.input[4]) or not values.shapes.get(node.input[5]):
        return ""
    known = values.constants.get(node.input[5])
    if known is not None and (known == known[0]).all():
        return ""
    return "with a bias, and zero points of weights for each channel"


def _max_pool(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return unequal paddings, which positions count, and what else positions do not know."""
    windows = Windows.of_pool(node, values)
    if windows is None:
        return ""
    if min(*windows.begins, *windows.ends) < 0:
        return "of auto_pad and strides above the window"
    if len(node.output) < 2 or not node.output[1]:
        return ""
    if attributes.get("storage_order", 0):
        return "with indices along columns"
    return "" if list(windows.begins) == list(windows.ends) else "with indices and unequal paddings"


def _average_pool(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return windows with gaps, which count padding wrongly that is not the same on both sides."""
    windows = Windows.of_pool(node, values)
    if windows is None or not attributes.get("count_include_pad", 0) or all(gap == 1 for gap in windows.dilations):
        return ""
    return "" if list(windows.begins) == list(windows.ends) else "with gaps and unequal paddings that count"


def _unsigned(node: Any, _: Mapping[str, Any], values: Values) -> str:
    """Return unsigned integers, which the lowering takes for signed ones; equal/nodes.py widens those of 8 bits."""
    kind = next((one for one in map(values.type_of, node.input) if one in ("UINT16", "UINT32", "UINT64")), "")
    return f"of unsigned integers of {kind[4:]} bits" if kind else ""


def _sign(node: Any, attributes: Mapping[str, Any], values: Values) -> str:
    """Return unsigned integers of 16 and 64 bits, for which the lowering crashes; those of 32 are right."""
    return "" if values.type_of(node.input[0]) == "UINT32" else _unsigned(node, attributes, values)


def _space_to_depth(_: Any, attributes: Mapping[str, Any], __: Values) -> str:
    return "of mode 'CRD'" if attributes.get("mode", "DCR") == "CRD" else ""


_RULES: dict[str, Callable[[Any, Mapping[str, Any], Values], str]] = {
    "AveragePool": _average_pool,
    "BitShift": _bit_shift,
    "DequantizeLinear": _dequantize,
    "Div": _unsigned,
    "GRU": _recurrent,
    "GridSample": _grid_sample,
    "Hardmax": _hardmax,
    "LRN": _normalization_of_channels,
    "LSTM": _recurrent,
    "LpNormalization": _norm,
    "MaxPool": _max_pool,
    "Mod": _unsigned,
    "Pad": _pad,
    "Pow": _unsigned,
    "QLinearConv": _quantized_convolution,
    "QLinearMatMul": _batched_product,
    "QuantizeLinear": _quantize,
    "RNN": _recurrent,
    "ReduceL2": _unsigned,
    "ReduceLogSum": _unsigned,
    "ReduceLogSumExp": _unsigned,
    "Resize": _resize,
    "Sign": _sign,
    "SpaceToDepth": _space_to_depth,
    "Upsample": _upsample,
}
