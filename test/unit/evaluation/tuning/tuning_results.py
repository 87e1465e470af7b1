# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that were never measured, of candidates that are real: of "a device of the tests"."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tuning_records import dispatch_of, plans_of

from roller_mlir.evaluation.measure.records import Check, Item, ItemCandidate, Kit, MeasuredMachine, Results, Timing
from roller_mlir.evaluation.measure.runner.steps import TOP_K


def item_of(text: str, ranks: int = 4, **changes: Any) -> Item:
    """Return the only dispatch of a text as an item."""
    dispatch = dispatch_of(text)
    candidates = tuple(
        ItemCandidate(rank=rank, artifact=f"a{rank}", predicted_s=1e-6, plans={dispatch.name: plan})
        for rank, plan in enumerate(plans_of(text)[:ranks])
    )
    return replace(Item(id="t/f", suite="t", title=dispatch.title, key=dispatch.key, candidates=candidates), **changes)


def kit_of(*items: Item, **changes: Any) -> Kit:
    """Return a kit."""
    kit = Kit(target="h200", architecture="sm_90a", vendor="nvidia", created="2026-01-02T03:04:05Z", compiler="0.0")
    return replace(kit, items=items, **changes)


def timing(item: Item, rank: int, seconds: float, **changes: Any) -> Timing:
    """Return a timing whose percentiles are 2 % away."""
    low, high = seconds * 0.98, seconds * 1.02
    given: dict[str, Any] = {"least_s": low, "p10_s": low, "p90_s": high, "samples": 25, "note": TOP_K}
    return Timing(**{**given, "item": item.id, "rank": rank, "median_s": seconds, **changes})


def check(item: Item, rank: int, **changes: Any) -> Check:
    """Return a check of a right result."""
    return replace(Check(item=item.id, rank=rank, ok=True, against="torch f64", error=0.1), **changes)


def results_of(
    item: Item, seconds: Sequence[float], *, checks: Mapping[int, Check | None] | None = None, **parts: Any
) -> Results:
    """Return results of one item: the times of its candidates, all of them right but for `checks`."""
    given = {rank: check(item, rank) for rank in range(len(seconds))} | dict(checks or {})
    machine = MeasuredMachine(
        back_end="cuda",
        device="a device of the tests",
        driver="0.0",
        started="2026-11-21T12:00:00+00:00",
        command="run.py -o results",
    )
    found = Results(
        kit=kit_of(item),
        machine=machine,
        checks=tuple(one for one in given.values() if one is not None),
        timings=tuple(timing(item, rank, time) for rank, time in enumerate(seconds)),
        complete=True,
    )
    return replace(found, **parts)
