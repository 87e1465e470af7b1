# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transactions that the simulator counted beside those that a plan predicts, and how far apart they are."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from roller_mlir.runtime import Artifact
from roller_mlir.runtime.sequence import AccessCount, LaunchReport

QUANTITIES = (
    ("load", "global", "bytes", "global_load_bytes"),
    ("store", "global", "bytes", "global_store_bytes"),
    ("load", "global", "sectors", "global_load_sectors"),
    ("store", "global", "sectors", "global_store_sectors"),
    ("load", "workgroup", "bytes", "shared_load_bytes"),
    ("store", "workgroup", "bytes", "shared_store_bytes"),
    ("load", "workgroup", "phases", "shared_load_phases"),
    ("store", "workgroup", "phases", "shared_store_phases"),
)
"""Kind of access, space, figure of the counts, and field of the prediction of what is compared."""
_ENOUGH = 64


class Counted(NamedTuple):
    """One quantity of one kernel.

    Attributes:
        kernel: Its name.
        quantity: Field of `Prediction`.
        counted: By the simulator.
        planned: By the plan.
    """

    kernel: str
    quantity: str
    counted: int
    planned: int

    @property
    def ratio(self) -> float:
        """Counted to planned; infinite where only the plan says 0."""
        if self.counted == self.planned:
            return 1.0
        return self.counted / self.planned if self.planned else float("inf")


def summed(counts: Iterable[AccessCount], kind: str, space: str, figure: str) -> int:
    """Return a figure of all accesses of a kind to a memory space."""
    return sum(getattr(one, figure) for one in counts if (one.kind, one.space) == (kind, space))


def counted(artifact: Artifact, launches: Iterable[LaunchReport]) -> tuple[Counted, ...]:
    """Return every quantity of every launch that was counted and has a plan with a prediction."""
    rows: list[Counted] = []
    for report in launches:
        plan = artifact.manifest.kernel(report.kernel).plan if report.kernel else None
        if report.counts is None or plan is None or plan.prediction is None:
            continue
        for kind, space, figure, name in QUANTITIES:
            found = summed(report.counts, kind, space, figure)
            planned: int = getattr(plan.prediction, name)
            if found or planned:
                rows.append(Counted(report.kernel, name, found, planned))
    return tuple(rows)


def worst_ratios(rows: Sequence[Counted]) -> dict[str, Any]:
    """Return `bytes_exact`, and the ratios of counted to planned that are furthest from 1.

    Returns:
        `bytes_exact`, `sectors_ratio` of global and `phases_ratio` of workgroup memory; quantities of fewer than 64, in
        which rounding shows, are left out, and the ratio is 1 where nothing is left.

    >>> rows = [Counted("f", "global_load_sectors", 90, 100), Counted("f", "global_load_bytes", 64, 64)]
    >>> worst_ratios(rows)
    {'bytes_exact': True, 'sectors_ratio': 0.9, 'phases_ratio': 1.0}
    """

    def worst(end: str) -> float:
        ratios = [row.ratio for row in rows if row.quantity.endswith(end) and row.counted >= _ENOUGH]
        return max(ratios, key=lambda one: max(one, 1 / one if one else float("inf")), default=1.0)

    return {
        "bytes_exact": all(row.counted == row.planned for row in rows if row.quantity.endswith("_bytes")),
        "sectors_ratio": worst("_sectors"),
        "phases_ratio": worst("_phases"),
    }
