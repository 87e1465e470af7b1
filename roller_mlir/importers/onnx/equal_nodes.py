# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes that torch-mlir lowers wrongly, or not at all, become others that say the same and that it lowers.

Gemm(A, B), alpha = 2           Gemm(A, B, zeros of one element), alpha = 2: without a third input it forgets alpha
MatMul(A of k, B of b,k,n)      Reshape(MatMul(Reshape(A to 1,k), B) to b,n): it has no row times matrices

Diagnostics name what was made after the node that it stands for.
"""

from typing import Any

import numpy as np

from roller_mlir.importers.onnx.graph import nodes_of


def use_equal_nodes(proto: Any) -> None:
    """Rewrite the nodes of a model that the table above names, in place.

    Args:
        proto: A model; the types of its values are known.
    """
    import onnx

    types = {one.name: one.type.tensor_type for one in (*proto.graph.input, *proto.graph.output)}
    types |= {one.name: one.type.tensor_type for one in proto.graph.value_info}
    graph = _Nodes(proto.graph, {name: kind.elem_type for name, kind in types.items()})
    for name, kind in types.items():
        graph.shapes[name] = [extent.dim_value for extent in kind.shape.dim]
    for one in proto.graph.initializer:
        graph.kinds[one.name], graph.shapes[one.name] = one.data_type, list(one.dims)
    for node in list(proto.graph.node):
        if node.op_type == "Gemm":
            graph.add_zero(node, onnx)
        elif node.op_type == "MatMul":
            graph.make_row(node, onnx)


class _Nodes:
    """A graph whose nodes are rewritten.

    Attributes:
        kinds: Element types of values, in onnx.TensorProto's numbers.
        shapes: Extents of values.
    """

    def __init__(self, graph: Any, kinds: dict[str, int]) -> None:
        self._graph = graph
        self._used = {name for node in nodes_of(graph) for name in (*node.input, *node.output)} | set(kinds)
        self.kinds = kinds
        self.shapes: dict[str, list[int]] = {}

    def add_zero(self, node: Any, onnx: Any) -> None:
        """Give a product without an addend, whose factor is not 1, the addend zero."""
        factors = [one.f for one in node.attribute if one.name == "alpha"]
        if any(node.input[2:]) or factors in ([], [1.0]) or node.input[0] not in self.kinds:
            return
        element = onnx.helper.tensor_dtype_to_np_dtype(self.kinds[node.input[0]])
        del node.input[2:]
        node.input.append(self._constant(np.zeros(1, element), onnx))

    def make_row(self, node: Any, onnx: Any) -> None:
        """Let a vector in front of several matrices be a matrix of one row."""
        left, right = (self.shapes.get(name, []) for name in node.input)
        if len(left) != 1 or len(right) < 3:
            return
        kind, result = self.kinds[node.input[0]], node.output[0]
        row, rows = self._name(), self._name()
        product = [*right[:-2], 1, right[-1]]
        shapes = {row: [1, *left], rows: product}
        self._graph.value_info.extend(onnx.helper.make_tensor_value_info(n, kind, shapes[n]) for n in shapes)
        reshapes = [
            onnx.helper.make_node("Reshape", [given, self._constant(np.array(shape, np.int64), onnx)], [made])
            for given, shape, made in (
                (node.input[0], shapes[row], row),
                (rows, [*right[:-2], right[-1]], result),
            )
        ]
        for one in reshapes:
            one.name = node.name
        at = next(number for number, one in enumerate(self._graph.node) if one.output[:1] == [result])
        node.input[0], node.output[0] = row, rows
        self._graph.node.insert(at + 1, reshapes[1])
        self._graph.node.insert(at, reshapes[0])

    def _name(self) -> str:
        """Return a name that no value of the graph has."""
        name = next(name for number in range(len(self._used) + 1) if (name := f"equal_{number}") not in self._used)
        self._used.add(name)
        return name

    def _constant(self, value: Any, onnx: Any) -> str:
        name = self._name()
        self._graph.initializer.append(onnx.numpy_helper.from_array(value, name))
        return name
