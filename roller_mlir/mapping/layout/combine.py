# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the partial results of threads that split a reduction are joined: shuffles, then workgroup memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.plan import AxisPlan, Loop


@dataclass(frozen=True)
class AcrossSubgroups:
    """One split loop whose partial results lie in several subgroups.

    Attributes:
        loop: The reduction loop.
        stride: Threads between neighbouring partial results.
        count: Partial results to join.
        joined: Threads of the loop that shuffles joined before; the first of each run takes part.
    """

    loop: int
    stride: int
    count: int
    joined: int


@dataclass(frozen=True)
class Combination:
    """The joining of one accumulator's partial results.

    Attributes:
        shuffles: Distances of the butterfly shuffles, in threads, in order.
        across: Joins through workgroup memory, applied together after the shuffles.
        split_loops: Reduction loops that are split over threads; the thread with coordinate 0 on all holds the result.
    """

    shuffles: tuple[int, ...]
    across: tuple[AcrossSubgroups, ...]
    split_loops: tuple[int, ...]


def combination(
    loops: Sequence[Loop], axes: Sequence[AxisPlan], thread_order: Sequence[int], subgroup_size: int
) -> Combination:
    """Return how partial results are joined.

    >>> row = (Loop(8), Loop(4096, True))
    >>> combination(row, (AxisPlan(block=1), AxisPlan(block=1024, threads=128, chunk=4)), (1,), 32).shuffles
    (1, 2, 4, 8, 16)
    """
    shuffles: list[int] = []
    across: list[AcrossSubgroups] = []
    split: list[int] = []
    stride = 1
    for loop in thread_order:
        threads = axes[loop].threads
        if loops[loop].reduction and threads > 1:
            split.append(loop)
            joined = 1
            if stride & (stride - 1) == 0 and threads & (threads - 1) == 0:
                while joined < threads and stride * joined < subgroup_size:
                    shuffles.append(stride * joined)
                    joined *= 2
            if joined < threads:
                across.append(AcrossSubgroups(loop, stride * joined, threads // joined, joined))
        stride *= threads
    return Combination(tuple(shuffles), tuple(across), tuple(split))


def combination_bytes(
    loops: Sequence[Loop], axes: Sequence[AxisPlan], thread_order: Sequence[int], subgroup_size: int, element_bytes: int
) -> int:
    """Return the workgroup memory that joining needs, in bytes: every accumulator of every thread, 0 without a join."""
    if not combination(loops, axes, thread_order, subgroup_size).across:
        return 0
    accumulators = prod(axes[i].registers for i, loop in enumerate(loops) if not loop.reduction)
    return accumulators * prod(axis.threads for axis in axes) * element_bytes
