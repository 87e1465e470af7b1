# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From results to a report: what is wrong, what was compared with what, and the figures of what was timed."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from roller_mlir.evaluation.measure.calibration.figures import PER_WORK
from roller_mlir.evaluation.measure.records import Check, Probe, Results
from roller_mlir.evaluation.measure.report.figures import VENDOR, ItemFigures
from roller_mlir.evaluation.measure.report.goals import judge
from roller_mlir.evaluation.measure.report.groups import group_figures, prediction_figures, published_figures
from roller_mlir.evaluation.measure.report.items import FIRST, Tally, item_figures, tally_results, usable
from roller_mlir.evaluation.measure.report.records import Checked, FailedResult, Missing, ProbeFigures, Report
from roller_mlir.evaluation.measure.report.results_file import commands_of, merge_results
from roller_mlir.evaluation.measure.report.ways import way_figures
from roller_mlir.evaluation.measure.runner.steps import has_time

_GOAL_CANDIDATES = 10
_PER_SECOND = {"bandwidth": "B/s", "flops": "flop/s", "atomics": "op/s", "clock": "Hz"}
_SECONDS_PER: dict[str, str] = dict.fromkeys(PER_WORK, "s")


def make_report(results: Results) -> Report:
    """Return the report of results.

    Args:
        results: Of one kit and machine, see `results_file.read_merged`.
    """
    results = merge_results([("results", results)])  # the last record of each measurement
    dry_run = results.machine.back_end == "sim"
    tally = tally_results(results)
    items = [item_figures(item, tally, dry_run=dry_run) for item in results.kit.items]
    prediction = prediction_figures(items)
    ten = items
    if any(item.candidates > _GOAL_CANDIDATES for item in items):
        ten = [item_figures(item, tally, dry_run=dry_run, most=_GOAL_CANDIDATES) for item in results.kit.items]
    probes = tuple(_probe(probe, results.kit.probes, tally, dry_run=dry_run) for probe in results.kit.probes)
    return Report(
        dry_run=dry_run,
        machine=results.machine,
        runs=tuple(commands_of(results.machine)),
        kit=replace(results.kit, items=(), probes=(), skipped=()),
        complete=results.complete,
        items=tuple(items),
        failures=tuple(_failure(check) for check in results.checks if not check.ok),
        troubles=results.troubles,
        refused=tuple(f"{check.item} {check.rank}" for check in results.checks if check.note),
        refusal=next((check.note for check in results.checks if check.note), ""),
        lost=results.lost,
        left_out=_left_out(results),
        unusable=tuple(tally.unusable),
        skipped=results.kit.skipped,
        missing=_missing(items, tally, results, probes),
        checked=_checked(results.checks),
        goals=judge(items, ten, results.kit.skipped, prediction, dry_run=dry_run),
        groups=group_figures(items),
        prediction=prediction,
        published=() if dry_run else published_figures(items),
        probes=probes,
        ways=way_figures(results, tally),
        notes=dict(sorted(tally.notes.items())),
    )


def _left_out(results: Results) -> tuple[str, ...]:
    lost, checked = {one.family for one in results.lost}, {(check.item, check.rank) for check in results.checks}
    return tuple(
        f"{item.id} {one.rank}"
        for item in results.kit.items
        for one in item.candidates
        if one.family in lost and (item.id, one.rank) not in checked
    )


def _failure(check: Check) -> FailedResult:
    return FailedResult(
        item=check.item, who=check.who, rank=check.rank, against=check.against, error=check.error, message=check.message
    )


def _checked(checks: Sequence[Check]) -> tuple[Checked, ...]:
    groups: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        groups.setdefault((check.who, check.against), []).append(check)
    found: list[Checked] = []
    for (who, against), members in sorted(groups.items(), key=lambda pair: (pair[0][0] != "ours", pair[0])):
        errors = [one.error for one in members if one.ok and one.error is not None and isfinite(one.error)]
        right = sum(one.ok for one in members)
        largest = max(errors, default=None)
        found.append(Checked(who=who, against=against, n=len(members), right=right, largest_error=largest))
    return tuple(found)


def _missing(items: Sequence[ItemFigures], tally: Tally, results: Results, probes: Sequence[ProbeFigures]) -> Missing:
    left = 0
    for item, figures in zip(results.kit.items, items, strict=True):
        for one in item.candidates:
            timed = (item.id, "ours", one.rank) in tally.times
            known = timed or tally.refused(item.id, one.rank) or not has_time(one, results.machine.back_end)
            left += one.rank != figures.top1_rank and not known
    vendor = any(VENDOR in item.peers for item in items)
    return Missing(
        unchecked=tuple(item.id for item in items if item.state in ("unchecked", "missing")),
        untimed=tuple(item.id for item in items if item.top1_s is None and item.state not in ("wrong", "failed")),
        without_vendor=tuple(i.id for i in items if vendor and i.top1_s is not None and VENDOR not in i.peers),
        candidates=left,
        probes=tuple(probe.name for probe in probes if probe.median_s is None),
    )


def _probe(probe: Probe, probes: Sequence[Probe], tally: Tally, *, dry_run: bool) -> ProbeFigures:
    timing = tally.times.get((probe.name, "probe", 0), {}).get(FIRST)
    base = next((one for one in probes if one.name == probe.baseline), None) if probe.baseline else None
    base_s = tally.time(base.name, "probe", 0, FIRST) if base is not None else None
    work = probe.work - (base.work if base is not None else 0.0)
    value, unit = None, _PER_SECOND.get(probe.quantity) or _SECONDS_PER.get(probe.quantity, "")
    known = timing is not None and (not probe.baseline or base_s is not None) and unit and not dry_run
    known = known and not any(one.baseline == probe.name for one in probes)
    if known and timing is not None:
        net = timing.median_s - (base_s or 0.0)
        if usable(net) and isfinite(work) and work > 0:
            value = work / net if probe.quantity in _PER_SECOND else net / work
    return ProbeFigures(
        name=probe.name,
        quantity=probe.quantity,
        subject=probe.subject,
        size_bytes=probe.size_bytes,
        work=work,
        median_s=timing.median_s if timing is not None else None,
        p10_s=timing.p10_s if timing is not None and isfinite(timing.p10_s) else None,
        p90_s=timing.p90_s if timing is not None and isfinite(timing.p90_s) else None,
        baseline=probe.baseline,
        value=value,
        unit=unit,
    )
