# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for a block that several programs share: just so many threads, and no more than so many registers and bytes."""

import re
from dataclasses import replace
from typing import Any

import pytest
from model_expressions import CASES, expression, matmul, typed

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model import ConstructionError, ConstructOptions
from roller_mlir.model.block_limits import threads_of_block
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.search.construct import construct
from roller_mlir.model.search.plan_legality import choice_problem
from roller_mlir.plan import TensorExpression
from roller_mlir.support.diagnostics import DiagnosedError

ROWS = replace(
    expression([64, 500], [], [("x", (64, 500), (0, 1))], ("y", (64, 500), (0, 1)), product=False),
    whole=(1,),
    live_words=2,
)
OPERATORS: dict[str, TensorExpression] = {
    **{
        name: CASES[name] for name in ("37x211x53", "256x256x256", "deep", "conv", "row_sum", "column_sum", "transpose")
    },
    "one": matmul(1, 1, 1),
    "f16": typed(matmul(512, 512, 512), "f16", "f32"),
    "rows": ROWS,
    "three rows": replace(
        expression([3, 40], [], [("x", (3, 40), (0, 1))], ("y", (3, 40), (0, 1)), product=False), whole=(1,)
    ),
}
LIMITS: list[dict[str, Any]] = [
    {"block_threads": 192},
    {"block_threads": 256, "block_registers": 64},
    {"block_threads": 512, "block_registers": 64, "block_workgroup_bytes": 8192},
    {"block_registers": 49, "block_workgroup_bytes": 4001},
]


@pytest.mark.full(every=9)
@pytest.mark.parametrize("device", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("name", OPERATORS)
def test_every_class_keeps_the_limits(name: str, device: str) -> None:
    for limits in LIMITS if name not in ("rows", "three rows") else LIMITS[1:]:  # rows are shared by powers of two
        options = ConstructOptions(top_k=2, instructions=FAMILIES, **limits)
        for plan in construct(OPERATORS[name], find_device(device), options):
            for stage in (plan,) if plan.split is None else (plan, plan.split.join):
                assert stage.prediction is not None
                assert threads_of_block(stage) == limits.get("block_threads", threads_of_block(stage))
                assert stage.prediction.registers <= limits.get("block_registers", 1 << 16)
                assert stage.prediction.shared_bytes <= limits.get("block_workgroup_bytes", 1 << 20)
            assert not plan_problem(OPERATORS[name], plan)
            assert predict(OPERATORS[name], plan, find_device(device)) == plan.prediction
            assert not choice_problem(OPERATORS[name], plan, find_device(device), options)


@pytest.mark.full
def test_limits_that_leave_room_change_nothing() -> None:
    for name, one in OPERATORS.items():
        free = construct(one, find_device("h200"), ConstructOptions(instructions=FAMILIES))
        roomy = ConstructOptions(instructions=FAMILIES, block_registers=255, block_workgroup_bytes=232448)
        assert construct(one, find_device("h200"), roomy) == free, name


def test_a_block_that_no_plan_has_is_refused() -> None:
    device = find_device("h200")
    with pytest.raises(ConstructionError) as refused:
        construct(matmul(64, 64, 64), device, ConstructOptions(block_threads=128, block_registers=20))
    message = r"no plan with a block of just 128 threads, at most 20 registers a thread; the best one without these "
    message += r"limits has \d+ threads, \d+ registers a thread and \d+ B; change block-threads, or raise block-reg"
    assert re.search(message, str(refused.value))
    for threads in (100, 2048):
        with pytest.raises(ConstructionError, match=f"block-threads={threads} on 'h200': they have multiples of 32 th"):
            construct(matmul(64, 64, 64), device, ConstructOptions(block_threads=threads))
    with pytest.raises(ConstructionError, match="no plan with a block of just 32 threads;"):  # beside a forced tile
        construct(
            matmul(64, 64, 64),
            device,
            ConstructOptions(block_threads=32, tile_sizes=(64, 64, 8), thread_tile=(4, 4, 8)),
        )


def test_threads_that_compute() -> None:
    """Those that copy stand beside them, where there are any."""
    device, one = find_device("h200"), typed(matmul(4096, 4096, 4096), "f16", "f32")
    for family in ("wgmma", "fma"):
        options = ConstructOptions(task_threads=256, instructions=(family,))
        for plan in construct(one, device, options):
            assert plan.threads == 256
            assert not choice_problem(one, plan, device, options)
    with pytest.raises(ConstructionError, match="task-threads=100 on 'h200': they have multiples of 32 threads"):
        construct(one, device, ConstructOptions(task_threads=100))
    with pytest.raises(ConstructionError, match="block-threads=256 and task-threads=128: give one of them"):
        construct(one, device, ConstructOptions(block_threads=256, task_threads=128))
    with pytest.raises(ConstructionError, match="just 128 threads that compute, .*; change task-threads, or raise"):
        construct(matmul(64, 64, 64), device, ConstructOptions(task_threads=128, block_registers=20))


def test_measured_plans_keep_the_limits() -> None:
    device, one = find_device("h200"), matmul(256, 256, 256)
    plan = construct(one, device, ConstructOptions(block_threads=128, instructions=("fma",)))[0]
    assert plan.prediction is not None
    cases: list[tuple[dict[str, Any], str]] = [
        ({"block_threads": 256}, "blocks of 128 threads, but 256 were asked for"),
        ({"task_threads": 64}, "128 threads that compute, but 64 were asked for"),
        ({"block_registers": 24}, f"{plan.prediction.registers} registers a thread, but at most 24 were"),
        ({"block_workgroup_bytes": 8}, f"{plan.prediction.shared_bytes} B of workgroup memory, but at most 8 B were"),
        ({"blocks_per_unit": 1}, f"{plan.tasks_per_unit} blocks on a unit, but at most 1 were"),
    ]
    for limits, problem in cases:
        options = ConstructOptions(instructions=("fma",), **limits)
        assert problem in choice_problem(one, plan, device, options)


@pytest.mark.parametrize("name", ["h200", "k80", "mi300x"])
def test_a_unit_holds_no_more_blocks_than_asked_for(name: str) -> None:
    device, one = find_device(name), matmul(512, 512, 512)
    usual = construct(one, device, ConstructOptions(block_threads=128, instructions=("fma",)))[0]
    assert (usual.tasks_per_unit or 0) > 2
    for most in (1, 2):
        limited = ConstructOptions(block_threads=128, instructions=("fma",), blocks_per_unit=most)
        plan = construct(one, device, limited)[0]
        assert plan.tasks_per_unit == most
        assert plan.prediction is not None
        assert plan.prediction.waves == plan.prediction.tasks / (device.units * most)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["mi300x", "h200"])
def test_kernels_have_the_block(device: str) -> None:
    text = """func.func @f(%a: tensor<3x40xf32>, %b: tensor<40x24xf32>) -> tensor<3x24xf32> {
      %z = arith.constant 0.0 : f32
      %s = tensor.empty() : tensor<3x40xf32>
      %m = linalg.softmax dimension(1) ins(%a : tensor<3x40xf32>) outs(%s : tensor<3x40xf32>) -> tensor<3x40xf32>
      %e = tensor.empty() : tensor<3x24xf32>
      %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x24xf32>) -> tensor<3x24xf32>
      %r = linalg.matmul ins(%m, %b : tensor<3x40xf32>, tensor<40x24xf32>) outs(%i : tensor<3x24xf32>)
        -> tensor<3x24xf32>
      return %r : tensor<3x24xf32>
    }"""
    options = CompileOptions(cache=False, binaries=False, block_threads=256, block_registers=64)
    artifact = roller_mlir.compile(text, target=device, options=options)
    assert {launch.block[0] for launch in artifact.manifest.launches} == {256}
    inputs = artifact.manifest.inputs
    assert len(inputs) == 2
    check(artifact)
    with pytest.raises(DiagnosedError, match="has no plan with a block of just 256 threads, at most 8 registers"):
        roller_mlir.compile(text, target=device, options=replace(options, block_registers=8))


def check(artifact: roller_mlir.Artifact) -> None:
    """Run a softmax and a product in the simulator."""
    import numpy as np

    rng = np.random.default_rng(0)
    a, b = rng.random((3, 40), np.float32), rng.random((40, 24), np.float32)
    (result,) = artifact.run(a, b, sanitize=True)
    exponentials = np.exp(a - a.max(1, keepdims=True))
    np.testing.assert_allclose(result, exponentials / exponentials.sum(1, keepdims=True) @ b, rtol=1e-5)
