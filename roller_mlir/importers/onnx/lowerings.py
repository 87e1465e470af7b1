# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses what torch-mlir lowers to another function than ONNX says, as ONNX's tests and ONNX Runtime find it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roller_mlir.importers.imported import refuse
from roller_mlir.importers.onnx.graph import label_of, nodes_of
from roller_mlir.importers.onnx.tensors import tensor_bytes


@dataclass
class _Values:
    """What is known of the values of a model, by name.

    Attributes:
        opset: The version of ONNX's operators that the model is of.
        types: Types of tensors, in onnx.TensorProto's numbers.
        shapes: Their extents.
        constants: Elements of constants; large ones are weights, and inputs by now.
    """

    opset: int
    types: dict[str, int] = field(default_factory=dict[str, int])
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    constants: "dict[str, np.ndarray[Any, Any]]" = field(default_factory=dict[str, Any])

    def add(self, graph: Any) -> None:
        """Add those of a graph, and of the graphs inside of it."""
        import onnx

        for one in (*graph.input, *graph.output, *graph.value_info):
            self.types[one.name] = one.type.tensor_type.elem_type
            self.shapes[one.name] = tuple(extent.dim_value for extent in one.type.tensor_type.shape.dim)
        constants = {one.name: one for one in graph.initializer}
        for node in graph.node:
            values = {one.name: one for one in node.attribute}
            if node.op_type == "Constant" and "value" in values:
                constants[node.output[0]] = values["value"].t
            for one in node.attribute:
                for inner in (*([one.g] if one.HasField("g") else ()), *one.graphs):
                    self.add(inner)
        for name, tensor in constants.items():
            self.types[name], self.shapes[name] = tensor.data_type, tuple(tensor.dims)
            if tensor_bytes(tensor):
                self.constants[name] = onnx.numpy_helper.to_array(tensor)


def check_lowerings(proto: Any, name: str) -> None:
    """Refuse nodes whose lowering is wrong.

    Args:
        proto: A model; the types of its values are known, and functions stand in place of their calls.
        name: What diagnostics call it.

    Raises:
        DiagnosedError: There is one.
    """
    values = _Values(next((one.version for one in proto.opset_import if not one.domain), 1))
    values.add(proto.graph)
    for node in nodes_of(proto.graph):
        rule = _RULES.get(node.op_type)
        if rule is not None and (use := rule(node, {one.name: one for one in node.attribute}, values)):
            refuse(name, f"torch-mlir lowers '{node.op_type}' {use} to another function", label_of(node))


def _text(attributes: Mapping[str, Any], name: str, default: str) -> str:
    return attributes[name].s.decode(errors="replace") if name in attributes else default


def _input(node: Any, number: int) -> str:
    return node.input[number] if number < len(node.input) else ""


def _bit_shift(node: Any, _: Mapping[str, Any], values: _Values) -> str:
    """ONNX defines shifts by the width and more, and by negative numbers; LLVM does not."""
    count = values.constants.get(_input(node, 1))
    if count is None:
        return "by a count that is no constant"
    return "" if ((count >= 0) & (count < 8 * count.dtype.itemsize)).all() else "by no count of 0 to the width less 1"


def _dequantize(node: Any, _: Mapping[str, Any], values: _Values) -> str:
    """Zero points of an axis are read as signed numbers."""
    import onnx

    point = _input(node, 2)
    if values.types.get(point) != onnx.TensorProto.UINT8 or not values.shapes.get(point):
        return ""
    known = values.constants.get(point)
    return "" if known is not None and (known < 128).all() else "with zero points of 128 and more for each of an axis"


def _grid_sample(_: Any, attributes: Mapping[str, Any], __: _Values) -> str:
    """Halves are rounded away, where ONNX rounds them to even; points behind the end read its edge, not zero."""
    if _text(attributes, "mode", "linear") == "nearest":
        return "of mode 'nearest'"
    return "of padding_mode 'zeros'" if _text(attributes, "padding_mode", "zeros") == "zeros" else ""


def _hardmax(_: Any, __: Mapping[str, Any], values: _Values) -> str:
    """It took axes from its own on as one."""
    return "of opsets before 13" if values.opset < 13 else ""


def _norm(_: Any, __: Mapping[str, Any], ___: _Values) -> str:
    """What has the norm zero is zero in ONNX, and is divided by zero here."""
    return "of what may be all zeros"


def _recurrent(node: Any, _: Mapping[str, Any], values: _Values) -> str:
    """Lengths and peepholes are ignored."""
    lengths, steps = _input(node, 4), values.shapes.get(node.input[0], (0,))[0]
    if lengths and (lengths not in values.constants or (values.constants[lengths] != steps).any()):
        return "with sequences shorter than the longest"
    return "with peepholes" if _input(node, 7) else ""


def _pad(_: Any, attributes: Mapping[str, Any], __: _Values) -> str:
    """Its lowering does not end."""
    return "of mode 'wrap'" if _text(attributes, "mode", "constant") == "wrap" else ""


def _batched_product(node: Any, _: Mapping[str, Any], values: _Values) -> str:
    return "of batches" if len(values.shapes.get(node.input[0], ())) > 2 else ""


def _resize(node: Any, attributes: Mapping[str, Any], values: _Values) -> str:
    """Corners are those of whole sizes, where ONNX has fractions left."""
    scales = _input(node, 2)
    if not scales or _text(attributes, "coordinate_transformation_mode", "half_pixel") != "align_corners":
        return ""
    known, extents = values.constants.get(scales), values.shapes.get(node.input[0], ())
    if known is not None and len(known) == len(extents) and not (known * np.array(extents) % 1).any():
        return ""
    return "of aligned corners by scales whose sizes are no whole numbers"


def _space_to_depth(_: Any, attributes: Mapping[str, Any], __: _Values) -> str:
    return "of mode 'CRD'" if _text(attributes, "mode", "DCR") == "CRD" else ""


_RULES: dict[str, Callable[[Any, Mapping[str, Any], _Values], str]] = {
    "BitShift": _bit_shift,
    "DequantizeLinear": _dequantize,
    "GRU": _recurrent,
    "GridSample": _grid_sample,
    "Hardmax": _hardmax,
    "LSTM": _recurrent,
    "LpNormalization": _norm,
    "Pad": _pad,
    "QLinearMatMul": _batched_product,
    "RNN": _recurrent,
    "Resize": _resize,
    "SpaceToDepth": _space_to_depth,
}
