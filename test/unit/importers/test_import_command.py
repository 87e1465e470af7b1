# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller import`, and files of models where other commands take .mlir."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_models import Graph, mlp

from roller_mlir.importers.weights import read_weights, write_weights
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    onnx.save(mlp(), "mlp.onnx")
    return tmp_path


@pytest.mark.full(every=2)
@pytest.mark.parametrize("weights", ["w.npz", "w.irpa"])
def test_weights_go_into_a_file_that_the_text_names(
    weights: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "mlp.onnx", "-o", "mlp.mlir", "--weights", weights]) == 0
    text = (model / "mlp.mlir").read_text()
    assert f'module attributes {{roller.weights = "{weights}"}}' in text and '"0x' not in text
    assert main(["run", "mlp.mlir", "--random", "--check"]) == 0
    assert "result matches numpy" in capsys.readouterr().out
    (model / weights).write_bytes(b"nothing of the kind")
    assert main(["run", "mlp.mlir", "--random"]) == 1
    assert f"needs the weights of '{weights}', which holds none that can be read" in capsys.readouterr().err
    (model / weights).unlink()
    assert main(["run", "mlp.mlir", "--random"]) == 1
    assert "cannot be read: no such file" in capsys.readouterr().err


@pytest.mark.usefixtures("preloaded_imports")
def test_without_a_file_weights_stand_in_the_text(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "mlp.onnx"]) == 0
    (model / "mlp.mlir").write_text(capsys.readouterr().out)
    assert main(["run", "mlp.mlir", "--random", "--check"]) == 0


def test_weights_are_beside_the_text_alone(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--weights", "w.npz"], ["-o", "mlp.mlir", "--weights", "/elsewhere/w.npz"]):
        assert main(["import", "mlp.onnx", *arguments]) == 2
        assert "--weights is a file beside the MLIR" in capsys.readouterr().err
    assert main(["import", "mlp.onnx", "-o", "mlp.mlir", "--weights", "w.bin"]) == 2
    assert "--weights ends in .npz or .irpa" in capsys.readouterr().err
    (model / "m.mlir").write_text('module attributes {roller.weights = "../w.npz"} {\n}\n')
    assert main(["compile", "m.mlir"]) == 1
    assert "names the weights '../w.npz'; they are a file beside it" in capsys.readouterr().err


@pytest.mark.usefixtures("preloaded_imports")
def test_dimensions_of_the_command_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = Graph("dynamic")
    graph.output(graph.node("Relu", graph.input("x", ["batch", None])), ["batch", None])
    onnx.save(graph.model(), "dynamic.onnx")
    assert main(["import", "dynamic.onnx", "--dim", "batch=3", "--dim", "x:1=5"]) == 0
    assert "tensor<3x5xf32>" in capsys.readouterr().out
    assert main(["import", "dynamic.onnx", "--dim", "batch=3"]) == 1
    assert "dynamic.onnx: input 'x': error: dimension 1 is 'x:1'" in capsys.readouterr().err
    for wrong in ("batch", "batch=", "=3", "batch=0"):
        assert main(["import", "dynamic.onnx", "--dim", wrong]) == 2
        assert "must be NAME=SIZE" in capsys.readouterr().err
    (model / "m.mlir").write_text("module {}")
    assert main(["import", "m.mlir", "--dim", "a=1"]) == 2
    assert "--dim gives sizes to the named dimensions of an ONNX model" in capsys.readouterr().err


def test_asserts_are_left_out_with_a_note(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = "tensor<4xf32>"
    text = f'func.func @f(%a: {kind}, %c: i1) -> {kind} {{\n  cf.assert %c, "no"\n  return %a : {kind}\n}}'
    (model / "m.mlir").write_text(text)
    assert main(["import", "m.mlir"]) == 0
    printed = capsys.readouterr()
    assert "cf.assert" not in printed.out and "note: an assert is left out at -:2:3" in printed.err


@pytest.mark.usefixtures("preloaded_imports")
def test_explain_names_the_node(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "mlp.onnx", "--op", "matmul_1"]) == 0
    assert "mlp.onnx, node 'fc2' (Gemm), function mlp" in capsys.readouterr().out


def test_archives_hold_what_was_written(tmp_path: Path) -> None:
    weights = {"a.b": np.arange(12, dtype=np.int16).reshape(3, 4), "file": np.ones(5), "c": np.array([True, False])}
    for name in ("w.npz", "w.irpa"):
        write_weights(tmp_path / name, weights)
        found = read_weights(tmp_path / name, "m.mlir")
        assert {key: array.tobytes() for key, array in found.items()} == {k: a.tobytes() for k, a in weights.items()}


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.irpa", {"a": np.arange(40), "b": np.ones(5)})
    whole, read = (tmp_path / "w.irpa").read_bytes(), 0
    for at in range(300):
        (tmp_path / "w.irpa").write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
        try:
            read_weights(tmp_path / "w.irpa", "m.mlir")
            read += 1
        except DiagnosedError as error:
            assert "w.irpa', which holds none that can be read: " in str(error)
    assert read < 200
    (tmp_path / "w.irpa").write_bytes(whole[:200])
    with pytest.raises(DiagnosedError, match=r"its parts lie outside of it"):
        read_weights(tmp_path / "w.irpa", "m.mlir")
