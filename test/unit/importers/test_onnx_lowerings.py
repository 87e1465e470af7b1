# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch-mlir lowers to another function than ONNX says is refused, or lowered in another way."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_models import model_of, random
from onnx_results import onnx_results

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.onnx import import_model
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.usefixtures("preloaded_imports")

F32, U8, U16 = onnx.TensorProto.FLOAT, onnx.TensorProto.UINT8, onnx.TensorProto.UINT16
U32, U64, I64 = onnx.TensorProto.UINT32, onnx.TensorProto.UINT64, onnx.TensorProto.INT64
LSTM = {"W": (1, 12, 4), "R": (1, 12, 3), "B": (1, 24)}
QUANTIZED = [np.float32(0.5), np.uint8(3)]
STEPS = [(F32, [3, 2, 4]), *(random(1, *shape) for shape in ((3, 4), (3, 3), (6,)))]
WHOLE = (F32, [3, 1, 2, 3])


LOWERED_WRONGLY: dict[str, tuple[onnx.ModelProto, str]] = {
    "shift by data": (
        model_of("BitShift", [(U8, [4]), (U8, [4])], (U8, [4]), direction="LEFT"),
        "by a count that is no constant",
    ),
    "shift by the width": (
        model_of("BitShift", [(U8, [4]), np.full(4, 8, np.uint8)], (U8, [4]), direction="LEFT"),
        "by no count of 0 to the width less 1",
    ),
    "zero points of an axis": (
        model_of(
            "DequantizeLinear",
            [(U8, [2, 3]), np.ones(3, np.float32), np.array([1, 128, 2], np.uint8)],
            (F32, [2, 3]),
            axis=1,
        ),
        "with zero points of 128 and more for each of an axis",
    ),
    "nearest samples": (
        model_of("GridSample", [(F32, [1, 1, 4, 4]), np.zeros((1, 2, 2, 2), np.float32)], (F32, [1, 1, 2, 2]),
                 mode="nearest"),
        "of mode 'nearest'",
    ),
    "samples outside": (
        model_of("GridSample", [(F32, [1, 1, 4, 4]), np.zeros((1, 2, 2, 2), np.float32)], (F32, [1, 1, 2, 2])),
        "of padding_mode 'zeros'",
    ),
    "one axis of several": (
        model_of("Hardmax", [(F32, [2, 3, 4])], (F32, [2, 3, 4]), opset=12),
        "of opsets before 13",
    ),
    "norms of zero": (model_of("LpNormalization", [(F32, [2, 3])], (F32, [2, 3])), "of what may be all zeros"),
    "lengths": (
        model_of(
            "LSTM",
            [(F32, [3, 2, 4]), *(random(*shape) for shape in LSTM.values()), np.array([1, 3], np.int32)],
            (F32, [3, 1, 2, 3]),
            hidden_size=3,
        ),
        "with sequences shorter than the longest",
    ),
    "peepholes": (
        model_of(
            "LSTM",
            [(F32, [3, 2, 4]), *(random(*shape) for shape in LSTM.values()), None, None, None, random(1, 9)],
            (F32, [3, 1, 2, 3]),
            hidden_size=3,
        ),
        "with peepholes",
    ),
    "pad around": (
        model_of("Pad", [(F32, [2, 3]), np.array([0, 1, 0, 1])], (F32, [2, 5]), mode="wrap"),
        "of mode 'wrap'",
    ),
    "quantized batches": (
        model_of(
            "QLinearMatMul", [(U8, [2, 2, 3]), *QUANTIZED, (U8, [2, 3, 4]), *QUANTIZED, *QUANTIZED], (U8, [2, 2, 4])
        ),
        "of batches",
    ),
    "corners": (
        model_of(
            "Resize",
            [(F32, [1, 1, 2, 4]), None, np.array([1, 1, 0.6, 0.6], np.float32)],
            (F32, [1, 1, 1, 2]),
            mode="linear",
            coordinate_transformation_mode="align_corners",
        ),
        "of aligned corners by scales whose sizes are no whole numbers",
    ),
    "indices behind unequal paddings": (
        model_of(
            "MaxPool", [(F32, [1, 2, 4, 4])], (F32, [1, 2, 2, 2]), (I64, [1, 2, 2, 2]),
            kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 0, 1],
        ),
        "with indices and unequal paddings",
    ),
    "a mean of gaps and unequal paddings": (
        model_of(
            "AveragePool", [(F32, [1, 2, 11, 13])], (F32, [1, 2, 5, 6]),
            kernel_shape=[3, 3], strides=[2, 2], dilations=[2, 2], pads=[0, 1, 2, 1], count_include_pad=1,
        ),
        "with gaps and unequal paddings that count",
    ),
    "indices along columns": (
        model_of(
            "MaxPool", [(F32, [1, 2, 4, 4])], (F32, [1, 2, 2, 2]), (I64, [1, 2, 2, 2]),
            kernel_shape=[2, 2], strides=[2, 2], storage_order=1,
        ),
        "with indices along columns",
    ),
    "gaps between windows": (
        model_of(
            "MaxPool", [(F32, [1, 2, 6])], (F32, [1, 2, 2]), kernel_shape=[2], strides=[3], auto_pad="SAME_UPPER"
        ),
        "of auto_pad and strides above the window",
    ),
    "quotients of 16 bits": (
        model_of("Div", [(U16, [4]), (U16, [4])], (U16, [4])), "of unsigned integers of 16 bits"
    ),
    "remainders of 32 bits": (
        model_of("Mod", [(U32, [4]), (U32, [4])], (U32, [4])), "of unsigned integers of 32 bits"
    ),
    "exponents of 32 bits": (
        model_of("Pow", [(F32, [4]), (U32, [4])], (F32, [4])), "of unsigned integers of 32 bits"
    ),
    "signs of 64 bits": (model_of("Sign", [(U64, [4])], (U64, [4])), "of unsigned integers of 64 bits"),
    "norms of 32 bits": (model_of("ReduceL2", [(U32, [4])], (U32, [1])), "of unsigned integers of 32 bits"),
    "quantized to 16 bits": (
        model_of("QuantizeLinear", [(F32, [4]), np.float32(0.5), np.uint16(3)], (U16, [4]), opset=21),
        "to integers of 16 bits",
    ),
    "zero points of weights": (
        model_of(
            "QLinearConv",
            [(U8, [1, 1, 2, 2]), *QUANTIZED, np.ones((2, 1, 1, 1), np.uint8), np.ones(2, np.float32),
             np.array([1, 2], np.uint8), *QUANTIZED, np.ones(2, np.int32)],
            (U8, [1, 2, 2, 2]),
        ),
        "with a bias, and zero points of weights for each channel",
    ),
    "an even number of channels": (
        model_of("LRN", [(F32, [1, 6, 2, 2])], (F32, [1, 6, 2, 2]), size=4), "of an even size"
    ),
    "another activation": (
        model_of("RNN", STEPS, WHOLE, hidden_size=3, activations=["HardSigmoid"]),
        "with the activation 'HardSigmoid'",
    ),
    "an activation of a gate": (
        model_of("LSTM", [STEPS[0], *(random(*shape) for shape in LSTM.values())], WHOLE, hidden_size=3,
                 activations=["Sigmoid", "Softsign", "Tanh"]),
        "with the activation 'Softsign'",
    ),
    "parameters of an activation": (
        model_of("RNN", STEPS, WHOLE, hidden_size=3, activations=["Relu"], activation_alpha=[0.5]),
        "with parameters of activations",
    ),
    "a bound of sums": (model_of("RNN", STEPS, WHOLE, hidden_size=3, clip=0.5), "with 'clip'"),
}  # fmt: skip
if onnx.defs.onnx_opset_version() >= 28:  # what older ones do not know
    LOWERED_WRONGLY["depth from columns"] = (
        model_of("SpaceToDepth", [(F32, [1, 2, 4, 6])], (F32, [1, 8, 2, 3]), opset=28, blocksize=2, mode="CRD"),
        "of mode 'CRD'",
    )


@pytest.mark.parametrize(("model", "use"), LOWERED_WRONGLY.values(), ids=LOWERED_WRONGLY)
def test_it_is_refused(model: onnx.ModelProto, use: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    with pytest.raises(DiagnosedError) as caught:
        import_model(path, name="m.onnx")
    operator = model.graph.node[-1].op_type
    wanted = f"m.onnx: node 'n' ({operator}): error: torch-mlir lowers '{operator}' {use} to another function"
    assert str(caught.value) == wanted


LOWERED: dict[str, onnx.ModelProto] = {
    "gelu by tanh": model_of("Gelu", [(F32, [64])], (F32, [64]), approximate="tanh"),
    "gelu": model_of("Gelu", [(F32, [64])], (F32, [64])),
    "lengths that are the longest": model_of(
        "LSTM",
        [(F32, [3, 2, 4]), *(random(*shape) for shape in LSTM.values()), np.array([3, 3], np.int32)],
        (F32, [3, 1, 2, 3]),
        hidden_size=3,
    ),
    "corners of whole sizes": model_of(
        "Resize",
        [(F32, [1, 1, 2, 4]), None, np.array([1, 1, 2, 2], np.float32)],
        (F32, [1, 1, 4, 8]),
        mode="linear",
        coordinate_transformation_mode="align_corners",
    ),
    "a factor without an addend": model_of("Gemm", [(F32, [3, 5]), (F32, [5, 2])], (F32, [3, 2]), alpha=0.5),
    "a factor of weights": model_of("Gemm", [(F32, [3, 50]), random(50, 20)], (F32, [3, 20]), alpha=2.0, beta=3.0),
    "a vector times matrices": model_of("MatMul", [(F32, [5]), (F32, [2, 4, 5, 3])], (F32, [2, 4, 3])),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("model", LOWERED.values(), ids=LOWERED)
def test_it_gives_what_onnx_runtime_gives(model: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    inputs = {one.name: random(*(d.dim_value for d in one.type.tensor_type.shape.dim)) for one in model.graph.input}
    artifact = roller_mlir.compile(import_model(path), target="h200", options=CompileOptions(binaries=False))
    (wanted,) = onnx_results(model, inputs)
    np.testing.assert_allclose(artifact.run(*inputs.values())[0], wanted, rtol=1e-5, atol=1e-6)
