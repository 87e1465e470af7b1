# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller iree run`: modules on a simulated device and on the CPU, their comparison, and planted mistakes."""

import argparse
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from roller_mlir.downstream.iree import IreeError, compile_program, iree_program
from roller_mlir.downstream.iree.run.arrays import read_inputs, read_results, result_files, take_inputs
from roller_mlir.downstream.iree.run.compare import CPU_FLAGS, compare_with
from roller_mlir.downstream.iree.run.module import Function, ModuleFile
from roller_mlir.plan.manifest import Buffer, ElementType
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.tools.commands.iree import run
from roller_mlir.tools.roller import main

BESIDE = str(Path(sys.executable).parent)
RUN = shutil.which("iree-run-module", path=BESIDE) or shutil.which("iree-run-module")
pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.skipif(RUN is None, reason="needs iree-base-runtime"),
]
DIFFERENCE = """
#all = affine_map<(i, j) -> (i, j)>
func.func @sub(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %d = arith.subf %x, %y : f32
      linalg.yield %d : f32
  } -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
"""
FIRST, SECOND = "(%arg0 : !hal.buffer)[%c0, %c16384]", "(%arg1 : !hal.buffer)[%c0, %c16384]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, its artifact, the module of it, and the module's program just before IREE writes it."""
    path = tmp_path_factory.mktemp("run")
    (path / "sub.mlir").write_text(DIFFERENCE)
    assert main(["compile", str(path / "sub.mlir"), "--target", "h200", "-o", str(path / "sub.roller")]) == 0
    program = iree_program(Artifact.load(path / "sub.roller"))
    (path / "sub.vmfb").write_bytes(compile_program(program, timeout_s=600))
    (path / "hal.mlir").write_bytes(compile_program(program, "--compile-to=hal", timeout_s=600))
    return path


@pytest.mark.full(every=2)
@pytest.mark.parametrize("model", [(), ("sub.mlir",)])
def test_a_module_is_run_and_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], model: tuple[str, ...], tmp_path: Path
) -> None:
    words = ["--random", "--check", *(str(folder / one) for one in model), "--output", str(tmp_path / "out")]
    assert main(["iree", "run", str(folder / "sub.vmfb"), *words]) == 0
    said = capsys.readouterr().out
    assert "output 0: 64x64xfloat32" in said and "generic_0" in said
    assert f"result matches {'IREE' if model else 'numpy'}" in said and "(equal)" in said
    assert np.load(tmp_path / "out" / "output0.npy").shape == (64, 64)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("wrong", "changes", "message"),
    [
        ("grid", [("workgroups([%c32,", "workgroups([%c1,")], "grid is (1, 1, 1), not (32, 1, 1)"),
        ("address", [(FIRST, FIRST.replace("[%c0, %c16384]", "[%here, %rest]"))], "which is no multiple of 16 B"),
        ("bindings", [(FIRST, "?"), (SECOND, FIRST), ("?,", f"{SECOND},")], "result does not match numpy"),
    ],
)
def test_a_mistake_in_a_module_is_found(
    folder: Path, capfd: pytest.CaptureFixture[str], wrong: str, changes: list[tuple[str, str]], message: str
) -> None:
    text = (folder / "hal.mlir").read_text()
    head, dispatch, rest = text.partition("hal.command_buffer.dispatch<")
    for old, new in changes:
        assert old in rest
        rest = rest.replace(old, new, 1)
    offsets = "%here = arith.constant 4 : index\n%rest = arith.constant 16380 : index\n"
    module = folder / f"{wrong}.vmfb"
    module.write_bytes(compile_program(head + offsets + dispatch + rest, "--compile-from=hal", timeout_s=600))
    assert main(["iree", "run", str(module), "--random", "--check"]) == 1
    said = capfd.readouterr()
    assert message in said.out + said.err


@pytest.mark.full
def test_a_module_for_the_cpu_runs_there_and_its_launches_are_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = folder / "cpu.vmfb"
    module.write_bytes(compile_program(DIFFERENCE, *CPU_FLAGS, timeout_s=600))
    words = ["iree", "run", str(module), "--on", "cpu", "--input", "64x64xf32=3", "--input", "64x64xf32=1"]
    assert main([*words, "--check", str(folder / "sub.mlir"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["matches"] and record["launches"] == [] and record["compared_with"] == "IREE's build for the CPU"
    assert main(["iree", "run", str(module), "--random"]) == 1
    assert "cpu.vmfb holds no kernels for CUDA or HIP; --on cpu runs" in capsys.readouterr().err


def test_what_cannot_be_run_or_compared_is_an_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def error(*words: str, code: int = 1) -> str:
        assert main(["iree", "run", *words]) == code
        return capfd.readouterr().err

    module, artifact = str(folder / "sub.vmfb"), str(folder / "sub.roller")
    assert f"{artifact} cannot be read: is a directory" in error(artifact)
    assert "/No.vmfb cannot be read: no such file or directory" in error("/No.vmfb")
    assert "is no module of IREE" in error(str(folder / "sub.mlir"))
    assert "has no function 'f', but sub" in error(module, "--function", "f")
    assert "takes 2 inputs, but got 1" in error(module, "--input", "a.npy", code=2)
    assert "give one of them" in error(module, "--input", "a.npy", "--random", code=2)
    assert "--artifact is for --on sim" in error(module, "--random", "--on", "cuda", "--artifact", artifact, code=2)
    assert "is no artifact, nor a folder of them" in error(module, "--random", "--artifact", str(folder / "sub.mlir"))
    assert "takes its inputs from .npy files" in error(
        module, "--input", "64x64xf32=1", "--input", "64x64xf32=1", "--check"
    )
    assert "iree-run-module fails: " in error(module, "--input", "3xf32=1", "--input", "3xf32=1")
    assert "iree-run-module fails: " in error(module, "--random", "--on", "cpu")
    for time_s in ("nan", "inf"):
        said = error(module, "--random", "--timeout-s", time_s, code=2)
        assert f"--timeout-s: must be a float, but got '{time_s}'" in said
    assert "--tolerance in 0 to 1" in error(module, "--random", "--tolerance", "nan", code=2)


def test_inputs_are_given_as_irees_tools_take_them(folder: Path) -> None:
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    given = parser.parse_args(["m.vmfb", "--input", "a.npy", "--input", "@b.npy"])
    assert run._inputs(given, ModuleFile.open(folder / "sub.vmfb").function(None), folder) == ["@a.npy", "@b.npy"]


ADDITION = """
func.func @add(%a: tensor<33x17xbf16>, %b: tensor<33x17xbf16>) -> tensor<33x17xbf16> {
  %e = tensor.empty() : tensor<33x17xbf16>
  %c = linalg.add ins(%a, %b : tensor<33x17xbf16>, tensor<33x17xbf16>) outs(%e : tensor<33x17xbf16>)
      -> tensor<33x17xbf16>
  return %c : tensor<33x17xbf16>
}
"""  # IREE's MLIR has no operation of that name


@pytest.mark.full
@pytest.mark.parametrize("model", [(), ("add.mlir",)])
def test_bf16_is_made_given_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: tuple[str, ...]
) -> None:
    (tmp_path / "add.mlir").write_text(ADDITION)
    assert main(["compile", str(tmp_path / "add.mlir"), "--target", "h200", "-o", str(tmp_path / "add.roller")]) == 0
    module = tmp_path / "add.vmfb"
    module.write_bytes(compile_program(iree_program(Artifact.load(tmp_path / "add.roller")), timeout_s=600))
    check = ["--check", *(str(tmp_path / one) for one in model)]
    assert main(["iree", "run", str(module), "--random", *check]) == 0
    assert f"result matches {'IREE' if model else 'numpy'}" in capsys.readouterr().out
    ones, twos = np.full((33, 17), 0x3F80, np.uint16), np.full((33, 17), 0x4000, np.uint16)
    np.save(tmp_path / "ones.npy", ones)
    given = ["--input", str(tmp_path / "ones.npy"), "--input", "33x17xbf16=1"]
    assert main(["iree", "run", str(module), *given, "--output", str(tmp_path / "out")]) == 0
    assert np.array_equal(np.load(tmp_path / "out" / "output0.npy"), twos)
    if not model:
        given[-1] = given[1]
        assert main(["iree", "run", str(module), *given, *check]) == 0
        assert "result matches numpy (equal)" in capsys.readouterr().out


def test_every_type_of_arrays_reaches_iree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = [f"tensor<5x{kind}>" for kind in NUMPY_TYPES] + ["tensor<bf16>", "tensor<0x4xbf16>", "tensor<f32>"]
    types, names = ", ".join(kinds), [f"%a{number}" for number in range(len(kinds))]
    arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, kinds, strict=True))
    model, module = tmp_path / "same.mlir", tmp_path / "same.vmfb"
    model.write_text(f"func.func @same({arguments}) -> ({types}) {{\n  return {', '.join(names)} : {types}\n}}\n")
    module.write_bytes(compile_program(model.read_text(), *CPU_FLAGS, timeout_s=600))
    assert main(["iree", "run", str(module), "--on", "cpu", "--random", "--check", str(model), "--json"]) == 0
    comparisons = json.loads(capsys.readouterr().out)["comparisons"]
    assert len(comparisons) == len(kinds) and all(one["equal"] for one in comparisons)


def test_bits_of_bf16_are_of_the_right_kind(tmp_path: Path) -> None:
    tensor = Buffer(name="a", role="input", element_type="bf16", shape=(2, 1))
    function = Function(name="f", inputs=(tensor,), outputs=())
    bits = np.array([[0x3F80], [0x4000]], np.uint16)
    file, plain = tmp_path / "a.npy", tmp_path / "plain.bin"
    for array in (bits, bits.view(np.int16)):
        np.save(file, array)
        (taken,) = take_inputs([f"@{file}"], function, tmp_path)
        assert taken == f"2x1xbf16=@{tmp_path / 'input0.bin'}"
        (read,) = read_inputs([taken], function) or ()
        assert read.dtype == np.uint16 and np.array_equal(read, bits)
    assert take_inputs([f"2x1xbf16=@{plain}"], function, tmp_path) == [f"2x1xbf16=@{plain}"]
    assert read_inputs(["2x1xbf16=1 2"], function) is None
    np.save(file, bits.astype(np.float32))
    with pytest.raises(IreeError, match="must hold the bits of bf16 as 2x1xuint16, but holds 2x1xfloat32"):
        take_inputs([str(file)], function, tmp_path)
    plain.write_bytes(b"odd")
    for missing in (f"@{tmp_path / 'none.npy'}", f"2x1xbf16=@{plain}"):
        with pytest.raises(IreeError, match="cannot be read"):
            read_inputs([missing], function)


def test_results_of_bf16_come_as_bare_bits(tmp_path: Path) -> None:
    kinds: list[ElementType] = ["f32", "bf16"]
    outputs = tuple(Buffer(name="r", role="output", element_type=kind, shape=(2, 1)) for kind in kinds)
    function = Function(name="f", inputs=(), outputs=outputs)
    files = result_files(function, tmp_path, "output")
    assert [file.name for file in files] == ["output0.npy", "output1.bin"]
    np.save(files[0], np.ones((2, 1), np.float32))
    files[1].write_bytes(np.array([0x3F80, 0x4000], np.uint16).tobytes())
    one, two = read_results(files, function)
    assert one.tolist() == [[1], [1]] and two.tolist() == [[0x3F80], [0x4000]] and two.dtype == np.uint16


def test_what_cannot_be_compared_is_not_said_to_match(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, module = ModuleFile.open, folder / "sub.vmfb"

    def error(function: Function, *words: str) -> str:
        # The module itself is the model's build for the CPU; as it is run, it is said to have another function.
        held = replace(opened(module), functions=(function,))
        monkeypatch.setattr(ModuleFile, "open", lambda path: held if path == module else opened(path))
        assert main(["iree", "run", str(module), "--random", *words]) == 1
        return capsys.readouterr().err

    known = opened(module).function(None)
    monkeypatch.setattr("roller_mlir.downstream.iree.run.compare.build_for_cpu", lambda model: module.read_bytes())
    for words in (["--check"], ["--check", "sub.mlir"], ["--output", str(folder / "results")]):
        assert "only tensors of static shape are compared or written" in error(replace(known, outputs=None), *words)
    assert not (folder / "results").exists()
    other = replace(known, name="other", inputs=(known.outputs or ()))
    assert f"'sub' of x.mlir takes or gives other tensors than 'other' of {module}" in error(other, "--check", "x.mlir")


def test_results_are_compared_by_their_type(folder: Path) -> None:
    function = ModuleFile.open(folder / "sub.vmfb").function(None)
    wanted = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
    near, far = wanted + np.float32(0.9e-5), wanted + np.float32(1.2e-5)
    assert compare_with([near], [wanted], function, 1e-5)[0].matches
    assert not compare_with([far], [wanted], function, 1e-5)[0].matches
    assert compare_with([far], [wanted], function, 2e-5)[0].matches
