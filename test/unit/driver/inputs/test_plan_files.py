# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plan files: what is wrong with one is one error that names the file and the key, exit code 1, never a bug of ours."""

import json
from pathlib import Path
from typing import Any

import pytest

import roller_mlir
from roller_mlir.plan.files.by_name import read_plan_file
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

A, B, C = "tensor<64x32xf32>", "tensor<32x64xf32>", "tensor<64x64xf32>"
MATMUL = f"""func.func @matmul(%a: {A}, %b: {B}) -> {C} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {C}
  %i = linalg.fill ins(%zero : f32) outs(%e : {C}) -> {C}
  %r = linalg.matmul ins(%a, %b : {A}, {B}) outs(%i : {C}) -> {C}
  return %r : {C}
}}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "matmul.mlir").write_text(MATMUL)
    return str(tmp_path / "matmul.mlir")


@pytest.fixture
def plans(source: str, capsys: Any) -> dict[str, Any]:
    """The plan of the one program, as the command line writes it."""
    assert main(["compile", source, "--emit", "plan", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON: Expecting value"),
        ("[]", "top level: expected an object, but got []"),
        ("[" * 100000, "nested too deeply"),
        ('{"matmul_0": 1}', "matmul_0: expected an object (Plan), but got 1"),
        ('{"matmul_0": {}}', "matmul_0.device: missing"),
        (b"\xff", "not UTF-8 at byte 0"),
        (None, "no such file or directory"),
    ],
)
def test_files_that_hold_no_plans(
    source: str, tmp_path: Path, capsys: Any, content: str | bytes | None, message: str
) -> None:
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["compile", source, "--plan-file", str(path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: plan-file {path}: {message}")
    assert said.count("error: ") == 1
    with pytest.raises(ValueError, match="^plan-file ") as caught:
        read_plan_file(path)
    assert message in str(caught.value)


def test_a_folder_is_no_plan_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a directory"):
        read_plan_file(tmp_path)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (("stages",), "two", "matmul_0.stages: expected an integer, but got 'two'"),
        (("stages",), 3, "3 stages"),
        (("lane",), 7, "lane 7"),
        (("lane",), "x", "matmul_0.lane: expected an integer, but got 'x'"),
        (("axes", 0, "chunk"), 0, "chunk"),
        (("axes", 2, "block"), 8.5, "matmul_0.axes[2].block: expected an integer, but got 8.5"),
        (
            ("axes", 1, "width"),
            1,
            "matmul_0.axes[1].width: expected one of the keys ['block', 'chunk', 'lanes', 'threads', 'tile', 'walked']",
        ),
        (("operands", 0, "order"), 5, "matmul_0.operands[0].order: expected a list, but got 5"),
        (
            ("operands", 0, "layer"),
            "moon",
            "matmul_0.operands[0].layer: expected 'workgroup' or 'register' or 'constant', but got 'moon'",
        ),
        (("edge",), "\x1b[2J", "matmul_0.edge: expected 'mask', but got '\\x1b[2J'"),
        (("operands", 1, "swizzle"), "f32", "matmul_0.operands[1].swizzle: expected 'xor' or 'tma128', but got 'f32'"),
        (("store",), "moon", "moon"),
        (("unroll",), 0, "unroll"),
        (("operands", 0, "vector"), 3, "vector"),
        (
            ("operands", 0, "fragment_vector"),
            -1,
            "matmul_0.operands[0].fragment_vector: expected an integer in 1 to 128, but got -1",
        ),
        (("operands", 0, "copy"), "moon", "moon"),
        (("thread_order",), [0, 0], "thread"),
        (("unit_order",), [9], "unit"),
        (("max_units",), -1, "max_units"),
        (("tasks_per_unit",), -1, "tasks_per_unit"),
        (("device",), "mi300x", "for 'mi300x', but the device is 'h200'"),
    ],
)
def test_plans_that_cannot_be(
    source: str,
    plans: dict[str, Any],
    tmp_path: Path,
    capsys: Any,
    key: tuple[str | int, ...],
    value: object,
    message: str,
) -> None:
    inner: Any = plans["matmul_0"]
    for part in key[:-1]:
        inner = inner[part]
    inner[key[-1]] = value
    (tmp_path / "plan.json").write_text(json.dumps(plans))
    assert main(["compile", source, "--plan-file", str(tmp_path / "plan.json")]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("error: ") == 1
    assert "bug" not in said


def test_a_name_that_no_program_has(source: str, plans: dict[str, Any], tmp_path: Path, capsys: Any) -> None:
    plans["matmul_1"] = plans["matmul_0"]
    (tmp_path / "plan.json").write_text(json.dumps(plans))
    assert main(["compile", source, "--plan-file", str(tmp_path / "plan.json")]) == 1
    expected = "plan.json: matmul_1: no program has this name; the programs are 'matmul_0'"
    assert expected in capsys.readouterr().err


def test_a_plan_file_goes_without_other_choices(
    source: str, plans: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(plans))
    given = ["--plan-file", str(tmp_path / "plan.json"), "--tile-sizes", "32,32,8", "--stages", "1"]
    assert main(["compile", source, *given]) == 2
    assert "goes without other choices, but got tile-sizes, stages" in capsys.readouterr().err
    given = ["--plan-file", str(tmp_path / "plan.json"), "--no-split", "--max-units", "4", "--instruction", "fma"]
    assert main(["compile", source, *given]) == 2
    assert "goes without other choices, but got split, instructions, max-units" in capsys.readouterr().err
    with pytest.raises(ValueError, match="goes without other choices, but got thread-tile"):
        roller_mlir.compile(MATMUL, plan_file=tmp_path / "plan.json", thread_tile=(1, 1, 1))


def test_through_the_api(tmp_path: Path) -> None:
    with pytest.raises(DiagnosedError, match=r"error: plan-file .*missing\.json: no such file or directory"):
        roller_mlir.compile(MATMUL, plan_file=tmp_path / "missing.json")


def test_plans_of_a_persistent_kernel_can_be_given(tmp_path: Path, capsys: Any) -> None:
    source = tmp_path / "f.mlir"
    source.write_text(
        "func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {\n"
        "  %e = tensor.empty() : tensor<64xf32>\n"
        "  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>\n"
        "  return %r : tensor<64xf32>\n"
        "}\n"
    )
    asked = ["compile", str(source), "--persistent", "--emit", "plan", "--json"]
    assert main(asked) == 0
    given = tmp_path / "plan.json"
    given.write_text(capsys.readouterr().out)
    assert main([*asked, "--plan-file", str(given)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(given.read_text())
