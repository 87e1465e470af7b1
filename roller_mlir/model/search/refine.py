# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the programs that the recursion found to better ones next to them, as long as the prediction falls.

Beyond the ROLLER paper: the recursion of Figure 8 grows tiles by reuse score and so ends at full layers; what a layer
saves may cost threads, padding or waves elsewhere. A few steps along the predicted time correct that, without
measuring.
"""

from collections.abc import Callable

from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.program import Program
from roller_mlir.model.search.neighbours import neighbours
from roller_mlir.model.search.tiled import TiledSearch

STARTS = 4
"""Register tiles from whose fastest programs the descent starts."""


def refine(search: TiledSearch, found: dict[Program, Estimate], weigh: Callable[[Program], Estimate | None]) -> None:
    """Add to weighed programs those that a descent along the predicted time passes.

    Args:
        search: What makes programs of the expression.
        found: The weighed programs; receives the new ones.
        weigh: Weighs a program; None where it does not fit.
    """
    seen = set(found)
    looks = search.budget.neighbours
    for start in _starts(found):
        current, falling = start, True
        while falling and looks > 0:
            falling = False
            for program in neighbours(search, current.program):
                if program in seen:
                    continue
                seen.add(program)
                looks -= 1
                one = weigh(program)
                if one is not None:
                    found[program] = one
                    search.refined[program] = current.program
                    if one.seconds < 0.999 * current.seconds:
                        current, falling = one, True
                        break
                if looks <= 0:
                    return


def _starts(found: dict[Program, Estimate]) -> list[Estimate]:
    """Return the fastest programs of different register tiles."""
    starts: dict[tuple[int, ...], Estimate] = {}
    for one in sorted(found.values(), key=lambda one: one.seconds):
        if len(starts) == STARTS:
            break
        starts.setdefault(one.program.registers, one)
    return list(starts.values())
