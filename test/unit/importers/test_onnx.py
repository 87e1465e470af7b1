# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, made here, give in the simulator what ONNX Runtime gives."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx_models import MODELS, Graph, mlp
from onnx_results import onnx_results

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.imported import name_resource
from roller_mlir.importers.onnx import import_model
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.usefixtures("preloaded_imports")


def _inputs(model: onnx.ModelProto, seed: int = 1) -> dict[str, np.ndarray[Any, Any]]:
    random = np.random.default_rng(seed)
    shapes = {one.name: [d.dim_value for d in one.type.tensor_type.shape.dim] for one in model.graph.input}
    return {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def _agree(model: onnx.ModelProto, path: Path, device: str) -> None:
    given = _inputs(model)
    artifact = roller_mlir.compile(path, target=device, options=CompileOptions(binaries=False))
    for found, wanted in zip(artifact.run(*given.values()), onnx_results(model, given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.full(every=8)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_models_give_what_onnx_gives(name: str, device: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    onnx.save(model, tmp_path / "model.onnx")
    _agree(model, tmp_path / "model.onnx", device)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int32])
def test_weights_of_other_types(kind: Any, tmp_path: Path) -> None:
    graph = Graph("typed")
    element = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    value = np.arange(1024).reshape(32, 32).astype(kind)
    x = graph.input("x", [32, 32], element)
    graph.output(
        graph.node("Mul", graph.node("Add", x, graph.constant("w", value)), graph.constant("s", kind(2))),
        [32, 32],
        element,
    )
    model = graph.model()
    onnx.save(model, tmp_path / "model.onnx")
    artifact = roller_mlir.compile(tmp_path / "model.onnx", options=CompileOptions(binaries=False))
    (found,) = artifact.run(value)
    np.testing.assert_array_equal(found, value * kind(4))


def test_weights_are_arrays_beside_the_text(tmp_path: Path) -> None:
    model = mlp()
    onnx.save(model, tmp_path / "model.onnx")
    imported = import_model(tmp_path / "model.onnx")
    assert {name: array.shape for name, array in imported.weights.items()} == {"w1": (64, 32), "w2": (64, 10)}
    assert imported.text.count("dense_resource<") == 2 and '"0x' not in imported.text
    assert not any(array.flags.owndata for array in imported.weights.values()), "a copy of what was read"


def test_weights_may_lie_in_a_file_beside_the_model(tmp_path: Path) -> None:
    model = mlp()
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, location="model.data", size_threshold=0)
    _agree(mlp(), tmp_path / "model.onnx", "h200")
    (tmp_path / "model.data").unlink()
    with pytest.raises(
        DiagnosedError,
        match=r"^error: '.*model\.onnx' (cannot be read|names weights that cannot be read): .*model\.data",
    ):
        import_model(tmp_path / "model.onnx")


def test_old_models_list_weights_among_inputs(tmp_path: Path) -> None:
    model = mlp()
    first = model.graph.initializer[0]
    model.graph.input.insert(0, onnx.helper.make_tensor_value_info(first.name, first.data_type, first.dims))
    onnx.save(model, tmp_path / "model.onnx")
    _agree(mlp(), tmp_path / "model.onnx", "h200")


def test_constants_of_nodes_are_weights(tmp_path: Path) -> None:
    graph = Graph("constants")
    value = np.ones((32, 32), np.float32)
    graph.nodes.append(onnx.helper.make_node("Constant", [], ["c"], value=onnx.numpy_helper.from_array(value)))
    graph.output(graph.node("Add", graph.input("x", [32, 32]), "c"), [32, 32])
    onnx.save(graph.model(), tmp_path / "model.onnx")
    assert list(import_model(tmp_path / "model.onnx").weights) == ["c"]
    _agree(graph.model(), tmp_path / "model.onnx", "h200")


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_a_softmax_is_one_kernel_whose_largest_values_have_no_place(device: str, tmp_path: Path) -> None:
    """An importer asks for the place of each row's largest value, too, which nobody reads."""
    graph = Graph("softmax")
    graph.output(graph.node("Softmax", graph.input("x", [2, 7, 33]), axis=-1), [2, 7, 33])
    onnx.save(graph.model(), tmp_path / "model.onnx")
    assert "xi64>" in import_model(tmp_path / "model.onnx").text
    artifact = roller_mlir.compile(tmp_path / "model.onnx", target=device, options=CompileOptions(binaries=False))
    (kernel,) = artifact.kernels
    assert "xi64>" not in kernel.program
    _agree(graph.model(), tmp_path / "model.onnx", device)


def test_dimensions_with_names_are_given_sizes(tmp_path: Path) -> None:
    graph = Graph("dynamic")
    hidden = graph.node("Gemm", graph.input("x", ["batch", 32]), graph.weight("w", 32, 16))
    graph.output(graph.node("Softmax", hidden), ["batch", 16])
    onnx.save(graph.model(), tmp_path / "model.onnx")
    imported = import_model(tmp_path / "model.onnx", dimensions={"batch": 5})
    artifact = roller_mlir.compile(imported, options=CompileOptions(binaries=False))
    x = np.ones((5, 32), np.float32)
    (wanted,) = onnx_results(graph.model(), {"x": x})
    np.testing.assert_allclose(artifact.run(x)[0], wanted, rtol=1e-5)
    with pytest.raises(
        DiagnosedError,
        match=r"model\.onnx: input 'x': error: dimension 0 is 'batch', which has no size; .*--dim batch=8",
    ):
        import_model(tmp_path / "model.onnx")
    with pytest.raises(DiagnosedError, match=r"has no dimension 'tokens' without a size"):
        import_model(tmp_path / "model.onnx", dimensions={"batch": 5, "tokens": 3})


def _refused(model: onnx.ModelProto, path: Path) -> str:
    onnx.save(model, path)
    with pytest.raises(DiagnosedError) as caught:
        roller_mlir.compile(path, options=CompileOptions(binaries=False))
    return str(caught.value).replace(str(path.parent) + "/", "")


def _one_node(
    kind: str, name: str, *, element: int = onnx.TensorProto.FLOAT, domain: str = "", **attributes: Any
) -> onnx.ModelProto:
    graph = Graph("one")
    value = graph.node(kind, graph.input("x", [1, 2, 4, 4]), name=name, domain=domain, **attributes)
    graph.output(value, [None] * (2 if kind == "NonZero" else 4), element)
    model = graph.model(check=False)
    if domain:
        model.opset_import.append(onnx.helper.make_opsetid(domain, 1))
    return model


def test_refusals_name_file_and_node(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    assert _refused(_one_node("Frobnicate", "f", domain="my.ops"), path) == (
        "m.onnx: node 'f' (Frobnicate): error: operator 'Frobnicate' is of the domain 'my.ops', not of ONNX"
    )
    assert _refused(_one_node("LpPool", "d", kernel_shape=[2, 2]), path) == (
        "m.onnx: node 'd' (LpPool): error: ONNX operator 'LpPool' cannot be brought to linalg as it is used here"
    )
    invalid = _refused(_one_node("Frobnicate", "f"), path)
    assert invalid.startswith("error: 'm.onnx' is no valid ONNX model: No Op registered for Frobnicate")
    mismatch = Graph("mismatch")
    mismatch.output(mismatch.node("MatMul", mismatch.input("x", [4, 4]), mismatch.weight("w", 3, 4), name="p"), [4, 4])
    assert re.match(
        r"error: 'm\.onnx' is no valid ONNX model: .*MatMul, node name: p.*Incompatible",
        _refused(mismatch.model(), path),
    )


def test_refusals_of_the_compiler_name_file_and_node(tmp_path: Path) -> None:
    message = _refused(_one_node("NonZero", "nz", element=onnx.TensorProto.INT64), tmp_path / "m.onnx")
    assert "error: result 0 of 'one' has type tensor<4x?xi64>; shapes must be static" in message
    random = _refused(_one_node("RandomNormalLike", "r"), tmp_path / "m.onnx")
    assert random.startswith("m.onnx: node 'r' (RandomNormalLike): error: 'ml_program.global_store'")


def test_refusals_of_constants_that_are_left_name_file_and_node(tmp_path: Path) -> None:
    graph = Graph("whole")
    mean = graph.node("ReduceMean", graph.input("x", [3, 5], onnx.TensorProto.INT32), name="m", axes=[1])
    graph.output(mean, [3, 1], onnx.TensorProto.INT32)
    assert _refused(graph.model(), tmp_path / "m.onnx") == (
        "m.onnx: node 'm' (ReduceMean): error: "
        "the node becomes 'torch.aten.mean.dim', which cannot be brought to linalg"
    )


def test_an_operator_that_onnx_defines_by_others(tmp_path: Path) -> None:
    graph = Graph("normed")
    graph.output(graph.node("MeanVarianceNormalization", graph.input("x", [1, 4, 4, 4])), [1, 4, 4, 4])
    onnx.save(graph.model(), tmp_path / "model.onnx")
    _agree(graph.model(), tmp_path / "model.onnx", "h200")


def test_an_operator_that_is_left_is_named_not_its_operands(tmp_path: Path) -> None:
    graph = Graph("turned", opset=20)
    size = graph.constant("size", np.array([1, 3, 4, 5]))
    graph.output(graph.node("AffineGrid", graph.input("theta", [1, 2, 3]), size, name="n"), [1, 4, 5, 2])
    assert _refused(graph.model(), tmp_path / "m.onnx") == (
        "m.onnx: node 'n' (AffineGrid): error: "
        "ONNX operator 'AffineGrid' cannot be brought to linalg as it is used here"
    )


def test_a_crash_of_the_importer_is_an_error(tmp_path: Path) -> None:
    graph = Graph("crash")
    graph.output(graph.node("Unique", graph.input("x", [6])), [None])
    assert _refused(graph.model(), tmp_path / "m.onnx") == (
        "error: 'm.onnx' cannot be imported: SIGSEGV ended the passes that lower ONNX"
    )


@pytest.mark.parametrize("content", [b"", b"ONNX, but not really \xff\x00", b"\x08\x07"])
def test_files_that_are_no_models(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.onnx' is no ONNX model that can be read: "):
        roller_mlir.compile(tmp_path / "m.onnx")
    with pytest.raises(DiagnosedError, match=r"^error: '.*none\.onnx' cannot be read: no such file"):
        roller_mlir.compile(tmp_path / "none.onnx")


def test_a_cut_off_model_is_refused(tmp_path: Path) -> None:
    whole = mlp().SerializeToString()
    for length in range(1, len(whole), len(whole) // 7):
        (tmp_path / "m.onnx").write_bytes(whole[:length])
        with pytest.raises(DiagnosedError, match=r"m\.onnx' is no (valid )?ONNX model"):
            import_model(tmp_path / "m.onnx")


def _weighed(tensor: onnx.TensorProto, path: Path) -> str:
    """Return what is said of a model whose weight is this tensor."""
    graph = Graph("weighed")
    graph.weights.append(tensor)
    graph.output(graph.node("Add", graph.input("x", [32, 32]), "w"), [32, 32])
    path.write_bytes(graph.model(check=False).SerializeToString())
    with pytest.raises(DiagnosedError) as caught:
        import_model(path, name="m.onnx")
    return str(caught.value)


def _tensor(kind: int, dims: list[int], data: bytes = bytes(4096), **location: Any) -> onnx.TensorProto:
    tensor = onnx.TensorProto(name="w", data_type=kind, dims=dims, raw_data=b"" if location else data)
    for key, value in location.items():
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key=key, value=value)
    return tensor


@pytest.mark.parametrize(
    ("dims", "data", "kind"),
    [
        ([32, 32], b"1234", onnx.TensorProto.FLOAT),
        ([32, 32], bytes(8192), onnx.TensorProto.FLOAT),
        ([32, 32], b"", onnx.TensorProto.FLOAT),
        ([4], b"1234", onnx.TensorProto.FLOAT),
        ([-1, 32], bytes(4096), onnx.TensorProto.FLOAT),
        ([1 << 62, 4], bytes(4096), onnx.TensorProto.FLOAT),
        ([32, 32], bytes(4096), 0),
        ([2], bytes(8), 99),
    ],
)
def test_a_weight_that_does_not_hold_what_it_says(dims: list[int], data: bytes, kind: int, tmp_path: Path) -> None:
    said = _weighed(_tensor(kind, dims, data), tmp_path / "m.onnx")
    assert said.startswith("m.onnx: weight 'w': error: what it holds does not fit its type and shape: "), said


def test_constants_of_nodes_that_do_not_hold_what_they_say(tmp_path: Path) -> None:
    for outputs, tensor, message in (
        (["w"], _tensor(99, [32, 32]), "node of 'w' (Constant): error: what it holds does not fit"),
        ([], _tensor(onnx.TensorProto.FLOAT, [32, 32]), "is no valid ONNX model"),
    ):
        graph = Graph("constant")
        graph.nodes.append(onnx.helper.make_node("Constant", [], outputs, value=tensor))
        graph.output(graph.node("Relu", graph.input("x", [4])), [4])
        (tmp_path / "m.onnx").write_bytes(graph.model(check=False).SerializeToString())
        with pytest.raises(DiagnosedError, match=re.escape(message)):
            import_model(tmp_path / "m.onnx")


def test_weights_outside_of_the_folder_are_refused(tmp_path: Path) -> None:
    folder, path = tmp_path / "model", tmp_path / "model" / "m.onnx"
    folder.mkdir()
    for file in (tmp_path / "secret.bin", folder / "short.bin"):
        file.write_bytes(bytes(4096 if file.stem == "secret" else 40))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "up").symlink_to(tmp_path)
    for location in ("../secret.bin", "up/secret.bin", "link.bin", str(tmp_path / "secret.bin"), "/dev/zero", "", "."):
        said = _weighed(_tensor(1, [32, 32], location=location), path)
        assert said.startswith("error: 'm.onnx' names weights that cannot be read: "), said
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"location": "short.bin"}, "weight 'w' has 4096 B, but 'short.bin' holds 40 B of it"),
        ({"location": "short.bin", "offset": "-4"}, "must be non-negative"),
        ({"location": "short.bin", "offset": "x"}, "invalid literal"),
    )
    for where, message in cases:
        assert message in _weighed(_tensor(1, [32, 32], **where), path)
    said = _weighed(_tensor(1, [32, 32], location="short.bin", length="4"), path)
    assert "m.onnx: weight 'w': error: what it holds does not fit its type and shape: " in said


def test_versions_and_types_that_are_not_known(tmp_path: Path) -> None:
    graph = Graph("late", opset=999)
    graph.output(graph.node("Relu", graph.input("x", [4])), [4])
    model = graph.model(check=False)
    assert "is of ONNX's opset 999; the package onnx " in _refused(model, tmp_path / "m.onnx")
    model.opset_import[0].version = 17
    model.graph.input[0].type.tensor_type.elem_type = 99
    assert "is no valid ONNX model: " in _refused(model, tmp_path / "m.onnx")


def test_a_dimension_of_minus_one_has_no_size(tmp_path: Path) -> None:
    graph = Graph("dynamic")
    graph.output(graph.node("Relu", graph.input("x", [-1, 4])), [-1, 4])
    assert "input 'x': error: dimension 0 is 'x:0', which has no size" in _refused(graph.model(), tmp_path / "m.onnx")
    assert "tensor<3x4xf32>" in import_model(tmp_path / "m.onnx", dimensions={"x:0": 3}).text


def test_both_names_of_the_domain_of_onnx(tmp_path: Path) -> None:
    graph = Graph("named")
    graph.output(graph.node("Relu", graph.input("x", [4]), domain="ai.onnx"), [4])
    (tmp_path / "m.onnx").write_bytes(graph.model(check=False).SerializeToString())
    assert "arith.cmpf" in import_model(tmp_path / "m.onnx").text


def test_names_of_resources_do_not_meet() -> None:
    names = ["weight1_a_", "a!", "a?", "\u00e9", "1a", "_a.b", ""]
    found = [name_resource(name, number) for number, name in enumerate(names)]
    assert found[5] == "_a.b" and len(set(found)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_][\w.]*", name, re.ASCII) for name in found)


def test_without_the_package_onnx_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "torch_mlir.extras.onnx_importer", raising=False)
    with pytest.raises(
        DiagnosedError, match=r"m\.onnx' is an ONNX model, which needs .*pip install 'roller-mlir\[onnx\]'"
    ):
        roller_mlir.compile(tmp_path / "m.onnx")
