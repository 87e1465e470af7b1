# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of a report against sums done by hand: ratios, shares, means, correlations, goals, what is left out."""

import random
from collections.abc import Sequence
from dataclasses import replace
from math import exp, log, nan
from typing import Any

import pytest
from fabricated_results import check, item, many, results, timing

from roller_mlir.evaluation.measure.records import Item, Probe, Results, Skipped, Timing, Trouble
from roller_mlir.evaluation.measure.report.figures import PeerFigures
from roller_mlir.evaluation.measure.report.groups import peer_figures
from roller_mlir.evaluation.measure.report.records import Goal, Report
from roller_mlir.evaluation.measure.report.report import make_report
from roller_mlir.evaluation.measure.report.statistics import geometric_mean, quantile, ranks, spearman
from roller_mlir.evaluation.measure.runner.steps import ITSELF
from roller_mlir.tools.report.measured.markdown import markdown
from roller_mlir.tools.report.measured.sections import document_of


def measured(
    ratios: Sequence[float], *, peer: str = "torch", prefix: str = "N", **changes: Any
) -> tuple[list[Item], list[Any], list[Any]]:
    """Return items, checks and timings with these ratios of a peer's time to ours."""
    items = [item(f"{prefix}{number}", **changes) for number in range(len(ratios))]
    checks = [check(one) for one in items]
    timings = [timing(one, 1e-3) for one in items]
    timings += [timing(one, 1e-3 * ratio, peer) for one, ratio in zip(items, ratios, strict=True)]
    return items, checks, timings


def report_of(ratios: Sequence[float], **changes: Any) -> Report:
    items, checks, timings = measured(ratios, **changes)
    return make_report(results(items, checks=checks, timings=timings))


def against(report: Report, peer: str = "torch", choice: str = "top-1") -> PeerFigures:
    return peer_figures(report.items, peer, choice)


def goal(report: Report, words: str) -> Goal:
    (found,) = [one for one in report.goals if words in one.goal]
    return found


def test_shares_means_and_the_worst() -> None:
    figures = against(report_of([0.5, 0.909, 1 / 1.1, 1.0, 2.0, 4.0, 0.25]))
    assert (figures.n, figures.within, figures.failed) == (7, 4, 0)
    assert figures.share == pytest.approx(4 / 7)
    assert figures.geometric_mean == pytest.approx((0.5 * 0.909 / 1.1 * 2 * 4 * 0.25) ** (1 / 7))
    assert figures.median == pytest.approx(1 / 1.1)
    assert [(one.id, pytest.approx(one.value)) for one in figures.worst[:2]] == [
        ("roller119/N6/f32", 0.25),
        ("roller119/N0/f32", 0.5),
    ]
    assert len(figures.worst) == 5


def test_rows_that_are_the_same_kernel_count_once_and_are_told() -> None:
    items, checks, timings = measured([2.0, 0.5])
    items[0] = replace(items[0], same_as=("S1", "S2", "S3"))
    report = make_report(results(items, checks=checks, timings=timings))
    figures = against(report)
    assert (figures.n, figures.rows, figures.share, figures.rows_share) == (2, 5, 0.5, 0.8)
    assert "for 5 of the 119 rows; by rows 80.0 %" in goal(report, "f32, top-1").detail


def test_what_is_wrong_is_no_speed_and_counts_against_us() -> None:
    items, checks, timings = measured([2.0, 2.0, 2.0, 2.0])
    checks[1] = check(items[1], ok=False, error=40.0)
    checks[2] = check(items[2], ok=False, error=None, message="hung")
    report = make_report(results(items, checks=checks, timings=timings))
    assert [one.state for one in report.items] == ["right", "wrong", "failed", "right"]
    assert report.items[1].top1_s is None and report.items[1].top1_ratio == {}
    figures = against(report)
    assert (figures.n, figures.failed, figures.within, figures.share) == (4, 2, 2, 0.5)
    assert figures.geometric_mean == pytest.approx(2.0)
    assert [(one.item, one.error, one.message) for one in report.failures] == [
        (items[1].id, 40.0, ""),
        (items[2].id, None, "hung"),
    ]


def test_a_wrong_kernel_counts_against_us_though_the_runner_left_out_the_library() -> None:
    items, checks, timings = measured([2.0, 2.0])
    checks[1] = check(items[1], ok=False)
    kept = [one for one in timings if one.item == items[0].id]
    figures = against(make_report(results(items, checks=checks, timings=kept)))
    assert (figures.n, figures.failed, figures.share) == (2, 1, 0.5)


def test_a_wrong_peer_is_no_peer() -> None:
    items, checks, timings = measured([2.0, 3.0])
    checks.append(check(items[0], who="torch", ok=False, error=9.0))
    report = make_report(results(items, checks=checks, timings=timings))
    assert against(report).n == 1 and report.items[0].peers == {}
    assert [one.who for one in report.failures] == ["torch"]


def race(*, first: dict[int, float], torch: float, second: dict[int, float], **changes: Any) -> Results:
    """Return results of one item: medians of our candidates in both rounds, and of torch in the first."""
    one = item("R", predicted=changes.pop("predicted", tuple(1e-3 for _ in range(4))))
    wrong: Sequence[int] = changes.pop("wrong", ())
    timings = [timing(one, seconds, rank=rank) for rank, seconds in first.items()]
    timings += [timing(one, seconds, rank=rank, note="top-k") for rank, seconds in second.items()]
    timings.append(timing(one, torch, "torch"))
    checks = [check(one, rank=rank, ok=rank not in wrong) for rank in range(4)]
    return results([one], checks=checks, timings=timings, **changes)


def test_the_best_candidate_is_its_gain_times_the_ratio_of_the_first() -> None:
    report = make_report(race(first={0: 2.0}, torch=3.0, second={0: 2.4, 1: 1.2, 2: 1.6, 3: 4.8}))
    (one,) = report.items
    assert (one.best_rank, one.gain, one.best_s, one.timed) == (1, 2.0, 1.0, 4)
    assert one.top1_ratio == {"torch": 1.5} and one.best_ratio == {"torch": 3.0}
    assert report.prediction.won == ((1, 1),) and report.prediction.gain == pytest.approx(2.0)


def test_the_gain_is_that_of_the_rounds_after_the_best_was_chosen() -> None:
    made = race(first={0: 1.0}, torch=0.9, second={0: 1.0, 1: 0.8, 2: 0.9})
    one = made.kit.items[0].id
    again = (timing(one, 1.0, note="top-k; again"), timing(one, 1.25, rank=1, note="top-k; again"))
    (figures,) = make_report(replace(made, timings=(*made.timings, *again))).items
    assert figures.best_rank == 1 and figures.timed == 3
    assert figures.gain == pytest.approx(0.8) and figures.best_ratio["torch"] == pytest.approx(0.9 * 0.8)
    # Of one that was not chosen they say nothing.
    other = (again[0], replace(again[1], rank=2))
    (figures,) = make_report(replace(made, timings=(*made.timings, *other))).items
    assert figures.gain == pytest.approx(1.25)


def test_a_wrong_candidate_never_wins() -> None:
    (one,) = make_report(race(first={0: 2.0}, torch=3.0, second={0: 2.0, 1: 1e-9, 2: 1.0}, wrong=(1,))).items
    assert (one.best_rank, one.gain, one.timed) == (2, 2.0, 2)


def test_where_only_the_first_was_timed_the_best_is_not_known_unless_all_others_are_wrong() -> None:
    (one,) = make_report(race(first={0: 2.0}, torch=3.0, second={})).items
    assert one.top1_ratio == {"torch": 1.5} and one.best_ratio == {} and one.best_s is None
    (one,) = make_report(race(first={0: 2.0}, torch=3.0, second={}, wrong=(1, 2, 3))).items
    assert one.best_ratio == {"torch": 1.5} and one.best_rank == 0


def test_where_the_first_is_wrong_the_best_is_compared_within_its_round() -> None:
    made = race(first={}, torch=3.0, second={1: 2.0, 2: 1.0}, wrong=(0,))
    anchored = replace(made, timings=(*made.timings, timing("roller119/R/f32", 1.5, "torch", note="top-k")))
    (alone,), (one,) = make_report(made).items, make_report(anchored).items
    assert alone.best_ratio == {} and one.best_ratio == {"torch": 1.5} and one.top1_ratio == {}
    assert against(make_report(anchored), choice="top-1").failed == 1
    assert against(make_report(anchored), choice="best").failed == 0


def test_the_best_is_lost_only_when_every_candidate_is() -> None:
    def best(wrong: Sequence[int], checked: int) -> PeerFigures:
        made = race(first={}, torch=3.0, second={}, wrong=wrong)
        report = make_report(replace(made, checks=made.checks[:checked]))
        assert against(report, choice="top-1").failed == 1
        return against(report, choice="best")

    assert best((0,), 1).n == 0 and best((0, 1, 2), 4).n == 0
    assert (best((0, 1, 2, 3), 4).n, best((0, 1, 2, 3), 4).failed) == (1, 1)


def test_the_first_candidate_need_not_have_rank_0() -> None:
    one = item("A", predicted=(1e-3, 2e-3))
    one = replace(one, candidates=tuple(replace(c, rank=c.rank + 3) for c in one.candidates))
    timings = [timing(one, 1e-3, rank=3), timing(one, 2e-3, "torch")]
    timings += [timing(one, 1e-3, rank=3, note="top-k"), timing(one, 5e-4, rank=4, note="top-k")]
    report = make_report(results([one], checks=[check(one, rank=3), check(one, rank=4)], timings=timings))
    (found,) = report.items
    assert (found.top1_rank, found.state, found.best_rank) == (3, "right", 4)
    assert found.top1_ratio == {"torch": 2.0} and found.best_ratio == {"torch": 4.0}
    assert report.missing.candidates == 0


def test_what_was_compared_with_itself_only_is_not_checked() -> None:
    one = item("A")
    report = make_report(results([one], checks=[check(one, against=ITSELF, error=None)], timings=[timing(one, 1e-3)]))
    assert report.items[0].state == "unchecked" and report.missing.unchecked == (one.id,)
    assert report.items[0].top1_s == 1e-3


@pytest.mark.parametrize("seconds", [0.0, -1e-3, nan, float("inf")])
def test_what_is_no_time_is_left_out_and_told(seconds: float) -> None:
    items, checks, timings = measured([2.0, 3.0])
    timings[0] = timing(items[0], seconds)
    report = make_report(results(items, checks=checks, timings=timings))
    assert len(report.unusable) == 1 and items[0].id in report.unusable[0]
    assert against(report).n == 1 and report.missing.untimed == (items[0].id,)


def test_ranks_and_correlations_by_hand() -> None:
    assert ranks([3.0, 1.0, 3.0, 3.0, 2.0]) == [4.0, 1.0, 4.0, 4.0, 2.0]
    # Without ties: 1 - 6 sum d^2 / (n (n^2 - 1)), d = (0, 1, -1, 1, -1).
    assert spearman([1, 2, 3, 4, 5], [1, 3, 2, 5, 4]) == pytest.approx(1 - 6 * 4 / (5 * 24))
    # Ties: ranks (1, 2.5, 2.5, 4) and (1, 2, 3, 4); Pearson's of these is 4.5 / sqrt(4.5 * 5).
    assert spearman([1, 2, 2, 3], [10, 20, 30, 40]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert spearman([1, 2], [1, 2]) is None and spearman([2, 2, 2], [1, 2, 3]) is None
    assert spearman([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)
    assert geometric_mean([]) is None and quantile([], 0.5) is None
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.1) == pytest.approx(1.3)


def test_predictions_beside_times() -> None:
    predicted, seconds = [1e-3, 2e-3, 3e-3, 4e-3, 5e-3], [1.1e-3, 3e-3, 2e-3, 9e-3, 5e-3]
    items = [item(f"P{n}", predicted=(guess,)) for n, guess in enumerate(predicted)]
    items.append(item("none", predicted=(None,)))
    items.append(item("zero", predicted=(0.0,)))
    timings = [timing(one, time) for one, time in zip(items, [*seconds, 1e-3, 1e-3], strict=True)]
    figures = make_report(results(items, timings=timings)).prediction
    assert figures.n == 5
    assert figures.spearman == pytest.approx(1 - 6 * 4 / (5 * 24))
    assert figures.error_median == pytest.approx(1.1)
    assert figures.within_quarter == pytest.approx(2 / 5) and figures.within_twice == pytest.approx(4 / 5)
    assert (figures.worst[0].id, figures.worst[0].value) == ("roller119/P3/f32", pytest.approx(2.25))
    assert {one.id for one in figures.worst[1:3]} == {"roller119/P1/f32", "roller119/P2/f32"}


def test_correlation_among_the_candidates_of_each_item() -> None:
    one, two = item("A", predicted=(1, 2, 3)), item("B", predicted=(1, 2, 3))
    three = item("C", predicted=(1, 2))
    orders = [(one, (1.0, 2.0, 3.0)), (two, (3.0, 2.0, 1.0)), (three, (1.0, 2.0))]
    timings = [timing(of, s, rank=rank, note="top-k") for of, order in orders for rank, s in enumerate(order)]
    report = make_report(results([one, two, three], timings=timings))
    assert [i.within for i in report.items] == [pytest.approx(1.0), pytest.approx(-1.0), None]
    assert (report.prediction.within_n, report.prediction.within_candidates) == (2, 6)
    assert report.prediction.within_median == pytest.approx(0.0)
    assert report.prediction.won == ((0, 2), (2, 1)) and report.prediction.gain == pytest.approx(3 ** (1 / 3))


def test_a_thousand_random_ratios_against_a_second_sum() -> None:
    draw = random.Random(3)
    ratios = [exp(draw.gauss(0, 0.5)) for _ in range(1000)]
    figures = against(report_of(ratios))
    assert figures.within == sum(ratio >= 1 / 1.1 for ratio in ratios)
    assert figures.geometric_mean == pytest.approx(exp(sum(map(log, ratios)) / 1000))


def whole(ratios: Sequence[float], **changes: Any) -> Report:
    """Return a report of a suite of 119 rows: what is not given has a ratio of 0.1."""
    return report_of([*ratios, *[0.1] * (119 - len(ratios))], **changes)


@pytest.mark.parametrize(
    ("good", "verdicts"),
    [(119, ("reached", "reached")), (102, ("reached", "reached")), (101, ("reached", "missed")), (71, ("missed",) * 2)],
)
def test_shares_of_the_119_are_judged(good: int, verdicts: tuple[str, str]) -> None:
    report = whole([1.0] * good)
    found = goal(report, "f32, top-1"), goal(report, "f32, best of the top 10")
    assert tuple(one.verdict for one in found) == verdicts
    assert found[0].value == pytest.approx(good / 119) and found[0].missing == 0


def test_what_is_missing_leaves_a_goal_open_only_where_it_can_turn_it() -> None:
    items, checks, timings = measured([1.0] * 119)

    def top1(count: int, **parts: Any) -> Goal:
        kept = [one for one in timings if int(one.item.split("/")[1][1:]) < count]
        return goal(make_report(results(items, checks=checks, timings=kept, complete=False, **parts)), "f32, top-1")

    assert (top1(80).verdict, top1(80).n, top1(80).missing) == ("reached", 80, 39)
    assert top1(71).verdict == "open"
    assert goal(report_of([1.0] * 60), "f32, top-1").verdict == "open"
    assert goal(report_of([0.1] * 48), "f32, top-1").verdict == "missed"
    skipped = tuple(Skipped(id=f"roller119/X{n}/f32", reason="too large") for n in range(10))
    lacking = goal(make_report(results(items[:109], timings=timings, kit={"skipped": skipped})), "f32, top-1")
    assert (lacking.n, lacking.value) == (119, pytest.approx(109 / 119)) and "10 not compiled" in lacking.detail


def test_the_119_may_stand_behind_kernels_of_other_suites() -> None:
    items, checks, timings = measured([1.0], suite="gemm")
    items[0] = replace(items[0], same_as=("roller119/M0/f32", "G7"))
    assert goal(make_report(results(items, checks=checks, timings=timings)), "f32, top-1").n == 1


def test_f16_products_and_spearman_are_judged() -> None:
    report = report_of([0.9, 0.72], dtype="f16")
    found = goal(report, "f16 matrix products, top-1")
    assert found.value == pytest.approx((0.9 * 0.72) ** 0.5) and found.verdict == "reached"
    assert "1 of 2 reach it each, the least 72.0 %" in found.detail
    assert goal(report_of([0.7, 0.8], dtype="f16"), "f16 matrix products, top-1").verdict == "missed"
    assert goal(report_of([0.9], dtype="f16", kind="relu"), "f16 matrix products, top-1").verdict == "not measured"
    assert goal(make_report(many(30)), "Spearman").verdict == "reached"
    partial = many(30)
    left = tuple(one for one in partial.timings if one.item != partial.kit.items[0].id)
    assert goal(make_report(replace(partial, timings=left)), "Spearman").verdict == "open"


def test_the_goal_of_ten_looks_at_ten_candidates_only() -> None:
    one = item("A", predicted=(1e-3,) * 12)
    timings = [timing(one, 1.0), timing(one, 1.0, "torch")]
    timings += [timing(one, 0.1 if rank == 11 else 1.0, rank=rank, note="top-k") for rank in range(12)]
    report = make_report(results([one], timings=timings))
    assert against(report, choice="best").geometric_mean == pytest.approx(10.0)
    assert report.items[0].best_rank == 11 and goal(report, "best of the top 10: within").value == 1.0
    slow = [replace(t, median_s=2.0) if t.who == "ours" and t.rank < 10 else t for t in timings]
    assert goal(make_report(results([one], timings=slow)), "best of the top 10: within").value == 0.0


def test_a_dry_run_judges_nothing_and_has_no_rates() -> None:
    report = make_report(many(30, machine={"back_end": "sim"}))
    assert report.dry_run and {one.verdict for one in report.goals} == {"not judged"}
    assert all(one.value is None for one in (*report.goals, *report.probes))
    assert all(one.flops_per_s is None and one.bytes_per_s is None for one in report.items) and not report.published


def test_both_rounds_of_a_dry_run_are_told_apart() -> None:
    one, dry = item("A", predicted=(1e-3, 2e-3)), "dry run: wall time of the simulator"
    timings = [timing(one, 2.0, note=dry), timing(one, 6.0, "numpy", note=dry)]
    timings += [timing(one, 1.0, note=f"{dry}; top-k"), timing(one, 0.5, rank=1, note=f"{dry}; top-k")]
    (found,) = make_report(results([one], timings=timings, machine={"back_end": "sim"})).items
    assert (found.top1_s, found.gain, found.top1_ratio, found.best_ratio) == (2.0, 2.0, {"numpy": 3.0}, {"numpy": 6.0})


def ways() -> Results:
    """Return an item in three ways, of which one is wrong."""
    one = item("G", predicted=(1e-3, 1e-3, 1e-3))
    names = ("persistent", "launches", "graph")
    named = [replace(its, way=way, graph=way == "graph") for its, way in zip(one.candidates, names, strict=True)]
    one = replace(one, candidates=tuple(named))
    timings = [timing(one, 1.0, note="top-k"), timing(one, 4.0, rank=1, note="top-k")]
    timings += [timing(one, 0.5, note="caches warm"), timing(one, 3.0), timing(one, 9.0, note="99 launches in a row")]
    return results([one], timings=timings, checks=[check(one), check(one, rank=1), check(one, rank=2, ok=False)])


def test_ways_to_launch_are_beside_each_other() -> None:
    report = make_report(ways())
    assert [(one.way, one.wrong, one.median_s, one.warm_s, one.many_s) for one in report.ways] == [
        ("persistent", False, 1.0, 0.5, 9.0),
        ("launches", False, 4.0, None, None),
        ("graph", True, None, None, None),
    ]
    assert report.items[0].top1_s == 3.0  # and not that of many in a row
    shown = markdown(document_of(report), {})
    assert "| kernel | caches | persistent | launches | graph | launches / persistent | graph / persistent |" in shown
    assert "| roller119/G/f32 | cleared | 1 s | 4 s | wrong | 4.00 | - |" in shown
    assert "| roller119/G/f32 | many in a row | 9 s | - | wrong | - | - |" in shown
    assert "Not timed" not in shown


def test_graphs_have_no_time_in_the_simulator_and_miss_none() -> None:
    made = ways()
    right = replace(made, checks=tuple(replace(one, ok=True) for one in made.checks))
    assert make_report(right).missing.candidates == 1
    report = make_report(replace(right, machine=replace(right.machine, back_end="sim")))
    assert report.missing.candidates == 0 and [one.timeless for one in report.ways] == [False, False, True]
    assert "Not timed: graph; the simulator has no graphs of launches" in markdown(document_of(report), {})


def test_probes_are_net_of_their_base() -> None:
    probes = (
        Probe(name="b", quantity="bandwidth", subject="global", artifact="p", work=1e6),
        Probe(name="read", quantity="bandwidth", subject="global", artifact="p", work=5e6, baseline="b"),
        Probe(name="chase", quantity="latency", subject="l2", artifact="p", work=1000.0),
        Probe(name="odd", quantity="latency", subject="l2", artifact="p", work=10.0, baseline="absent"),
        Probe(name="new", quantity="colour", subject="l2", artifact="p", work=10.0),
    )
    found = [("b", 1e-6), ("read", 3e-6), ("chase", 2e-4), ("odd", 1e-6), ("new", 1e-6)]
    timings: list[Timing] = [timing(name, seconds, "probe") for name, seconds in found]
    report = make_report(results([], timings=timings, kit={"probes": probes}))
    assert [one.value for one in report.probes] == [None, pytest.approx(2e12), pytest.approx(2e-7), None, None]


def test_what_is_missing_is_named() -> None:
    one, two, three = item("A", predicted=(1e-3, 1e-3)), item("B"), item("C")
    trouble = Trouble(item=three.id, who="ours", message="cannot be loaded")
    made = results([one, two, three], checks=[check(one)], timings=[timing(one, 1e-3)], troubles=[trouble])
    report = make_report(replace(made, complete=False))
    assert [i.state for i in report.items] == ["right", "missing", "failed"]
    assert report.missing.unchecked == report.missing.untimed == (two.id,)
    assert report.missing.candidates == 1 and not report.complete


def test_groups_are_suites_element_types_and_classes() -> None:
    items = [item("A"), item("B", kind="relu"), item("A", dtype="f16"), item("e", suite="examples")]
    report = make_report(results(items, timings=[timing(one, 1e-3) for one in items]))
    assert [(g.suite, g.dtype, g.kind, g.items, g.timed) for g in report.groups] == [
        ("roller119", "f32", "all", 2, 2),
        ("roller119", "f32", "matmul", 1, 1),
        ("roller119", "f32", "relu", 1, 1),
        ("roller119", "f16", "matmul", 1, 1),
        ("examples", "f32", "matmul", 1, 1),
    ]


def test_an_empty_kit_gives_a_report() -> None:
    report = make_report(results([]))
    assert report.items == () and report.groups == () and {g.verdict for g in report.goals} == {"not measured"}
