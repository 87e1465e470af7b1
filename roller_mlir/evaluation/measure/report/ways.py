# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of functions that can be launched in several ways, all of which were timed in the same rounds."""

from dataclasses import dataclass

from roller_mlir.evaluation.measure.records import Results
from roller_mlir.evaluation.measure.report.items import FOURTH, MANY, SECOND, Tally
from roller_mlir.evaluation.measure.runner.steps import has_time


@dataclass(frozen=True, kw_only=True)
class WayFigures:
    """One way to launch one item.

    Attributes:
        item: Id of the item.
        way: Its name.
        rank: Of the candidate.
        wrong: Whether it was tried and gave no right result.
        timeless: Whether it has no time there by its nature: of graphs of launches in the simulator.
        median_s: Median time with cleared caches, in the same rounds as the item's other ways.
        warm_s: The same right after itself, with caches as it leaves them.
        many_s: Of one of many launches in a row without a wait, the host's part included.
    """

    item: str
    way: str
    rank: int
    wrong: bool
    timeless: bool
    median_s: float | None
    warm_s: float | None
    many_s: float | None


def way_figures(results: Results, tally: Tally) -> tuple[WayFigures, ...]:
    """Return the figures of all ways, item by item in the order of their ranks."""
    return tuple(
        WayFigures(
            item=item.id,
            way=one.way,
            rank=one.rank,
            wrong=tally.refused(item.id, one.rank),
            timeless=not has_time(one, results.machine.back_end),
            median_s=tally.time(item.id, "ours", one.rank, SECOND),
            warm_s=tally.time(item.id, "ours", one.rank, FOURTH),
            many_s=tally.time(item.id, "ours", one.rank, MANY),
        )
        for item in results.kit.items
        if item.has_ways
        for one in item.candidates
    )
