# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights beside a program stay out of all text, reach the kernels and the reference, and are copied once."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx_models import Graph

import roller_mlir
from roller_mlir.importers.irpa import MOST_SPLAT_BYTES, read_archive
from roller_mlir.importers.weights import read_weights, write_weights
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

# One weight that kernels read, one of which only the shape counts, one that nothing uses.
PROGRAM = """module attributes {roller.weights = "w.irpa"} {
  func.func @f(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
    %read = arith.constant dense_resource<read> : tensor<8x32xf32>
    %shape = arith.constant dense_resource<shape> : tensor<8x32xf32>
    %unused = arith.constant dense_resource<unused> : tensor<8x32xf32>
    %two = arith.constant 2.0 : f32
    %filled = linalg.fill ins(%two : f32) outs(%shape : tensor<8x32xf32>) -> tensor<8x32xf32>
    %sum = linalg.add ins(%x, %read : tensor<8x32xf32>, tensor<8x32xf32>) outs(%shape : tensor<8x32xf32>)
        -> tensor<8x32xf32>
    %product = linalg.mul ins(%x, %filled : tensor<8x32xf32>, tensor<8x32xf32>) outs(%shape : tensor<8x32xf32>)
        -> tensor<8x32xf32>
    return %sum, %product : tensor<8x32xf32>, tensor<8x32xf32>
  }
}
"""

X = np.arange(256, dtype=np.float32).reshape(8, 32)


def program(folder: Path, factor: float = 1) -> Path:
    names = {"read": factor, "shape": 3.0, "unused": 4.0}
    write_weights(folder / "w.irpa", {name: np.sqrt(X) * value for name, value in names.items()})
    (folder / "m.mlir").write_text(PROGRAM)
    return folder / "m.mlir"


def test_weights_are_constants_that_the_input_names(tmp_path: Path) -> None:
    artifact = roller_mlir.compile(program(tmp_path), binaries=False)
    assert "0x" not in artifact.text("input") + artifact.text("kernels")
    assert "unused" not in artifact.text("input")
    artifact.save(tmp_path / "m.roller")
    loaded = Artifact.load(tmp_path / "m.roller")
    for found, expected in zip(loaded.run(X), (X + np.sqrt(X), 2 * X), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert main(["run", str(tmp_path / "m.roller"), "--random", "--check"]) == 0


def test_the_cache_keeps_no_weights_and_knows_them_by_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLER_CACHE", "1")
    monkeypatch.setenv("ROLLER_CACHE_DIR", str(tmp_path / "cache"))
    first = roller_mlir.compile(program(tmp_path), binaries=False)
    again = roller_mlir.compile(program(tmp_path), binaries=False)
    assert "cache: artifact" in again.manifest.phases_s and again.files == first.files
    other = roller_mlir.compile(program(tmp_path, factor=5), binaries=False)
    assert "cache: missed" in other.manifest.phases_s
    np.testing.assert_array_equal(other.run(X)[0], X + 5 * np.sqrt(X))
    data = np.sqrt(X).tobytes()
    assert not any(data in path.read_bytes() for path in (tmp_path / "cache").rglob("artifact-*"))


def test_arrays_of_an_npz_are_mapped_where_they_can_be(tmp_path: Path) -> None:
    large = np.arange(1 << 14, dtype=np.float32)
    arrays: dict[str, Any] = {
        "a.b": large,
        "turned": np.asfortranarray(X),
        "numbers": np.arange(5),
        "one": np.float64(3),
    }
    np.savez(tmp_path / "w.npz", **arrays)
    np.savez_compressed(tmp_path / "c.npz", **arrays)
    for file in ("w.npz", "c.npz"):
        found = read_weights(tmp_path / file, "-")
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array, strict=True)
        assert isinstance(found["a.b"], np.memmap) == (file == "w.npz")
    data = (tmp_path / "w.npz").read_bytes()
    (tmp_path / "w.npz").write_bytes(data.replace(large.tobytes(), (large + 1).tobytes(), 1))
    with pytest.raises(DiagnosedError, match="holds none that can be read: 'a.b.npy' is damaged"):
        read_weights(tmp_path / "w.npz", "-")


LARGE = 64 << 20
PEAK = """
import sys
import roller_mlir
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))
folder, *files = sys.argv[1:]
small, large = files[:3], files[3:]
for file in small:
    roller_mlir.compile(file, binaries=False)
before = peak()
for file in 2 * large:  # the second time it is in the cache
    artifact = None
    artifact = roller_mlir.compile(file, binaries=False)
    artifact.save(folder)
print(peak() - before)
"""


def added(folder: Path, kind: str, rows: int) -> Path:
    """Write a model that adds weights to an input of their shape."""
    folder.mkdir()
    weights = np.arange(rows * 1024, dtype=np.float32).reshape(rows, 1024)
    if kind == "onnx":
        graph = Graph("added")
        graph.output(graph.node("Add", graph.input("x", weights.shape), graph.constant("w", weights)), weights.shape)
        path = folder / "m.onnx"
        onnx.save(graph.model(), path, save_as_external_data=True, location="m.data", size_threshold=0)
        return path
    write_weights(folder / f"w.{kind}", {"w": weights})
    tensor = f"tensor<{rows}x1024xf32>"
    (folder / "m.mlir").write_text(f"""module attributes {{roller.weights = "w.{kind}"}} {{
  func.func @added(%x: {tensor}) -> {tensor} {{
    %w = arith.constant dense_resource<w> : {tensor}
    %e = tensor.empty() : {tensor}
    %y = linalg.add ins(%x, %w : {tensor}, {tensor}) outs(%e : {tensor}) -> {tensor}
    return %y : {tensor}
  }}
}}
""")
    return folder / "m.mlir"


@pytest.mark.parametrize("shapes", [(), ((40,), (5,), (0,), (3, 100))])
def test_archives_are_those_that_iree_writes(tmp_path: Path, shapes: tuple[tuple[int, ...], ...]) -> None:
    runtime = pytest.importorskip("iree.runtime", reason="needs iree-base-runtime")
    index = runtime.ParameterIndex()
    weights = {f"{'w' * (1 + at)}{at}": np.random.default_rng(at).random(one) for at, one in enumerate(shapes)}
    for name, array in weights.items():
        index.add_buffer(name, array.reshape(-1).view(np.uint8))
    index.create_archive_file(str(tmp_path / "theirs.irpa"))
    write_weights(tmp_path / "ours.irpa", weights)
    assert (tmp_path / "ours.irpa").read_bytes() == (tmp_path / "theirs.irpa").read_bytes()


def test_splats_of_archives_are_read(tmp_path: Path) -> None:
    runtime = pytest.importorskip("iree.runtime", reason="needs iree-base-runtime")
    index = runtime.ParameterIndex()
    index.add_splat("half", np.float32(0.5).tobytes(), 64)
    index.add_buffer("data", np.arange(8, dtype=np.uint8))
    index.add_splat("most", b"\1", MOST_SPLAT_BYTES + 1)
    index.create_archive_file(str(tmp_path / "w.irpa"))
    found = read_archive(tmp_path / "w.irpa", ("half", "data"))
    assert found["half"].view(np.float32).tolist() == [0.5] * 16 and found["data"].tolist() == list(range(8))
    with pytest.raises(ValueError, match="a splat of 2147483649 B repeats 1 B; at most 2147483648 B of whole elements"):
        read_archive(tmp_path / "w.irpa")


@pytest.mark.full
def test_compiling_holds_weights_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_CACHE", "1")
    monkeypatch.setenv("ROLLER_CACHE_DIR", str(tmp_path / "cache"))
    sizes, kinds = {"small": 1, "large": LARGE >> 12}, ("irpa", "npz", "onnx")
    files = [added(tmp_path / f"{name}_{kind}", kind, rows) for name, rows in sizes.items() for kind in kinds]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path / "m.roller"), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not done.returncode, done.stderr
    assert int(done.stdout) < 1.5 * LARGE, f"{int(done.stdout) / LARGE:.1f} times the weights"
