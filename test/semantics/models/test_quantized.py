# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of integers of 8 bits as quantizers write them multiply integers, and give what ONNX Runtime gives.

Scales are powers of two and inputs whole multiples of them, so that both compute each number exactly.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402 - behind the check whether there is such a package

DEVICES = ["h200", "a100", "mi300x", *(["host"] if os.uname().machine == "x86_64" else [])]
UNITS = {"h200": {"mma", "wgmma"}, "a100": {"mma"}, "mi300x": {"mfma"}}
"""What multiplies integers there."""


@dataclass
class Graph:
    """A graph of ONNX that grows node by node."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def constant(self, value: Any) -> str:
        """Add a constant."""
        self.constants.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, kind: str, *inputs: str, results: int = 1, **attributes: Any) -> Any:
        """Add a node; return its result, or its results."""
        names = [f"v{len(self.nodes)}_{number}" for number in range(results)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if results == 1 else names

    def quantized(self, value: str, scale: float, zero: Any) -> str:
        """Quantize a tensor, and dequantize it."""
        parameters = self.constant(np.float32(scale)), self.constant(zero)
        return self.node("DequantizeLinear", self.node("QuantizeLinear", value, *parameters), *parameters)

    def weight(self, *shape: int, kind: Any = np.int8, axis: int | None = None, zero: int = 0) -> str:
        """Add a dequantized weight, of a scale for each channel along an axis."""
        bounds = np.iinfo(kind)
        values = self.constant(self.random.integers(bounds.min, bounds.max, shape, kind, endpoint=True))
        if axis is None:
            return self.node("DequantizeLinear", values, self.constant(np.float32(2**-6)), self.constant(kind(zero)))
        scales = (2.0 ** -self.random.integers(4, 8, shape[axis])).astype(np.float32)
        zeros = self.constant(np.full(shape[axis], zero, kind))
        return self.node("DequantizeLinear", values, self.constant(scales), zeros, axis=axis)

    def model(self, result: str, given: Sequence[int], made: Sequence[int], kind: Any = TensorProto.FLOAT) -> Any:
        """Return the model of one input."""
        ends = [
            helper.make_tensor_value_info(name, element, list(shape))
            for name, element, shape in (("x", TensorProto.FLOAT, given), (result, kind, made))
        ]
        graph = helper.make_graph(self.nodes, "quantized", [ends[0]], [ends[1]], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.checker.check_model(model)
        return model


def linear(kind: Any = np.uint8, zero: int = 131, weights: Any = np.int8, beside: int = 0, axis: int | None = 1) -> Any:
    """Return two linear layers with a relu between, whose result is quantized, too."""
    graph = Graph()
    value = graph.quantized("x", 0.25, kind(zero))
    value = graph.node("MatMul", value, graph.weight(64, 96, kind=weights, axis=axis, zero=beside))
    bias = graph.node(
        "DequantizeLinear", graph.constant(np.arange(96, dtype=np.int32)), graph.constant(np.float32(0.25))
    )
    value = graph.node("Relu", graph.node("Add", value, bias))
    value = graph.quantized(value, 4.0, kind(3))
    value = graph.node("MatMul", value, graph.weight(96, 32, kind=weights, axis=axis, zero=beside))
    return graph.model(graph.quantized(value, 16.0, kind(7)), (16, 64), (16, 32))


def window(zero: int = 0, stride: int = 1, dilation: int = 1, **also: Any) -> Any:
    """Return a padded convolution of 3 x 3 behind a relu, whose input is read by a sum, too."""
    graph = Graph()
    value = graph.quantized(graph.node("Relu", "x"), 0.25, np.uint8(zero))
    shape = {"kernel_shape": [3, 3], "pads": [dilation] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2}
    found = graph.node("Conv", value, graph.weight(32, 32, 3, 3, axis=0), **shape, **also)
    found = graph.quantized(found, 4.0, np.uint8(100))
    if stride == 1:
        found = graph.quantized(graph.node("Add", found, value), 4.0, np.uint8(90))
    extent = (9 - 1) // stride + 1
    return graph.model(found, (1, 32, 9, 9), (1, 32, extent, extent))


def dynamic() -> Any:
    """Return a linear layer whose input is quantized by its own range."""
    graph = Graph()
    value, scale, zero = graph.node("DynamicQuantizeLinear", "x", results=3)
    weights = graph.constant(graph.random.integers(-128, 127, (64, 96), np.int8, endpoint=True))
    found = graph.node("MatMulInteger", value, weights, zero, graph.constant(np.int8(0)))
    found = graph.node("Cast", found, to=TensorProto.FLOAT)
    return graph.model(graph.node("Mul", found, scale), (16, 64), (16, 96))


def dynamic_window() -> Any:
    """Return a padded convolution whose padding reads as a zero point that is known at run time only."""
    graph = Graph()
    value, scale, zero = graph.node("DynamicQuantizeLinear", "x", results=3)
    weights = graph.constant(graph.random.integers(-128, 127, (32, 32, 3, 3), np.int8, endpoint=True))
    found = graph.node("ConvInteger", value, weights, zero, kernel_shape=[3, 3], pads=[1] * 4)
    found = graph.node("Cast", found, to=TensorProto.FLOAT)
    return graph.model(graph.node("Mul", found, scale), (1, 32, 5, 5), (1, 32, 5, 5))


def classes() -> Any:
    """Return the end of a network of images: one row, whose range is that of its 1280 means."""
    graph = Graph()
    value = graph.node("Flatten", graph.node("GlobalAveragePool", "x"))
    value, scale, zero = graph.node("DynamicQuantizeLinear", value, results=3)
    weights = graph.constant(graph.random.integers(-128, 127, (1280, 16), np.int8, endpoint=True))
    found = graph.node("Cast", graph.node("MatMulInteger", value, weights, zero), to=TensorProto.FLOAT)
    return graph.model(graph.node("Mul", found, scale), (1, 1280, 2, 2), (1, 16))


def scores() -> Any:
    """Return products of what is computed with what is computed, both of which have zero points."""
    graph = Graph()
    first = graph.quantized("x", 0.25, np.uint8(120))
    turned = graph.node("Transpose", graph.quantized("x", 0.5, np.uint8(9)), perm=[0, 2, 1])
    return graph.model(
        graph.quantized(graph.node("MatMul", first, turned), 64.0, np.uint8(11)), (2, 32, 64), (2, 32, 32)
    )


MODELS: dict[str, Callable[[], Any]] = {
    "linear": linear,
    "signed": lambda: linear(np.int8, -3),
    "one scale": lambda: linear(axis=None),
    "weights without sign": lambda: linear(weights=np.uint8, beside=128, axis=None),
    "weights with zero points": lambda: linear(weights=np.uint8, beside=77),
    "window": window,
    "window with a zero point": lambda: window(37),
    "strided window": lambda: window(0, 2),
    "dilated window": lambda: window(5, 1, 2),
    "dynamic": dynamic,
    "dynamic window": dynamic_window,
    "classes": classes,
    "scores": scores,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_gives_what_onnx_runtime_gives(name: str, device: str, tmp_path: Any) -> None:
    model = MODELS[name]()
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    shape = [one.dim_value for one in model.graph.input[0].type.tensor_type.shape.dim]
    x = 0.25 * np.random.default_rng(5).integers(-127, 129, shape).astype(np.float32)
    x.flat[:2] = -32.0, 31.75  # of which 256 steps of a fourth are the range
    (expected,) = session.run(None, {"x": x})
    artifact = roller_mlir.compile(path, device, options=CompileOptions(binaries=device == "host"))
    result = artifact.run(x)
    found = result[0] if isinstance(result, (list, tuple)) else result
    np.testing.assert_array_equal(np.asarray(found), expected)
    assert len(np.unique(expected)) > 8
    taken = {one.plan.instruction for one in artifact.kernels if one.plan is not None}
    without = name in ("classes", "dynamic window") or (name, device) == ("strided window", "mi300x")
    assert without or taken & UNITS.get(device, taken)
