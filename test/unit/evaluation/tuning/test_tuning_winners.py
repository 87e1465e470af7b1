# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which candidate wins: the fastest of the right ones, if it beats the model's choice by more than the noise."""

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest
from tuning_records import MATMUL
from tuning_results import check, item_of, kit_of, results_of, timing

from roller_mlir.evaluation.measure.records import Item, Results
from roller_mlir.evaluation.measure.runner.work import ITSELF
from roller_mlir.evaluation.measure.tune.winners import TuneError, TuningDecision, decide_all
from roller_mlir.hal import find_device

ITEM = item_of(MATMUL)
H200 = find_device("h200")


def decide(results: Results) -> TuningDecision:
    """Return what came of the only item."""
    (decision,) = decide_all(results, H200)
    return decision


def rank_of(results: Results) -> int:
    """Return the rank of its winner."""
    record = decide(results).record
    assert record is not None
    return record.rank


def reason_of(results: Results) -> str:
    """Return why there is no winner."""
    decision = decide(results)
    assert decision.record is None
    return decision.reason


def test_the_fastest_wins() -> None:
    decision = decide(results_of(ITEM, [1e-5, 9e-6, 8e-6, 8.5e-6]))
    record = decision.record
    assert record is not None
    assert (record.rank, record.of, record.measured_s, record.default_s, decision.reason) == (2, 4, 8e-6, 1e-5, "")
    assert decision.gain == pytest.approx(1.25)
    assert record.plan == ITEM.candidates[2].plans["matmul_0"]
    assert (record.key, record.op, record.device) == (ITEM.key, ITEM.title, "h200")
    assert (record.machine, record.driver, record.date) == ("a device of the tests", "0.0", "2026-11-21T12:00:00+00:00")
    assert (record.checked, record.samples, record.predicted_s) == ("torch f64", 25, 1e-6)


def test_the_first_choice_stays_where_it_is_the_fastest_or_the_gain_is_noise() -> None:
    first = decide(results_of(ITEM, [8e-6, 9e-6, 1e-5]))
    assert first.record is not None
    assert (first.record.rank, first.reason, first.gain) == (0, "the model's first choice is the fastest", 1.0)
    close = decide(results_of(ITEM, [1e-5, 9.9e-6, 9.85e-6]))
    assert close.record is not None
    assert (close.record.rank, close.reason) == (0, "rank 2 is faster by less than the noise")
    assert close.record.measured_s == close.record.default_s == 1e-5


@pytest.mark.parametrize(
    ("first", "other", "winner"),
    [
        ({"p10_s": 9.6e-6, "p90_s": 1.1e-5}, {"p10_s": 9e-6, "p90_s": 9.9e-6}, 1),
        ({"p10_s": 9.4e-6, "p90_s": 1.1e-5}, {"p10_s": 9e-6, "p90_s": 9.9e-6}, 0),  # 9.5 us is usual for the first
        ({"p10_s": 9.6e-6, "p90_s": 1.1e-5}, {"p10_s": 9e-6, "p90_s": 1.01e-5}, 0),  # 10 us is usual for the other
    ],
)
def test_noise_is_what_lies_between_the_percentiles(first: Any, other: Any, winner: int) -> None:
    least = {"least_s": 8e-6}
    timings = (timing(ITEM, 0, 1e-5, **least, **first), timing(ITEM, 1, 9.5e-6, **least, **other))
    assert rank_of(results_of(ITEM, [1, 1], timings=timings)) == winner


def test_what_is_wrong_never_wins() -> None:
    times = [1e-5, 9e-6, 1e-6, 8e-6]
    wrong = {2: check(ITEM, 2, ok=False, error=7.0)}
    assert rank_of(results_of(ITEM, times, checks=wrong)) == 3
    good_and_bad = results_of(ITEM, times, checks=wrong)
    assert rank_of(replace(good_and_bad, checks=(*good_and_bad.checks, check(ITEM, 2)))) == 3
    assert rank_of(results_of(ITEM, times, checks={2: None})) == 3
    assert rank_of(results_of(ITEM, times, checks={2: check(ITEM, 2, error=None, against="")})) == 3


def test_a_first_choice_that_is_wrong_gives_way() -> None:
    found = decide(results_of(ITEM, [1e-6, 9e-6, 8e-6], checks={0: check(ITEM, 0, ok=False)}))
    assert found.record is not None
    assert (found.record.rank, found.record.default_s, found.gain) == (2, None, None)


def test_without_a_reference_candidates_are_compared_with_the_first() -> None:
    checks = {0: check(ITEM, 0, error=None, against=ITSELF)}
    checks |= {rank: check(ITEM, rank, against="candidate 0") for rank in (1, 2)}
    found = decide(results_of(ITEM, [1e-5, 9e-6, 8e-6], checks=checks))
    assert found.record is not None
    assert (found.record.rank, found.record.checked) == (2, "candidate 0")
    stays = decide(results_of(ITEM, [1e-6, 9e-6, 8e-6], checks=checks))
    assert stays.record is not None
    assert stays.record.checked == ITSELF


@pytest.mark.parametrize(
    "changes",
    [
        {"median_s": nan},
        {"median_s": inf, "p90_s": inf},
        {"median_s": -1e-6},
        {"least_s": 0.0},
        {"p90_s": 1e-7},
        {"samples": 4},
        {"note": ""},
        {"who": "torch"},
    ],
)
def test_times_that_are_none_never_win(changes: dict[str, Any]) -> None:
    timings = (timing(ITEM, 0, 1e-5), timing(ITEM, 1, 1e-6, **changes))
    assert rank_of(results_of(ITEM, [1, 1], timings=timings)) == 0


def test_why_there_is_no_winner() -> None:
    times = [1e-5, 9e-6, 8e-6, 7e-6]
    wrong = {rank: check(ITEM, rank, ok=False, error=3.0) for rank in range(3)}
    assert reason_of(results_of(ITEM, times, checks={**wrong, 3: check(ITEM, 3, ok=False, message="it hangs")})) == (
        "no candidate has a valid time: wrong: off by 3 times its bound against torch f64 (rank 0, 1, 2); "
        "wrong: it hangs (rank 3)"
    )
    assert reason_of(results_of(ITEM, times, timings=())) == (
        "no candidate has a valid time: not timed with the others (phase topk) (rank 0, 1, 2, 3)"
    )
    few = tuple(timing(ITEM, rank, 1e-5, samples=2) for rank in range(4))
    assert "2 samples, of at least 5 (rank 0, 1, 2, 3)" in reason_of(results_of(ITEM, times, timings=few))
    assert "not checked (rank 0, 1, 2, 3)" in reason_of(results_of(ITEM, times, checks=dict.fromkeys(range(4))))
    alone = item_of(MATMUL, 1)
    assert "1 candidate" in reason_of(results_of(alone, [1e-5], timings=(timing(alone, 0, 1e-5, note=""),)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": ""}, "it has several programs; tune its operators one by one"),
        ({"key": "x" * 32}, "what the kit says of it is no record: key must be 32 hexadecimal digits"),
        ({"candidates": tuple(replace(one, plans={}) for one in ITEM.candidates)}, "its candidates have not one plan"),
    ],
)
def test_what_no_data_base_can_hold(changes: dict[str, Any], message: str) -> None:
    item: Item = replace(ITEM, **changes)
    assert message in reason_of(results_of(item, [1e-5, 9e-6, 8e-6]))


def test_a_plan_for_another_device_is_no_record() -> None:
    moved = tuple(
        replace(one, plans={name: replace(plan, device="a100") for name, plan in one.plans.items()})
        for one in ITEM.candidates
    )
    assert "plan must be for 'h200', but is for 'a100'" in reason_of(
        results_of(replace(ITEM, candidates=moved), [1e-5, 9e-6])
    )


def test_hostile_words_become_harmless() -> None:
    item = replace(ITEM, title="\x1b[2Jmatmul\n" + "x" * 2000)
    record = decide(results_of(item, [1e-5, 9e-6])).record
    assert record is not None
    assert record.op.startswith("\\x1b[2Jmatmul\\nxx")
    assert len(record.op) == 1000


def test_dry_runs_and_other_devices_are_refused() -> None:
    good = results_of(ITEM, [1e-5, 9e-6])
    dry = replace(good, machine=replace(good.machine, back_end="sim"))
    with pytest.raises(TuneError, match=r"r.json: a dry run: its times are those of the simulator"):
        decide_all(dry, H200, "r.json")
    with pytest.raises(TuneError, match=r"measured for h200, but the target is h100; give --target h200"):
        decide_all(good, find_device("h100"))
    with pytest.raises(TuneError, match=r"of the back end hip, but h200 is a device of nvidia"):
        decide_all(replace(good, machine=replace(good.machine, back_end="hip")), H200)


def test_a_device_of_another_size_is_another_device() -> None:
    good = results_of(ITEM, [1e-5, 9e-6])
    assert decide_all(replace(good, machine=replace(good.machine, facts={"units": 132})), H200)
    other = r"measured on a device with 114 units \('a device of the tests'\), but 'h200' has 132; tune for a desc"
    with pytest.raises(TuneError, match=other):
        decide_all(replace(good, machine=replace(good.machine, facts={"units": 114})), H200)
    # An H100 has as many units, and runs the same kernels.
    facts: dict[str, int | float | str] = {"units": 132, "memory_bytes": 85_017_493_504}
    with pytest.raises(TuneError, match=r"with 85\.0 GB of memory \(.*\), but 'h200' has 151\.4 GB; tune for"):
        decide_all(replace(good, machine=replace(good.machine, facts=facts)), H200)
    assert decide_all(replace(good, machine=replace(good.machine, facts={"memory_bytes": 150_754_820_096})), H200)


def test_runs_that_went_on_later_have_the_last_date() -> None:
    good = results_of(ITEM, [1e-5, 9e-6])
    machine = replace(good.machine, started="2026-11-21T12:00:00Z\n2026-11-22T09:00:00Z", command="a\nb")
    record = decide(replace(good, machine=machine)).record
    assert record is not None
    assert (record.date, record.command) == ("2026-11-22T09:00:00Z", "b")


def test_a_kit_of_nothing_decides_nothing() -> None:
    assert decide_all(replace(results_of(ITEM, [1e-5]), kit=kit_of(), checks=(), timings=()), H200) == []
