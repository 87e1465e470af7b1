# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The micro-performance model's arithmetic: from what a task does per step to seconds.

Paper: ROLLER section 3.3. The paper takes the slowest memory layer or the peak compute rate; here a unit is also
limited by the issue of the other instructions, by bank phases, by whole rounds of tasks over the units, and by latency
where too few tasks share a unit to hide it.
"""

from dataclasses import dataclass

from roller_mlir.model.machine import Machine

STALL_SHARE = 0.3
"""Share of cycles in which one subgroup alone cannot issue (dependent results, operand fetch). Assumed, not measured;
with w subgroups on a scheduler some subgroup is ready in a share 1 - 0.3^w: 0.70, 0.91, 0.97, 0.99."""

TASK_START_CYCLES = 200.0
"""Cycles from the end of a task to the first instruction of the next one in its place. Assumed, not measured."""

HIDDEN_SHARE = 0.95
"""Share of the time of the layers other than the slowest that is hidden behind it. Assumed, not measured; it orders
programs that one layer limits alike by how close they are to the other limits."""


@dataclass(slots=True)
class Work:
    """What a program does.

    Attributes:
        tasks: Tasks of the program.
        steps: Reduction steps of a task.
        threads: Threads of a task.
        resident: Tasks that fit on one unit at a time, at least 1.
        math: Arithmetic instructions per thread and step.
        issue: All instructions per thread and step.
        phases: Passes through a unit's workgroup memory and first cache per task and step.
        load_rounds: Times per step that a thread waits for its direct loads from global memory.
        staged: Whether tiles go through workgroup memory.
        stages: Buffers of them.
        tail_issue: Instructions per thread after the last step.
        tail_phases: Passes after the last step.
        tail_waits: Dependent accesses to workgroup memory (shuffles, barriers) after the last step.
        cache_bytes: Bytes between the units and the last cache.
        global_bytes: Bytes between the last cache and global memory.
    """

    tasks: int
    steps: int
    threads: int
    resident: int
    math: float
    issue: float
    phases: float
    load_rounds: int
    staged: bool
    stages: int
    tail_issue: float
    tail_phases: float
    tail_waits: int
    cache_bytes: float
    global_bytes: float


def seconds_by_layer(work: Work, machine: Machine) -> dict[str, float]:
    """Return seconds were each layer the only limit, "launch" apart.

    Keys: "global", "l2", "workgroup" (passes of the busiest unit), "compute" (issue of the busiest unit), "latency"
    (rounds of
    resident tasks, each as slow as one task alone), "launch".
    """
    device = machine.device
    schedulers = device.schedulers_per_unit
    subgroups = -(-work.threads // device.subgroup_size)
    busiest = -(-work.tasks // device.units)
    together = min(work.resident, busiest)
    rounds = -(-busiest // work.resident)
    issue = max(work.math * machine.math_cycles, work.issue)
    # Subgroups that share a scheduler fill each other's stalls.
    shared = issue / (1 - STALL_SHARE ** max(1.0, together * subgroups / schedulers))
    own = -(-subgroups // schedulers)
    single = issue * own / (1 - STALL_SHARE**own)
    tail = work.tail_issue * subgroups / schedulers
    # The first tile's way to the unit is hidden only by other tasks of the same unit.
    memory = machine.global_latency if work.global_bytes >= 0.5 * work.cache_bytes else machine.cache_latency
    exchange = 2 * machine.workgroup_latency
    first = TASK_START_CYCLES + machine.global_latency + (exchange if work.staged else 0.0)
    compute = busiest * (work.steps * shared * subgroups / schedulers + tail)
    passes = busiest * (work.steps * work.phases + work.tail_phases) * machine.phase_cycles
    alone = max(single, work.phases * machine.phase_cycles)
    if not work.staged:
        step = alone + memory * work.load_rounds
    elif work.stages > 1:
        step = max(alone + exchange, memory) + memory * work.load_rounds
    else:
        step = alone + 2 * exchange + memory * max(1, work.load_rounds)
    ending = work.tail_issue * own + work.tail_waits * machine.workgroup_latency
    start = first if work.staged else TASK_START_CYCLES
    latency = rounds * (start + work.steps * step + ending)
    clock = device.clock_hz
    return {
        "global": work.global_bytes / machine.global_bytes_per_s + first / clock,
        "l2": work.cache_bytes / machine.cache_bytes_per_s + first / clock,
        "workgroup": (passes + first) / clock,
        "compute": (compute + first) / clock,
        "latency": latency / clock,
        "launch": machine.launch_s,
    }


def total_seconds(layers: dict[str, float]) -> float:
    """Return launch, the slowest layer, and what of the others is not hidden behind it.

    >>> round(total_seconds({"launch": 1.0, "global": 10.0, "compute": 2.0}), 3)
    11.1
    """
    slowest, total = 0.0, 0.0
    for key, value in layers.items():
        if key != "launch":
            total += value
            slowest = max(slowest, value)
    return layers["launch"] + slowest + (1 - HIDDEN_SHARE) * (total - slowest)
