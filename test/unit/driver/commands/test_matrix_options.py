# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands may ask of matrix instructions."""

import json
from pathlib import Path

import pytest

from roller_mlir import CompileOptions
from roller_mlir.tools.roller import main

TEXT = """
func.func @f(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
                     outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "matmul.mlir"
    path.write_text(TEXT)
    return str(path)


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the instruction of the first program that `roller compile` plans."""
    assert main(["compile", *arguments, "--emit", "plan", "--json"]) == 0
    plans = json.loads(capsys.readouterr().out)
    return next(iter(plans.values()))["instruction"]


def test_tf32_is_asked_for(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(capsys, source, "--target", "a100") == "fma"
    assert planned(capsys, source, "--target", "a100", "--allow-tf32") == "mma"
    assert planned(capsys, source, "--target", "mi300x") == "mfma"
    assert planned(capsys, source, "--target", "mi300x", "--instruction", "fma,packed_fma") == "packed_fma"


def test_explain_takes_the_same_choice(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", source, "--target", "a100", "--allow-tf32", "--json"]) == 0
    assert "mma.sync.m16n8k8" in capsys.readouterr().out


def test_options_of_a_pipeline() -> None:
    spelled = CompileOptions(allow_tf32=True, stages=3, instructions=("mma",)).pipeline_options()
    expected = {"allow-tf32": "true", "stages": "3", "instructions": "mma"}
    assert {name: spelled.get(name) for name in expected} == expected
