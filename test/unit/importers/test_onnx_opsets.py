# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of ONNX's older opsets, and of older versions of its format, give what ONNX Runtime gives for them."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.version_converter
import pytest
from onnx_models import Graph, mlp, model_of, random
from onnx_results import onnx_results

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.onnx.opsets import convert_opset
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.usefixtures("preloaded_imports")

FLOAT, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
X, Y = (FLOAT, [2, 3, 4]), (FLOAT, [1, 3, 8, 8])
POOL = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}


def scales(*factors: float) -> np.ndarray[Any, Any]:
    return np.float32([1, 1, *factors])


def norm(opset: int) -> onnx.ModelProto:
    statistics = random(3), np.abs(random(3)) + 1
    return model_of("BatchNormalization", [Y, random(3), random(3), *statistics], Y, opset=opset)


OLD = {
    "a softmax over all axes behind one": model_of("Softmax", [X], X, opset=11, axis=1),
    "a softmax by default": model_of("Softmax", [X], X, opset=9),
    "its logarithm": model_of("LogSoftmax", [X], X, opset=11, axis=-2),
    "bounds as attributes": model_of("Clip", [X], X, opset=9, min=-0.5, max=0.25),
    "one bound": model_of("Clip", [X], X, opset=9, min=-0.5),
    "pads as attributes": model_of("Pad", [X], (FLOAT, [3, 3, 6]), opset=9, pads=[1, 0, 0, 0, 0, 2], value=1.5),
    "a slice by attributes": model_of(
        "Slice", [X], (FLOAT, [2, 2, 2]), opset=9, axes=[1, 2], starts=[1, -3], ends=[1000, -1]
    ),
    "axes to drop": model_of("Squeeze", [(FLOAT, [2, 1, 4])], (FLOAT, [2, 4]), opset=11, axes=[1]),
    "axes to add": model_of("Unsqueeze", [X], (FLOAT, [2, 1, 3, 4]), opset=11, axes=[1]),
    "axes of a sum": model_of("ReduceSum", [X], (FLOAT, [2, 1, 4]), opset=11, axes=[1]),
    "the maximum of all": model_of("ReduceMax", [X], (FLOAT, [1, 1, 1]), opset=7),
    "a dropout": model_of("Dropout", [X], X, opset=7),
    "a batch norm of 7": norm(7),
    "a batch norm of 9": norm(9),
    "maxima of windows": model_of("MaxPool", [Y], (FLOAT, [1, 3, 4, 4]), opset=8, **POOL),
    "means of windows": model_of("AveragePool", [Y], (FLOAT, [1, 3, 4, 4]), opset=7, **POOL),
    "points repeated": model_of("Upsample", [Y, scales(2, 2)], (FLOAT, [1, 3, 16, 16]), opset=9),
    "points repeated, scales as attribute": model_of(
        "Upsample", [Y], (FLOAT, [1, 3, 16, 16]), opset=7, scales=[1.0, 1.0, 2.0, 2.0]
    ),
    "points between": model_of("Upsample", [Y, scales(2, 3)], (FLOAT, [1, 3, 16, 24]), opset=9, mode="linear"),
    "points between, fewer": model_of("Resize", [Y, scales(0.75, 0.4)], (FLOAT, [1, 3, 6, 3]), opset=10, mode="linear"),
    "the nearest points": model_of("Resize", [Y, scales(1.5, 2)], (FLOAT, [1, 3, 12, 16]), opset=10),
    "parts as attribute": model_of(
        "Split", [X], (FLOAT, [2, 1, 4]), (FLOAT, [2, 2, 4]), opset=11, axis=1, split=[1, 2]
    ),
    "a product": model_of("Gemm", [(FLOAT, [3, 4]), random(5, 4), random(5)], (FLOAT, [3, 5]), opset=7, transB=1),
    "a transposed convolution": model_of("ConvTranspose", [Y, random(3, 2, 3, 3)], (FLOAT, [1, 2, 10, 10]), opset=7),
    "a comparison": model_of("Greater", [X, X], (onnx.TensorProto.BOOL, [2, 3, 4]), opset=7),
}


def results(model: onnx.ModelProto, path: Path) -> tuple[list[Any], list[Any]]:
    """Return what a model gives in the simulator, and what ONNX Runtime gives."""
    onnx.save(model, path)
    weights = {one.name for one in model.graph.initializer}
    given = {
        one.name: random(*[d.dim_value for d in one.type.tensor_type.shape.dim])
        for one in model.graph.input
        if one.name not in weights
    }
    artifact = roller_mlir.compile(path, target="h200", options=CompileOptions(binaries=False))
    return list(artifact.run(*given.values())), onnx_results(model, given)


@pytest.mark.full(every=5)
@pytest.mark.parametrize("name", OLD)
def test_operators_are_what_they_were(name: str, tmp_path: Path) -> None:
    for found, wanted in zip(*results(OLD[name], tmp_path / "m.onnx"), strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def kept_upsample() -> onnx.ModelProto:
    graph = Graph("g", opset=9)
    value = graph.node("Upsample", graph.input("x", Y[1]), graph.constant("s", scales(2, 2)), name="n", mode="linear")
    graph.output(graph.node("Hardmax", value), [1, 3, 16, 16])
    return graph.model()


REFUSED = {
    "ONNX's converter takes it for one of its axis": (
        model_of("Hardmax", [X], X, opset=11, axis=1),
        "torch-mlir lowers 'Hardmax' of opsets before 13 to another function",
    ),
    "nothing says which point is the nearest": (
        model_of("Resize", [Y, scales(0.4, 0.4)], (FLOAT, [1, 3, 3, 3]), opset=10),
        "ONNX operator 'Resize' cannot be brought to linalg as it is used here",
    ),
    "a slope for each channel, of as many as columns": (
        model_of("PRelu", [(FLOAT, [2, 4, 4]), random(4)], (FLOAT, [2, 4, 4]), opset=6),
        "'PRelu' of opsets before 7, whose shapes are aligned along an axis, to another function",
    ),
    "beside one that stays": (kept_upsample(), "torch-mlir lowers 'Upsample' of mode 'linear' to another function"),
}


@pytest.mark.parametrize("operator", ["Add", "Mul", "Pow"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_an_axis_to_align_shapes_at_is_the_last_or_refused(operator: str, axis: int, tmp_path: Path) -> None:
    """ONNX's converter aligns others at the first axis, and torch-mlir's Pow at the last one."""
    x, y = random(3, 3, 3) ** 2 + 1, random(3)
    model = model_of(operator, [(FLOAT, [3, 3, 3]), y], (FLOAT, [3, 3, 3]), opset=6, broadcast=1, axis=axis)
    onnx.save(model, tmp_path / "m.onnx")
    options = CompileOptions(binaries=False)
    if axis != 2:
        with pytest.raises(DiagnosedError, match=f"'{operator}' of opsets before 7, whose shapes are aligned along"):
            roller_mlir.compile(tmp_path / "m.onnx", target="h200", options=options)
        return
    (found,) = roller_mlir.compile(tmp_path / "m.onnx", target="h200", options=options).run(x)
    expected = {"Add": np.add, "Mul": np.multiply, "Pow": np.power}[operator](x, y)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("error", [None, onnx.version_converter.ConvertError("none"), RuntimeError("none")])
def test_what_cannot_be_converted_stays(error: Exception | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As does what would not fit together then."""
    model = model_of("Softmax", [X], X, opset=9)

    def converted(given: onnx.ModelProto, version: int) -> onnx.ModelProto:
        if error is not None:
            raise error
        return model_of("Softmax", [X], (FLOAT, [2, 3, 5]), opset=version)

    monkeypatch.setattr(onnx.version_converter, "convert_version", converted)
    assert convert_opset(model) is model


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_another_function_is_refused(name: str, tmp_path: Path) -> None:
    model, said = REFUSED[name]
    with pytest.raises(DiagnosedError, match=said):
        results(model, tmp_path / "m.onnx")


def test_weights_may_be_inputs_as_well(tmp_path: Path) -> None:
    """As they have to be before version 4 of the format; the caller gives the others."""
    model = mlp()
    model.ir_version, model.opset_import[0].version = 3, 9
    for one in model.graph.initializer:
        model.graph.input.append(onnx.helper.make_tensor_value_info(one.name, one.data_type, list(one.dims)))
    onnx.checker.check_model(model)
    ((found,), (wanted,)) = results(model, tmp_path / "m.onnx")
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_branches_stay_as_they_are(tmp_path: Path) -> None:
    """ONNX's converter gives new values of both the same names."""
    graph = Graph("g", opset=11)
    x = graph.input("x", [2, 3, 4])
    branches = [
        onnx.helper.make_graph(
            [onnx.helper.make_node("Softmax", [x], [name], name=name, axis=1)],
            name,
            [],
            [onnx.helper.make_tensor_value_info(name, FLOAT, [2, 3, 4])],
        )
        for name in ("yes", "no")
    ]
    condition = graph.constant("c", np.array(True))
    graph.output(graph.node("If", condition, then_branch=branches[0], else_branch=branches[1]), [2, 3, 4])
    with pytest.raises(DiagnosedError, match=r"'no' \(Softmax\): error: ONNX operator 'Softmax' cannot be brought"):
        results(graph.model(), tmp_path / "m.onnx")
