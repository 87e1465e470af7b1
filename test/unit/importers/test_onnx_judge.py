# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime as the judge of what an import became: it finds what a reference made from the import does not."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx_models import MODELS, Graph

from roller_mlir.importers.onnx import model as importer
from roller_mlir.tools.roller import main

pytestmark = pytest.mark.usefixtures("preloaded_imports")


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Any:
    def ran(path: Path, *arguments: str) -> tuple[int, str]:
        code = main(["run", str(path), "--random", "--check", *arguments])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return ran


def _saved(graph: Graph, path: Path) -> Path:
    onnx.save(graph.model(), path)
    return path


def _maximum(path: Path) -> Path:
    """Save the maximum of an input's square root, no number where it is negative, and 2."""
    graph = Graph("g")
    root = graph.node("Sqrt", graph.input("x", (8,)))
    graph.output(graph.node("Max", root, graph.constant("two", np.float32([2]))), (8,))
    return _saved(graph, path)


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", MODELS)
def test_right_models_match_within_twice_their_bounds(name: str, tmp_path: Path, ran: Any) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(MODELS[name](), path)
    code, said = ran(path, "--values", "normal", "--reference", str(path))
    assert code == 0 and "matches ONNX Runtime" in said


def test_an_import_that_gives_another_function_is_found(
    tmp_path: Path, ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _maximum(tmp_path / "m.onnx")
    assert ran(path, "--reference", str(path))[0] == 0
    monkeypatch.setattr(importer, "use_equal_nodes", lambda proto: proto)
    code, said = ran(path)
    assert code == 0 and "matches numpy" in said
    code, said = ran(path, "--reference", str(path))
    assert code == 1 and "does not match ONNX Runtime" in said


def _results(path: Path, inputs: int, shapes: list[tuple[int, ...]]) -> Path:
    """Save a model with so many inputs of 8 elements, and results of such shapes."""
    graph = Graph("g")
    names = [graph.input(f"x{number}", (8,)) for number in range(inputs)]
    for shape in shapes:
        kept = graph.node("Sum", *names)
        graph.output(graph.node("Reshape", kept, graph.constant(f"s{len(graph.outputs)}", np.int64(shape))), shape)
    return _saved(graph, path)


@pytest.mark.parametrize(
    ("inputs", "shapes", "said"),
    [
        (2, [(8,)], "has 2 inputs, but what is compared with it has 1"),
        (1, [(8,), (8,)], "gives float32 of shape (8,), float32 of shape (8,), but what is compared with it gives"),
        (1, [(2, 4)], "gives float32 of shape (2, 4), but what is compared with it gives float32 of shape (8,)"),
    ],
)
def test_models_of_another_signature_are_told(
    inputs: int, shapes: list[tuple[int, ...]], said: str, tmp_path: Path, ran: Any
) -> None:
    other = _results(tmp_path / "other.onnx", inputs, shapes)
    code, found = ran(_maximum(tmp_path / "m.onnx"), "--reference", str(other))
    assert code == 1 and str(other) in found and said in " ".join(found.split())


def test_another_function_does_not_match(tmp_path: Path, ran: Any) -> None:
    code, found = ran(_maximum(tmp_path / "m.onnx"), "--reference", str(_results(tmp_path / "other.onnx", 1, [(8,)])))
    assert code == 1 and "does not match ONNX Runtime" in found


@pytest.mark.parametrize("content", [None, b"no model"])
def test_what_is_no_model_is_told(content: bytes | None, tmp_path: Path, ran: Any) -> None:
    path, other = _maximum(tmp_path / "m.onnx"), tmp_path / "other.onnx"
    if content is not None:
        other.write_bytes(content)
    code, said = ran(path, "--reference", str(other))
    assert code == 1 and f"'{other}' is not run by ONNX Runtime: " in said


def test_without_onnx_runtime(tmp_path: Path, ran: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _maximum(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    code, said = ran(path, "--reference", str(path))
    assert code == 1 and "needs the package onnxruntime: pip install onnxruntime" in said
