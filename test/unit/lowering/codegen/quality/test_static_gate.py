# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The static quality gate over operators of every class: their machine code is what their plans expect."""

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

import roller_mlir
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.evaluation.suites.select import select
from roller_mlir.lowering.backend.kernels import plans as kernel_plans
from roller_mlir.mapping.checks.expected_code import ExpectedCode
from roller_mlir.tools.roller import main

# Contractions, divided ones, convolutions with windows and without, depthwise, pooling, reductions, element-wise.
OPERATORS = ("M3", "M1", "C3", "C8", "C11", "D5", "D12", "P2", "P7", "R0", "R3", "E0")
DEVICES = ("a100-80", "h200", "mi300x")


@pytest.mark.full(every=12)
@pytest.mark.parametrize(
    ("name", "device"),
    [*((name, device) for name in OPERATORS for device in DEVICES), ("M3", "v100"), ("C8", "v100"), ("D5", "v100")],
)
def test_machine_code_keeps_the_plan(name: str, device: str) -> None:
    (operator,) = select(find_suite("roller119"), (name,))
    artifact = roller_mlir.compile(function_text(operator), target=device)
    for kernel in artifact.manifest.kernels:
        assert [note for note in kernel.notes if note.startswith("warning: ")] == []
        assert kernel.plan is not None
        assert kernel.phases_s["gate_s"] > 0, "it was compared"


EXAMPLES = sorted(path.name for path in Path(__file__).parents[5].joinpath("examples").glob("*.mlir"))


@pytest.mark.full(every=20)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_machine_code_of_fused_programs_keeps_the_plan(name: str, device: str) -> None:
    """Chains with reductions, epilogues, programs of several ops."""
    source = Path(__file__).parents[5] / "examples" / name
    artifact = roller_mlir.compile(source.read_text(), target=device)
    notes = [note for kernel in artifact.manifest.kernels for note in kernel.notes]
    assert [note for note in notes if note.startswith("warning: ")] == []


@pytest.mark.full(every=7)
@pytest.mark.parametrize("name", ["M3", "C0", "C8", "C12", "C23", "C36", "C42"])
def test_products_are_packed_where_the_device_packs(name: str) -> None:
    """Also where the rows of the output are too short for vectors: lanes lie along any loop."""
    (operator,) = select(find_suite("roller119"), (name,))
    options = roller_mlir.CompileOptions(instructions=("fma", "packed_fma"))
    kernel = roller_mlir.compile(function_text(operator), target="mi300x", options=options).manifest.kernels[0]
    assert kernel.plan is not None
    assert kernel.plan.instruction == "packed_fma"
    loop = kernel.statistics.main_loop
    assert loop["v_pk_fma_f32"] > 0
    assert not {"v_fma_f32", "v_fmac_f32"} & set(loop)
    assert kernel.statistics.spill_bytes == 0


MATMUL = """func.func @matmul(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>)
                     outs(%i : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}"""


def test_a_mismatch_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan that expects less workgroup memory than the kernel has, as `roller compile` tells it."""
    source = tmp_path / "matmul.mlir"
    source.write_text(MATMUL)
    true = kernel_plans.expected_code_of

    def less(*arguments: object) -> ExpectedCode:
        expected = true(*arguments)  # type: ignore[arg-type]
        return replace(expected, workgroup_bytes=1)

    command = ["compile", str(source), "--target", "mi300x", "--tile-sizes", "64,64,8", "--thread-tile", "4,4,8"]
    with patch.object(kernel_plans, "expected_code_of", less):
        assert main(command) == 0
        printed = capsys.readouterr().out
        assert "warning: kernel 'matmul_0': workgroup_memory: a task has" in printed
        assert "note: warning" not in printed
        assert main([*command, "--json"]) == 0
        (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
        assert [warning.split(": ")[:2] for warning in kernel["warnings"]] == [
            ["kernel 'matmul_0'", "workgroup_memory"]
        ]
        assert main([*command, "--no-gate"]) == 0
        assert "warning" not in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["warnings"] == []
    assert kernel["phases_s"]["gate_s"] > 0


@pytest.mark.full
def test_a_suite_counts_mismatches(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["suite", "roller119", "--target", "v100", "--stage", "compile", "--only", "M2,R3"]
    assert main(command) == 0
    assert "; all machine code is what the plans expect" in capsys.readouterr().out
    true = kernel_plans.expected_code_of

    def more(*arguments: object) -> ExpectedCode:
        expected = true(*arguments)  # type: ignore[arg-type]
        return replace(expected, pass_fmas=expected.pass_fmas + 7, most_pass_fmas=expected.pass_fmas + 7)

    with patch.object(kernel_plans, "expected_code_of", more):
        assert main([*command, "--json"]) == 0
        first, second = json.loads(capsys.readouterr().out)
        assert [text.split(": ")[1] for text in first["mismatches"] + second["mismatches"]] == ["fma"] * 3
        assert main(command) == 0
        assert "; 3 mismatches of machine code and plan: M2, R3" in capsys.readouterr().out
