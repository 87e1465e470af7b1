# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The raster of tasks level by level: a loop over tasks may be cut into several, between which other loops run."""

from collections.abc import Mapping, Sequence

Level = tuple[int, int, int]
"""A loop, its steps on this level, and how many tasks along it lie from one step to the next."""


def raster_problem(levels: Sequence[Level], counts: Mapping[int, int]) -> str:
    """Return why levels do not reach each task once, or an empty string.

    Args:
        levels: Outermost first.
        counts: Tasks along each loop over them.

    >>> raster_problem([(0, 4, 8), (1, 6, 1), (0, 8, 1)], {0: 32, 1: 6})
    ''
    >>> raster_problem([(0, 4, 8), (0, 4, 1)], {0: 32})
    'reaches tasks of loop 0 in steps of [1, 8], of which 4 steps of 1 must be the next one'
    """
    strange = next((loop for loop, _, _ in levels if loop not in counts), None)
    if strange is not None:
        return f"has loop {strange}, which is none over tasks"
    for loop, count in counts.items():
        own = sorted((apart, steps) for one, steps, apart in levels if one == loop)
        reached, before = 1, (0, 0)
        for apart, steps in own:
            if apart != reached:
                steps_of = [one for one, _ in own]
                return (
                    f"reaches tasks of loop {loop} in steps of {steps_of}, of which {before[1]} steps of {before[0]} "
                    "must be the next one"
                )
            reached, before = reached * steps, (apart, steps)
        if reached != count:
            return f"reaches {reached} of the {count} tasks of loop {loop}"
    return ""
