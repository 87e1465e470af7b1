# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the values of an ONNX model, and what its nodes say of themselves."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roller_mlir.importers.onnx.graph import graphs_of, opset_of
from roller_mlir.importers.onnx.tensors import tensor_bytes


@dataclass
class Values:
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

    @classmethod
    def of_model(cls, proto: Any) -> "Values":
        """Return those of a model whose types are inferred."""
        found = cls(opset_of(proto))
        found._add(proto.graph)
        return found

    def _add(self, graph: Any) -> None:
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
            for inner in graphs_of(node):
                self._add(inner)
        for name, tensor in constants.items():
            self.types[name], self.shapes[name] = tensor.data_type, tuple(tensor.dims)
            if tensor_bytes(tensor):
                self.constants[name] = onnx.numpy_helper.to_array(tensor)

    def type_of(self, name: str) -> str:
        """Return the name of a value's type, such as "UINT8"; "" where it has none that is known."""
        import onnx

        return onnx.TensorProto.DataType.Name(kind) if (kind := self.types.get(name, 0)) else ""

    def axes_of(self, node: Any) -> list[int] | None:
        """Return the axes of a reduction, an attribute or its second input, from the front; None where it has none."""
        given, rank = input_of(node, 1), len(self.shapes.get(node.input[0], ()))
        axes = attributes_of(node).get("axes")
        if given:
            axes = self.constants[given].tolist() if given in self.constants else None
            axes = [] if self.shapes.get(given) == (0,) else axes
        return [axis % rank for axis in axes] if axes and rank else axes


def input_of(node: Any, number: int) -> str:
    """Return the name of an input of a node; "" where it is left out."""
    return node.input[number] if number < len(node.input) else ""


def attributes_of(node: Any) -> dict[str, Any]:
    """Return the attributes of a node as values of Python; strings are decoded."""
    import onnx

    found = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    return {name: _text(one) for name, one in found.items()}


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return [_text(one) for one in value] if isinstance(value, list) else value
