# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums along rows, sorting, writing at positions, and operators that are functions give what ONNX Runtime gives."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from test_onnx_equal_nodes import _Case

from roller_mlir.importers.onnx import import_model
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.usefixtures("preloaded_imports")


@pytest.fixture
def draw() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_sums_up_to_each_element(exclusive: int, reverse: int, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case()
    options: dict[str, Any] = {"exclusive": exclusive, "reverse": reverse}
    for shape, axis in (((3, 7), 1), ((5, 1, 2), 0), ((2, 3), -1), ((1, 1), 1)):
        value = draw.standard_normal(shape).astype(np.float32)
        case.output("CumSum", case.input(value), case.constant(np.array(axis)), **options)
    whole = draw.integers(-9, 9, (4, 6)).astype(np.int64)
    case.output("CumSum", case.input(whole), case.constant(np.array(0)), **options)
    case.run(tmp_path)


@pytest.mark.parametrize("length", [256, 257, 300, 1009])
def test_long_rows_are_summed_in_blocks(length: int, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case()
    case.output("CumSum", case.input(draw.integers(-9, 9, (2, length))), case.constant(np.array(1)))
    case.output("CumSum", case.input(draw.integers(-9, 9, (length, 2))), case.constant(np.array(0)), exclusive=1)
    case.run(tmp_path)


@pytest.mark.parametrize("exclusive", [0, 1])
def test_products_up_to_each_element(exclusive: int, draw: np.random.Generator, tmp_path: Path) -> None:
    case, wanted = _Case(opset=26), list[Any]()
    for shape, axis, reverse in (((3, 5), 1, 0), ((4, 3), 0, 1), ((2, 3, 2), -2, 0), ((1, 1), 0, 0)):
        value = draw.integers(1, 4, shape).astype(np.float32)
        case.output("CumProd", case.input(value), case.constant(np.array(axis)), exclusive=exclusive, reverse=reverse)
        turned = np.flip(value, axis) if reverse else value
        found = np.cumprod(turned, axis)
        if exclusive:
            ones = np.ones_like(np.take(found, [0], axis))
            found = np.concatenate([ones, np.take(found, range(shape[axis] - 1), axis)], axis)
        wanted.append(np.flip(found, axis) if reverse else found)
    case.run(tmp_path, wanted)


@pytest.mark.parametrize("largest", [0, 1])
def test_the_first_of_rows_in_order(largest: int, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case()
    for shape, axis, count in (((3, 9), 1, 4), ((7, 2), 0, 7), ((5,), -1, 1), ((2, 1, 3), 1, 1)):
        value = draw.integers(-3, 3, shape).astype(np.float32)  # many are equal: the first one comes first
        case.output("TopK", case.input(value), case.constant(np.array([count])), results=2, axis=axis, largest=largest)
    whole = draw.integers(-99, 99, (2, 33)).astype(np.int64)
    case.output("TopK", case.input(whole), case.constant(np.array([3])), results=2, largest=largest)
    case.run(tmp_path)


def test_a_nan_is_greater_than_any_number(tmp_path: Path) -> None:
    case, nan = _Case(), np.nan
    value = case.input(np.array([[1, nan, np.inf, -2, nan]], np.float32))
    for largest in (0, 1):
        case.output("TopK", value, case.constant(np.array([5])), results=2, largest=largest)
    case.run(
        tmp_path,
        [
            *(np.array([[-2, 1, np.inf, nan, nan]], np.float32), np.array([[3, 0, 2, 1, 4]])),
            *(np.array([[nan, nan, np.inf, 1, -2]], np.float32), np.array([[1, 4, 2, 0, 3]])),
        ],
    )


def test_elements_are_written_at_positions(draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case(opset=18)

    def value(*shape: int) -> str:
        return case.input(draw.standard_normal(shape).astype(np.float32))

    def places(below: int, *shape: int) -> str:
        return case.input(draw.integers(-below, below, shape))

    case.output("ScatterElements", value(3, 7), places(7, 3, 4), value(3, 4), axis=1, reduction="add")
    case.output("ScatterElements", value(4, 3), places(4, 2, 3), value(2, 3), axis=0, reduction="mul")
    once = np.stack([draw.permutation(7)[:3] for _ in range(2)])
    case.output("ScatterElements", value(2, 7), case.input(once), value(2, 3), axis=1)
    case.output("ScatterND", value(5, 4), places(5, 3, 1), value(3, 4), reduction="add")
    case.output("ScatterND", value(5, 4, 2), case.input(np.array([[0, 3], [4, -1], [2, 0]])), value(3, 2))
    case.output("ScatterND", value(6), case.input(np.array([[4], [1]])), value(2), reduction="max")
    case.run(tmp_path)


def test_of_equal_positions_the_last_one_stays(tmp_path: Path) -> None:
    case = _Case(opset=18)
    given = case.input(np.zeros((4, 2), np.float32)), case.input(np.array([[2], [0], [2]]))
    case.output("ScatterND", *given, case.input(np.arange(6, dtype=np.float32).reshape(3, 2)))
    case.run(tmp_path, [np.array([[2, 3], [0, 0], [4, 5], [0, 0]], np.float32)])


def test_so_many_positions_are_refused(tmp_path: Path) -> None:
    case = _Case(opset=18)
    target, source = (case.graph.input(name, [1 << 16, 1]) for name in ("t", "s"))
    places = case.graph.input("p", [1 << 16, 1], onnx.TensorProto.INT64)
    case.output("ScatterND", target, places, case.graph.input("u", [1 << 16, 1]))
    case.output("TopK", source, case.constant(np.array([1])), results=2, axis=0)
    onnx.save(onnx.shape_inference.infer_shapes(case.graph.model(check=False)), tmp_path / "m.onnx")
    import_model(tmp_path / "m.onnx")  # 2^32 of both: as many as there may be
    case.graph.inputs[0].type.tensor_type.shape.dim[0].dim_value += 1
    del case.graph.outputs[1:]
    onnx.save(onnx.shape_inference.infer_shapes(case.graph.model(check=False)), tmp_path / "m.onnx")
    with pytest.raises(DiagnosedError, match=r"\(ScatterND\).*: error: 65536 positions .* at most 4294967296"):
        import_model(tmp_path / "m.onnx")


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_rows_of_a_cache_are_written(mode: str, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case(opset=24)
    cache, update = (draw.standard_normal((2, 3, size, 4)).astype(np.float32) for size in (6, 2))
    starts = np.array([3, 5 if mode == "circular" else 4])
    case.output("TensorScatter", *(case.input(one) for one in (cache, update, starts)), mode=mode)
    wanted = cache.copy()
    for batch, start in enumerate(starts):
        for row in range(2):
            wanted[batch, :, (start + row) % 6] = update[batch, :, row]
    case.run(tmp_path, [wanted])


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
def test_paddings_that_cut_off(mode: str, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case()
    for pads in ((0, 1, 0, 0, -1, 0), (0, -1, 0, 0, 2, 0), (0, -2, 1, 0, -1, -1), (0, 2, 2, 0, 1, 0)):
        value = draw.standard_normal((1, 5, 4)).astype(np.float32)
        case.output("Pad", case.input(value), case.constant(np.array(pads)), mode=mode)
    value = draw.standard_normal((2, 5)).astype(np.float32)
    filling = case.constant(np.float32(3)) if mode == "constant" else ""
    case.output("Pad", case.input(value), case.constant(np.array([-1, 1])), filling, case.constant([-1]), mode=mode)
    case.run(tmp_path)


def _agrees_with_the_reference(case: _Case, folder: Path) -> None:
    model = onnx.shape_inference.infer_shapes(case.graph.model(check=False), data_prop=True)
    case.run(folder, ReferenceEvaluator(model).run(None, case.inputs))


@pytest.mark.parametrize("is_causal", [0, 1])
def test_attention(is_causal: int, draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case(opset=23)

    def value(*shape: int) -> str:
        return case.input(draw.standard_normal(shape).astype(np.float32))

    heads = value(1, 4, 3, 8), value(1, 2, 5, 8), value(1, 2, 5, 6)  # two heads of queries share one of keys
    case.output("Attention", *heads, is_causal=is_causal)
    mask = case.input(np.array([[True, False, True, True, False]] * 3))
    case.output("Attention", *heads, mask, is_causal=is_causal, scale=0.3)
    case.output("Attention", value(2, 3, 8), value(2, 3, 8), value(2, 3, 8), q_num_heads=2, kv_num_heads=2, softcap=2.0)
    _agrees_with_the_reference(case, tmp_path)


def test_attention_with_what_was_before(draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case(opset=23)
    given = [(1, 2, 1, 8), (1, 2, 1, 8), (1, 2, 1, 8), None, (1, 2, 4, 8), (1, 2, 4, 8)]
    names = ["" if one is None else case.input(draw.standard_normal(one).astype(np.float32)) for one in given]
    case.output("Attention", *names, results=3)
    _agrees_with_the_reference(case, tmp_path)


def test_norms_and_gates_of_decoders(draw: np.random.Generator, tmp_path: Path) -> None:
    case = _Case(opset=24)
    value = case.input(draw.standard_normal((2, 3, 8)).astype(np.float32))
    case.output("RMSNormalization", value, case.constant(draw.uniform(0.5, 1.5, 8).astype(np.float32)), epsilon=1e-3)
    case.output("Swish", value, alpha=0.5)
    heads = case.input(draw.standard_normal((1, 2, 5, 8)).astype(np.float32))
    angles = [case.constant(draw.standard_normal((9, 4)).astype(np.float32)) for _ in range(2)]
    for interleaved in (0, 1):
        places = case.input(np.array([[3, 4, 5, 6, 8]]))
        case.output("RotaryEmbedding", heads, *angles, places, interleaved=interleaved)
    _agrees_with_the_reference(case, tmp_path)
