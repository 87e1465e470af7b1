# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fastest candidate of each operator among results that a runner brought back, as records of a tuning data base.

The rule. Only timings of one round count, in which all candidates of an operator took turns, each of at least
`LEAST_SAMPLES` samples. Only candidates that were checked and right take part; what each was compared with is in its
record. Of these the one with the least median wins, if it beats the model's first choice by more than the noise: its
median is below the tenth percentile of the first choice, and its ninetieth percentile below the median of the first
choice. Else the first choice stays. Where the first choice is wrong or was not timed, the least median wins.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from roller_mlir.evaluation.measure.measured_device import other_device
from roller_mlir.evaluation.measure.records import Check, Item, ItemCandidate, Results, Timing
from roller_mlir.evaluation.measure.runner.steps import TOP_K
from roller_mlir.hal import Device
from roller_mlir.plan.files.tuning import TuningRecord
from roller_mlir.runtime.registry import backend_of_vendor

LEAST_SAMPLES = 5
"""Fewer have no percentiles to speak of."""

_MOST_TEXT = 1000


class TuneError(ValueError):
    """Results that no data base may take; the message says why."""


@dataclass(frozen=True, kw_only=True)
class TuningDecision:
    """What came of one operator.

    Attributes:
        item: The operator and its candidates.
        record: The winner; None where there is none.
        reason: Why there is none, or why the first choice stays; "" where another candidate won.
        tunable: Whether there is something to choose that a data base can hold.
    """

    item: Item
    record: TuningRecord | None = None
    reason: str = ""
    tunable: bool = True

    @property
    def gain(self) -> float | None:
        """Time of the model's first choice over that of the winner; None where one of them has none."""
        record = self.record
        return None if record is None or record.default_s is None else record.default_s / record.measured_s


def decide_all(results: Results, device: Device, name: str = "the results") -> list[TuningDecision]:
    """Return what came of each operator, in the order of the kit.

    Args:
        results: From a runner, on a device.
        device: What the data base is wanted for.
        name: What errors call the results.

    Raises:
        TuneError: They are of a dry run, or of another device, as far as `other_device` tells.
    """
    machine, kit = results.machine, results.kit
    if machine.back_end == "sim":
        raise TuneError(
            f"{name}: a dry run: its times are those of the simulator, which say nothing of {kit.target}; run the kit "
            "on the device"
        )
    if kit.target != device.name:
        raise TuneError(
            f"{name}: measured for {kit.target}, but the target is {device.name}; give --target {kit.target}"
        )
    if machine.back_end != (backend_of_vendor(kit.vendor) or machine.back_end):
        raise TuneError(f"{name}: of the back end {machine.back_end}, but {kit.target} is a device of {kit.vendor}")
    other = other_device(machine, device)
    if other:
        raise TuneError(f"{name}: measured on {other}; tune for a description of that device (--device-file)")
    return [_decide(item, results) for item in kit.items]


def _decide(item: Item, results: Results) -> TuningDecision:
    plain = _unfit(item)
    if plain:
        return TuningDecision(item=item, reason=plain, tunable=False)
    timings = {one.rank: one for one in results.timings if (one.item, one.who, one.note) == (item.id, "ours", TOP_K)}
    problems = {one.rank: _problem(one, item, timings, results) for one in item.candidates}
    valid = [one for one in item.candidates if not problems[one.rank]]
    if not valid:
        return TuningDecision(item=item, reason=f"no candidate has a valid time: {_grouped(problems)}")
    fastest = min(valid, key=lambda one: (timings[one.rank].median_s, one.rank))
    first = timings.get(0) if not problems.get(0, "there is none") else None
    reason, winner = "", fastest
    if first is not None and fastest.rank != 0:
        best = timings[fastest.rank]
        if not (best.median_s < first.p10_s and first.median_s > best.p90_s):
            winner = next(one for one in valid if one.rank == 0)
            reason = f"rank {fastest.rank} is faster by less than the noise"
    elif first is not None:
        reason = "the model's first choice is the fastest"
    try:
        return TuningDecision(item=item, record=_record(item, winner, timings, first, results), reason=reason)
    except ValueError as error:
        return TuningDecision(item=item, reason=f"what the kit says of it is no record: {error}")


def _unfit(item: Item) -> str:
    """Return why an item cannot be in a data base at all, or an empty string."""
    if not item.key:
        return "it has several programs; tune its operators one by one"
    if any(len(one.plans) != 1 for one in item.candidates):
        return "its candidates have not one plan each"
    if len(item.candidates) == 1:
        return "it has 1 candidate, so there is nothing to choose"
    return ""


def _problem(candidate: ItemCandidate, item: Item, timings: Mapping[int, Timing], results: Results) -> str:
    """Return why a candidate cannot win, or an empty string."""
    rank = candidate.rank
    checks = [one for one in results.checks if (one.item, one.who, one.rank) == (item.id, "ours", rank)]
    wrong = next((one for one in checks if not one.ok), None)
    if wrong is not None:
        return f"wrong: {_wrong(wrong)}"
    if not any(_checked(one, candidate, item) for one in checks):
        return "not checked"
    timing = timings.get(rank)
    if timing is None:
        return "not timed with the others (phase topk)"
    seconds = (timing.least_s, timing.p10_s, timing.median_s, timing.p90_s)
    if not (all(map(math.isfinite, seconds)) and seconds[0] > 0 and list(seconds) == sorted(seconds)):
        return f"its times are no times: {', '.join(map(str, seconds))} s"
    if timing.samples < LEAST_SAMPLES:
        return f"{timing.samples} samples, of at least {LEAST_SAMPLES}"
    return ""


def _grouped(problems: Mapping[int, str]) -> str:
    """Return problems of candidates as text, equal ones together, the first few."""
    ranks: dict[str, list[int]] = {}
    for rank, problem in problems.items():
        ranks.setdefault(problem, []).append(rank)
    shown = [f"{problem} (rank {', '.join(map(str, those))})" for problem, those in list(ranks.items())[:3]]
    return "; ".join(shown) + ("; and others" if len(ranks) > len(shown) else "")


def _checked(check: Check, candidate: ItemCandidate, item: Item) -> bool:
    """Return whether a result was compared, or is the one with which others are where nobody knows better."""
    return check.error is not None or candidate is item.candidates[0]


def _wrong(check: Check) -> str:
    if check.message:
        return check.message
    against = f" against {check.against}" if check.against else ""
    return f"off{against}" if check.error is None else f"off by {check.error:.3g} times its bound{against}"


def _record(
    item: Item, winner: ItemCandidate, timings: Mapping[int, Timing], first: Timing | None, results: Results
) -> TuningRecord:
    timing, machine, kit = timings[winner.rank], results.machine, results.kit
    (plan,) = winner.plans.values()
    check = next(one for one in results.checks if (one.item, one.who, one.rank) == (item.id, "ours", winner.rank))
    return TuningRecord(
        key=item.key,
        device=kit.target,
        op=_plain(item.title),
        measured_s=timing.median_s,
        p10_s=timing.p10_s,
        p90_s=timing.p90_s,
        samples=timing.samples,
        default_s=None if first is None else first.median_s,
        rank=winner.rank,
        of=max(len(item.candidates), *(one.rank + 1 for one in item.candidates)),
        predicted_s=winner.predicted_s,
        date=max(machine.started.split("\n")),
        machine=_plain(machine.device),
        driver=_plain(machine.driver),
        command=_plain(machine.command.split("\n")[-1]),
        compiler=_plain(kit.compiler),
        checked=_plain(check.against),
        plan=plan,
    )


def _plain(text: str) -> str:
    """Return a text as a record takes it: printable ASCII in one line."""
    escaped = text.encode("unicode_escape").decode("ascii")
    return escaped if len(escaped) <= _MOST_TEXT else escaped[: _MOST_TEXT - 3] + "..."
