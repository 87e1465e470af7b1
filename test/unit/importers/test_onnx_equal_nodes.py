# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes that others stand for, as torch-mlir lowers them to another function, give what ONNX Runtime gives."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx_models import Graph, random
from onnx_results import onnx_results

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.onnx import import_model

pytestmark = pytest.mark.usefixtures("preloaded_imports")

KINDS = onnx.TensorProto
NAN, INF = np.nan, np.inf


class _Case:
    """A graph with inputs: what its nodes give is compared."""

    def __init__(self, *, opset: int = 20) -> None:
        self.graph, self.inputs = Graph("g", opset=opset), dict[str, Any]()

    def input(self, value: Any) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs[name] = np.asarray(value)
        kind = onnx.helper.np_dtype_to_tensor_dtype(self.inputs[name].dtype)
        return self.graph.input(name, self.inputs[name].shape, kind)

    def constant(self, value: Any) -> str:
        return self.graph.constant(f"c{len(self.graph.weights)}", value)

    def output(self, operator: str, *inputs: str, results: int = 1, **attributes: Any) -> None:
        self.graph.node(operator, *inputs, **attributes)
        node = self.graph.nodes[-1]
        node.output.extend(f"{node.output[0]}_{number}" for number in range(1, results))
        self.graph.outputs.extend(onnx.ValueInfoProto(name=one) for one in node.output)

    def run(self, folder: Path, wanted: list[Any] | None = None) -> None:
        path = folder / "m.onnx"
        model = onnx.shape_inference.infer_shapes(self.graph.model(check=False), data_prop=True)
        onnx.save(model, path)
        wanted = onnx_results(model, self.inputs) if wanted is None else wanted
        artifact = roller_mlir.compile(import_model(path), target="h200", options=CompileOptions(binaries=False))
        found = artifact.run(*(_signed(one) for one in self.inputs.values()))
        for name, one, other in zip((value.name for value in model.graph.output), found, wanted, strict=True):
            np.testing.assert_allclose(one, _signed(other), rtol=1e-5, atol=1e-6, err_msg=name)


def _signed(value: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return unsigned integers as signed ones of the same bits, as artifacts take and give them."""
    return value.view(f"i{value.dtype.itemsize}") if value.dtype.kind == "u" else value


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_sums_of_products_of_bytes_wrap(kind: Any, tmp_path: Path) -> None:
    case, bits = _Case(), np.random.default_rng(3)
    a, b = (bits.integers(0, 256, shape, np.uint8).view(kind) for shape in ((3, 4), (4, 5)))
    case.output("Einsum", case.input(a), case.input(b), equation="ij,jk->ki")
    case.run(tmp_path, [(a.astype(np.int64) @ b.astype(np.int64)).T.astype(kind)])


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_extrema_keep_nan(kind: Any, tmp_path: Path) -> None:
    case = _Case()
    x, y = (case.input(np.array(one, kind)) for one in ([NAN, 1, -2, NAN, INF, -INF], [3, NAN, 5, NAN, -1, NAN]))
    low, high = (case.constant(kind(one)) for one in (-1, 1))
    for operator in ("Max", "Min"):
        case.output(operator, x)
        case.output(operator, x, y)
        case.output(operator, low, x)
        case.output(operator, x, high, y)
    case.output("Clip", x, low, high)
    case.output("Clip", x, high, low)
    case.output("Sign", x)
    case.output("Equal", x, case.graph.node("Identity", x))
    case.output("Equal", x, y)
    finite = case.input(np.array([NAN, 2, -2], kind))  # ONNX Runtime clamps infinities without bounds to the largest
    case.output("Clip", finite, "", high)
    case.output("Clip", finite, low)
    case.output("Clip", finite)
    case.run(tmp_path)


def test_a_clamp_of_older_opsets_keeps_nan(tmp_path: Path) -> None:
    case = _Case(opset=10)
    case.output("Clip", case.input(np.array([NAN, 7, -7], np.float32)), max=6.0)
    case.run(tmp_path)


def test_unsigned_integers(tmp_path: Path) -> None:
    case, numbers = _Case(), np.array([200, 255, 7, 0, 128, 129], np.uint8)
    x, y = case.input(numbers), case.input(np.array([3, 200, 2, 130, 255, 1], np.uint8))
    low, high = (case.constant(np.uint8(one)) for one in (100, 210))
    case.output("Div", x, y)
    case.output("Mod", x, y)
    case.output("Mod", x, y, fmod=1)
    case.output("Abs", x)
    case.output("Clip", x, low, high)
    case.output("Clip", x, "", low)
    case.output("Pow", case.constant(np.full(6, 1.01, np.float32)), x)
    planes = case.input(np.array([[[200, 255, 7], [0, 128, 129], [1, 127, 126]]], np.uint8)[None])
    case.output("MaxPool", planes, kernel_shape=[2, 2], pads=[1, 1, 1, 1], results=2)
    wanted = onnx_results_without(case, "Pow")
    case.run(tmp_path, [*wanted[:6], np.float32(1.01) ** numbers.astype(np.float32), *wanted[6:]])


def onnx_results_without(case: _Case, operator: str) -> list[Any]:
    """Return results of the nodes that ONNX Runtime has for these types."""
    model = case.graph.model(check=False)
    (left,) = (one for one in model.graph.node if one.op_type == operator)
    model.graph.node.remove(left)
    outputs = [one for one in model.graph.output if one.name not in left.output]
    del model.graph.output[:]
    model.graph.output.extend(outputs)
    return onnx_results(model, case.inputs)


def test_unsigned_integers_of_more_bits(tmp_path: Path) -> None:
    case, numbers = _Case(), np.array([[3, 1 << 31], [(1 << 32) - 1, 5]], np.uint32)
    x = case.input(numbers)
    case.output("Abs", x)
    case.output("PRelu", x, case.constant(np.array([[2, 3]], np.uint32)))
    case.output("Clip", x, case.constant(np.uint32(4)), case.constant(np.uint32(1 << 31)))
    case.output("ReduceL1", x, case.constant(np.array([1])), keepdims=0)
    case.output("Sign", x)
    sums, signs = numbers.sum(1, dtype=np.uint32), np.ones((2, 2), np.uint32)
    case.run(tmp_path, [numbers, numbers, numbers.clip(4, 1 << 31), sums, signs])


def test_sums_of_unsigned_integers_of_older_opsets(tmp_path: Path) -> None:
    case, numbers = _Case(opset=11), np.array([[3, 1 << 31], [(1 << 32) - 2, 1]], np.uint32)
    x = case.input(numbers)
    case.output("ReduceL1", x, axes=[-1])
    case.output("ReduceL1", x, keepdims=0)
    case.run(tmp_path, [numbers.sum(1, dtype=np.uint32, keepdims=True), numbers.sum(dtype=np.uint32)])


def test_indices_of_a_pool_count_over_the_tensor(tmp_path: Path) -> None:
    case = _Case()
    case.output("MaxPool", case.input(random(2, 3, 5, 4)), kernel_shape=[3, 2], pads=[1, 0, 1, 0], results=2)
    case.output("MaxPool", case.input(random(2, 3, 7)), kernel_shape=[2], strides=[2], ceil_mode=1, results=2)
    case.run(tmp_path)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("counts", [0, 1])
def test_means_of_windows_that_reach_beyond_the_padding(counts: int, tmp_path: Path) -> None:
    case = _Case()
    for pads, stride in (([0, 0, 0, 0], 2), ([1, 0, 0, 1], 2), ([1, 1, 1, 1], 3)):
        case.output(
            "AveragePool",
            case.input(random(1, 2, 7, 6)),
            kernel_shape=[3, 3],
            strides=[stride, stride],
            pads=pads,
            ceil_mode=1,
            count_include_pad=counts,
        )
    case.output("AveragePool", case.input(random(1, 2, 6)), kernel_shape=[3], strides=[2], ceil_mode=1)
    for pads in ([0, 0, 0, 0], [1, 1, 1, 1]):  # of windows with gaps torch-mlir counts rightly
        case.output(
            "AveragePool",
            case.input(random(1, 2, 11, 13)),
            kernel_shape=[3, 3],
            strides=[3, 2],
            dilations=[2, 2],
            pads=pads,
            ceil_mode=1,
            count_include_pad=counts,
        )
    case.run(tmp_path)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("opset", [11, 13, 18])
def test_logarithms_of_sums_do_not_overflow(opset: int, tmp_path: Path) -> None:
    case = _Case(opset=opset)
    x = case.input(np.array([[800, 1, -INF, 3], [-900, -901, -902, -INF], [INF, 1, 2, 3], [-INF] * 4], np.float32))
    y = case.input(random(2, 3, 4) * 100)
    if opset < 18:
        case.output("ReduceLogSumExp", x, axes=[1])
        case.output("ReduceLogSumExp", y, axes=[0, -1], keepdims=0)
    else:
        case.output("ReduceLogSumExp", x, case.constant(np.array([1])))
        case.output("ReduceLogSumExp", y, case.constant(np.array([0, -1])), keepdims=0)
    case.output("ReduceLogSumExp", y, keepdims=0)
    case.run(tmp_path)


def test_reductions_over_no_axes(tmp_path: Path) -> None:
    case = _Case()
    x, axes = case.input(np.abs(random(2, 3)) + 1), case.constant(np.array([], np.int64))
    for operator in ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp"):
        case.output(operator, x, axes, noop_with_empty_axes=1)
    case.run(tmp_path)


def test_a_bias_of_a_convolution_with_scales_of_channels(tmp_path: Path) -> None:
    case, random_bits = _Case(), np.random.default_rng(1)
    for shape, weights in (([1, 2, 5, 5], [3, 2, 3, 3]), ([1, 1, 1, 1], [3, 1, 1, 1])):
        x = case.input(random_bits.integers(0, 255, shape, np.uint8))
        # Of 7 bits: without VNNI, ONNX Runtime adds two products in 16 bits, which saturate.
        weight = case.constant(random_bits.integers(-64, 64, weights, np.int8))
        scales, zeros = np.array([0.2, 0.1, 0.3], np.float32), np.zeros(3, np.int8)
        given = (np.float32(0.02), np.uint8(3), weight, scales, zeros, np.float32(0.5), np.uint8(120))
        bias = np.array([-600, 1500, -200], np.int32)
        parameters = [one if isinstance(one, str) else case.constant(one) for one in (*given, bias)]
        pads = [1, 1, 1, 1] if shape[-1] > 1 else [0, 0, 0, 0]
        case.output("QLinearConv", x, *parameters, pads=pads)
    case.run(tmp_path)


def test_a_mean_of_weighted_losses(tmp_path: Path) -> None:
    case = _Case()
    scores, labels = case.input(random(3, 5)), case.input(np.array([4, 2, 0]))
    weights = case.input(np.array([0.1, 2, 0.3, 4, 0.5], np.float32))
    case.output("SoftmaxCrossEntropyLoss", scores, labels, weights)
    case.output("SoftmaxCrossEntropyLoss", scores, labels, weights, ignore_index=2)
    case.output("SoftmaxCrossEntropyLoss", scores, labels, weights, reduction="sum")
    case.output("SoftmaxCrossEntropyLoss", scores, labels, weights, results=2)
    case.output("NegativeLogLikelihoodLoss", scores, labels, weights)
    case.run(tmp_path)


def test_an_axis_of_scales_counted_from_the_end(tmp_path: Path) -> None:
    case = _Case()
    given = (np.array([0.1, 0.2, 0.3], np.float32), np.array([1, -12, 5], np.int8))
    x = case.input(np.array([[1, -2, 100], [-128, 5, 6]], np.int8))
    case.output("DequantizeLinear", x, *map(case.constant, given), axis=-1)
    case.run(tmp_path)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("axis", [None, 1, -1])
def test_a_zero_point_that_is_left_out_is_0(kind: Any, axis: int | None, tmp_path: Path) -> None:
    case, bounds = _Case(), np.iinfo(kind)
    values = np.random.default_rng(5).integers(bounds.min, bounds.max, (4, 3), kind, endpoint=True)
    scale = np.float32(0.25) if axis is None else np.array([0.5, 0.25, 2.0], np.float32)
    attributes = {} if axis is None else {"axis": axis}
    case.output("DequantizeLinear", case.constant(values), case.constant(scale), **attributes)
    case.output("DequantizeLinear", case.input(values), case.constant(scale), **attributes)
    case.run(tmp_path)
