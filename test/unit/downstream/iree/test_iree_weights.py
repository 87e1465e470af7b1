# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights between our processes and IREE's: they are in archives and bytecode, and in no text."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from iree_modules import NEEDS_IREE, compile_module, run_module
from onnx_models import Graph

from roller_mlir.downstream.iree import IreeError, compiler, tools
from roller_mlir.downstream.iree.compiler import find_compiler, rewrite_file
from roller_mlir.downstream.iree.weights import export_pipeline, import_pipeline, restore_packed
from roller_mlir.importers.irpa import read_archive
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.tools.roller import main

pytestmark = NEEDS_IREE
SIZE = 64
MODES = ["graph", pytest.param("dispatch", marks=pytest.mark.full)]
KINDS = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "bf16": "u2"}


def weights() -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).integers(-4, 5, (SIZE, SIZE)).astype(np.float32)


def model_of_onnx(folder: Path) -> Path:
    graph = Graph("dense")
    graph.output(graph.node("MatMul", graph.input("x", [8, SIZE]), graph.constant("w", weights())), [8, SIZE])
    onnx.save(graph.model(), folder / "model.onnx")
    return folder / "model.onnx"


def model_of_text(folder: Path) -> Path:
    square, result = f"tensor<{SIZE}x{SIZE}xf32>", f"tensor<8x{SIZE}xf32>"
    (folder / "model.mlir").write_text(
        f"func.func @dense(%x: {result}) -> {result} {{\n"
        f'  %w = arith.constant dense<"0x{weights().tobytes().hex()}"> : {square}\n'
        f"  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : {result}\n"
        f"  %z = linalg.fill ins(%zero : f32) outs(%e : {result}) -> {result}\n"
        f"  %r = linalg.matmul ins(%x, %w : {result}, {square}) outs(%z : {result}) -> {result}\n"
        f"  return %r : {result}\n}}\n"
    )
    return folder / "model.mlir"


@pytest.mark.full(every=8)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("more", [(), ("--weights", "w.irpa")])
@pytest.mark.parametrize("make", [model_of_text, model_of_onnx])
def test_no_file_of_irees_tools_holds_weights_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, more: tuple[str, ...], mode: str
) -> None:
    seen: list[str] = []
    row = weights()[0].tobytes().hex().encode()  # of the product's weight, however it is transposed
    rows = (row, weights()[:, 0].tobytes().hex().encode())

    def run_tool(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
        done = tools.run_tool(command, **options)
        for file in [Path(one) for one in command[1:] if not one.startswith("-") and Path(one).is_file()]:
            text = file.read_bytes().lower()
            assert not any(one in text for one in rows), f"{Path(command[0]).name}: {file.name}"
            seen.append(file.suffix)
        return done

    monkeypatch.setattr(compiler, "run_tool", run_tool)
    monkeypatch.chdir(tmp_path)
    compile_module(tmp_path, make(tmp_path), "h200", "--mode", mode, *more)
    assert ".mlir" in seen and ".mlirbc" in seen
    x = np.random.default_rng(0).integers(-4, 5, (8, SIZE)).astype(np.float32)
    parameters = ["--parameters=model=w.irpa"] if more else []
    np.testing.assert_array_equal(run_module(tmp_path, "dense", "h200", [x], *parameters), x @ weights())


@pytest.mark.full
def test_mode_config_compiles_a_model_with_weights_of_its_own(tmp_path: Path) -> None:
    model = str(model_of_onnx(tmp_path))
    words = ["iree", "compile", model, "-o", str(tmp_path / "m.vmfb"), "--target", "h200", "--mode", "config"]
    assert main(words) == 0
    assert weights().tobytes() in (tmp_path / "m.vmfb").read_bytes()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("mode", MODES)
def test_masks_which_iree_imports_from_no_archive_stay_in_the_module(tmp_path: Path, mode: str) -> None:
    mask = np.random.default_rng(0).integers(0, 2, (SIZE, SIZE)).astype(bool)
    kind, at = f"tensor<{SIZE}x{SIZE}xf32>", "affine_map<(i, j) -> (i, j)>"
    (tmp_path / "model.mlir").write_text(
        f"func.func @masked(%x: {kind}) -> {kind} {{\n"
        f'  %m = arith.constant dense<"0x{mask.tobytes().hex()}"> : tensor<{SIZE}x{SIZE}xi1>\n'
        f"  %e = tensor.empty() : {kind}\n"
        f"  %r = linalg.generic {{indexing_maps = [{at}, {at}, {at}], iterator_types = ["
        f'"parallel", "parallel"]}} ins(%x, %m : {kind}, tensor<{SIZE}x{SIZE}xi1>) outs(%e : {kind}) {{\n'
        "  ^bb0(%a: f32, %b: i1, %o: f32):\n    %zero = arith.constant 0.0 : f32\n"
        f"    %s = arith.select %b, %a, %zero : f32\n    linalg.yield %s : f32\n  }} -> {kind}\n"
        f"  return %r : {kind}\n}}\n"
    )
    compile_module(tmp_path, tmp_path / "model.mlir", "h200", "--mode", mode)
    x = np.random.default_rng(1).integers(1, 9, (SIZE, SIZE)).astype(np.float32)
    np.testing.assert_array_equal(run_module(tmp_path, "masked", "h200", [x]), np.where(mask, x, 0))


def constants() -> dict[str, str]:
    """Constants of every kind of element, by their types."""
    random = np.random.default_rng(0)
    kinds = {f"tensor<4x128x{one}>": random.integers(0, 100, 512).astype(dtype) for one, dtype in KINDS.items()}
    kinds["tensor<4x128xf8E4M3FN>"] = random.integers(0, 100, 512).astype(np.uint8)
    kinds["tensor<4x256xcomplex<f32>>"] = random.standard_normal(2048).astype(np.float32)
    kinds["tensor<4x128xi1>"] = random.integers(0, 2, 512).astype(np.uint8)
    kinds["tensor<4x256xi4>"] = random.integers(0, 16, 1024).astype(np.uint8)
    return {kind: f'dense<"0x{data.tobytes().hex()}"> : {kind}' for kind, data in kinds.items()}


def moved(folder: Path, values: Sequence[str]) -> str:
    """Return a program of globals, whose constants were taken out of it, and brought back."""
    source, parted, whole, archive = (folder / one for one in ("a.mlir", "b.mlir", "c.mlir", "w.irpa"))
    lines = [f"util.global private @g{number} = {one}" for number, one in enumerate(values)]
    source.write_text("\n".join(lines))
    usual: dict[str, Any] = {"timeout_s": 600, "compiler": find_compiler(), "folder": folder}
    rewrite_file(source, parted, export_pipeline(archive, outline=False), "--mlir-print-op-generic", **usual)
    with make_context(allow_unregistered=True), ir.Location.unknown():
        module = ir.Module.parse(parted.read_text())
        assert "dense<" not in str(module) and len(read_archive(archive)) == len(lines)
        restore_packed(module, archive)
        parted.write_text(module.operation.get_asm(print_generic_op_form=True))
        rewrite_file(parted, whole, import_pipeline(archive), "--mlir-print-op-generic", **usual)
        return whole.read_text()


def test_constants_of_every_kind_come_back(tmp_path: Path) -> None:
    given = list(constants().values())
    found = re.findall(r"initial_value = (dense<.*?> : tensor<.*?>+),", moved(tmp_path, given))
    assert [one.lower() for one in found] == [one.lower() for one in given]


def test_splats_of_globals_come_back(tmp_path: Path) -> None:
    given = ["dense<5.000000e-01> : tensor<4x128xf32>", "dense<true> : tensor<512xi1>", *list(constants().values())[:1]]
    found = re.findall(r"initial_value = (dense<.*?> : tensor<.*?>+),", moved(tmp_path, given))
    assert [one.lower() for one in found] == [one.lower() for one in given]


def test_a_constant_that_cannot_come_back_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IreeError, match="a constant of i2 in the module between its phases; use --weights"):
        moved(tmp_path, [f'dense<"0x{bytes(1 + one % 2 for one in range(2048)).hex()}"> : tensor<2048xi2>'])


def test_the_compiler_is_started_without_the_script_that_starts_it() -> None:
    assert Path(find_compiler()).read_bytes()[:4] == b"\x7fELF"
