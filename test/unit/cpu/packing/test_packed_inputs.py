# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks that pack an input once for all tiles that share it: ragged extents, paddings, and plans that cannot be."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, differences, product

from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.plans.ranked import walked_plans_text
from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.diagnostics import DiagnosedError

ROWS, COLUMNS, DEPTH = 37, 70, 24
TEXT = product(ROWS, COLUMNS, DEPTH)
CONVOLUTION = """func.func @convolution(%x: tensor<2x9x9x6xf32>, %w: tensor<3x3x6x40xf32>) -> tensor<2x9x9x40xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x9x9x6xf32> to tensor<2x11x11x6xf32>
  %e = tensor.empty() : tensor<2x9x9x40xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x9x40xf32>) -> tensor<2x9x9x40xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x11x11x6xf32>, tensor<3x3x6x40xf32>)
    outs(%i : tensor<2x9x9x40xf32>) -> tensor<2x9x9x40xf32>
  return %r : tensor<2x9x9x40xf32>
}"""


def _plan(text: str, **options: Any) -> Plan:
    (kernel,) = compiled(text, **options).kernels
    assert kernel.plan is not None
    return kernel.plan


def _packed(plan: Plan, operand: int, order: tuple[int, ...], inner: tuple[int, ...]) -> Plan:
    """Return a plan that packs an input in front of loops that a task walks."""
    lane = plan.lane
    assert lane is not None
    width = plan.axes[lane].chunk
    bare = [OperandPlan(layer="register", order=one.order, pad_value=one.pad_value) for one in plan.operands]
    one = replace(bare[operand], layer="workgroup", vector=width, store_vector=width, fragment_vector=width)
    operands = tuple(one if number == operand else other for number, other in enumerate(bare))
    plan = replace(plan, axes=tuple(replace(axis, walked=0) for axis in plan.axes))
    return replace(plan, operands=operands, unit_order=order, inner_order=inner, pipeline="", prediction=None)


def _compiled(text: str, plan: Plan, name: str, folder: Path) -> Any:
    file = folder / "plan.json"
    file.write_text(json.dumps({name: to_json(plan)}))
    return compiled(text, plan_file=file)


def test_a_packed_product_of_ragged_extents_equals_numpy(tmp_path: Path) -> None:
    plan = _packed(_plan(TEXT), 1, (1, 0), (0,))
    artifact = _compiled(TEXT, plan, "matmul_0", tmp_path)
    assert artifact.kernels[0].plan.inner_order == (0,)
    assert artifact.manifest.launches[0].dynamic_workgroup_bytes >= DEPTH * plan.axes[1].block * 4
    for threads in (1, 3):
        assert differences(TEXT, artifact, threads=threads) == []


def test_packed_filters_of_a_padded_convolution_equal_numpy(tmp_path: Path) -> None:
    plan = _plan(CONVOLUTION)
    plan = _packed(replace(plan, inner_order=()), 1, (3, 0, 1, 2), (0, 1, 2))
    name = compiled(CONVOLUTION).kernels[0].program
    assert differences(CONVOLUTION, _compiled(CONVOLUTION, plan, name, tmp_path)) == []


def test_the_simulator_runs_the_same_kernel(tmp_path: Path) -> None:
    """One without masks, which it does not know."""
    text = product(32, 96, DEPTH)
    artifact = _compiled(text, _packed(_plan(text), 1, (1, 0), (0,)), "matmul_0", tmp_path)
    a, b = np.ones((32, DEPTH), np.float32), np.ones((DEPTH, 96), np.float32)
    assert artifact.run(a, b, on="sim")[0].tolist() == [[float(DEPTH)] * 96] * 32


@pytest.mark.parametrize(
    ("order", "inner", "message"),
    [
        ((1, 0), (1,), r"inner_order \[1\] walks all of loops \[1\], which must be the last of unit_order \[1, 0\]"),
        ((1, 0), (0, 0), r"inner_order \[0, 0\] must be some of the loops of unit_order \[1, 0\], each once"),
        ((1, 0), (), r"operand \d is packed for a single tile; give inner_order loops that do not move it"),
    ],
)
def test_a_plan_that_cannot_pack_is_refused(
    order: tuple[int, ...], inner: tuple[int, ...], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DiagnosedError, match=message):
        _compiled(TEXT, _packed(_plan(TEXT), 1, order, inner), "matmul_0", tmp_path)


def test_how_many_threads_share_tasks_is_not_said_by_plans(tmp_path: Path) -> None:
    with pytest.raises(DiagnosedError, match="with persistent or max_units, but who runs it on 'host' says how many"):
        _compiled(TEXT, replace(_plan(TEXT), max_units=1), "matmul_0", tmp_path)


def test_large_products_pack_and_small_ones_do_not() -> None:
    large, small = (_plan_of(product(*extents)) for extents in ((2048, 2048, 2048), (16, 16, 16)))
    assert large.inner_order and large.operands[1].layer == "workgroup"
    assert (small.inner_order, small.operands[1].layer) == ((), "register")


@pytest.mark.full(every=10)
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16", "i32"])
@pytest.mark.parametrize(
    ("sizes", "blocks", "walked"),
    [
        ((37, 150, 26), (5, 32, 13), (0, 2, 0)),  # rows and columns end inside of tiles
        ((29, 64, 48), (4, 16, 16), (3, 2, 0)),  # a task walks a part of both loops
        ((1, 70, 24), (1, 32, 8), (0, 0, 0)),  # one row
        ((23, 1, 35), (7, 16, 7), (0, 0, 0)),  # one column
        ((8, 96, 29), (4, 48, 10), (0, 1, 0)),  # the first step of the reduction is partial
        ((16, 48, 40), (16, 16, 40), (0, 0, 0)),  # one step
    ],
)
def test_panels_of_a_reduction_equal_numpy(
    element: str,
    sizes: tuple[int, int, int],
    blocks: tuple[int, int, int],
    walked: tuple[int, int, int],
    tmp_path: Path,
) -> None:
    text = product(*sizes, element)
    plan = _plan(text, instructions=("fma",))  # instructions that take pairs take the whole reduction in a step
    lanes = 8 if element == "f64" else 16
    axes = [
        AxisPlan(block=block, chunk=lanes if loop == 1 else 1, walked=count)
        for loop, (block, count) in enumerate(zip(blocks, walked, strict=True))
    ]
    operands = [
        replace(one, layer="workgroup", vector=lanes, store_vector=lanes, fragment_vector=lanes, panel=panel, pad=pad)
        for one, panel, pad in zip(plan.operands, (0, blocks[1]), (lanes, 0), strict=True)
    ]
    several = [loop for loop in (1, 0) if sizes[loop] > blocks[loop]]
    inner = tuple(sorted(several))
    if not inner:
        operands = plan.operands
    plan = replace(
        plan, axes=tuple(axes), lane=1, operands=tuple(operands), unit_order=tuple(several), inner_order=inner, unroll=1
    )
    plan = replace(plan, pipeline="", prediction=None)
    for threads in (1, 2):
        assert differences(text, _compiled(text, plan, "matmul_0", tmp_path), threads=threads) == []


def _walks(text: str, seed: int, folder: Path) -> Any:
    """Return the artifact of a text whose tasks walk at random."""
    file, source = folder / "plan.json", Source("-", text)
    file.write_text(walked_plans_text(source, "host", Forced(walks=True, tile_seed=seed, rank=seed % 3)))
    return compiled(text, plan_file=file)


def _strided(element: str) -> str:
    return (
        CONVOLUTION.replace("f32", element)
        .replace("conv_2d_nhwc_hwcf", "conv_2d_nhwc_hwcf {STRIDES}", 1)
        .replace("{STRIDES}", "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}")
        .replace("2x9x9x40", "2x5x5x40")
    )


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        (product(37, 70, 24), 3),
        (CONVOLUTION, 3),
        *(
            pytest.param(text, 12, marks=pytest.mark.full)
            for text in (
                *(product(31, 61, 29, element) for element in ("f32", "f64", "f16", "bf16", "i32")),
                product(1, 97, 53),
                product(53, 1, 11),
                product(23, 17, 1),
                CONVOLUTION,
                CONVOLUTION.replace("f32", "f64"),
                _strided("f32"),
            )
        ),
    ],
)
def test_any_walk_equals_numpy(text: str, seeds: int, tmp_path: Path) -> None:
    for seed in range(seeds):
        assert differences(text, _walks(text, seed, tmp_path), seed=seed, threads=1 + seed % 2) == []


def test_sums_that_are_no_result_do_not_wait_between_steps(tmp_path: Path) -> None:
    text = product(16, 64, 32).replace(
        "  return %c",
        """  %d = linalg.exp ins(%c : tensor<16x64xf32>) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %d""",
    )
    (kernel,) = compiled(text).kernels
    plan = kernel.plan
    assert plan is not None
    axes = [replace(axis, block=block) for axis, block in zip(plan.axes, (4, 16, 16), strict=True)]
    axes[1], axes[2] = replace(axes[1], chunk=16), replace(axes[2], chunk=1)
    plan = replace(plan, axes=tuple(axes), unit_order=(1, 0), inner_order=(0,), unroll=1, lane=1, prediction=None)
    with pytest.raises(DiagnosedError, match=r"inside of the 2 steps of loop 2, between which sums lie in the result"):
        _compiled(text, plan, kernel.program, tmp_path)


def _plan_of(text: str) -> Plan:
    (kernel,) = compiled(text, "spr", binaries=False).kernels
    assert kernel.plan is not None
    return kernel.plan
