# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of kernels, and the small functions that give a kit one of each."""

from dataclasses import replace
from pathlib import Path

import pytest
from smoke import of_smoke

from roller_mlir.evaluation.measure.kit.pack_work import CompiledVariant, PackJob, Variants, work
from roller_mlir.evaluation.measure.records import Check, Item, ItemCandidate, Kit
from roller_mlir.evaluation.measure.runner.steps import ITSELF, Asked, base_rank, plan_steps
from roller_mlir.hal import find_device

EXAMPLE = Path(__file__).parents[5] / "examples" / "matmul_f16.mlir"
WANTED = {
    "h200": [
        *("tensor copies in steps", "wgmma", "wgmma, tensor store", "wgmma, turned A", "wgmma, divided"),
        *("mma", "mma, staged store", "plain", "plain, joined", "plain, staged store", "plain, divided"),
    ],
    "mi300x": [
        "mfma, turned A",
        "mfma, divided",
        "mfma, staged store, turned A",
        "plain",
        "plain, joined",
        "plain, divided",
    ],
}


@pytest.mark.full
@pytest.mark.parametrize("target", list(WANTED))
def test_small_functions_have_a_kernel_of_each_family(target: str) -> None:
    found: list[str] = []
    for wanted in of_smoke(find_device(target), EXAMPLE):
        ways = work(PackJob(request=wanted, target=target, simulator=True))
        assert isinstance(ways, Variants), ways
        made = work(PackJob(request=wanted, target=target, simulator=True, variant=ways.variants[0]))
        assert isinstance(made, CompiledVariant), made
        found.append(made.family)
    assert list(dict.fromkeys(found)) == WANTED[target]


def test_the_candidate_to_compare_with_is_checked_first() -> None:
    candidates = tuple(
        ItemCandidate(rank=rank, artifact="g", family=f"{way}, g", way=way)
        for rank, way in enumerate(("persistent", "launches", "graph"))
    )
    item = Item(id="g", suite="s", title="g", base=1, candidates=candidates)
    kit = Kit(target="h200", architecture="sm_90a", vendor="nvidia", created="", compiler="", items=(item,))
    steps = [step.key for step in plan_steps(kit, Asked(phases=("smoke", "check"), peers=()))]
    assert steps == ["check g 1", "check g 0", "check g 2", "time g top-k", "repeat g 0"]
    assert [step.key for step in plan_steps(kit, Asked(phases=("check",)))] == ["check g 1", "check g 0"]
    alone = {("g", rank): Check(item="g", rank=rank, ok=True, against=ITSELF) for rank in range(3)}
    assert base_rank(item, alone) == 1
    assert base_rank(item, {**alone, ("g", 1): replace(alone["g", 1], ok=False)}) == 0
    assert base_rank(replace(item, base=None), alone) == 0


def test_smoke_takes_the_least_work_of_each_family() -> None:
    def item(name: str, flops: int, *families: str) -> Item:
        candidates = (
            ItemCandidate(rank=rank, artifact=f"{name}/{rank}", family=one) for rank, one in enumerate(families)
        )
        return Item(id=name, suite="s", title=name, flops=flops, candidates=tuple(candidates))

    items = (item("large", 900, "a", "c"), item("small", 9, "b"), item("middle", 90, "a"), item("none", 1, ""))
    kit = Kit(target="h200", architecture="sm_90a", vendor="nvidia", created="", compiler="", items=items)
    steps = [step.key for step in plan_steps(kit, Asked(phases=("smoke",), peers=()))]
    # A family of which there is no first candidate is checked and not timed; items without one come last.
    assert steps == [
        *("check middle 0", "time middle", "check large 1", "check small 0", "time small"),
        *("check none 0", "time none"),
    ]
