# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of unusual form as one persistent kernel: right, or refused by one located error."""

import re
from pathlib import Path

import pytest
from graph_models import mlp
from linalg_models import ZERO, matmul

from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.hal.files.template import template
from roller_mlir.lowering.targets.family import load_passes
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import run_pipeline
from roller_mlir.tools.roller import main

V, M = "tensor<4xf32>", "tensor<32x32xf32>"
ADD = f"%e = tensor.empty() : {V}\n  %r = linalg.add ins(%x, %k : {V}, {V}) outs(%e : {V}) -> {V}"
CONSTANT = f"%k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : {V}"
PRODUCT = ZERO + matmul("p", "x", "x", 32, 32, 32)


def function(argument: str, results: list[str], body: str, returned: str) -> str:
    """Return a function of one argument, %x."""
    kinds = ", ".join(results)
    return f"func.func @f(%x: {argument}) -> ({kinds}) {{\n  {body}\n  return {returned} : {kinds}\n}}\n"


def slices() -> str:
    """Return a function whose results overlap, and lie in each other."""
    parts = ["tensor<16x32xf32>", "tensor<16x32xf32>", "tensor<8x8xf32>"]
    cut = [("p", "[0, 0] [16, 32]", M), ("p", "[8, 0] [16, 32]", M), ("s0", "[4, 4] [8, 8]", parts[0])]
    body = PRODUCT + "".join(
        f"\n  %s{i} = tensor.extract_slice %{source}{where} [1, 1] : {kind} to {part}"
        for i, ((source, where, kind), part) in enumerate(zip(cut, parts, strict=True))
    )
    return function(M, [M, *parts], body, "%p, %s0, %s1, %s2")


def test_records_have_workgroup_memory(tmp_path: Path) -> None:
    """The best plans fill a block's workgroup memory on this device, and leave none for the records of tasks."""
    device, file = tmp_path / "small.toml", tmp_path / "f.mlir"
    text = template(find_device("v100"))
    text, count = re.subn(r"= (98_?304|49_?152)$", "= 3072", text, flags=re.MULTILINE)
    assert count == 4
    device.write_text(text)
    file.write_text(mlp()[0])
    asked = ["--persistent", "--block-threads", "128", "--emit", "gpu"]
    assert main(["compile", str(file), "--device-file", str(device), *asked]) == 0


def small_products(count: int) -> str:
    """Return a chain of products of small matrices."""
    body = ZERO + "".join(matmul(f"p{i + 1}", f"p{i}" if i else "x", "x", 8, 8, 8) for i in range(count))
    return function("tensor<8x8xf32>", ["tensor<8x8xf32>"], body, f"%p{count}")


FUNCTIONS = {
    "one op": function(M, [M], PRODUCT, "%p"),
    "an argument": function(M, [M], "", "%x"),
    "an argument, and an op": function(M, [M, M], PRODUCT, "%p, %x"),
    "one result twice": function(M, [M, M], PRODUCT, "%p, %p"),
    "slices of each other": slices(),
    "a constant": function(V, [V], CONSTANT, "%k"),
    "a constant twice": function(V, [V, V, V], f"{CONSTANT}\n  {ADD}", "%k, %r, %k"),
    "an operand": function(V, [V], f"{CONSTANT}\n  {ADD}", "%r"),
    "equal numbers": function(V, [V], f"%k = arith.constant dense<1.0> : {V}\n  {ADD}", "%r"),
    "200 ops": small_products(200),
}


@pytest.mark.parametrize(
    ("name", "device"),
    [
        pytest.param(name, device, marks=[pytest.mark.full] * (device != "h200" or name == "200 ops"))
        for name in FUNCTIONS
        for device in ("a100", "h200", "mi300x")
    ],
)
def test_unusual_functions(name: str, device: str, tmp_path: Path) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(FUNCTIONS[name])
    assert main(["run", str(file), "--target", device, "--persistent", "--random", "--check", "--sanitize"]) == 0


EMPTY = "%y = tensor.empty() : {0}\n  %r = linalg.add ins(%x, %x : {0}, {0}) outs(%y : {0}) -> {0}"
SOFTMAX = "%y = tensor.empty() : {0}\n  %r = linalg.softmax dimension(0) ins(%x : {0}) outs(%y : {0}) -> {0}"


@pytest.mark.parametrize(
    ("kind", "body", "where", "said"),
    [
        ("tensor<0x4xf32>", EMPTY, ":1:14", "argument 0 of 'f' has type tensor<0x4xf32>, a dimension of 0"),
        ("tensor<4x?xf32>", "%r = tensor.cast %x : {0} to {0}", ":1:14", "shapes must be static"),
        ("tensor<4xcomplex<f32>>", EMPTY, ":1:14", "has element type complex<f32>; supported: f32"),
        (
            "tensor<2xf32>",
            SOFTMAX,
            ":3:8",
            "persistent: no number of threads suits all programs; 256 threads: 'rtile.program' has no plan with a "
            "block of just 256 threads",
        ),
        ("tensor<200000x400000xf32>", EMPTY, ":3:8", "B of global memory, 'h200' has 151397597184 B; split it"),
    ],
)
def test_functions_that_cannot_be_planned(
    kind: str, body: str, where: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(function(kind, [kind], body.format(kind), "%r"))
    assert main(["compile", str(file), "--target", "h200", "--persistent"]) == 1
    error = capsys.readouterr().err
    assert error.count("error:") == 1
    assert f"{file}{where}: error: " in error
    assert said in error


def test_a_device_without_cooperative_launches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mlp.mlir"
    file.write_text(mlp()[0])
    assert main(["compile", str(file), "--target", "k80", "--persistent"]) == 1
    said = capsys.readouterr().err
    assert "persistent: k80 has no cooperative launch, so blocks cannot wait for others" in said


def test_results_that_share_bytes_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Buffers that were laid out for one launch after the other stay where they are."""
    file, laid_out = tmp_path / "f.mlir", tmp_path / "buffers.mlir"
    file.write_text(small_products(4))
    planned = ["--block-threads", "64", "--instruction", "fma", "--emit", "buffers"]
    assert main(["compile", str(file), "--target", "h200", *planned]) == 0
    laid_out.write_text(capsys.readouterr().out)
    run = ["run", str(laid_out), "--target", "h200", "--persistent", "--random", "--sanitize"]
    assert main([*run, "--check", "--reference", str(file)]) == 0


def test_kernels_cannot_become_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mlp.mlir"
    file.write_text(mlp()[0])
    assert main(["compile", str(file), "--target", "h200", "--emit", "gpu"]) == 0
    file.write_text(capsys.readouterr().out)
    assert main(["compile", str(file), "--target", "h200", "--persistent"]) == 1
    assert "persistent: the module has its kernels already" in capsys.readouterr().err


def test_a_scope_of_the_other_vendor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AMD's code generator knows no scope of NVIDIA's name, and says so."""
    load_passes()
    with make_context() as context:
        module = parse_module(FUNCTIONS["one op"], context)
        options = "device=mi300x block-threads=128 instructions=fma"
        run_pipeline(module, f"roller-to-rocdl-persistent{{{options}}}")
        text = str(module)
    assert 'syncscope("device")' not in text
    file = tmp_path / "f.mlir"
    file.write_text(text.replace('syncscope("agent")', 'syncscope("device")'))
    assert main(["compile", str(file), "--target", "mi300x", "-o", str(tmp_path / "f.roller")]) == 1
    assert "atomic synchronization scope" in capsys.readouterr().err


def test_schedules_are_of_persistent_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="policy, blocks: only a persistent kernel has a schedule, but persistent is"):
        CompileOptions(policy="wavefront", blocks=4)
    file = tmp_path / "mlp.mlir"
    file.write_text(mlp()[0])
    assert main(["compile", str(file), "--hand-over", "barrier"]) == 2
    assert "--hand-over: only a persistent kernel has a schedule; add --persistent" in capsys.readouterr().err
