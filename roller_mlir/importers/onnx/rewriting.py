# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts nodes in the place of another; diagnostics name them after the node that they stand for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from roller_mlir.importers.onnx.graph import graphs_of, nodes_of
from roller_mlir.importers.onnx.tensors import small_tensor
from roller_mlir.importers.onnx.values import Values


class NodeReplacement:
    """What stands for a node.

    Attributes:
        node: The node.
        values: What is known of the values of the model.
        nodes: What stands for it, in order; nothing where it stays.
    """

    def __init__(self, node: Any, values: Values, names: Iterator[str]) -> None:
        self.node, self.values, self._names = node, values, names
        self.nodes: list[Any] = []

    def add(self, operator: str, *inputs: str, results: Sequence[str] = (), **attributes: Any) -> str:
        """Add a node, and return the name of its first result.

        Args:
            operator: What it is.
            inputs: Names of values; "" for one that is left out.
            results: Names of its results; by default one that no value of the model has.
            attributes: Those of the node.
        """
        import onnx

        results = results or [self.name()]
        self.nodes.append(onnx.helper.make_node(operator, inputs, results, name=self.node.name, **attributes))
        return results[0]

    def name(self) -> str:
        """Return a name that no value of the model has."""
        return next(self._names)

    def end(self, operator: str, *inputs: str, **attributes: Any) -> None:
        """Add the node whose result is the first one of the node that is replaced."""
        self.add(operator, *inputs, results=self.node.output[:1], **attributes)

    def constant(self, value: "np.ndarray[Any, Any]") -> str:
        """Add a constant, and return its name."""
        import onnx

        return self.add("Constant", value=small_tensor(onnx.numpy_helper.from_array(value)))

    def numbers(self, *values: int) -> str:
        """Add a constant of a shape, axes or the like, and return its name."""
        return self.constant(np.array(values, np.int64))

    def like(self, name: str, value: Any) -> str:
        """Add a constant with the type of another value, and return its name."""
        import onnx

        kind = onnx.helper.tensor_dtype_to_np_dtype(self.values.types[name])
        with np.errstate(over="ignore"):  # a bound of f32 may be above all of f16
            return self.constant(np.asarray(value).astype(kind))

    def reduce(self, operator: str, name: str, axes: list[int] | None, *, keepdims: int = 1) -> str:
        """Add a reduction, whose axes are an attribute in older opsets, and return the name of its result."""
        if axes is None:
            return self.add(operator, name, keepdims=keepdims)
        if self.values.opset < (13 if operator == "ReduceSum" else 18):
            return self.add(operator, name, axes=axes, keepdims=keepdims)
        return self.add(operator, name, self.numbers(*axes), keepdims=keepdims)


def replace_nodes(proto: Any, rules: Mapping[str, Callable[[NodeReplacement], None]]) -> Any:
    """Return a model whose nodes are replaced where the rule of their operator adds nodes for them.

    Args:
        proto: A model whose types are inferred; its nodes are changed.
        rules: By operator.
    """
    import onnx

    values = Values.of_model(proto)
    used = {name for node in nodes_of(proto.graph) for name in (*node.input, *node.output)} | set(values.types)
    names = (name for number in range(1 << 62) if (name := f"equal_{number}") not in used)
    if not _replace(proto.graph, rules, values, names):
        return proto
    return onnx.shape_inference.infer_shapes(proto, data_prop=True)


def _replace(
    graph: Any, rules: Mapping[str, Callable[[NodeReplacement], None]], values: Values, names: Iterator[str]
) -> bool:
    """Replace nodes of a graph, and of the graphs inside of it; return whether there was one."""
    nodes: list[Any] = []
    changed = False
    for node in graph.node:
        for inner in graphs_of(node):
            changed |= _replace(inner, rules, values, names)
        replacement = NodeReplacement(node, values, names)
        if node.op_type in rules:
            rules[node.op_type](replacement)
        nodes += replacement.nodes or [node]
        changed |= bool(replacement.nodes)
    if changed:
        kept = [type(one).FromString(one.SerializeToString()) for one in nodes]
        del graph.node[:]
        graph.node.extend(kept)
    return changed
