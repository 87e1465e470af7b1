# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels run side by side: the choice against every choice there is, and what it does to whole graphs."""

import random
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from graph_models import branches

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.scheduled_program import ScheduledProgram, scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.rammer.selection import WORTH, Share, SharedKernel, select, shares
from roller_mlir.rammer.times.replay import replay

UNITS = 132
WHOLE = Share(UNITS, UNITS)


@pytest.mark.parametrize("memory", [0.5, 2.0])
@pytest.mark.parametrize("seed", range(20))
def test_no_other_choice_makes_a_wave_shorter(seed: int, memory: float) -> None:
    """Kernels take longer on fewer units, and occupy more or less of them, and so much of the memory beside that."""
    rng = random.Random(seed)
    wave = sorted(rng.randrange(3) for _ in range(rng.randint(1, 8)))
    able = [*dict.fromkeys(Share(units, one) for units in shares(UNITS, len(wave)) for one in (units, UNITS))]
    kernels: dict[tuple[int, Share], SharedKernel] = {}
    for kind, share in product(range(3), able):
        seconds = rng.uniform(1.0, 3.0) * (UNITS / share.units) ** rng.uniform(0.0, 1.0)
        occupied = rng.uniform(0.2, 1.0)
        kernels[kind, share] = SharedKernel(seconds=seconds, unit_s=occupied * UNITS, resource_s=memory * occupied)

    def on_share(kind: int, units: int) -> dict[int, SharedKernel]:
        return {share.planned: kernels[kind, share] for share in able if share.units == units}

    chosen = select(wave, UNITS, on_share)

    def length(each: dict[int, Share]) -> float:
        found = [kernels[kind, each[kind]] for kind in wave]
        works = sum(one.unit_s for one in found) / UNITS
        return max(works, sum(one.resource_s for one in found), *(one.seconds for one in found))

    kinds = sorted(set(wave))
    every = [length(dict(zip(kinds, one, strict=True))) for one in product(able, repeat=len(kinds))]
    assert chosen.seconds == pytest.approx(length(dict(zip(wave, chosen.shares, strict=True))))
    if chosen.shares == (WHOLE,) * len(wave):
        assert chosen.seconds * WORTH <= min(every) * (1 + 1e-9)
    else:
        assert chosen.seconds == pytest.approx(min(every))


def test_a_kernel_that_is_fastest_alone_runs_on_a_share_where_it_is_less_work_there() -> None:
    """Both beside the one that is planned for the share: each is taken where it is the better one."""
    times = {"a": {33: 4.0, UNITS: 3.0}, "b": {33: 3.0, UNITS: 4.0}}

    def on_share(kind: str, units: int) -> dict[int, SharedKernel]:
        if units != 33:
            return {units: SharedKernel(seconds=3.0, unit_s=3.0 * UNITS, resource_s=0.0)}
        each = times[kind].items()
        return {planned: SharedKernel(seconds=s, unit_s=s * units, resource_s=0.0) for planned, s in each}

    assert select(["a", "a", "b", "b"], UNITS, on_share).shares == (*[Share(33, UNITS)] * 2, *[Share(33, 33)] * 2)


def test_an_operator_alone_has_the_device() -> None:
    asked: list[tuple[str, int]] = []

    def on_share(kind: str, units: int) -> dict[int, SharedKernel]:
        asked.append((kind, units))
        return {units: SharedKernel(seconds=1.0, unit_s=3.0, resource_s=0.0)}

    assert select(["a"], UNITS, on_share).shares == (WHOLE,)
    assert asked == [("a", UNITS)]


def _planned(text: str, options: CompileOptions) -> tuple[ScheduledProgram, float]:
    one = scheduled_program(Source("branches", text), "h200", options)
    return one, replay(one.graph, one.schedule, options.hand_over_s).makespan_s


def test_branches_take_kernels_for_their_share() -> None:
    """Eight branches are done sooner by kernels for an eighth of the device than by those that are fastest alone."""
    text = branches((256,) * 8)[0]
    options = CompileOptions(persistent=True, block_threads=128)
    chosen, makespan = _planned(text, options)
    fastest, longer = _planned(text, replace(options, select_kernels=False))
    assert makespan < longer
    assert chosen.graph.tasks < fastest.graph.tasks
    products = [one for one in chosen.graph.operators if one.units is not None]
    assert len(products) >= 8
    assert all(1 <= (one.units or 0) < UNITS and (one.together or 0) >= 1 for one in products)


@pytest.mark.full
def test_times_beside_others_are_those_of_the_share() -> None:
    """The same kernel takes longer where it has a smaller part of the device."""
    options = CompileOptions(persistent=True, block_threads=128, select_kernels=False)
    many, _ = _planned(branches((512,) * 8)[0], options)
    few, _ = _planned(branches((512,) * 2)[0], options)
    beside, with_more = few.graph.operators[0], many.graph.operators[0]
    assert (beside.units or UNITS) > (with_more.units or UNITS)
    assert beside.tasks == with_more.tasks
    rounds = [-(-one.tasks // (one.together or 1)) for one in (beside, with_more)]
    assert rounds[0] * beside.seconds < rounds[1] * with_more.seconds


@pytest.mark.full(every=9)
@pytest.mark.parametrize("given", [{}, {"block_threads": 64}, {"task_threads": 128}])
@pytest.mark.parametrize("target", ["a100", "h200", "mi300x"])
def test_all_kernels_count_on_the_same_blocks(target: str, given: dict[str, Any]) -> None:
    """A kernel that counts on more blocks than the others leave it would take a round more than is predicted."""
    options = CompileOptions(persistent=True, **given)
    if target == "mi300x" and "task_threads" in given:
        options = replace(options, instructions=("fma",))
    one = scheduled_program(Source("layers", LAYERS), target, options)
    held = one.virtual.per_unit * one.virtual.units
    for operator in one.graph.operators:
        assert operator.together is not None
        assert operator.together <= held
    if one.choices:
        (taken,) = {each.threads for each in one.choices if each.blocks_per_unit and each.seconds == _least(one)}
        assert one.virtual.threads in (taken, taken + 128)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("target", ["v100", "a100", "h200"])
def test_tasks_take_the_time_that_their_kernels_were_chosen_for(target: str) -> None:
    """Also where a reduction is divided: of as many blocks as the others leave, and what was just written is near."""
    options = CompileOptions(persistent=True)
    one = scheduled_program(Source("layers", LAYERS), target, options)
    assert any("join" in operator.name for operator in one.graph.operators)
    rounds = [-(-operator.tasks // (operator.together or 1)) for operator in one.graph.operators]
    whole = sum(count * operator.seconds for count, operator in zip(rounds, one.graph.operators, strict=True))
    assert whole + options.hand_over_s == pytest.approx(_least(one))  # the second layer waits for the first one


@pytest.mark.parametrize("target", ["v100", "mi300x"])
def test_all_numbers_of_threads_are_planned_for_to_the_end(target: str) -> None:
    """Also for those that look worse while blocks are as many as each kernel likes: that says nothing of fewer."""
    one = scheduled_program(Source("layers", LAYERS), target, CompileOptions(persistent=True))
    assert len(one.choices) == 3
    for each in one.choices:
        assert each.refused or (each.blocks_per_unit and each.seconds)


def _least(one: ScheduledProgram) -> float:
    return min(each.seconds for each in one.choices if each.seconds is not None)


LAYERS = """
func.func @layers(%x: tensor<64x1024xf32>, %w: tensor<1024x4096xf32>, %v: tensor<4096x300xf32>) -> tensor<64x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x4096xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x1024xf32>, tensor<1024x4096xf32>)
    outs(%i : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %n = tensor.empty() : tensor<64x300xf32>
  %o = linalg.fill ins(%zero : f32) outs(%n : tensor<64x300xf32>) -> tensor<64x300xf32>
  %z = linalg.matmul ins(%y, %v : tensor<64x4096xf32>, tensor<4096x300xf32>)
    outs(%o : tensor<64x300xf32>) -> tensor<64x300xf32>
  return %z : tensor<64x300xf32>
}
"""
