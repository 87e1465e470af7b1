# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the programs that the recursion found to better ones next to them, as long as the prediction falls.

Beyond the ROLLER paper: the recursion of Figure 8 grows tiles by reuse score and so ends at full layers; what a layer
saves may cost threads, padding or waves elsewhere. A few steps along the predicted time correct that, without
measuring.
"""

from collections.abc import Callable

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.search.neighbours import neighbours
from roller_mlir.model.search.programs.tiled import TiledSearch

STARTS = 4
"""Register tiles from whose fastest programs the descent starts."""


def refine(
    search: TiledSearch, found: dict[Candidate, Estimate], evaluate: Callable[[Candidate], Estimate | None]
) -> None:
    """Add to evaluated programs those that a descent along the predicted time passes.

    Args:
        search: What makes programs of the expression.
        found: The evaluated programs; receives the new ones.
        evaluate: Evaluates a program; None where it does not fit.
    """
    seen = set(found)
    looks = search.budget.neighbours
    for start in _starts(found):
        current, falling = start, True
        while falling and looks > 0:
            falling = False
            for candidate in neighbours(search, current.candidate):
                if candidate in seen:
                    continue
                seen.add(candidate)
                looks -= 1
                one = evaluate(candidate)
                if one is not None:
                    found[candidate] = one
                    search.refined[candidate] = current.candidate
                    if one.seconds < 0.999 * current.seconds:
                        current, falling = one, True
                        break
                if looks <= 0:
                    return


def _starts(found: dict[Candidate, Estimate]) -> list[Estimate]:
    """Return the fastest programs of different register tiles."""
    starts: dict[tuple[int, ...], Estimate] = {}
    for one in sorted(found.values(), key=lambda one: one.seconds):
        if len(starts) == STARTS:
            break
        starts.setdefault(one.candidate.registers, one)
    return list(starts.values())
