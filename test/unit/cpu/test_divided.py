# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions that are divided over the tasks of several threads, and joined by a second kernel, beside numpy."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cpu_programs import compiled, differences, product

from roller_mlir.plan import OperandPlan, SplitK
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.diagnostics import DiagnosedError


def _reduced(rows: int, depth: int, operation: str, element: str = "f32") -> str:
    """Return the text of a reduction of rows, by addition, the greater or the lesser one."""
    x, r = f"tensor<{rows}x{depth}x{element}>", f"tensor<{rows}x{element}>"
    starts = {"arith.addf": "0.0", "arith.addi": "0", "arith.maximumf": "0xFF800000", "arith.minsi": f"{(1 << 63) - 1}"}
    start = starts[operation]
    return f"""func.func @reduced(%x: {x}) -> {r} {{
  %start = arith.constant {start} : {element}
  %e = tensor.empty() : {r}
  %i = linalg.fill ins(%start : {element}) outs(%e : {r}) -> {r}
  %r = linalg.reduce ins(%x : {x}) outs(%i : {r}) dimensions = [1]
    (%a: {element}, %b: {element}) {{
      %s = {operation} %a, %b : {element}
      linalg.yield %s : {element}
    }}
  return %r : {r}
}}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (product(4, 16, 30000), "matmul_0"),
        (product(3, 5, 20011), "matmul_0"),  # a prime: the last part is shorter
        (_reduced(1, 262144, "arith.addf"), "reduce_0"),
        (_reduced(1, 1000003, "arith.minsi", "i64"), "reduce_0"),  # the greatest i64 behind the last part, no float
        (_reduced(1, 262144, "arith.addi", "i32"), "reduce_0"),
        (_reduced(1, 262144, "arith.maximumf"), "reduce_0"),
    ],
)
def test_a_deep_reduction_of_few_results_is_divided_and_equals_numpy(text: str, name: str) -> None:
    artifact = compiled(text, target="haswell")
    first, join = artifact.kernels
    assert (first.program, join.program) == (name, f"{name}_join")
    assert first.plan is not None and first.plan.part is not None and join.plan is not None
    assert first.plan.part.parts.bound > 2
    for threads in (1, 2, 5):
        assert differences(text, artifact, threads=threads) == []


def test_one_thread_and_enough_tasks_divide_nothing() -> None:
    for text, options in (
        (product(4, 16, 30000), {"max_units": 1}),
        (product(4, 16, 30000), {"split": False}),
        (product(512, 512, 512), {}),
    ):
        assert len(compiled(text, target="haswell", **options).kernels) == 1


def test_a_task_of_a_part_walks_tiles_and_packs(tmp_path: Path) -> None:
    """A plan file divides a product whose tasks pack columns for all rows, which no part moves."""
    text = product(37, 70, 4096)
    whole = compiled(text, target="haswell", split=False).kernels[0].plan
    join = compiled(product(4, 16, 30000), target="haswell").kernels[1].plan
    assert whole is not None and whole.lane == 1 and join is not None
    width = whole.axes[1].chunk
    packed = OperandPlan(layer="workgroup", order=(0, 1), pad_value=0.0, vector=width, store_vector=width)
    plan = replace(
        whole,
        axes=tuple(replace(axis, block=128 if loop == 2 else axis.block) for loop, axis in enumerate(whole.axes)),
        operands=(OperandPlan(layer="register", order=(0, 1), pad_value=0.0), replace(packed, fragment_vector=width)),
        unit_order=(1, 0),
        inner_order=(0,),
        pipeline="",
        prediction=None,
        split=SplitK(loop=2, parts=as_extent(4), extent=as_extent(1024), join=join),
    )
    file = tmp_path / "plans.json"
    file.write_text(json.dumps({"matmul_0": to_json(plan)}))
    artifact = compiled(text, target="haswell", plan_file=file)
    made = artifact.kernels[0].plan
    assert made is not None and (made.unit_order, made.inner_order) == ((0, 2, 1), (1,))
    for threads in (1, 3):
        assert differences(text, artifact, threads=threads) == []


def test_blocks_of_a_cpu_join_no_parts(tmp_path: Path) -> None:
    text = product(4, 16, 30000)
    first, join = (kernel.plan for kernel in compiled(text, target="haswell").kernels)
    assert first is not None and first.part is not None and join is not None
    stages = {"matmul_0": replace(first, part=replace(first.part, joined=True)), "matmul_0_join": join}
    file = tmp_path / "plans.json"
    file.write_text(json.dumps(to_json(stages)))
    with pytest.raises(DiagnosedError, match=r"joins parts in the same kernel, which only blocks of GPUs do"):
        compiled(text, target="haswell", plan_file=file)
