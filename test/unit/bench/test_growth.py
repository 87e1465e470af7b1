# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work grows as the number of ops does, and equal operators are planned, built and kept once. No time is asserted."""

import cProfile
import json
import re
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import preloaded
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.model.search import best_plan as plans_module
from roller_mlir.passes.rtile import expand, lower_to_gpu
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.tools.roller import main

FOLDER = Path(__file__).parents[3] / "bench" / "compiling" / "growth"
KINDS: dict[str, Callable[[int], str]] = runpy.run_path(str(FOLDER / "programs.py"))["KINDS"]
NO_BINARIES = CompileOptions(binaries=False, cache=False)


def _compile(text: str) -> roller_mlir.Artifact:
    return roller_mlir.compile(text, target="h200", options=NO_BINARIES)


def _calls(text: str) -> int:
    """Return how many calls Python makes to compile a function."""
    profile = cProfile.Profile()
    profile.enable()
    _compile(text)
    profile.disable()
    entries: list[Any] = profile.getstats()
    return sum(entry.callcount for entry in entries)


@pytest.mark.full(every=5)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "distinct products"])
def test_work_grows_as_the_number_of_ops(kind: str) -> None:
    _compile(KINDS[kind](10))  # what is done once
    few, more, most = (_calls(KINDS[kind](count)) for count in (10, 30, 90))
    assert most - more < 3.05 * (more - few), f"{few} calls for 10 ops, {more} for 30, {most} for 90"


def _counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[None]:
    found: list[None] = []
    real = getattr(where, name)

    def count(*arguments: Any) -> Any:
        found.append(None)
        return real(*arguments)

    monkeypatch.setattr(where, name, count)
    return found


def test_equal_operators_are_planned_built_and_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = KINDS["independent"](24).replace("64x64", "24x24").replace("tensor<64", "tensor<24")
    constructed = _counted(monkeypatch, plans_module, "construct")
    emitted = _counted(monkeypatch, lower_to_gpu, "emit_kernel")
    expanded = _counted(monkeypatch, expand, "_expand")
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(cache=False))
    assert [len(constructed), len(expanded), len(emitted)] == [
        3,
        4,
        4,
    ]  # sums and products of elements are planned alike
    assert len(artifact.manifest.launches) == 24
    assert [kernel.name for kernel in artifact.kernels] == ["f_matmul_0", "f_generic_1", "f_generic_2", "f_generic_3"]
    assert sorted(name for name in artifact.files if name.endswith(".cubin")) == [
        "f_generic_1.cubin",
        "f_generic_2.cubin",
        "f_generic_3.cubin",
        "f_matmul_0.cubin",
    ]
    inputs = random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 0)
    outputs = artifact.run(*inputs)
    with make_context() as context:
        expected = evaluate_function(parse_module(text, context), "f", inputs, accumulation_of(artifact.manifest))
    assert all(found.matches for found in compare_all(outputs, expected))


@pytest.mark.full
def test_cells_that_differ_in_their_slices_alone_are_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    constructed = _counted(monkeypatch, plans_module, "construct")
    counts: list[int] = []
    for cells in (12, 24):
        plans_module._constructed.cache_clear()
        constructed.clear()
        _compile(KINDS["recurrent cells"](5 * cells))
        counts.append(len(constructed))
    assert counts[0] == counts[1], f"{counts[0]} operators are planned for 12 cells, {counts[1]} for 24"


@pytest.mark.full
def test_launches_of_one_kernel_are_counted_and_explained_once(tmp_path: Path, capsys: Any) -> None:
    source = tmp_path / "equal.mlir"
    source.write_text(KINDS["equal products"](3))
    artifact = tmp_path / "equal.roller"
    assert main(["compile", str(source), "-o", str(artifact)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"kernel +launches +task tile", said)
    assert re.search(r"matmul_0 +3 +\d+x\d+x\d+", said)
    assert "matmul_1" not in said
    assert main(["compile", str(source), "--json"]) == 0
    assert [kernel["launches"] for kernel in json.loads(capsys.readouterr().out)["kernels"]] == [3]
    assert main(["run", str(artifact), "--random", "--check", "--count"]) == 0
    capsys.readouterr()
    assert main(["explain", str(source)]) == 0
    said = capsys.readouterr().out
    assert said.count("matmul_0 on h200") == 1
    assert "matmul_1 is planned as matmul_0" in said
    assert main(["compile", str(source), "--emit", "plan", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["matmul_0", "matmul_1", "matmul_2"]


@pytest.mark.full
def test_the_table_is_made() -> None:
    command = preloaded.python(str(FOLDER / "measure.py"), "--ops", "8", "--kind", "equal products")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\| 8 \| \d+\.\d s, \d+\.\d s, \d+ MB, 1 \|$", done.stdout, re.MULTILINE), done.stdout
