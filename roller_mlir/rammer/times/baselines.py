# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one persistent kernel is compared with, in predicted times: a kernel for each operator, launched or as a graph.

Paper: RAMMER, sections 2 and 5.2: operators one by one leave most of a device idle, and wait for launches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.rammer.options import GraphOptions

GRAPH_NODE_S = GraphOptions().graph_node_s

ROUNDING = 1e-9
"""Shares that together exceed the device by less fill it."""


@dataclass(frozen=True, kw_only=True)
class OperatorKernel:
    """An operator as kernels of its own, planned without regard to others.

    Attributes:
        seconds: Its predicted time, alone on the device, without launches.
        launch_s: The time of its launches, one after the other.
        launches: How many: two where its reduction is divided over tasks.
        share: The share of the device's units that its tasks fill, above 0 and at most 1.
        memory_s: For how long it keeps the bandwidth of each of the device's memories busy, where it has all of it.
        producers: Numbers of the operators whose results it reads, all smaller than its own.
    """

    seconds: float
    launch_s: float
    launches: int
    share: float
    memory_s: tuple[float, ...] = ()
    producers: tuple[int, ...]

    def node_s(self, gap_s: float) -> float:
        """Return its time as nodes of a CUDA graph, each of which takes so long to begin."""
        return self.seconds + self.launches * gap_s


def launched_s(kernels: Sequence[OperatorKernel]) -> float:
    """Return the time of a launch for each kernel, in seconds: one starts when the one before it has ended."""
    return sum(one.seconds + one.launch_s for one in kernels)


def in_line_s(kernels: Sequence[OperatorKernel], gap_s: float = GRAPH_NODE_S) -> float:
    """Return the time of a CUDA graph of the kernels in a line, in seconds, with a gap in front of each."""
    return sum(one.node_s(gap_s) for one in kernels)


def as_graph_s(kernels: Sequence[OperatorKernel], gap_s: float = GRAPH_NODE_S) -> float:
    """Return the time of a CUDA graph that has an edge for each dependence, in seconds, with a gap in front of each.

    Kernels that need nothing of each other run side by side on units of their own, as tasks of a schedule do. Each is
    as fast as alone, unless those that run together draw more of a memory's bandwidth than there is, which they then
    share fairly.
    """
    takers: list[list[int]] = [[] for _ in kernels]
    for number, one in enumerate(kernels):
        for producer in one.producers:
            takers[producer].append(number)
    missing = [len(one.producers) for one in kernels]
    waiting = [number for number, one in enumerate(kernels) if not one.producers]
    left: dict[int, float] = {}
    """Of each kernel that runs, the time that it would still take alone."""
    now, free = 0.0, 1.0
    while waiting or left:
        larger: list[int] = []
        for number in waiting:  # who has waited longest first; smaller ones may pass it
            share = kernels[number].share
            if share <= free + ROUNDING or not left:
                free -= share
                left[number] = kernels[number].node_s(gap_s)
            else:
                larger.append(number)
        waiting = larger
        rates = _rates([kernels[number] for number in left], gap_s)
        step, done = min((rest / rate, number) for (number, rest), rate in zip(left.items(), rates, strict=True))
        now += step
        left = {
            number: rest - step * rate
            for (number, rest), rate in zip(left.items(), rates, strict=True)
            if number != done
        }
        free += kernels[done].share
        for taker in takers[done]:
            missing[taker] -= 1
            if not missing[taker]:
                waiting.append(taker)
    return now


def _rates(running: Sequence[OperatorKernel], gap_s: float) -> list[float]:
    """Return how fast kernels are beside each other, 1 where as fast as alone."""
    rates = [1.0] * len(running)
    for drawn in zip(*([busy_s / one.node_s(gap_s) for busy_s in one.memory_s] for one in running), strict=True):
        if sum(drawn) > 1:
            most = fair_share(drawn)
            rates = [min(rate, most / one) if one else rate for rate, one in zip(rates, drawn, strict=True)]
    return rates


def fair_share(wanted: Sequence[float]) -> float:
    """Return the most that one may have of a whole of 1, where all want more: who wants less gets that.

    >>> fair_share([0.2, 0.6, 0.8])
    0.4
    """
    left, found = 1.0, 1.0
    for number, one in enumerate(sorted(wanted)):
        found = left / (len(wanted) - number)
        if one > found:
            return found
        left -= one
    return found
