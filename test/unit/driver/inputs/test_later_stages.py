# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR of every stage can be compiled and run: as it was printed, and edited."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main
from roller_mlir.tools.roller_opt import main as opt

MATMUL = """func.func @matmul(%a: tensor<64x40xf32>, %b: tensor<40x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x40xf32>, tensor<40x64xf32>)
    outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""
FORCED = ["--tile-sizes", "32,32,8", "--thread-tile", "4,4,1", "--stages", "1"]
PASSES = {
    "planned": "rtile-normalize,rtile-construct{device=h200}",
    "loops": "rtile-expand",
    "buffers": "rtile-assign-buffers",
    "kernels": "rtile-lower-to-gpu{device=h200}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of each stage."""
    made = tmp_path_factory.mktemp("stages")
    (made / "linalg.mlir").write_text(MATMUL)
    given = made / "linalg.mlir"
    for stage, passes in PASSES.items():
        file = made / f"{stage}.mlir"
        assert opt([str(given), f"--pass-pipeline=builtin.module({passes})", "-o", str(file)]) == 0
        given = file
    return made


@pytest.fixture(scope="module")
def inputs() -> list[Any]:
    random = np.random.default_rng(0)
    return [random.integers(-4, 5, shape).astype(np.float32) for shape in ((64, 40), (40, 64))]


@pytest.mark.parametrize("stage", ["linalg", *PASSES])
def test_every_stage_runs(folder: Path, inputs: list[Any], stage: str, capsys: Any) -> None:
    artifact = roller_mlir.compile(folder / f"{stage}.mlir", binaries=stage == "loops")
    np.testing.assert_array_equal(artifact.run(*inputs)[0], inputs[0] @ inputs[1])
    assert artifact.kernels[0].plan is not None
    given, linalg = str(folder / f"{stage}.mlir"), str(folder / "linalg.mlir")
    assert main(["run", given, "--random", "--check", "--reference", linalg]) == 0
    assert "result matches numpy (equal)" in capsys.readouterr().out


def emitted_loops(folder: Path, capsys: Any) -> str:
    assert main(["compile", str(folder / "linalg.mlir"), "--emit", "loops", *FORCED]) == 0
    return capsys.readouterr().out


def run_edited(text: str, folder: Path, inputs: list[Any]) -> None:
    """Run the edited loops through the command line, as their editor would."""
    (folder / "edited.mlir").write_text(text)
    words: list[str] = []
    for number, array in enumerate(inputs):
        np.save(folder / f"{number}.npy", array)
        words += ["--input", str(folder / f"{number}.npy")]
    assert main(["run", str(folder / "edited.mlir"), *words, "--output", str(folder / "results")]) == 0
    np.testing.assert_array_equal(np.load(folder / "results" / "output0.npy"), inputs[0] @ inputs[1])


def test_edited_loop_order(folder: Path, inputs: list[Any], capsys: Any) -> None:
    loops = emitted_loops(folder, capsys)
    units = re.findall(r"scf\.for (%\w+) = %c0 to %\w+ ", loops)[:2]
    swapped = {units[0]: units[1], units[1]: units[0]}
    edited = re.sub(r"(?<=scf\.for )(%\w+)(?= = )", lambda found: swapped.get(found[1], found[1]), loops)
    assert edited != loops
    run_edited(edited, folder, inputs)


def test_edited_reduction_step(folder: Path, inputs: list[Any], capsys: Any) -> None:
    """Steps of 16 points: tiles, box, origins and trip count change together; the last step reaches beyond the end."""
    edited = emitted_loops(folder, capsys)
    for old, new in (
        ("tensor<32x8xf32>", "tensor<32x16xf32>"),
        ("tensor<8x32xf32>", "tensor<16x32xf32>"),
        ("#rtile.tile<[32, 8]", "#rtile.tile<[32, 16]"),
        ("#rtile.tile<[8, 32]", "#rtile.tile<[16, 32]"),
        ("box = array<i64: 32, 32, 8>", "box = array<i64: 32, 32, 16>"),
        (" * 8", " * 16"),
        ("%c5 = arith.constant 5 : index", "%c5 = arith.constant 3 : index"),
    ):
        assert old in edited, f"{old} is not in the loops:\n{edited}"
        edited = edited.replace(old, new)
    run_edited(edited, folder, inputs)


@pytest.mark.parametrize("stage", PASSES)
def test_nothing_to_check_with_is_said(folder: Path, stage: str, capsys: Any) -> None:
    assert main(["run", str(folder / f"{stage}.mlir"), "--random", "--check"]) == 2
    assert "name linalg ops of the same signature with --reference" in capsys.readouterr().err


def test_references_are_checked(folder: Path, capsys: Any) -> None:
    loops, linalg = str(folder / "loops.mlir"), str(folder / "linalg.mlir")
    (folder / "other.mlir").write_text(MATMUL.replace("40", "41"))
    for words, message, code in (
        (["--reference", linalg], "give --check too", 2),
        (["--check", "--reference", loops], "holds no linalg ops to compare with", 1),
        (["--check", "--reference", str(folder / "other.mlir")], "other.mlir is (tensor<64x41xf32>, tensor<41x64", 1),
        (["--check", "--reference", str(folder / "missing")], "no such file", 1),
    ):
        assert main(["run", loops, "--random", *words]) == code
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("stage", "old", "new", "message"),
    [
        ("loops", "func.func @matmul", "func.func @other", "no function 'matmul'; it has 'other'"),
        ("buffers", "func.func @matmul", "func.func @other", "must have 1 function 'matmul', but this one has other"),
        ("buffers", 'rtile.role = "output"', 'rtile.role = "result"', "argument 2 of 'matmul' has rtile.role 'result'"),
        (
            "buffers",
            ' {rtile.role = "output"}',
            "",
            "argument 2 of 'matmul' has no rtile.role; it must be one of input",
        ),
        ("kernels", "    return\n", "    gpu.wait\n    return\n", "cannot be launched: a launch list cannot express"),
        ("planned", 'device = "h200"', 'device = "v100"', "planned for v100, but the target is h200"),
        (
            "planned",
            "order = [0, 1], pad",
            "order = [], pad",
            "operand 0 has order [], which must hold each of its 2 dimensions",
        ),
    ],
)
def test_edits_that_are_refused(folder: Path, stage: str, old: str, new: str, message: str) -> None:
    text = (folder / f"{stage}.mlir").read_text()
    assert old in text
    with pytest.raises(DiagnosedError, match=re.escape(message)):
        roller_mlir.compile(text.replace(old, new), entry="matmul" if "other" in new else None)


def test_planning_is_over(folder: Path, capsys: Any) -> None:
    for words, message in (
        (["loops.mlir", "--tile-sizes", "8,8,8"], "tile-sizes: the module is planned already"),
        (["kernels.mlir", "--tensor-maps", "device"], "tensor-maps: the module has its kernels already; edit them"),
        (["buffers.mlir", "--emit", "loops"], "the module is beyond the stage 'loops': it is at 'buffers'"),
    ):
        assert main(["compile", str(folder / words[0]), *words[1:]]) == 1
        assert message in capsys.readouterr().err
    assert main(["compile", str(folder / "loops.mlir"), "--emit", "loops"]) == 0
    assert capsys.readouterr().out == (folder / "loops.mlir").read_text()


def test_programs_at_different_stages(folder: Path) -> None:
    planned = (folder / "planned.mlir").read_text()
    loops = (folder / "loops.mlir").read_text()
    maps, body = loops.split("module {\n")
    two = planned.rstrip().removesuffix("}") + body.replace("@matmul", "@other")
    with pytest.raises(DiagnosedError, match="'rtile.program' is at stage 'loops', the first one at 'plan'"):
        roller_mlir.compile(maps + two, entry="matmul")
