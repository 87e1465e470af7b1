# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transactions that were counted, beside those that the plan predicts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roller_mlir.evaluation.suites.stages.counted import QUANTITIES, summed
from roller_mlir.plan.plan import Prediction
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.sequence import AccessCount, LaunchReport

_ESTIMATE = " (planned is an estimate where rows are not aligned, and the most where elements are gathered)"


class CountRow(NamedTuple):
    """One quantity of one launch: what was counted, and what the plan says.

    Attributes:
        kernel: Its name.
        quantity: What was counted.
        counted: By the simulator.
        planned: By the plan; None without one.
        estimated: Whether the plan moves the very bytes, and is only an estimate of this other quantity. It counts
            sectors and bank phases from the extents of tiles, which is exact where their rows begin at the boundary of
            a sector or vector, and not where they do not.
    """

    kernel: str
    quantity: str
    counted: int
    planned: int | None
    estimated: bool = False

    def cells(self) -> Sequence[str]:
        """Return the row as text, with a verdict."""
        if self.planned is None:
            verdict, planned = "", "-"
        else:
            planned = f"{self.planned:,}"
            verdict = "equal" if self.counted == self.planned else f"differs by {self.counted - self.planned:+,}"
            verdict += _ESTIMATE if self.estimated else ""
        return (self.kernel, self.quantity, f"{self.counted:,}", planned, verdict)


def count_rows(artifact: Artifact, report: LaunchReport) -> Iterator[CountRow]:
    """Yield the quantities of a launch that was counted; other figures than bytes are estimates if all bytes are equal.

    Args:
        artifact: Whose plan predicts.
        report: Of the launch.
    """
    if report.counts is None:
        return
    plan = artifact.manifest.kernel(report.kernel).plan
    prediction: Prediction | None = plan.prediction if plan else None
    rows: list[CountRow] = []
    for kind, space, figure, name in QUANTITIES:
        counted = summed(report.counts, kind, space, figure)
        planned = getattr(prediction, name) if prediction is not None else None
        if counted or planned:
            rows.append(CountRow(report.kernel, f"{space} {kind} {figure}", counted, planned))
    differing = {row.quantity for row in rows if row.planned is not None and row.counted != row.planned}
    exact = not any(quantity.endswith("bytes") for quantity in differing)
    for row in rows:
        yield row._replace(estimated=row.quantity in differing) if exact else row


def site_rows(report: LaunchReport) -> Iterator[Sequence[str]]:
    """Yield a row per access site of a launch."""
    for count in report.counts or ():
        yield (report.kernel, *_site_cells(count))


def _site_cells(count: AccessCount) -> Sequence[str]:
    space_is_global = count.space == "global"
    return (
        count.site,
        count.space,
        f"{count.accesses:,}",
        f"{count.bytes:,}",
        f"{count.sectors:,}" if space_is_global else "-",
        "-" if space_is_global else f"{count.phases:,}",
        f"{count.ideal:,}",
    )
