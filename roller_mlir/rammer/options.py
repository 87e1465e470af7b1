# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may ask of a schedule; `rammer-schedule` and `CompileOptions` inherit it."""

from dataclasses import dataclass

from roller_mlir.support.foreign.options import Options, option

POLICY_NAMES = ("wavefront", "list", "round-robin")
HAND_OVER_NAMES = ("task", "barrier")


@dataclass(frozen=True, kw_only=True)
class HandOverOptions(Options):
    """What it takes to hand results over."""

    hand_over_s: float = option(1.2e-6, help="time from a task's end to the start of one on another block, in seconds")


@dataclass(frozen=True, kw_only=True)
class ScheduleOptions(HandOverOptions):
    """How tasks are placed, and what they wait for."""

    policy: str = option(
        "list",
        choices=POLICY_NAMES,
        help="who places tasks on blocks: list (the most urgent first), wavefront (RAMMER, Algorithm 1), or "
        "round-robin (each on the next block)",
    )
    hand_over: str = option(
        "task",
        choices=HAND_OVER_NAMES,
        help="what tasks wait for: task (those whose results they need), or barrier (all blocks, between waves of "
        "operators)",
    )
    blocks: int | None = option(
        None,
        least=1,
        help="blocks that walk the schedule, at most as many as the device holds at a time; by default one a unit, or "
        "as many as a wave of operators has tasks, and more where one operator has as many",
    )


@dataclass(frozen=True, kw_only=True)
class SelectionOptions(Options):
    """Which kernels operators have."""

    select_kernels: bool = option(
        True,
        help="whether operators that run beside others may have other kernels than those that are fastest alone",
    )


@dataclass(frozen=True, kw_only=True)
class SinkOptions(Options):
    """Where waits stand."""

    sink_waits: bool = option(
        True,
        help="whether tasks load what no task writes (weights) before they wait for others, as far as that holds no "
        "more registers than their loads do",
    )


@dataclass(frozen=True, kw_only=True)
class KeepOptions(Options):
    """What stays in workgroup memory from task to task."""

    keep_weights: bool = option(
        True,
        help="whether slices of what no task writes (weights) that many tasks read stay in workgroup memory, where "
        "that is predicted to take less time",
    )


@dataclass(frozen=True, kw_only=True)
class PlacingOptions(ScheduleOptions, SelectionOptions, SinkOptions, KeepOptions):
    """What runs where, and what it waits for when."""


@dataclass(frozen=True, kw_only=True)
class GraphOptions(Options):
    """What CUDA graphs, which persistent kernels are compared with, are taken to cost.

    A node's 1.3 us are published for an H100 ("Look Ma, No Bubbles", Hazy Research, 2025) and taken for all devices.
    For programmatic dependent launches no time is published: they are taken to hide half of that.
    """

    graph_node_s: float = option(
        1.3e-6, help="time from the end of a kernel to the start of the next one in a CUDA graph, in seconds"
    )
    dependent_node_s: float = option(
        0.65e-6,
        help="the same with programmatic dependent launches, in seconds; nobody has published it: it is assumed",
    )


@dataclass(frozen=True, kw_only=True)
class WalkOptions(Options):
    """How a persistent kernel walks its schedule."""

    wait_limit: int | None = option(
        None,
        least=1,
        help="polls after which a persistent kernel gives up a wait, ends and names it, to debug it; by default it "
        "waits for ever",
    )
    record_times: bool = option(
        False,
        help="a persistent kernel records start and end of each task, in the state; `roller run --times` shows them",
    )


@dataclass(frozen=True, kw_only=True)
class PersistentOptions(PlacingOptions, WalkOptions):
    """What may be asked of a persistent kernel."""
