# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans with `max_units` as kernels: blocks of so many units walk all tasks, whatever a task is made of."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.sim import SanitizerError, SimulatedKernels
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

MAPS = "indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>]"


def product(m: int, n: int, k: int, element: str = "f32") -> str:
    """Return a product with a bias."""
    a, b, c = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @f(%a: {a}, %b: {b}, %bias: tensor<{n}xf32>) -> {c} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%z : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  %s = linalg.generic {{{MAPS}, iterator_types = ["parallel", "parallel"]}}
    ins(%r, %bias : {c}, tensor<{n}xf32>) outs(%e : {c}) {{
  ^bb0(%x: f32, %y: f32, %q: f32):
    %v = arith.addf %x, %y : f32
    linalg.yield %v : f32
  }} -> {c}
  return %s : {c}
}}"""


def softmax(rows: int, columns: int) -> str:
    """Return a softmax, whose rows lie in one task each and are joined in workgroup memory."""
    kind = f"tensor<{rows}x{columns}xf32>"
    return f"""func.func @f(%a: {kind}) -> {kind} {{
  %e = tensor.empty() : {kind}
  %s = linalg.softmax dimension(1) ins(%a : {kind}) outs(%e : {kind}) -> {kind}
  return %s : {kind}
}}"""


def row_sum(rows: int, columns: int) -> str:
    """Return a sum of few long rows, which is divided over tasks."""
    kind, short = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return f"""func.func @f(%a: {kind}) -> {short} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {short}
  %i = linalg.fill ins(%z : f32) outs(%e : {short}) -> {short}
  %s = linalg.reduce ins(%a : {kind}) outs(%i : {short}) dimensions = [1]
    (%x: f32, %y: f32) {{
      %v = arith.addf %x, %y : f32
      linalg.yield %v : f32
    }}
  return %s : {short}
}}"""


def compiled(text: str, device: str, **options: Any) -> roller_mlir.Artifact:
    return roller_mlir.compile(text, target=device, options=CompileOptions(cache=False, binaries=False, **options))


def check(artifact: roller_mlir.Artifact, text: str, **options: Any) -> None:
    """Run an artifact in the simulator and compare it with numpy."""
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 3)
    outputs = artifact.run(*inputs, **options)
    with make_context() as context:
        expected = evaluate_function(parse_module(text, context), "f", inputs, accumulation_of(manifest))
    assert all(found.matches for found in compare_all(outputs, expected))


CASES: list[tuple[str, str, dict[str, Any], Callable[[], str]]] = [
    ("a100", "fma", {"tile_sizes": (32, 32, 16), "stages": 2}, partial(product, 200, 136, 50)),
    ("a100", "fma", {"tile_sizes": (32, 32, 16), "stages": 1}, partial(product, 200, 136, 50)),
    ("h200", "fma", {}, partial(product, 300, 1000, 40)),
    ("v100", "wmma", {"tile_sizes": (32, 32, 16)}, partial(product, 200, 136, 40, "f16")),
    ("a100", "mma", {"tile_sizes": (32, 32, 16)}, partial(product, 200, 136, 40, "f16")),
    ("h200", "wgmma", {}, partial(product, 208, 264, 72, "f16")),
    ("mi300x", "mfma", {"tile_sizes": (32, 32, 16)}, partial(product, 200, 136, 40, "f16")),
    ("h200", "fma", {}, partial(softmax, 90, 300)),
]


@pytest.mark.full(every=8)
@pytest.mark.parametrize(("device", "family", "options", "text"), CASES)
def test_blocks_of_few_units_walk_all_tasks(
    device: str, family: str, options: dict[str, Any], text: Callable[[], str]
) -> None:
    source = text()
    artifact = compiled(source, device, instructions=(family,), max_units=1, **options)
    plan = artifact.kernels[0].plan
    assert plan is not None and plan.prediction is not None
    assert plan.max_units == 1 and plan.instruction == family
    most = plan.tasks_per_unit or 1
    assert [launch.static_grid[0] for launch in artifact.manifest.launches] == [most]
    assert most < plan.prediction.tasks
    check(artifact, source, sanitize=True)


def test_a_task_waits_for_the_threads_of_the_one_before() -> None:
    source = product(200, 136, 16)  # one step, behind which nothing else makes threads wait
    artifact = compiled(source, "a100", instructions=("fma",), max_units=1, tile_sizes=(32, 32, 16))
    (launch,), text = artifact.manifest.launches, artifact.text("kernels")
    broken, count = re.subn(r"gpu\.barrier\s*\n(\s*\}\s*\n\s*gpu\.return)", r"\1", text)
    assert count == 1
    arrays = random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 3)

    def run(kernels: str) -> Any:
        simulated = SimulatedKernels(kernels, subgroup_size=32, sanitize=True)
        output = np.zeros((200, 136), np.float32)
        return simulated.launch(launch.kernel, launch.static_grid[0], launch.block[0], 0, [*arrays, output], seed=1)

    run(text)
    with pytest.raises(SanitizerError, match="race"):
        run(broken)


def undefined_paths(artifact: roller_mlir.Artifact) -> int:
    """Return how many conditions leave a value undefined on one side."""
    text = artifact.text("kernels")
    undefined = re.findall(r"(%\w+) = ub\.poison", text)
    return sum(len(re.findall(rf"scf\.yield [^\n]*{value}\b", text)) for value in undefined)


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("device", "family", "tile"), [("mi300x", "mfma", (64, 64, 32)), ("h200", "fma", (64, 64, 16))]
)
def test_no_path_of_a_task_leaves_registers_undefined(device: str, family: str, tile: tuple[int, ...]) -> None:
    source = product(200, 136, 100, "f16" if family == "mfma" else "f32")
    asked: dict[str, Any] = {"instructions": (family,), "tile_sizes": tile, "split": False}
    assert undefined_paths(compiled(source, device, **asked)) > 0  # where a block has one task, that costs nothing
    bounded = compiled(source, device, max_units=1, **asked)
    assert bounded.manifest.launches[0].static_grid[0] < 12
    assert undefined_paths(bounded) == 0
    check(bounded, source, sanitize=True)


def test_a_loop_over_tasks_takes_no_more_registers() -> None:
    source = product(1000, 1032, 520)
    asked: dict[str, Any] = {"instructions": ("fma",), "tile_sizes": (128, 128, 8), "cache": False}
    registers: list[int] = []
    for units in (None, 4):
        options = CompileOptions(max_units=units, **asked)
        (kernel,) = roller_mlir.compile(source, target="h200", options=options).kernels
        assert kernel.statistics.registers is not None and kernel.statistics.spill_bytes == 0
        registers.append(kernel.statistics.registers)
    assert registers[1] <= registers[0] + 8


def test_both_stages_of_a_divided_reduction_are_bounded() -> None:
    source = row_sum(2, 1 << 19)
    artifact = compiled(source, "h200", instructions=("fma",), max_units=8, join=False)
    plans = [kernel.plan for kernel in artifact.kernels]
    assert len(plans) == 2
    for plan, launch in zip(plans, artifact.manifest.launches, strict=True):
        assert plan is not None and plan.max_units == 8
        assert launch.static_grid[0] <= 8 * (plan.tasks_per_unit or 1)
    check(artifact, source)
