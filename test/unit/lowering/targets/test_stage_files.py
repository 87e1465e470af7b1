# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages are written as files, and edited files stand in for stages; what does not fit is refused at its place."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.targets import families
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

MATMUL = """func.func @matmul(%a: tensor<32x24xf32>, %b: tensor<24x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<32x24xf32>, tensor<24x32xf32>)
    outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
"""
OPTIONS = CompileOptions(tile_sizes=(16, 16, 8), thread_tile=(4, 4, 1), stages=1, split=False)
KERNEL = "matmul_0"


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of stages per device."""
    folders: dict[str, Path] = {}
    for target in ("h200", "mi300x"):
        folders[target] = tmp_path_factory.mktemp("dumped") / target
        roller_mlir.compile(MATMUL, target=target, options=replace(OPTIONS, dump_stages=folders[target]))
    return folders


def compiled(target: str = "h200", **given: Path) -> Any:
    options = replace(OPTIONS, override_stages=tuple(given.items()))
    return roller_mlir.compile(MATMUL, target=target, options=options)


def test_every_stage_is_a_file(dumped: dict[str, Path]) -> None:
    for family in families():
        device = {"nvidia": "h200", "amd": "mi300x"}.get(family.name)
        for stage in family.stages if device else ():
            name = f"{KERNEL}{stage.suffix}" if stage.role else f"{stage.name}.mlir"
            made = stage.name != "sass"  # ptxas's code is disassembled on request only
            assert (dumped[str(device)] / name).is_file() == made, name


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    "stage", ["linalg", "fused", "plan", "loops", "buffers", "gpu", "nvvm", "rocdl", "llvm", "ptx"]
)
def test_a_stage_read_back_gives_the_same_code(dumped: dict[str, Path], stage: str) -> None:
    target = "mi300x" if stage == "rocdl" else "h200"
    file = dumped[target] / f"{stage}.mlir"
    if not file.exists():
        (file,) = dumped[target].glob("*.ll" if stage == "llvm" else "*.ptx")
    role = "assembly" if stage == "rocdl" else "ptx"
    (code,) = dumped[target].glob("*.s" if stage == "rocdl" else "*.ptx")
    assert compiled(target, **{stage: file}).text(role) == code.read_text()


def test_edited_loops_are_what_runs(dumped: dict[str, Path], tmp_path: Path) -> None:
    """Tiles of other sizes: the plan stays that of the model, the kernel is of the edited loops."""
    edited = tmp_path / "loops.mlir"
    text = (dumped["h200"] / "loops.mlir").read_text()
    changed = text.replace("arith.mulf", "arith.addf")
    assert changed != text
    edited.write_text(changed)
    options = replace(OPTIONS, override_stages=(("loops", edited),), binaries=False)
    artifact = roller_mlir.compile(MATMUL, options=options)
    a, b = np.full((32, 24), 2, np.float32), np.full((24, 32), 3, np.float32)
    np.testing.assert_array_equal(artifact.run(a, b)[0], np.full((32, 32), 24 * 5))


def test_edited_ptx_is_what_the_artifact_holds(dumped: dict[str, Path], tmp_path: Path) -> None:
    edited = tmp_path / f"{KERNEL}.ptx"
    edited.write_text((dumped["h200"] / f"{KERNEL}.ptx").read_text() + "// edited\n")
    assert compiled(ptx=tmp_path).text("ptx").endswith("// edited\n")


REFUSED = {
    "no MLIR": ("loops", lambda text: "func.func @matmul(", r"FILE:\d+:\d+: error: expected"),
    "another stage": (
        "plan",
        lambda text: MATMUL,
        r"FILE:1:\d+: error: the module is of linalg operations, which cannot replace stage 'plan'",
    ),
    "another function": (
        "loops",
        lambda text: text.replace("@matmul(", "@other("),
        r"FILE:\d+:\d+: error: the function must be @matmul\(.*\), as at stage 'loops', but is @other\(",
    ),
    "other inputs": (
        "linalg",
        lambda text: text.replace("32x24xf32", "32x40xf32").replace("24x32xf32", "40x32xf32"),
        r"FILE:\d+:\d+: error: the function must be @matmul\(tensor<32x24xf32>",
    ),
    "kernels that are not lowered": (
        "nvvm",
        lambda text: text,
        r"FILE:\d+:\d+: error: the module has a kernel that is not lowered, which cannot replace 'nvvm'",
    ),
    "a plan for another device": (
        "plan",
        lambda text: text.replace('"h200"', '"v100"'),
        r"FILE:\d+:\d+: error: 'rtile.program' is planned for v100, but the target is h200",
    ),
    "arguments without roles": (
        "gpu",
        lambda text: text.replace('rtile.role = "input"', 'rtile.role = "in"'),
        r"FILE:\d+:\d+: error: the function must be @matmul\(input ",
    ),
    "no kernel": ("ptx", lambda text: "// nothing", r"FILE:1:1: error: the file holds no kernel 'matmul_0'"),
    "no PTX": ("ptx", lambda text: f".entry {KERNEL} nonsense", r"FILE:1:1: error: kernel 'matmul_0': "),
    "no LLVM IR": ("llvm", lambda text: f"{KERNEL} nonsense", r"FILE:1:1: error: kernel 'matmul_0': "),
}
SOURCES = {"nvvm": "gpu.mlir", "ptx": f"{KERNEL}.ptx", "llvm": f"{KERNEL}.ll"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_at_its_place(name: str, dumped: dict[str, Path], tmp_path: Path) -> None:
    stage, edit, message = REFUSED[name]
    file = tmp_path / "edited"
    file.write_text(edit((dumped["h200"] / SOURCES.get(stage, f"{stage}.mlir")).read_text()))
    with pytest.raises(DiagnosedError, match=message.replace("FILE", re.escape(str(file)))):
        compiled(**{stage: file})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lops": "x"}, "nvidia has no stage 'lops' to replace; it has linalg, fused, plan, loops,"),
        ({"cubin": "x"}, "nvidia has no stage 'cubin' to replace"),
        ({"loops": "/nowhere"}, "'/nowhere' cannot be read: no such file or directory"),
    ],
)
def test_a_stage_that_cannot_be_replaced(given: dict[str, str], message: str) -> None:
    with pytest.raises(DiagnosedError, match=re.escape(message)):
        roller_mlir.compile(MATMUL, options=replace(OPTIONS, override_stages=tuple(given.items())))


def test_a_stage_that_is_not_made_replaces_nothing(dumped: dict[str, Path]) -> None:
    file = dumped["h200"] / "plan.mlir"
    with pytest.raises(DiagnosedError, match="replaces nothing: stage 'plan' is not made"):
        roller_mlir.compile(
            dumped["h200"] / "loops.mlir", options=CompileOptions(override_stages=(("plan", file),), binaries=False)
        )


def test_the_command_line_writes_and_reads_stages(dumped: dict[str, Path], tmp_path: Path, capsys: Any) -> None:
    source, stages = tmp_path / "matmul.mlir", tmp_path / "stages"
    source.write_text(MATMUL)
    loops = str(dumped["h200"] / "loops.mlir")
    assert main(["compile", str(source), "--emit", "gpu", "--override-stage", f"loops={loops}"]) == 0
    assert capsys.readouterr().out.strip() == (dumped["h200"] / "gpu.mlir").read_text().strip()
    assert main(["compile", str(source), "--emit", "plan", "--dump-stages", str(stages)]) == 0
    assert sorted(file.name for file in stages.iterdir()) == ["fused.mlir", "linalg.mlir", "plan.mlir"]
    capsys.readouterr()
    assert main(["compile", str(source), "--override-stage", "loop=x"]) == 2
    assert "must be STAGE=FILE with one of the stages linalg, fused, plan" in capsys.readouterr().err
