# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles for weights that stay in workgroup memory: the choice against every choice there is, and what comes of it."""

import random
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from roller_mlir.compiler import CompileOptions, persistent, stages
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source, parse_names
from roller_mlir.compiler.stages import run_stages
from roller_mlir.evaluation.suites.models import reference
from roller_mlir.evaluation.suites.models.models import Model
from roller_mlir.evaluation.suites.models.recurrent import LstmTc
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.group.dispatch_waves import waves_in
from roller_mlir.lowering.targets.stage import FUSED, PLANNED
from roller_mlir.model.cost.keeping import KeepingPlan
from roller_mlir.passes.rammer import keep_weights, select_kernels
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.resident.keeping import Kept
from roller_mlir.rammer.resident.slots import Slices
from roller_mlir.rammer.selection import KEEPING_WORTH, SharedKernel, SharedWave, Tile, select_tiles
from roller_mlir.rammer.times.replay import replay
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.passes import pipeline

UNITS = 8


@pytest.mark.parametrize("seed", range(30))
def test_no_other_tile_of_a_family_makes_all_waves_shorter(seed: int) -> None:
    rng = random.Random(seed)
    families: dict[tuple[int, ...], list[Tile]] = {(0, 2): [(2,), (4,)], (1,): [(2, 2), (4, 4), (8, 8)]}
    waves = {
        SharedWave(
            waits, tuple((kind, UNITS, rng.randint(1, 4)) for kind in sorted(rng.sample(range(3), rng.randint(1, 3))))
        ): rng.randint(1, 90)
        for waits in (False, True)
    }
    every = [(kind, tile) for family, able in families.items() for kind in family for tile in [(), *able]]
    kernels = {
        (*one, waits): SharedKernel(
            seconds=rng.uniform(1, 3), unit_s=rng.uniform(2, 20), resource_s=rng.choice([0.0, rng.uniform(0, 3)])
        )
        for one in every
        for waits in (False, True)
    }

    def kernel(kind: int, _: int, tile: Tile, waits: bool) -> SharedKernel:
        return kernels[kind, tile, waits]

    def seconds(chosen: dict[int, Tile]) -> float:
        total = 0.0
        for wave, number in waves.items():
            each = [(kernels[kind, chosen.get(kind, ()), wave.waits], n) for kind, _, n in wave.operators]
            works = sum(one.unit_s * n for one, n in each) / UNITS
            total += number * max(works, sum(one.resource_s * n for one, n in each), *(one.seconds for one, _ in each))
        return total

    found = select_tiles(waves, families, UNITS, kernel)
    one_other = [
        seconds({**found, **dict.fromkeys(family, tile)}) for family, able in families.items() for tile in [(), *able]
    ]
    if found:
        assert seconds(found) <= KEEPING_WORTH * seconds({})
        assert seconds(found) <= min(one_other) * (1 + 1e-9)
        assert found.get(0) == found.get(2)
    else:
        assert min(one_other) > KEEPING_WORTH * seconds({})


def test_as_many_tasks_find_their_weights_as_slots_have_room() -> None:
    plan = KeepingPlan(
        tasks=8,
        together=8,
        rounds=2,
        brought=(3.0, 2.0),
        found=(1.0, 0.5),
        busy_s={"global": 4.0, "compute": 1.5},
        spared_s={"global": 4.0, "l2": 9.0},
        slot_bytes=32,
        workgroup_bytes=0,
    )
    assert plan.kept_share(room_bytes=31, blocks=10, again_bytes=640) == 0
    assert plan.kept_share(room_bytes=95, blocks=5, again_bytes=640) == 0.5  # two slots a block
    assert plan.kept_share(room_bytes=96, blocks=80, again_bytes=640) == 1
    half = plan.times(0.5)
    assert (half.seconds, half.late_s, half.unit_s) == (4.0, 3.25, 16.0)  # late only in the last round
    assert [plan.times(kept).resource_s for kept in (0, 0.5, 1)] == [4.0, 2.0, 1.5]
    assert replace(plan, slot_bytes=0).kept_share(room_bytes=96, blocks=80, again_bytes=640) == 0


@pytest.mark.full
def test_passes_plan_alike_whether_analyses_are_kept_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def planned() -> str:
        with make_context() as context, ir.Location.unknown():
            module = parse_names(_source(_lstm(steps=3)), context)
            run_stages(module, "a100", CompileOptions(persistent=True), until=PLANNED)
            return str(module)

    given = planned()
    for one in (stages, pipeline):  # nothing is kept: each pass reads the module itself
        monkeypatch.setattr(one, "keeping_analyses", nullcontext)
    assert planned() == given


def test_kinds_that_read_the_same_weights_alike_are_a_family() -> None:
    """Products of a cell with the state that it has at the start, an argument, and with that of others; and gates."""
    with make_context() as context, ir.Location.unknown():
        module = parse_names(_source(_lstm(steps=3)), context)
        run_stages(module, "a100", CompileOptions(persistent=True), until=FUSED)
        found = waves_in(module)
    assert sorted(kind for family in found.families for kind in family) == sorted({*found.kinds})
    assert len(found.families) == 2 < len({*found.kinds})
    often = Counter(found.kinds)
    for family in found.families:
        assert [often[kind] for kind in family] == sorted((often[kind] for kind in family), reverse=True)
        assert len({found.dispatches[found.kinds.index(kind)].expression.bounds for kind in family}) == 1
    weights = 2 * 4 * (2 * 64 * 64 + 64) * 4  # of two layers the matrices and shifts of four gates
    assert found.again_bytes == pytest.approx(weights, rel=0.02)  # and states at the start
    assert found.found_share == pytest.approx(1 - 1 / 3, rel=0.01)


def _lstm(hidden: int = 64, steps: int = 6, layers: int = 2) -> Model:
    return Model("lstm", 1, LstmTc(steps=steps, layers=layers, hidden=hidden))


def _source(model: Model) -> Source:
    return Source("-", model.text("lstm.irpa"), model.weights)


def _spy(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    """Return what a function of a module returns, from now on."""
    found: list[Any] = []
    real = vars(module)[name]

    def look(*given: Any) -> Any:
        found.append(real(*given))
        return found[-1]

    monkeypatch.setattr(module, name, look)
    return found


def everything(graph: TaskGraph, units: int, room: range, *_: object) -> Kept:
    """Choose all that can stay, whether that is predicted to gain or not."""
    slices = Slices.read(graph)
    assert int(slices.bytes.sum()) <= units * len(room)
    return Kept(frozenset(range(len(graph.operators))), len(slices.bytes), int(slices.bytes.sum()))


@pytest.mark.parametrize(("device", "layers"), [("a100", 1), pytest.param("v100", 2, marks=pytest.mark.full)])
def test_an_lstm_is_right_with_tiles_for_what_stays(device: str, layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = _spy(monkeypatch, select_kernels, "select_tiles")
    monkeypatch.setattr(keep_weights, "choose_kept", everything)
    model = _lstm(layers=layers)
    options = CompileOptions(persistent=True, binaries=False, cache=False)
    artifact = compile_source(_source(model), device, options)
    assert len(tiles) == 1 and tiles[0]
    assert any("stay in the workgroup memory of" in note for note in artifact.manifest.notes)
    inputs = model.inputs()
    found = artifact.run_reported(*inputs, on="sim", sanitize=True).outputs
    for got, right in zip(found, reference(model, inputs), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-4)


def test_tiles_are_chosen_only_where_weights_may_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = _spy(monkeypatch, select_kernels, "select_tiles")
    source = _source(_lstm(layers=1))
    kept, brought = (
        scheduled_program(source, "a100", CompileOptions(persistent=True, keep_weights=keeps))
        for keeps in (True, False)
    )
    (chosen,) = tiles
    assert chosen
    assert [one.tasks for one in kept.graph.operators] != [one.tasks for one in brought.graph.operators]


def test_threads_are_chosen_for_what_stays() -> None:
    """Where weights stay, other blocks are quicker than where each task brings its own."""
    source, found = _source(_lstm(hidden=256)), dict[int | None, float]()
    for threads in (None, 128, 256):
        options = CompileOptions(persistent=True, block_threads=threads)
        one = scheduled_program(source, "h200", options)
        found[threads] = replay(one.graph, one.schedule, options.hand_over_s).makespan_s
    assert found[None] == found[128] < found[256]
    brought = scheduled_program(source, "h200", CompileOptions(persistent=True, keep_weights=False))
    assert brought.virtual.threads == 256


@pytest.mark.parametrize(("families", "keeps"), [(("wgmma",), False), (("mma",), True)])
def test_nothing_is_taken_to_stay_beside_threads_that_copy(families: tuple[str, ...], keeps: bool) -> None:
    """Blocks of roles keep no weights, whichever of their kernels reads them again."""
    wide, options = "tensor<256x256xf16>", CompileOptions(persistent=True, instructions=families)
    product = f"linalg.matmul ins(%A, %w : {wide}, {wide}) outs(%i : {wide}) -> {wide}"
    text = f"""func.func @f(%x: {wide}, %w: {wide}) -> {wide} {{
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : {wide}
  %i = linalg.fill ins(%zero : f16) outs(%e : {wide}) -> {wide}
  %a = {product.replace("%A", "%x")}
  %b = {product.replace("%A", "%a")}
  return %b : {wide}
}}"""
    with make_context() as context, ir.Location.unknown():
        module = parse_names(Source("-", text), context)
        run_stages(module, "h200", options, until=FUSED)
        planned, _ = persistent._planned(module, find_device("h200"), "h200", options)
        assert {one.selection.keeps for one in planned.values()} == {keeps}


@pytest.mark.full
def test_kernels_that_are_launched_one_by_one_get_no_tiles_for_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = _spy(monkeypatch, select_kernels, "select_tiles")
    compile_source(_source(_lstm()), "a100", CompileOptions(bounded=True, binaries=False, cache=False))
    assert not tiles


@pytest.mark.full
@pytest.mark.parametrize("device", ["v100", "a100", "h200"])
def test_plans_say_what_tasks_then_find(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times and slots that tiles are chosen by are those that loops have."""
    monkeypatch.setattr(keep_weights, "choose_kept", everything)
    planned: list[KeepingPlan] = []
    real = KeepingPlan.of

    def look(*given: Any) -> KeepingPlan:
        planned.append(real(*given))
        return planned[-1]

    monkeypatch.setattr(KeepingPlan, "of", look)
    one = scheduled_program(_source(_lstm(128)), device, CompileOptions(persistent=True))
    keeping = [operator for operator in one.apart.operators if operator.resident]
    assert len(keeping) > len(one.apart.operators) // 2
    for operator in keeping:
        assert operator.brought is not None
        slot = sum(read.slot_bytes for read in operator.resident)  # not of what saves less than a hundredth
        found = [
            plan.found[0]
            for plan in planned
            if plan.tasks == operator.tasks
            and plan.slot_bytes == pytest.approx(slot, rel=0.05)
            and plan.brought[0] == pytest.approx(operator.brought[0])
        ]
        assert any(one == pytest.approx(operator.seconds, rel=0.1) for one in found), operator.name
