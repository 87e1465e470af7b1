# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks in super-rows and in parts for private caches: each once, in a raster that loads less."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product as every
from math import prod
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.plans.ranked import dispatches
from roller_mlir.hal import find_device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.cost.raster.super_rows import raster_traffic
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression
from roller_mlir.plan.records.codec import to_json
from roller_mlir.plan.tasks.raster import Level
from roller_mlir.support.diagnostics import DiagnosedError


def matmul_text(m: int, n: int, k: int, kind: str = "f32") -> str:
    a, b, c = f"tensor<{m}x{k}x{kind}>", f"tensor<{k}x{n}x{kind}>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %f = linalg.fill ins(%z : f32) outs(%e : {c}) -> {c}
  %s = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  return %s : {c}
}}"""


def expression(m: int, n: int, k: int, kind: str = "f16") -> TensorExpression:
    row, column, depth = (LinearIndex(tuple(int(i == j) for j in range(3))) for i in range(3))
    return TensorExpression(
        (Loop(m), Loop(n), Loop(k, True)),
        (Access("a", (m, k), kind, (row, depth)), Access("b", (k, n), kind, (depth, column))),
        Access("c", (m, n), "f32", (row, column)),
        "arith.addf",
        2,
        (0.0, 0.0),
        fused_multiply_add=True,
    )


RASTERS: dict[str, tuple[Level, ...]] = {
    "super-rows": ((0, 2, 2), (1, 6, 1), (0, 2, 1)),
    "super-columns": ((1, 3, 2), (0, 4, 1), (1, 2, 1)),
    "parts": ((0, 2, 1), (1, 6, 1), (0, 2, 2)),
    "super-rows and parts": ((1, 3, 1), (0, 2, 1), (1, 2, 3), (0, 2, 2)),
}


def forced(text: str, device: str, tile: tuple[int, ...], raster: Sequence[Level], tmp_path: Path) -> Path:
    ((name, (found, _)),) = dispatches(Source("f.mlir", text), device).items()
    plan = construct(found, find_device(device), ConstructOptions(tile_sizes=tile))[0]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(to_json({name: replace(plan, raster=tuple(raster))})))
    return path


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("raster", RASTERS.values(), ids=RASTERS)
def test_products_in_any_raster(raster: tuple[Level, ...], device: str, tmp_path: Path) -> None:
    text = matmul_text(61, 90, 24)
    path = forced(text, device, (16, 16, 8), raster, tmp_path)
    artifact = roller_mlir.compile(text, target=device, plan_file=path, binaries=False)
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((61, 24), (24, 90)))
    (found,) = artifact.run(a, b, sanitize=True)
    np.testing.assert_array_equal(found, a @ b)
    assert artifact.manifest.launches[0].static_grid[0] == 24


@pytest.mark.parametrize(
    ("raster", "message"),
    [
        (((0, 2, 2), (1, 6, 1)), "of which 0 steps of 0 must be the next one"),
        (((0, 2, 1), (1, 6, 1)), "reaches 2 of the 4 tasks of loop 0"),
        (((0, 4, 1), (1, 6, 1), (2, 3, 1)), "has loop 2, which is none over tasks"),
        (((0, 4, 1), (1, 6, 1), (0, 4, 1)), "of which 4 steps of 1 must be the next one"),
    ],
)
def test_rasters_that_do_not_reach_each_task_once(raster: tuple[Level, ...], message: str, tmp_path: Path) -> None:
    text = matmul_text(61, 90, 24)
    path = forced(text, "h200", (16, 16, 8), raster, tmp_path)
    with pytest.raises(DiagnosedError, match=message):
        roller_mlir.compile(text, target="h200", plan_file=path, binaries=False)


def tasks_of(levels: Sequence[Level]) -> list[tuple[int, int]]:
    """Return the blocks of rows and columns of each task, in their order."""
    found: list[tuple[int, int]] = []
    for digits in every(*[range(steps) for _, steps, _ in levels]):
        place = [0, 0]
        for digit, (loop, _, apart) in zip(digits, levels, strict=True):
            place[loop] += digit * apart
        found.append((place[0], place[1]))
    return found


def loaded(tasks: Sequence[tuple[int, int]], concurrent: int, blocks: Sequence[int] = (1, 1)) -> int:
    """Return what all waves of tasks load of rows and columns, of blocks of so much each."""
    waves = [tasks[at : at + concurrent] for at in range(0, len(tasks), concurrent)]
    return sum(blocks[loop] * len({task[loop] for task in wave}) for wave in waves for loop in (0, 1))


@pytest.mark.parametrize("device", ["h200", "a100", "mi300x"])
@pytest.mark.parametrize("size", [4096, 8192, 16384])
def test_chosen_rasters_load_less(device: str, size: int) -> None:
    found = expression(size, size, size)
    plan = construct(found, find_device(device), ConstructOptions(top_k=1, split=False))[0]
    assert plan_problem(found, plan) == ""
    assert plan.prediction is not None
    if not plan.raster:
        return
    counts = [-(-size // axis.block) for axis in plan.axes[:2]]
    tasks = tasks_of(plan.raster)
    assert sorted(tasks) == list(every(range(counts[0]), range(counts[1]))), "each task is reached once"
    concurrent = find_device(device).units * plan.prediction.tasks_per_unit
    plain = tasks_of([(loop, counts[loop], 1) for loop in plan.unit_order])
    full = len(tasks) // concurrent * concurrent  # the last wave holds what is left
    tasks, plain = tasks[:full], plain[:full]
    private = machine_of(find_device(device)).private_caches
    context = ProblemContext(found, machine_of(find_device(device)), atoms(found, find_device(device))[0])
    blocks = [access.traffic([axis.block for axis in plan.axes]) for access in context.inputs]
    everything = loaded(tasks, concurrent, blocks) / loaded(plain, concurrent, blocks)
    if private == 1:
        assert everything < 1
        return
    ours, theirs = (
        sum(loaded(one[cache::private], -(-concurrent // private), blocks) for cache in range(private))  # dealt in turn
        for one in (tasks, plain)
    )
    assert min(everything, ours / theirs) < 1


def test_large_products_on_h200_have_super_rows() -> None:
    plan = construct(expression(8192, 8192, 8192), find_device("h200"), ConstructOptions(top_k=1, split=False))[0]
    assert [loop for loop, _, _ in plan.raster] in ([0, 1, 0], [1, 0, 1])
    assert prod(steps for _, steps, _ in plan.raster) == prod(8192 // axis.block for axis in plan.axes[:2])


@pytest.mark.parametrize("height", [1, 2, 4, 8, 16])
def test_prediction_counts_what_waves_load(height: int) -> None:
    """Powers of two, so that waves are boxes."""
    found = expression(4096, 4096, 64)
    device = find_device("h200")
    machine = replace(machine_of(device), cache_bytes=1)
    context = ProblemContext(found, machine, atoms(found, device)[0])
    blocks, counts = (128, 128, 64), (32, 32, 1)
    best = raster_traffic(context, blocks, counts, 64, 1)
    levels = best.levels or tuple((loop, 32, 1) for loop in best.order)
    tile = context.inputs[0].traffic(blocks)
    assert best.global_bytes == loaded(tasks_of(levels), 64) * tile + found.output.size_bytes
    other = [(0, 32 // height, height), (1, 32, 1), (0, height, 1)]
    assert loaded(tasks_of(levels), 64) <= loaded(tasks_of(other), 64)


def test_products_that_the_cache_holds_keep_their_order() -> None:
    plan = construct(expression(2048, 2048, 2048), find_device("h200"), ConstructOptions(top_k=1, split=False))[0]
    assert isinstance(plan, Plan)
    assert plan.raster == ()
