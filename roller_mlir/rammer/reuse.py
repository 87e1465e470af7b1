# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which buffers of a scheduled graph may share bytes: those of which one is done with before the other is written.

Paper: RAMMER says nothing of it; its programs keep all results.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roller_mlir.rammer.clocks import clocks_of
from roller_mlir.rammer.parts import Ints, Parts
from roller_mlir.rammer.schedule import Schedule

NONE: NDArray[np.int64] = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class BufferUse:
    """A buffer's tasks.

    Attributes:
        size_bytes: Its size.
        tasks: All that touch it.
        writers: Those of them that write it; every other one comes behind them.
    """

    size_bytes: int
    tasks: Ints
    writers: Ints


def maybe_together(schedule: Schedule, buffers: Sequence[BufferUse]) -> list[NDArray[np.int64]]:
    """Return of each buffer the others with which it may not share bytes.

    Two may where, whatever the blocks' speed, one is done with before the other is written; and so in the order of the
    operators, too: whoever reads the graph in that order finds each buffer's content.

    Args:
        schedule: It has no stuck tasks.
        buffers: The buffers.

    Returns:
        Numbers of buffers, in no particular order.
    """
    if not buffers:
        return []
    count, units = len(buffers), len(schedule.programs)
    writers, tasks = Parts.of([one.writers for one in buffers]), Parts.of([one.tasks for one in buffers])
    first = np.minimum.reduceat(writers.numbers, writers.starts[:-1])
    order = np.argsort(first, kind="stable")
    begins, ends = first[order], np.maximum.reduceat(tasks.numbers, tasks.starts[:-1])[order]
    unit, position = schedule.place
    before = clocks_of(schedule).before
    kind = before.dtype
    writers, tasks = writers.chosen(order), tasks.chosen(order)
    done = np.minimum.reduceat(before[writers.numbers], writers.starts[:-1])
    by_unit = np.ascontiguousarray(done.T)  # tasks of each vEU that are done before any writes each buffer
    last = np.zeros((count, units), kind)  # tasks of each vEU up to the last one that touches a buffer
    np.maximum.at(last, (tasks.owners, unit[tasks.numbers]), (position[tasks.numbers] + 1).astype(kind))
    # By all vEUs, buffers from `sure` on come behind one; by some vEU those in front of `least` do not. Between these
    # lie few, which are compared.
    rising, falling = np.maximum.accumulate(by_unit, axis=1), np.minimum.accumulate(by_unit[:, ::-1], axis=1)[:, ::-1]
    least = np.searchsorted(begins, ends, side="right")
    sure = least.copy()
    for each, most, fewest in zip(last.T, rising, falling, strict=True):
        touching = np.flatnonzero(each)
        least[touching] = np.maximum(least[touching], np.searchsorted(most, each[touching]))
        sure[touching] = np.maximum(sure[touching], np.searchsorted(fewest, each[touching]))
    later: list[NDArray[np.int64]] = []
    for number, (low, high) in enumerate(zip(least.tolist(), np.maximum(least, sure).tolist(), strict=True)):
        together = np.arange(number + 1, low)
        if low < high:
            touching = np.flatnonzero(last[number])
            behind = (by_unit[touching, low:high] >= last[number, touching, None]).all(axis=0)
            together = np.concatenate([together, low + np.flatnonzero(~behind)])
        later.append(together)
    second, lengths = np.concatenate(later), [*map(len, later)]
    by_second = np.argsort(second.astype(np.min_scalar_type(count)), kind="stable")
    earlier = np.split(
        np.repeat(np.arange(count), lengths)[by_second], np.searchsorted(second[by_second], np.arange(1, count))
    )
    found = [NONE] * count
    for number, one, other in zip(order.tolist(), earlier, later, strict=True):
        found[number] = order[np.concatenate([one, other])]
    return found
