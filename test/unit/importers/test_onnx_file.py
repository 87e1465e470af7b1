# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights inside of an ONNX file: they are mapped where they lie, and what is left is the same model without them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from roller_mlir.importers.imported import WEIGHT_BYTES  # noqa: E402
from roller_mlir.importers.onnx import import_model  # noqa: E402
from roller_mlir.importers.onnx.file import read_model  # noqa: E402
from roller_mlir.support.foreign.bounded import BoundsError  # noqa: E402

pytestmark = pytest.mark.usefixtures("preloaded_imports")
MOST = 1 << 24


def array(*shape: int, seed: int = 0, kind: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype(kind)


def model(nodes: list[Any], weights: list[Any], shape: tuple[int, ...] = (8, 32)) -> Any:
    info = helper.make_tensor_value_info
    values = [info("x", TensorProto.FLOAT, shape)], [info("y", TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, "g", *values, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def chain(*, constant: bool = False) -> Any:
    """y = ((x w0) w1 + b) w2, of which b is small."""
    weights = [numpy_helper.from_array(array(32, 32, seed=number), f"w{number}") for number in range(3)]
    weights.insert(1, numpy_helper.from_array(array(32), "b"))
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name="a name of odd length"),
        helper.make_node("MatMul", ["a", "w1"], ["c"]),
        helper.make_node("Add", ["c", "b"], ["d"]),
        helper.make_node("MatMul", ["d", "w2"], ["y"]),
    ]
    if constant:
        nodes = [helper.make_node("Constant", [], [one.name], value=one) for one in weights] + nodes
        weights = []
    return model(nodes, weights)


def is_mapped(data: Any) -> bool:
    while data is not None and not isinstance(data, np.memmap):
        data = data.base
    return data is not None


@pytest.mark.full(each=["constant"])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("pad", range(4))
def test_weights_inside_of_a_file_are_mapped(tmp_path: Path, constant: bool, pad: int) -> None:
    file, proto = tmp_path / "m.onnx", chain(constant=constant)
    proto.producer_name = "p" * (pad + 1)
    onnx.save(proto, file)
    found = import_model(file)
    assert list(found.weights) == ["w0", "w1", "w2"] and all(map(is_mapped, found.weights.values()))
    for number, data in enumerate(found.weights.values()):
        assert np.array_equal(data, array(32, 32, seed=number))


@pytest.mark.parametrize("constant", [False, True])
def test_what_is_left_is_the_model_without_them(tmp_path: Path, constant: bool) -> None:
    file, proto = tmp_path / "m.onnx", chain(constant=constant)
    onnx.save(proto, file)
    content = read_model(file, MOST, WEIGHT_BYTES)
    assert len(content.places) == 3 and len(content.rest) < file.stat().st_size - 3 * 4096
    rest = onnx.load_model_from_string(content.rest)
    found = content.map_weights(rest.graph, 1 << 20)  # none is so large: each gets its bytes back
    assert not found and rest == proto


def test_what_is_no_weight_gets_its_bytes_back(tmp_path: Path) -> None:
    odd = helper.make_tensor("odd", TensorProto.FLOAT, (32, 32), b"\0" * 4096, raw=True)
    odd.dims[1] = 33  # other bytes than its shape
    packed = helper.make_tensor("packed", TensorProto.INT4, (64, 64), b"\1" * 2048, raw=True)
    unknown = helper.make_tensor("unknown", TensorProto.FLOAT, (32, 32), b"\0" * 4096, raw=True)
    unknown.data_type = 77
    other = helper.make_node("ConstantOfShape", ["x"], ["y"], value=numpy_helper.from_array(array(32, 32)))
    file, proto = tmp_path / "m.onnx", model([other], [odd, packed, unknown])
    file.write_bytes(proto.SerializeToString())
    content = read_model(file, MOST, WEIGHT_BYTES)
    rest = onnx.load_model_from_string(content.rest)
    assert len(content.places) == 4 and content.map_weights(rest.graph, WEIGHT_BYTES) == {}
    assert rest == proto


def test_messages_in_parts_are_one(tmp_path: Path) -> None:
    file, first, second = tmp_path / "m.onnx", chain(), chain()
    del first.graph.initializer[2:], second.graph.initializer[:2], second.graph.node[:]
    del second.graph.input[:], second.graph.output[:], second.opset_import[:]
    file.write_bytes(first.SerializeToString() + second.SerializeToString())
    found = import_model(file).weights
    assert [bool(np.array_equal(data, array(32, 32, seed=n))) for n, data in enumerate(found.values())] == [True] * 3
    assert all(map(is_mapped, found.values()))


def test_files_that_are_not_looked_into_are_read_whole(tmp_path: Path) -> None:
    file, whole = tmp_path / "m.onnx", chain().SerializeToString()
    tensor = chain().graph.node[0].SerializeToString()
    group = bytes([0x7B, 0x7C])  # a group: a field of a kind that is no more
    for content in (whole[:-3], whole + group, b"\xff" * 4096, b"", tensor[:-1]):
        file.write_bytes(content)
        found = read_model(file, MOST, WEIGHT_BYTES)
        assert found.rest == content and not found.places
    file.write_bytes(whole)
    with pytest.raises(BoundsError, match="above the limit"):
        read_model(file, 4096, WEIGHT_BYTES)
    with pytest.raises(OSError, match="No such file"):
        read_model(tmp_path / "none.onnx", MOST, WEIGHT_BYTES)


def test_files_cut_anywhere_are_read_as_protocol_buffers_read_them(tmp_path: Path) -> None:
    file, whole = tmp_path / "m.onnx", chain(constant=True).SerializeToString()
    generator = np.random.default_rng(0)
    for _ in range(60):
        content = bytearray(whole)
        for place in generator.integers(0, len(whole), 3):
            content[place % 400 if generator.random() < 0.5 else place] = int(generator.integers(256))
        file.write_bytes(bytes(content))
        found = read_model(file, MOST, WEIGHT_BYTES)
        wanted, got = onnx.ModelProto(), onnx.ModelProto()
        try:
            wanted.ParseFromString(bytes(content))
        except Exception as error:  # noqa: BLE001 - of the library, which names no kind
            with pytest.raises(type(error)):
                got.ParseFromString(found.rest)
            continue
        got.ParseFromString(found.rest)
        found.map_weights(got.graph, 1 << 20)
        assert got == wanted
