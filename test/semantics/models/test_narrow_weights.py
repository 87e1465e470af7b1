# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 2, 4 and 8 bits in blocks, as ONNX and ONNX Runtime have them, give what ONNX Runtime gives.

Scales are powers of two and inputs whole multiples of them, so that both compute each number exactly.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.onnx.narrow_weights import widen_weights
from roller_mlir.support.diagnostics import DiagnosedError

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402 - behind the check whether there is such a package

IS_X86 = os.uname().machine == "x86_64"
DEVICES = ["h200", "a100", "mi300x", *(["host"] if IS_X86 else [])]
COLUMNS = 24


@dataclass
class Model:
    """A product of some rows and weights.

    Attributes:
        depth: Of the reduction.
        nodes: In order; they read "x" and give "y".
        weights: Of the graph.
        domains: Of operators, beside that of ONNX.
    """

    depth: int = 96
    nodes: list[Any] = field(default_factory=list[Any])
    weights: list[Any] = field(default_factory=list[Any])
    domains: tuple[str, ...] = ()
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))

    def weight(self, name: str, value: Any, kind: int | None = None) -> str:
        """Add a weight, of another type than numpy has where one is said."""
        array = np.asarray(value)
        narrow = None if kind is None else helper.make_tensor(name, kind, array.shape, array.reshape(-1).tolist())
        self.weights.append(numpy_helper.from_array(array, name) if narrow is None else narrow)
        return name

    def scales(self, *shape: int) -> Any:
        """Return powers of two."""
        return (2.0 ** -self.random.integers(2, 6, shape)).astype(np.float32)

    def node(self, operator: str, inputs: list[str], result: str, **attributes: Any) -> str:
        """Add a node, and return its result."""
        self.nodes.append(helper.make_node(operator, inputs, [result], name=f"node {result}", **attributes))
        return result

    def built(self, rows: int) -> Any:
        """Return the model of ONNX."""
        ends = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, extent])
            for name, extent in (("x", self.depth), ("y", COLUMNS))
        ]
        graph = helper.make_graph(self.nodes, "narrow", [ends[0]], [ends[1]], self.weights)
        versions = [helper.make_opsetid("", 21), *(helper.make_opsetid(one, 1) for one in self.domains)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)


def dequantized(kind: int, *, zeros: bool, axis: int = 0, block: int = 32) -> Model:
    """Return a product of weights of ONNX's types, of which so many along an axis have a scale in common."""
    model = Model()
    low, high = (-8, 8) if kind == TensorProto.INT4 else (0, 16) if kind == TensorProto.UINT4 else (-128, 128)
    shape = [model.depth, COLUMNS] if axis == 0 else [COLUMNS, model.depth]
    blocks = [extent // block if place == axis else extent for place, extent in enumerate(shape)]
    inputs = [
        model.weight("q", model.random.integers(low, high, shape), kind),
        model.weight("s", model.scales(*blocks)),
        *([model.weight("z", model.random.integers(low, high, blocks), kind)] if zeros else []),
    ]
    weight = model.node("DequantizeLinear", inputs, "w", axis=axis, block_size=block)
    weight = weight if axis == 0 else model.node("Transpose", [weight], "t", perm=[1, 0])
    model.node("MatMul", ["x", weight], "y")
    return model


def packed(values: Any, bits: int) -> Any:
    """Return numbers of so many bits as bytes, the first one lowest, each row by itself."""
    each = 8 // bits
    rows = np.pad(values, [(0, 0), (0, -values.shape[-1] % each)]).reshape(len(values), -1, each).astype(np.uint8)
    return np.bitwise_or.reduce([rows[..., place] << (bits * place) for place in range(each)]).astype(np.uint8)


def product(
    bits: int = 4, block: int = 32, depth: int = 96, *, zeros: str = "", bias: bool = False, change: Any = None
) -> Model:
    """Return a product of com.microsoft's weights."""
    model = Model(depth, domains=("com.microsoft",))
    blocks = -(-depth // block)
    numbers = model.random.integers(0, 1 << bits, (COLUMNS, blocks * block))
    points = model.random.integers(0, 1 << bits, (COLUMNS, blocks))
    inputs = [
        "x",
        model.weight("q", packed(numbers, bits).reshape(COLUMNS, blocks, -1)),
        model.weight("s", model.scales(COLUMNS, blocks)),
        {"": "", "packed": "z", "floats": "z"}[zeros],
        "",
        *([model.weight("b", model.scales(COLUMNS))] if bias else []),
    ]
    if zeros:
        model.weight("z", packed(points, bits) if zeros == "packed" else points.astype(np.float32))
    said = {"K": depth, "N": COLUMNS, "bits": bits, "block_size": block, **(change or {})}
    model.node("MatMulNBits", inputs if bias else inputs[: 4 if zeros else 3], "y", domain="com.microsoft", **said)
    return model


KINDS = TensorProto
MODELS: dict[str, Callable[[], Model]] = {
    "int4": lambda: dequantized(KINDS.INT4, zeros=False),
    "int4 with zero points": lambda: dequantized(KINDS.INT4, zeros=True),
    "uint4 with zero points": lambda: dequantized(KINDS.UINT4, zeros=True, block=16),
    "int8": lambda: dequantized(KINDS.INT8, zeros=True),
    "int4 along rows": lambda: dequantized(KINDS.INT4, zeros=True, axis=1),
    "packed": product,
    "packed, zero points": lambda: product(zeros="packed"),
    "packed, zero points as floats": lambda: product(zeros="floats"),
    "packed, 8 bits": lambda: product(8),
    "packed, 8 bits with zero points": lambda: product(8, zeros="packed"),
    "packed, bias": lambda: product(bias=True),
    "packed, blocks of 16": lambda: product(block=16, zeros="packed"),
    "packed, the last block in part": lambda: product(depth=80, zeros="packed"),
}


MOVED = ("int4 along rows", "packed, the last block in part")
"""Whose weights are transposed, or cut, behind their scales."""


def expected_of(model: Any, x: Any, folder: Path) -> tuple[Path, Any]:
    """Save a model, and return where, and what ONNX Runtime makes of an input."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return path, session.run(None, {"x": x})[0]


def rows_of(count: int, depth: int) -> Any:
    return 0.25 * np.random.default_rng(5).integers(-32, 33, (count, depth)).astype(np.float32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_gives_what_onnx_runtime_gives(name: str, device: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    for rows in (1, 5):
        x = rows_of(rows, model.depth)
        path, expected = expected_of(model.built(rows), x, tmp_path)
        artifact = roller_mlir.compile(path, device, options=CompileOptions(binaries=device == "host"))
        (found,) = artifact.run(x)
        np.testing.assert_array_equal(np.asarray(found), expected)
        assert len(np.unique(expected)) > COLUMNS / 2
        if device == "host":  # which dequantizes what it multiplies, but where it is moved on its way
            assert (len(artifact.manifest.launches) == 1) == (name not in MOVED)


def test_two_bits(tmp_path: Path) -> None:
    """Which this ONNX Runtime may not have."""
    model, x = product(2), rows_of(5, 96)
    path = tmp_path / "model.onnx"
    onnx.save(model.built(5), path)
    integers, scales = (numpy_helper.to_array(one) for one in model.weights)
    parts = np.stack([integers >> shift & 3 for shift in (0, 2, 4, 6)], -1).reshape(COLUMNS, 3, 32)
    weights = ((parts.astype(np.float32) - 2) * scales[..., None]).reshape(COLUMNS, 96)
    (found,) = roller_mlir.compile(path, "h200", options=CompileOptions(binaries=False)).run(x)
    np.testing.assert_array_equal(np.asarray(found), x @ weights.T)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": 3}, "weights of 3 bits in blocks of 32 are not read"),
        ({"K": 97}, "its weights are no 24 x 4 blocks of 32"),
        ({"block_size": 0}, "in blocks of 0 are not read"),
        ({"N": 25}, "its weights are no 25 x 3 blocks of 32"),
    ],
)
def test_weights_that_do_not_fit_are_refused(change: dict[str, int], message: str, tmp_path: Path) -> None:
    onnx.save(product(change=change).built(5), tmp_path / "model.onnx")
    with pytest.raises(DiagnosedError, match=r"node 'node y' \(MatMulNBits\).*" + message):
        roller_mlir.compile(tmp_path / "model.onnx", "h200", options=CompileOptions(binaries=False))


def test_packed_weights_are_not_kept(tmp_path: Path) -> None:
    """But where something else reads them."""
    model = product(zeros="packed")
    for more, names in (
        (False, {"y.integers", "y.scales", "y.shape"}),
        (True, {"y.integers", "y.scales", "y.shape", "z"}),
    ):
        proto = model.built(5)
        if more:
            proto.graph.node.append(helper.make_node("Identity", ["z"], ["again"]))
        mapped = {"q": numpy_helper.to_array(model.weights[0])}
        widen_weights(proto, mapped, "model")
        assert {one.name for one in proto.graph.initializer} == names and not mapped


def test_activations_of_four_bits_are_refused(tmp_path: Path) -> None:
    """With a zero point of 8 bits they would have other bounds."""
    model = Model()
    parameters = [model.weight("s", np.float32(0.5)), model.weight("z", np.array(1), KINDS.INT4)]
    value = model.node("QuantizeLinear", ["x", *parameters], "q")
    value = model.node("DequantizeLinear", [value, *parameters], "d")
    model.node("MatMul", [value, model.weight("w", np.ones((96, COLUMNS), np.float32))], "y")
    onnx.save(model.built(5), tmp_path / "model.onnx")
    with pytest.raises(DiagnosedError, match=r"node 'node q' \(QuantizeLinear\).*quantizes to 4 bits"):
        roller_mlir.compile(tmp_path / "model.onnx", "h200", options=CompileOptions(binaries=False))


def test_blocks_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    model = dequantized(KINDS.INT4, zeros=False)
    model.nodes[0].attribute[1].i = 40
    assert model.nodes[0].attribute[1].name == "block_size"
    onnx.save(model.built(5), tmp_path / "model.onnx")
    with pytest.raises(DiagnosedError, match="of blocks of which the last has fewer elements"):
        roller_mlir.compile(tmp_path / "model.onnx", "h200", options=CompileOptions(binaries=False))


def test_products_in_another_order_and_weights_that_are_no_constants_are_refused(tmp_path: Path) -> None:
    model = product()
    model.weight("g", np.arange(96, dtype=np.int32) // 32)
    del model.nodes[0].input[3:]
    model.nodes[0].input.extend(["", "g"])
    onnx.save(model.built(5), tmp_path / "model.onnx")
    with pytest.raises(DiagnosedError, match="its reduction is in another order"):
        roller_mlir.compile(tmp_path / "model.onnx", "h200", options=CompileOptions(binaries=False))
    other = product().built(5)
    scales = other.graph.initializer.pop()
    other.graph.input.append(helper.make_tensor_value_info(scales.name, scales.data_type, list(scales.dims)))
    onnx.save(other, tmp_path / "other.onnx")
    with pytest.raises(DiagnosedError, match="its scales are no constants of the graph"):
        roller_mlir.compile(tmp_path / "other.onnx", "h200", options=CompileOptions(binaries=False))
