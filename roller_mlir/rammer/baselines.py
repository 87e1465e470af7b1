# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one persistent kernel is compared with, in predicted times: a kernel for each operator, launched or as a graph.

Paper: RAMMER, sections 2 and 5.2: operators one by one leave most of a device idle, and wait for launches.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

GRAPH_NODE_S = 1.3e-6
"""From the end of a kernel to the start of the next one in a CUDA graph. Published for an H100 ("Look Ma, No Bubbles",
Hazy Research, 2025), and taken for all devices."""

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
        producers: Numbers of the operators whose results it reads, all smaller than its own.
    """

    seconds: float
    launch_s: float
    launches: int
    share: float
    producers: tuple[int, ...]


def launched_s(kernels: Sequence[OperatorKernel]) -> float:
    """Return the time of a launch for each kernel, in seconds: one starts when the one before it has ended."""
    return sum(one.seconds + one.launch_s for one in kernels)


def in_line_s(kernels: Sequence[OperatorKernel]) -> float:
    """Return the time of a CUDA graph of the kernels in a line, in seconds."""
    return sum(one.seconds + one.launches * GRAPH_NODE_S for one in kernels)


def as_graph_s(kernels: Sequence[OperatorKernel]) -> float:
    """Return the time of a CUDA graph that has an edge for each dependence, in seconds.

    Kernels that need nothing of each other run side by side on units of their own, as tasks of a schedule do, and each
    as fast as alone, so that what they share, such as the memory's bandwidth, makes this time too short, not too long.
    """
    takers: list[list[int]] = [[] for _ in kernels]
    for number, one in enumerate(kernels):
        for producer in one.producers:
            takers[producer].append(number)
    missing = [len(one.producers) for one in kernels]
    waiting = [number for number, one in enumerate(kernels) if not one.producers]
    running: list[tuple[float, int]] = []
    now, free = 0.0, 1.0
    while waiting or running:
        left: list[int] = []
        for number in waiting:  # who has waited longest first; smaller ones may pass it
            share = kernels[number].share
            if share <= free + ROUNDING or not running:
                free -= share
                took = kernels[number].seconds + kernels[number].launches * GRAPH_NODE_S
                heapq.heappush(running, (now + took, number))
            else:
                left.append(number)
        now, done = heapq.heappop(running)
        free += kernels[done].share
        waiting = left
        for taker in takers[done]:
            missing[taker] -= 1
            if not missing[taker]:
                waiting.append(taker)
    return now
