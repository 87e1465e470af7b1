# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which buffers of a scheduled graph may share bytes: those of which one is done with before the other is written.

Paper: RAMMER says nothing of it; its programs keep all results.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roller_mlir.rammer.boxes import Ints
from roller_mlir.rammer.clocks import clocks_of
from roller_mlir.rammer.schedule import Schedule


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


def never_together(schedule: Schedule, buffers: Sequence[BufferUse]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return for each two buffers whether, whatever the blocks' speed, one is done with before the other is written.

    It is so in the order of the operators, too: whoever reads the graph in that order finds each buffer's content.

    Args:
        schedule: It has no stuck tasks.
        buffers: The buffers.

    Returns:
        A symmetric matrix; a buffer may not share bytes with itself.
    """
    unit, position = schedule.place
    clocks = clocks_of(schedule).before
    shape = len(buffers), len(schedule.programs)
    last = np.zeros(shape, np.int32)  # tasks of each vEU up to the last one that touches a buffer
    done = np.zeros(shape, np.int32)  # tasks of each vEU that are done before any writes it
    for number, buffer in enumerate(buffers):
        np.maximum.at(last[number], unit[buffer.tasks], position[buffer.tasks] + 1)
        done[number] = clocks[buffer.writers].min(axis=0)
    before = np.zeros((len(buffers), len(buffers)), bool)
    first_written = np.array([buffer.writers.min() for buffer in buffers])
    by_unit = np.ascontiguousarray(done.T)
    for number, buffer in enumerate(buffers):
        units = np.flatnonzero(last[number])
        gone = (by_unit[units] >= last[number, units, None]).all(axis=0)
        before[number] = gone & (first_written > buffer.tasks.max())
    return before | before.T
