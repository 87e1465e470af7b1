# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs to join the parts of a divided reduction in the kernel that makes them.

A second kernel costs a launch, and shares the joining among all units. The last block of each tile costs no launch, but
counts the parts, and joins its tile alone, as wide as its threads: where few blocks have large tiles, that is slower.
"""

from dataclasses import replace

from roller_mlir.mapping.joined_memory import WORD_BYTES, joined_bytes
from roller_mlir.model.machine import Machine
from roller_mlir.plan import Plan, Prediction
from roller_mlir.plan.plan import PIPELINES

MOVED = (
    *("global_load_bytes", "global_store_bytes", "global_load_sectors", "global_store_sectors"),
    *("shared_load_bytes", "shared_store_bytes", "shared_load_phases", "shared_store_phases"),
)
"""What a plan moves, among the fields of its prediction."""

GAIN = 0.95
"""Share of the time of any other plan that one must promise not to exceed which joins parts in the same kernel:
predictions of small kernels are not better than that."""


def hand_over_s(machine: Machine) -> float:
    """Return the seconds from a block's last write to its reading of what all wrote.

    Its writes go to the last cache before it counts (the fences of its threads, and that of the one that counts), the
    count comes back from there, and two barriers pass that on to its threads.
    """
    return (3 * machine.last_cache_latency + 2 * machine.workgroup_latency) / machine.device.clock_hz


def inside_s(join_s: float, launch_s: float, machine: Machine) -> float:
    """Return what joining takes in the kernel of the parts, in seconds.

    Args:
        join_s: As a kernel of its own of one block a tile.
        launch_s: What of that is the launch.
        machine: Where.
    """
    return hand_over_s(machine) + join_s - launch_s


def in_one_kernel(first: Prediction, join: Prediction, machine: Machine, *, apart: bool) -> Prediction:
    """Return the prediction of both stages in one kernel, which has as many registers as one of them needs.

    Args:
        first: Of the parts.
        join: Of the second stage, as a kernel of its own of one block a tile.
        machine: Where.
        apart: As of `joined_bytes`.
    """
    seconds = inside_s(join.seconds, join.launch_s, machine)
    both = _summed(first, join, seconds)
    lanes = machine.device.subgroup_size
    passes = -(-first.threads // lanes) * len(machine.banks.served_together(lanes, WORD_BYTES, load=True))
    # The last block of each tile sets its counter back; one thread of a block says whether it is that, and all read it.
    return replace(
        both,
        global_store_bytes=both.global_store_bytes + WORD_BYTES * join.tasks,
        global_store_sectors=both.global_store_sectors + join.tasks,
        shared_store_bytes=both.shared_store_bytes + WORD_BYTES * first.tasks,
        shared_store_phases=both.shared_store_phases + first.tasks,
        shared_load_bytes=both.shared_load_bytes + WORD_BYTES * first.tasks * first.threads,
        shared_load_phases=both.shared_load_phases + first.tasks * passes,
        registers=max(first.registers, join.registers),
        shared_bytes=joined_bytes(first.shared_bytes, join.shared_bytes, apart=apart),
    )


def in_turn(first: Prediction, join: Prediction) -> Prediction:
    """Return the prediction of two kernels, one after the other; resources are the first's."""
    return _summed(first, join, join.seconds)


def together(plan: Plan, first: Prediction, join: Prediction, machine: Machine) -> Prediction:
    """Return the prediction of both stages of a divided reduction.

    Args:
        plan: The whole plan.
        first: Of the parts, as a kernel of its own.
        join: Of the second stage, likewise.
        machine: Where.
    """
    if plan.split is None or not plan.split.joined:
        return in_turn(first, join)
    return in_one_kernel(first, join, machine, apart=PIPELINES[plan.pipeline].specialised)


def _summed(first: Prediction, join: Prediction, join_s: float) -> Prediction:
    """Return the prediction of the first stage with what the second one adds, which takes so many seconds."""
    sums = {key: getattr(first, key) + getattr(join, key) for key in (*MOVED, "flops")}
    layers = {**first.seconds_by_layer, "join": join_s}
    return replace(first, seconds=first.seconds + join_s, seconds_by_layer=layers, **sums)
