# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models with random weights, as exporters write them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

FLOAT = TensorProto.FLOAT


class Graph:
    """A graph that grows node by node; every node is named, and so are its weights."""

    def __init__(self, name: str, *, opset: int = 17, seed: int = 0) -> None:
        self.name, self.opset = name, opset
        self.nodes: list[NodeProto] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.weights: list[TensorProto] = []
        self._random = np.random.default_rng(seed)

    def input(self, name: str, shape: Sequence[int | str | None], kind: int = FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def weight(self, name: str, *shape: int, scale: float = 0.1, shift: float = 0.0) -> str:
        return self.constant(name, (self._random.standard_normal(shape) * scale + shift).astype(np.float32))

    def positive(self, name: str, *shape: int) -> str:
        return self.constant(name, self._random.uniform(0.5, 1.5, shape).astype(np.float32))

    def constant(self, name: str, value: Any) -> str:
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any) -> str:
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [f"{name}_out"], name=name, domain=domain, **attributes))
        return f"{name}_out"

    def output(self, name: str, shape: Sequence[int | str | None] | None, kind: int = FLOAT) -> None:
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def model(self, *, check: bool = True) -> ModelProto:
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        found = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        if check:
            checker.check_model(found)
        return found


def random(*shape: int) -> np.ndarray[Any, Any]:
    """Return numbers that are the same for a shape."""
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def model_of(
    operator: str,
    inputs: list[Any],
    *results: tuple[int, list[int]],
    opset: int = 20,
    **attributes: Any,
) -> ModelProto:
    """Return a model of one node: a pair of type and shape is an input, an array a constant, None is left out."""
    graph, names = Graph("g", opset=opset), list[str]()
    for number, one in enumerate(inputs):
        if one is None:
            names.append("")
        elif isinstance(one, tuple):
            names.append(graph.input(f"x{number}", one[1], one[0]))
        else:
            names.append(graph.constant(f"c{number}", np.asarray(one)))
    graph.node(operator, *names, name="n", **attributes)
    graph.nodes[-1].output.extend(f"n_out{number}" for number in range(1, len(results)))
    for name, (kind, shape) in zip(graph.nodes[-1].output, results, strict=True):
        graph.output(name, shape, kind)
    return graph.model()


def mlp() -> ModelProto:
    graph = Graph("mlp")
    hidden = graph.node("Gemm", graph.input("x", [8, 32]), graph.weight("w1", 64, 32), graph.weight("b1", 64), transB=1)
    hidden = graph.node("Relu", hidden)
    graph.output(graph.node("Gemm", hidden, graph.weight("w2", 64, 10), graph.weight("b2", 10), name="fc2"), [8, 10])
    return graph.model()


def _batch_norm(graph: Graph, value: str, name: str, channels: int) -> str:
    parameters = (graph.positive(f"{name}.scale", channels), graph.weight(f"{name}.bias", channels))
    statistics = (graph.weight(f"{name}.mean", channels), graph.positive(f"{name}.var", channels))
    return graph.node("BatchNormalization", value, *parameters, *statistics, name=name)


def resnet_block() -> ModelProto:
    graph = Graph("resnet_block")
    x = graph.input("x", [1, 4, 6, 6])
    value = graph.node("Conv", x, graph.weight("conv1.weight", 4, 4, 3, 3), pads=[1, 1, 1, 1])
    value = graph.node("Relu", _batch_norm(graph, value, "bn1", 4))
    value = graph.node("Conv", value, graph.weight("conv2.weight", 4, 4, 3, 3), pads=[1, 1, 1, 1])
    value = graph.node("Add", _batch_norm(graph, value, "bn2", 4), x)
    graph.output(graph.node("Relu", value), [1, 4, 6, 6])
    return graph.model()


def depthwise_block() -> ModelProto:
    graph = Graph("depthwise_block")
    value = graph.input("x", [1, 4, 7, 7])
    value = graph.node("Conv", value, graph.weight("dw.weight", 4, 1, 3, 3), group=4, strides=[2, 2], pads=[1, 1, 1, 1])
    value = graph.node("Clip", value, graph.constant("low", np.float32(0)), graph.constant("high", np.float32(6)))
    value = graph.node("Conv", value, graph.weight("pw.weight", 8, 4, 1, 1), graph.weight("pw.bias", 8))
    value = graph.node("GlobalAveragePool", value)
    value = graph.node("Reshape", value, graph.constant("shape", np.array([1, -1])))
    graph.output(value, [1, 8])
    return graph.model()


def attention() -> ModelProto:
    graph, (tokens, width, heads) = Graph("attention"), (8, 16, 2)
    x = graph.input("x", [1, tokens, width])
    split = graph.constant("heads", np.array([1, tokens, heads, width // heads]))
    normed = graph.node("LayerNormalization", x, graph.positive("ln.w", width), graph.weight("ln.b", width), axis=-1)
    parts: list[str] = []
    for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        value = graph.node("MatMul", normed, graph.weight(f"{part}.weight", width, width), name=part)
        parts.append(graph.node("Transpose", graph.node("Reshape", value, split), perm=order))
    scores = graph.node("MatMul", parts[0], parts[1], name="scores")
    scores = graph.node("Div", scores, graph.constant("root", np.float32(np.sqrt(width // heads))))
    value = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), parts[2], name="values")
    value = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    value = graph.node("Reshape", value, graph.constant("joined", np.array([1, tokens, width])))
    value = graph.node("MatMul", value, graph.weight("o.weight", width, width), name="o")
    graph.output(graph.node("Add", x, value), [1, tokens, width])
    return graph.model()


MODELS = {one.__name__: one for one in (mlp, resnet_block, depthwise_block, attention)}
