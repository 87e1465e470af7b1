# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as importers write them: batch norms are joined to their convolutions, weights that lie beside are packed."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from cpu_programs import targets
from onnx import TensorProto, helper, numpy_helper

import roller_mlir
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.runtime import Artifact


class Network:
    """A network of convolutions with batch norms, as PyTorch's exporter writes it."""

    def __init__(self, channels: int, size: int) -> None:
        self.random = np.random.default_rng(channels)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.value, self.shape = "x", [1, channels, size, size]
        self.given = list(self.shape)

    def node(self, kind: str, *inputs: Any, **attributes: Any) -> str:
        """Add a node; arrays are weights."""
        names: list[str] = []
        for one in inputs:
            if isinstance(one, str):
                names.append(one)
            else:
                names.append(f"w{len(self.weights)}")
                self.weights.append(numpy_helper.from_array(np.asarray(one, np.float32), names[-1]))
        self.nodes.append(helper.make_node(kind, names, [f"v{len(self.nodes)}"], **attributes))
        return f"v{len(self.nodes) - 1}"

    def convolution(self, filters: int, window: int, *, group: int = 1, stride: int = 1, end: str = "") -> "Network":
        """Add a convolution, its batch norm, and what follows: relu, relu6, swish, or the input itself."""
        n, channels, size, _ = self.shape
        per_filter = channels // group * window * window
        weight = self.random.standard_normal((filters, channels // group, window, window)) / np.sqrt(per_filter)
        pads = [window // 2] * 4
        before = self.value
        value = self.node(
            "Conv", before, weight, kernel_shape=[window] * 2, strides=[stride] * 2, pads=pads, group=group
        )
        around = (self.random.uniform(0.5, 1.5, filters), *self.random.standard_normal((2, filters)))
        value = self.node("BatchNormalization", value, *around, self.random.uniform(0.5, 1.5, filters))
        if end == "relu":
            value = self.node("Relu", value)
        if end == "relu6":
            value = self.node("Clip", value, 0.0, 6.0)
        if end == "swish":
            value = self.node("Mul", value, self.node("Sigmoid", value))
        self.value = self.node("Add", value, before) if end == "input" else value
        self.shape = [n, filters, *[(size - 1) // stride + 1] * 2]
        return self

    def model(self) -> bytes:
        """Return the model."""
        given, made = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)]
            for name, shape in (("x", self.given), (self.value, self.shape))
        )
        graph = helper.make_graph(self.nodes, "net", given, made, self.weights)
        found = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.checker.check_model(found)
        return found.SerializeToString()


NETWORKS = {
    "relu6": Network(24, 14).convolution(144, 1, end="relu6").convolution(144, 3, group=144, end="relu6"),
    "residual": Network(64, 14).convolution(64, 3, end="relu").convolution(64, 3, end="input"),
    "swish": Network(16, 20).convolution(64, 1, end="swish").convolution(64, 5, group=64, end="swish"),
    "stride": Network(17, 13).convolution(33, 3, stride=2, end="relu").convolution(40, 1),
}


def compiled(network: Network, folder: Path, target: str, **options: Any) -> Artifact:
    """Return the artifact of a network's model."""
    file = folder / "net.onnx"
    file.write_bytes(network.model())
    return roller_mlir.compile(file, target, **options)


@pytest.mark.parametrize("target", ["zen4", "haswell", "neoverse-v1"])
@pytest.mark.parametrize("name", NETWORKS)
def test_each_convolution_is_one_program_with_what_follows(name: str, target: str, tmp_path: Path) -> None:
    artifact = compiled(NETWORKS[name], tmp_path, target, binaries=False, propagate_layouts=False)  # without copies
    assert len(artifact.manifest.launches) == sum(node.op_type == "Conv" for node in NETWORKS[name].nodes)
    assert "math.rsqrt" not in artifact.text("kernels")


@pytest.mark.parametrize("target", ["zen4", "haswell"])
def test_nothing_dear_is_computed_at_each_tap_of_a_window(target: str, tmp_path: Path) -> None:
    artifact = compiled(NETWORKS["swish"], tmp_path, target, binaries=False)
    _, *kernels = artifact.text("kernels").split("gpu.func @")
    assert len(kernels) == 2 and all("math.exp" in one for one in kernels)  # behind its own sums, each


@pytest.mark.parametrize("target", ["zen4", "haswell"])
def test_filters_that_lie_beside_the_text_are_packed_ahead(target: str, tmp_path: Path) -> None:
    artifact = compiled(NETWORKS["residual"], tmp_path, target, binaries=False)
    layers = Counter(one.layer for kernel in artifact.kernels if kernel.plan for one in kernel.plan.operands)
    assert layers[CONSTANT] >= 1
    assert "0x" not in artifact.text("input")


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("number", range(2))
def test_they_give_what_another_runtime_gives(name: str, number: int, tmp_path: Path) -> None:
    if number >= len(targets()):
        pytest.skip("this machine runs no such code")
    network = NETWORKS[name]
    artifact = compiled(network, tmp_path, targets()[number])
    x = np.random.default_rng(1).standard_normal(network.given).astype(np.float32)
    (right,) = onnxruntime.InferenceSession(network.model(), providers=["CPUExecutionProvider"]).run(None, {"x": x})
    (found,) = artifact.run_reported(x, on="cpu").outputs
    np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-4)
