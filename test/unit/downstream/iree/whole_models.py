# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole ONNX models with random weights, small enough to be executed: what nets are built of, as exporters write it."""

import numpy as np
from onnx import ModelProto, TensorProto
from onnx_models import Graph, mlp


def conv(
    graph: Graph, value: str, name: str, shape: tuple[int, int, int, int], *, stride: int = 1, group: int = 1
) -> str:
    """A convolution that keeps the image's size but for its stride, and its batch normalization."""
    outputs, _, size, _ = shape
    value = graph.node(
        "Conv",
        value,
        graph.weight(f"{name}.weight", *shape),
        name=name,
        pads=[size // 2] * 4,
        strides=[stride, stride],
        group=group,
    )
    parameters = (graph.positive(f"{name}.scale", outputs), graph.weight(f"{name}.bias", outputs))
    statistics = (graph.weight(f"{name}.mean", outputs), graph.positive(f"{name}.var", outputs))
    return graph.node("BatchNormalization", value, *parameters, *statistics, name=f"{name}.bn")


def basic_block(graph: Graph, value: str, name: str, inputs: int, outputs: int, stride: int) -> str:
    """Two convolutions, and what went in added to them, through a third one where the shape differs."""
    main = graph.node("Relu", conv(graph, value, f"{name}.conv1", (outputs, inputs, 3, 3), stride=stride))
    main = conv(graph, main, f"{name}.conv2", (outputs, outputs, 3, 3))
    if stride > 1 or inputs != outputs:
        value = conv(graph, value, f"{name}.down", (outputs, inputs, 1, 1), stride=stride)
    return graph.node("Relu", graph.node("Add", main, value, name=f"{name}.add"), name=f"{name}.relu")


def residual_block(channels: int = 4, size: int = 6) -> ModelProto:
    """One block of a ResNet that keeps its shape."""
    graph = Graph("residual_block")
    value = basic_block(graph, graph.input("x", [1, channels, size, size]), "block", channels, channels, 1)
    graph.output(value, [1, channels, size, size])
    return graph.model()


def resnet18(width: int = 4, size: int = 64, classes: int = 10) -> ModelProto:
    """ResNet-18 with fewer channels and a smaller image; every layer is there."""
    graph = Graph("resnet18")
    value = conv(graph, graph.input("x", [1, 3, size, size]), "stem", (width, 3, 7, 7), stride=2)
    value = graph.node("MaxPool", graph.node("Relu", value), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = width
    for stage in range(4):
        for block in range(2):
            outputs = width << stage
            value = basic_block(
                graph, value, f"layer{stage}.{block}", channels, outputs, 2 if stage and not block else 1
            )
            channels = outputs
    value = graph.node("Flatten", graph.node("GlobalAveragePool", value), axis=1)
    value = graph.node(
        "Gemm", value, graph.weight("fc.weight", classes, channels), graph.weight("fc.bias", classes), transB=1
    )
    graph.output(value, [1, classes])
    return graph.model()


def mobilenet_block(channels: int = 4, wide: int = 8, size: int = 6) -> ModelProto:
    """An inverted residual: expanded by a 1x1, filtered channel by channel, and brought back."""
    graph = Graph("mobilenet_block")
    x = graph.input("x", [1, channels, size, size])
    low, high = graph.constant("low", np.float32(0)), graph.constant("high", np.float32(6))
    value = graph.node("Clip", conv(graph, x, "expand", (wide, channels, 1, 1)), low, high)
    value = graph.node("Clip", conv(graph, value, "depthwise", (wide, 1, 3, 3), group=wide), low, high)
    graph.output(graph.node("Add", x, conv(graph, value, "project", (channels, wide, 1, 1))), [1, channels, size, size])
    return graph.model()


def attention(graph: Graph, x: str, shape: tuple[int, int, int], heads: int, *, causal: bool) -> str:
    """Multi-head self-attention, with the biases that exporters write as additions."""
    batch, tokens, width = shape
    split = graph.constant("heads", np.array([batch, tokens, heads, width // heads]))
    parts: list[str] = []
    for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        value = graph.node("MatMul", x, graph.weight(f"{part}.weight", width, width), name=part)
        value = graph.node("Add", graph.weight(f"{part}.bias", width), value, name=f"{part}.add")
        parts.append(graph.node("Transpose", graph.node("Reshape", value, split), perm=order))
    scores = graph.node("MatMul", parts[0], parts[1], name="scores")
    scores = graph.node("Div", scores, graph.constant("root", np.float32(np.sqrt(width // heads))))
    if causal:
        mask = np.tril(np.ones((tokens, tokens), bool))
        scores = graph.node("Where", graph.constant("mask", mask), scores, graph.constant("never", np.float32(-1e9)))
    value = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), parts[2], name="values")
    value = graph.node("Transpose", value, perm=[0, 2, 1, 3])
    value = graph.node("Reshape", value, graph.constant("joined", np.array([batch, tokens, width])))
    return linear(graph, value, "o", width, width)


def linear(graph: Graph, value: str, name: str, inputs: int, outputs: int) -> str:
    """A product with a weight, and a bias."""
    value = graph.node("MatMul", value, graph.weight(f"{name}.weight", inputs, outputs), name=name)
    return graph.node("Add", value, graph.weight(f"{name}.bias", outputs), name=f"{name}.add")


def norm(graph: Graph, value: str, name: str, width: int) -> str:
    """A layer normalization."""
    return graph.node(
        "LayerNormalization",
        value,
        graph.positive(f"{name}.w", width),
        graph.weight(f"{name}.b", width),
        axis=-1,
        name=name,
    )


def gelu(graph: Graph, value: str, *, tanh: bool) -> str:
    """GELU of small operators, as exporters below opset 20 write it: exact, or by tanh."""
    half, one = graph.constant("half", np.float32(0.5)), graph.constant("one", np.float32(1))
    if tanh:
        cube = graph.node("Mul", graph.node("Mul", value, value), value)
        inner = graph.node("Add", value, graph.node("Mul", cube, graph.constant("cubic", np.float32(0.044715))))
        bent = graph.node("Tanh", graph.node("Mul", inner, graph.constant("slope", np.float32(np.sqrt(2 / np.pi)))))
    else:
        bent = graph.node("Erf", graph.node("Div", value, graph.constant("sqrt2", np.float32(np.sqrt(2)))))
    return graph.node("Mul", graph.node("Mul", value, half), graph.node("Add", bent, one))


def bert_layer(tokens: int = 8, width: int = 16, heads: int = 2, batch: int = 2) -> ModelProto:
    """An encoder layer: attention and feed-forward, each added and then normalized."""
    graph, shape = Graph("bert_layer"), (batch, tokens, width)
    x = graph.input("x", shape)
    x = norm(graph, graph.node("Add", x, attention(graph, x, shape, heads, causal=False)), "ln1", width)
    value = gelu(graph, linear(graph, x, "fc1", width, 4 * width), tanh=False)
    graph.output(norm(graph, graph.node("Add", x, linear(graph, value, "fc2", 4 * width, width)), "ln2", width), shape)
    return graph.model()


def gpt_block(tokens: int = 8, width: int = 16, heads: int = 2, batch: int = 2, words: int = 0) -> ModelProto:
    """A decoder block: causal attention and feed-forward of what is normalized first; with words, an embedding too."""
    graph, shape = Graph("gpt_block"), (batch, tokens, width)
    if words:
        ids = graph.input("ids", [batch, tokens], TensorProto.INT64)
        x = graph.node("Gather", graph.weight("words", words, width), ids, name="embedding")
    else:
        x = graph.input("x", shape)
    x = graph.node("Add", x, attention(graph, norm(graph, x, "ln1", width), shape, heads, causal=True))
    value = gelu(graph, linear(graph, norm(graph, x, "ln2", width), "fc1", width, 4 * width), tanh=True)
    graph.output(graph.node("Add", x, linear(graph, value, "fc2", 4 * width, width)), shape)
    return graph.model()


def lstm(steps: int = 3, batch: int = 2, inputs: int = 8, hidden: int = 16) -> ModelProto:
    """ONNX's own LSTM over a sequence."""
    graph = Graph("lstm")
    x = graph.input("x", [steps, batch, inputs])
    weights = (graph.weight("w", 1, 4 * hidden, inputs), graph.weight("r", 1, 4 * hidden, hidden))
    value = graph.node("LSTM", x, *weights, graph.weight("b", 1, 8 * hidden), hidden_size=hidden, name="lstm")
    graph.output(value, [steps, 1, batch, hidden])
    return graph.model()


MODELS = {one.__name__: one for one in (mlp, residual_block, mobilenet_block, bert_layer, gpt_block, lstm, resnet18)}
