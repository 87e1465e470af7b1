# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The goals that the project has set itself, judged by what was measured; what is missing leaves a goal open."""

from collections.abc import Sequence
from dataclasses import replace

from roller_mlir.evaluation.measure.records import Skipped
from roller_mlir.evaluation.measure.report.figures import VENDOR, ItemFigures, PredictionFigures
from roller_mlir.evaluation.measure.report.groups import BEST, TOP1, lost, peer_figures, ratio_of
from roller_mlir.evaluation.measure.report.records import Goal, Verdict
from roller_mlir.evaluation.measure.report.statistics import geometric_mean

THE_119 = "roller119"
TOP1_SHARE, TOP10_SHARE, F16_SHARE, LEAST_SPEARMAN = 0.60, 0.85, 0.80, 0.95
_PRODUCTS = ("matmul", "batch_matmul")
_TEN = 10
_ROWS = 119


def judge(
    items: Sequence[ItemFigures],
    ten: Sequence[ItemFigures],
    skipped: Sequence[Skipped],
    prediction: PredictionFigures,
    *,
    dry_run: bool,
) -> tuple[Goal, ...]:
    """Return the goals.

    Args:
        items: All.
        ten: The same, of the first ten candidates of each.
        skipped: What the kit lacks: of the 119 it counts as not within.
        prediction: Over all items.
        dry_run: Whether the times are the simulator's: then no goal is judged.
    """
    goals: list[Goal] = []
    lacking = [one.id for one in skipped if one.id.startswith(f"{THE_119}/") and one.id.endswith("/f32")]
    for choice, source, needed in ((TOP1, items, TOP1_SHARE), (BEST, ten, TOP10_SHARE)):
        of_suite = [item for item in source if item.dtype == "f32" and rows_of(item, THE_119)]
        goals.append(_within(of_suite, len(lacking), choice, needed))
    products = [[i for i in source if i.kind in _PRODUCTS and i.dtype == "f16"] for source in (items, ten)]
    goals.extend(_products(of, choice) for of, choice in zip(products, (TOP1, BEST), strict=True))
    goals.append(_spearman(items, prediction))
    if dry_run:
        detail = "a dry run: seconds of the simulator"
        return tuple(replace(goal, value=None, detail=detail, verdict="not judged") for goal in goals)
    return tuple(goals)


def rows_of(item: ItemFigures, suite: str) -> int:
    """Return for how many rows of a suite an item stands, itself or as the same kernel."""
    own = item.suite == suite
    return own + sum(name.startswith(f"{suite}/") or (own and "/" not in name) for name in item.same_as)


def _named(choice: str) -> str:
    return "top-1, nothing measured" if choice == TOP1 else f"best of the top {_TEN}"


def _within(items: Sequence[ItemFigures], lacking: int, choice: str, needed: float) -> Goal:
    figures = peer_figures(items, VENDOR, choice)
    n = figures.n + lacking
    rows = sum(rows_of(item, THE_119) for item in items) + lacking
    beyond = max(0, _ROWS - rows)
    missing = len(items) - figures.n + beyond
    value = figures.within / n if n else None
    detail = [f"{figures.within} of {n} kernels; the kit has {len(items)}, for {rows} of the {_ROWS} rows"]
    if figures.rows_share is not None and figures.rows != figures.n:
        detail.append(f"by rows {100 * figures.rows_share:.1f} %")
    if figures.failed or lacking:
        detail.append(f"{figures.failed} without a right result and {lacking} not compiled count as not within")
    return Goal(
        goal=f"{THE_119}, f32, {_named(choice)}: within 10 % of {VENDOR} on at least {100 * needed:.0f} %",
        needed=needed,
        value=value,
        n=n,
        missing=missing,
        detail="; ".join(detail) if rows else "none of it is in this kit",
        verdict=_verdict(figures.within, n, missing, needed),
    )


def _verdict(within: int, n: int, missing: int, needed: float) -> Verdict:
    """Judge a share of which some items are missing: open where they can still turn it.

    >>> _verdict(60, 100, 0, 0.6), _verdict(59, 100, 0, 0.6), _verdict(59, 99, 1, 0.6), _verdict(80, 100, 19, 0.6)
    ('reached', 'missed', 'open', 'reached')
    """
    if n == 0:
        return "not measured"
    asked = needed * (n + missing) - 1e-9
    if within >= asked:
        return "reached"
    return "missed" if within + missing < asked else "open"


def _products(items: Sequence[ItemFigures], choice: str) -> Goal:
    ratios = [ratio for item in items if (ratio := ratio_of(item, VENDOR, choice)) is not None]
    failed = sum(lost(item, VENDOR, choice) for item in items)
    missing = len(items) - len(ratios) - failed
    value = geometric_mean(ratios)
    detail: list[str] = []
    if ratios:
        reach = sum(ratio >= F16_SHARE for ratio in ratios)
        detail.append(f"geometric mean; {reach} of {len(ratios)} reach it each, the least {100 * min(ratios):.1f} %")
    if failed:
        detail.append(f"{failed} without a right result")
    verdict: Verdict = "not measured"
    if failed or value is not None:
        verdict = "missed" if failed else "open" if missing else "reached" if (value or 0) >= F16_SHARE else "missed"
    return Goal(
        goal=f"f16 matrix products, {_named(choice)}: at least {100 * F16_SHARE:.0f} % of the speed of {VENDOR}",
        needed=F16_SHARE,
        value=value,
        n=len(ratios) + failed,
        missing=missing,
        detail="; ".join(detail) if items else "none is in this kit",
        verdict=verdict,
    )


def _spearman(items: Sequence[ItemFigures], prediction: PredictionFigures) -> Goal:
    waiting = [item for item in items if item.state not in ("wrong", "failed")]
    missing = sum(item.predicted_s is not None and item.top1_s is None for item in waiting)
    value = prediction.spearman
    verdict: Verdict = "not measured"
    if value is not None:
        verdict = "open" if missing else "reached" if value >= LEAST_SPEARMAN else "missed"
    return Goal(
        goal=f"prediction against measurement of top-1: Spearman's correlation at least {LEAST_SPEARMAN}",
        needed=LEAST_SPEARMAN,
        value=value,
        n=prediction.n,
        missing=missing,
        detail="over all kernels with both",
        verdict=verdict,
    )
