# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models through `roller iree compile`, run by iree-run-module on simulated devices, against ONNX Runtime."""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import whole_models
from iree_modules import NEEDS_IREE, compile_module, run_module
from onnx_results import onnx_results

from roller_mlir.compiler import CompileOptions
from roller_mlir.downstream.iree import IreeError, compile_program
from roller_mlir.downstream.iree.compiler import F64_TO_F32
from roller_mlir.downstream.iree.graph import take_blocks
from roller_mlir.downstream.iree.parts import PartCompiler
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.tools.roller import main

pytestmark = NEEDS_IREE
# Most launches that each may take; where fewer do, the figure is lowered.
LAUNCHES = {
    "mlp": 2,
    "residual_block": 2,
    "mobilenet_block": 3,
    "bert_layer": 18,
    "gpt_block": 19,
    "lstm": 25,
    "resnet18": 23,
}


def compiled(folder: Path, model: onnx.ModelProto | str, target: str, *more: str) -> dict[str, Any]:
    """Compiles a model of ONNX, or MLIR, into a folder; returns the report."""
    file = folder / ("model.mlir" if isinstance(model, str) else "model.onnx")
    if isinstance(model, str):
        file.write_text(model)
    else:
        onnx.save(model, file)
    return compile_module(folder, file, target, *more)


def draw(model: onnx.ModelProto) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    shapes = [[d.dim_value for d in one.type.tensor_type.shape.dim] for one in model.graph.input]
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


def agree(folder: Path, model: onnx.ModelProto, target: str, inputs: list[np.ndarray[Any, Any]], *more: str) -> None:
    names = [one.name for one in model.graph.input]
    (wanted,) = onnx_results(model, dict(zip(names, inputs, strict=True)))
    found = run_module(folder, model.graph.name, target, inputs, *more)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["graph", pytest.param("dispatch", marks=pytest.mark.full)])
@pytest.mark.parametrize("target", ["h200", pytest.param("mi300x", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "name", ["mlp", *(pytest.param(name, marks=pytest.mark.full) for name in whole_models.MODELS if name != "mlp")]
)
def test_models_run_in_iree(tmp_path: Path, name: str, target: str, mode: str) -> None:
    model = whole_models.MODELS[name]()
    report = compiled(tmp_path, model, target, "--mode", mode)
    agree(tmp_path, model, target, draw(model))
    assert report["share"] == 1
    assert sum(program["launches"] for program in report["programs"]) <= LAUNCHES[name]
    assert all(program["predicted_s"] > 0 for program in report["programs"])
    assert report["lines"] and all(line["place"].startswith("node '") for line in report["lines"])


@pytest.mark.full
@pytest.mark.parametrize("mode", ["graph", "dispatch"])
def test_weights_go_into_an_archive(tmp_path: Path, mode: str) -> None:
    model, archive = whole_models.mlp(), tmp_path / "w.irpa"
    compiled(tmp_path, model, "h200", "--mode", mode, "--weights", str(archive))
    assert (tmp_path / "model.vmfb").stat().st_size < 50_000 and archive.stat().st_size > 4 * 64 * 32
    assert not list(tmp_path.glob(".roller-*"))
    agree(tmp_path, model, "h200", draw(model), f"--parameters=model={archive}")


@pytest.mark.full
def test_an_embedding_runs_in_iree(tmp_path: Path) -> None:
    model = whole_models.gpt_block(words=32)
    compiled(tmp_path, model, "h200")
    agree(tmp_path, model, "h200", [np.random.default_rng(0).integers(0, 32, (2, 8))])


MIXED = """
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @mixed(%x: tensor<4x8xf32>, %w1: tensor<8x8xf32>, %w2: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e8 = tensor.empty() : tensor<4x8xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %first = linalg.matmul ins(%x, %w1 : tensor<4x8xf32>, tensor<8x8xf32>) outs(%z8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %small = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<4x8xf32>) outs(%e8 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = arith.fptosi %in : f32 to i4
    %f = arith.sitofp %i : i4 to f32
    linalg.yield %f : f32
  } -> tensor<4x8xf32>
  %e4 = tensor.empty() : tensor<4x4xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %second = linalg.matmul ins(%small, %w2 : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z4 : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  return %second : tensor<4x4xf32>
}
"""


@pytest.mark.parametrize("target", ["h200", pytest.param("mi300x", marks=pytest.mark.full)])
def test_what_we_refuse_is_compiled_by_iree_and_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    report = compiled(tmp_path, MIXED, target)
    assert [(line["by"], line["name"]) for line in report["lines"]] == [
        ("roller", "linalg.matmul"),
        ("iree", "linalg.generic"),
        ("roller", "linalg.matmul"),
    ]
    left = report["lines"][1]
    assert left["place"] == f"{tmp_path / 'model.mlir'}:8:12" and "computes in i4; supported: f32" in left["reason"]
    assert [program["name"] for program in report["programs"]] == ["mixed_0", "mixed_1"]
    said = capsys.readouterr().out
    assert "Compiled by IREE" in said and "2 of 3 operations are ours, in 2 launches" in said
    random = np.random.default_rng(0)
    x, w1, w2 = (random.integers(-1, 2, shape).astype(np.float32) for shape in ((4, 8), (8, 8), (8, 4)))
    first = x @ w1
    assert abs(first).max() < 8, "what i4 holds"
    np.testing.assert_array_equal(run_module(tmp_path, "mixed", target, [x, w1, w2]), first @ w2)


def test_named_operations_that_irees_mlir_has_no_more_are_brought_to_it(tmp_path: Path) -> None:
    kind = "tensor<4x8xf32>"
    text = (
        f'func.func @"sum-up"(%a: {kind}, %b: {kind}) -> {kind} {{\n'
        f"  %e = tensor.empty() : {kind}\n"
        f"  %0 = linalg.add ins(%a, %b : {kind}, {kind}) outs(%e : {kind}) -> {kind}\n  return %0 : {kind}\n}}\n"
    )
    (line,) = compiled(tmp_path, text, "h200")["lines"]
    assert line["by"] == "roller" and line["place"] == f"{tmp_path / 'model.mlir'}:3:8"


def refused(words: list[str], capsys: pytest.CaptureFixture[str], code: int) -> str:
    assert main(["iree", "compile", *words]) == code
    return capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("target", ["h200", "mi300x"])
def test_a_model_is_one_kernel_where_its_blocks_are_said_to_be_resident(
    tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = whole_models.MODELS["mlp"]()
    report = compiled(tmp_path, model, target, "--persistent", "--assume-resident")
    (program,) = report["programs"]
    (kernel,) = program["kernels"]
    assert report["share"] == 1 and program["launches"] == 1
    assert kernel["resident_blocks"] > 1
    assert "blocks at once" in capsys.readouterr().out
    words = ["iree", "run", str(tmp_path / "model.vmfb"), "--random", "--check", str(tmp_path / "model.onnx")]
    assert main([*words, "--artifact", *map(str, (tmp_path / "parts").glob("*.roller"))]) == 0
    assert "result matches IREE" in capsys.readouterr().out


def test_errors_of_what_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, output = tmp_path / "model.mlir", tmp_path / "m.vmfb"
    model.write_text("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %b : tensor<4xf32>\n}\n")
    usual = [str(model), "-o", str(output)]
    assert "unknown device 'h2000'" in refused([*usual, "--target", "h2000"], capsys, 2)
    assert "model.mlir:2:10: error: use of undeclared SSA value name" in refused(
        [*usual, "--target", "h200"], capsys, 1
    )
    assert "-o must name a .vmfb module" in refused([str(model), "-o", "m.so", "--target", "h200"], capsys, 2)
    assert "leave out '--compile-to=vm'" in refused([*usual, "--target", "h200", "--", "--compile-to=vm"], capsys, 2)
    said = refused([*usual, "--target", "h200", "--", "--iree-parameter-import=w.irpa"], capsys, 2)
    assert "weights and target by roller; leave out '--iree-parameter-import=w.irpa'" in said
    for word in ("--help", "--help-hidden", "-h", "--version"):
        said = refused([*usual, "--target", "h200", "--", word], capsys, 2)
        assert f"goes to iree-compile, which is not asked for '{word}'; run: iree-compile {word}\n" in said
    assert main(["iree", "run", "m.vmfb", "--", "--help"]) == 2
    assert "run: iree-run-module --help" in capsys.readouterr().err
    for one in ("--persistent", "--assume-resident"):
        assert "--persistent and --assume-resident go together" in refused([*usual, "--target", "h200", one], capsys, 2)
    report, artifacts = tmp_path / "none" / "r.json", tmp_path / "file"
    artifacts.touch()
    for more, code, message in (
        (["--report", str(report)], 1, f"{report} cannot be written: there is no folder {report.parent}"),
        (["--report", str(output)], 2, f"-o and --report must name two files, but both name {output}"),
        (["--artifacts", str(artifacts)], 1, "it is a file, and --artifacts names a folder"),
    ):  # of a model that is broken, which is not read yet
        assert message in refused([*usual, "--target", "h200", *more], capsys, code)
    for command in (["wrap", "m.roller"], ["spec", str(model), "--target", "h200"]):
        assert main(["iree", *command, "-o", str(tmp_path / "none" / "m.mlir")]) == 1
        assert "m.mlir cannot be written: there is no folder" in capsys.readouterr().err
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08\x01no")
    said = refused([str(broken), "-o", str(output), "--target", "h200"], capsys, 1)
    assert "broken.onnx' is no ONNX model that can be read" in said
    model.write_text(model.read_text().replace("%b", "%a"))
    said = refused([*usual, "--target", "h200", "--", "--no-such-flag"], capsys, 1)
    assert "iree-compile refuses the program" in said and "--no-such-flag" in said
    assert not list(tmp_path.glob("*.vmfb*")) and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'IREE compiler version 3.12.0 @ 0'", "roller works with IREE 3.13, but {path} is of IREE 3.12.0; pip"),
        ("echo hello", "roller works with IREE 3.13, but {path} is of no version that it tells; pip install"),
        ("", "no iree-compile was found; pip install iree-base-compiler==3.13.0"),
    ],
)
def test_another_version_of_iree_and_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: str,
    message: str,
) -> None:
    path = tmp_path / "bin" / "iree-compile"
    path.parent.mkdir()
    if script:
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    model = tmp_path / "model.mlir"
    model.write_text("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n")
    said = refused([str(model), "-o", str(tmp_path / "m.vmfb"), "--target", "h200"], capsys, 1)
    assert message.format(path=path) in said


def test_the_report_tells_why_an_operation_is_not_tried() -> None:
    text = """
#at = affine_map<(i) -> (i)>
"util.func"() <{sym_name = "f"}> ({
^bb0(%x: tensor<?xf32>, %t: tensor<4xf32>, %s: f32):
  %a = linalg.abs ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#at], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb1(%old: f32):
    linalg.yield %s : f32
  } -> tensor<4xf32>
  "util.return"(%a, %b) : (tensor<?xf32>, tensor<4xf32>) -> ()
}) : () -> ()
"""
    with make_context(allow_unregistered=True), ir.Location.unknown():
        parts, lines = take_blocks(
            ir.Module.parse(text), PartCompiler("h200", CompileOptions(), image="ptx", model="m.mlir")
        )
    assert not parts and [line.reason for line in lines] == [
        "'linalg.abs' is on a tensor of dynamic shape: tensor<?xf32>",
        "'linalg.generic' takes a f32 that is known at run time only; pass it as a tensor",
    ]


def test_f64_stays_f64_unless_a_flag_says_otherwise() -> None:
    text = "func.func @f(%a: tensor<4xf64>) -> tensor<4xf64> {\n  return %a : tensor<4xf64>\n}\n"
    for flags, kind in (((), b"tensor<4xf64>"), ((F64_TO_F32,), b"tensor<4xf32>")):
        assert kind in compile_program(text, "--compile-to=input", *flags, timeout_s=600)


def test_no_room_for_the_compilers_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(IreeError, match=r"none: no such file or directory; TMPDIR names another folder"):
        compile_program("", timeout_s=1, compiler="none")


@pytest.mark.full
@pytest.mark.parametrize("mode", ["graph", "dispatch"])
def test_kernels_of_tensor_copies_make_their_maps_themselves(tmp_path: Path, mode: str) -> None:
    text = (Path(__file__).parents[4] / "examples" / "matmul_f16.mlir").read_text().replace("512", "128")
    (program,) = compiled(tmp_path, text, "h200", "--mode", mode, "--instruction", "wgmma")["programs"]
    assert program["launches"] == 1
    (kernel,) = Artifact.load(next((tmp_path / "parts").iterdir())).kernels
    assert kernel.plan is not None and kernel.plan.instruction == "wgmma" and not kernel.tensor_maps
    random = np.random.default_rng(0)
    x, w = (random.integers(-2, 3, (128, 128)).astype(np.float16) for _ in range(2))
    bias = random.integers(-2, 3, 128).astype(np.float32)
    wanted = np.maximum(x.astype(np.float32) @ w.astype(np.float32) + bias, 0).astype(np.float16)
    np.testing.assert_array_equal(run_module(tmp_path, "dense", "h200", [x, w, bias]), wanted)
