# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The micro-performance model's arithmetic: from what a task does per step to seconds.

Paper: ROLLER section 3.3. The paper takes the slowest memory layer or the peak compute rate; here a unit is also
limited by the issue of the other instructions, by bank phases, by whole rounds of tasks over the units, and by latency
where too few tasks share a unit to hide it; direct loads may be answered by a unit's first cache, registers that do not
fit are spilled, and atomic updates occupy the last cache.

The constants are the device's (`hal.model_constants`). Those marked "calibrated" were chosen, as round numbers, on
CNNOpt's published training rows (RS kernel, random problems, V100 and 2080 Ti); each may be doubled or halved without
changing the mean rank correlation there by 0.02.
"""

from dataclasses import dataclass, fields
from math import sqrt
from operator import attrgetter

from roller_mlir.hal.model_constants import DEFAULT_MODEL, ModelConstants
from roller_mlir.model.machine import Machine


@dataclass(slots=True)
class CandidateWork:
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
        slot_rounds: The same for what lies in workgroup memory since a task before, in the place of global memory.
        staged: Whether tiles go through workgroup memory.
        stages: Buffers of them.
        tail_issue: Instructions per thread after the last step.
        tail_phases: Passes after the last step.
        tail_waits: Dependent accesses to workgroup memory (shuffles, barriers) after the last step.
        tail_stalls: Cycles after the last step in which all threads of a task wait for results of their own.
        cache_bytes: Bytes between the units and the last cache.
        global_bytes: Bytes between the last cache and global memory.
        shared_cache_bytes: Bytes between private caches and the last one, which they share; 0 where there is one only.
        tail_load_rounds: Times after the last step that a thread waits for what its epilogue reads.
        copy_rounds: Times per step that a thread waits for its part of staged tiles that no second buffer prefetches:
            once for asynchronous copies, else as often as registers are full, see `mapping.unrolling.copy_waits`.
        workgroup_bytes: Workgroup memory of a task, which leaves the rest of the unit's memory to its first cache.
        shared_bytes: Bytes per task and step of direct loads that tasks share through a unit's first cache, each byte
            once; they are not part of cache_bytes.
        shared_sets: How many different sets of them the tasks read.
        spilled_accesses: Loads and stores of spilled registers per thread and step, not part of issue and phases.
        spilled_words: Registers that a thread keeps in memory.
        atomic_bytes: Bytes of the sectors that atomic updates touch; they are not part of cache_bytes.
        asynchronous: Whether arithmetic goes on by itself once it was started, so that no subgroup stalls for it.
        ahead: Whether copies go on by themselves, more than one step ahead, so that no subgroup moves a tile itself.
        alternates: Whether a task waits, computes and waits again, step by step, so that what it leaves idle is used by
            other tasks only.
        request_bytes: Bytes of full lines that the cache next to the units could serve while requests for less, and
            those of stores, occupy it, in addition to cache_bytes.
        direct_bytes: Bytes per task and step that threads read straight from there, each byte once.
        again_bytes: What they ask for beyond these, if no first cache keeps anything from one load to the next.
    """

    tasks: int
    steps: int
    threads: int
    resident: int
    math: float
    issue: float
    phases: float
    load_rounds: float
    staged: bool
    stages: int
    tail_issue: float
    tail_phases: float
    tail_waits: float
    cache_bytes: float
    global_bytes: float
    shared_cache_bytes: float = 0.0
    tail_load_rounds: float = 0.0
    slot_rounds: float = 0.0
    copy_rounds: float = 1.0
    workgroup_bytes: int = 0
    shared_bytes: float = 0.0
    shared_sets: int = 1
    spilled_accesses: float = 0.0
    spilled_words: float = 0.0
    atomic_bytes: float = 0.0
    asynchronous: bool = False
    ahead: bool = False
    alternates: bool = False
    request_bytes: float = 0.0
    direct_bytes: float = 0.0
    again_bytes: float = 0.0
    tail_stalls: float = 0.0

    def __copy__(self) -> "CandidateWork":
        # Of each program several are weighed: this takes a fraction of what `copy` by itself takes.
        return CandidateWork(*_FIGURES(self))


_FIGURES = attrgetter(*[field.name for field in fields(CandidateWork)])


def seconds_by_layer(work: CandidateWork, machine: Machine, *, waited: bool = False) -> dict[str, float]:
    """Return seconds were each layer the only limit, "launch" apart.

    Args:
        work: What the program does.
        machine: Where.
        waited: Whether tasks have begun already, and waited for the first tile, which the last cache then has.

    Keys: "global", "l2", "l3" (where private caches share a last one), "workgroup" (passes of the busiest unit),
    "compute" (issue of the busiest unit), "latency" (rounds of resident tasks, each as slow as one task alone, or all
    tasks as fast as the device starts blocks), "launch".
    """
    device = machine.device
    constants = device.model
    stall = 0.0 if work.asynchronous else constants.stall_share
    schedulers = device.schedulers_per_unit
    subgroups = -(-work.threads // device.subgroup_size)
    busiest = rounds_of(work.tasks, machine.units)
    together = min(work.resident, busiest)
    rounds = rounds_of(busiest, work.resident)
    issue = max(work.math * machine.math_cycles, work.issue + work.spilled_accesses)
    # Subgroups that share a scheduler fill each other's stalls.
    shared = issue / (1 - stall ** max(1.0, together * subgroups / schedulers))
    own = -(-subgroups // schedulers)
    single = issue * own / (1 - stall**own)
    tail = work.tail_issue * subgroups / schedulers
    compute = busiest * (work.steps * shared * subgroups / schedulers + tail)
    phases = work.phases + work.spilled_accesses * subgroups
    passes = busiest * (work.steps * phases + work.tail_phases) * machine.phase_cycles
    cached, found = _cached_bytes(work, machine, together, subgroups)
    cache_bytes = work.cache_bytes + work.tasks * work.steps * cached
    requests = work.request_bytes + work.tasks * work.steps * _lost_bytes(work, machine, together)
    global_bytes = work.global_bytes + _overflow(work, machine, together, subgroups)
    # The first tile's way to the unit is hidden only by other tasks of the same unit.
    memory = machine.cache_latency
    if global_bytes >= 0.5 * cache_bytes:
        memory = machine.global_latency
    elif work.shared_cache_bytes >= 0.5 * cache_bytes:
        memory = machine.last_cache_latency
    exchange = 2 * machine.workgroup_latency
    first = first_tile_cycles(machine, staged=work.staged)
    if waited:
        first -= device.model.task_start_cycles + machine.global_latency - machine.cache_latency
        memory = memory if work.steps > 1 else machine.cache_latency
    alone = max(single, phases * machine.phase_cycles) + work.spilled_accesses * machine.workgroup_latency
    loads = memory * work.load_rounds * (1 - found) + machine.workgroup_latency * work.slot_rounds
    if not work.staged:
        step = alone + loads
    elif work.stages > 1:
        step = max(alone + exchange, memory / (work.stages - 1)) + loads
    else:
        step = alone + 2 * exchange + memory * work.copy_rounds + loads
    ending = work.tail_issue * own + work.tail_waits * machine.workgroup_latency + work.tail_load_rounds * memory
    ending += work.tail_stalls
    # A task's first load comes from global memory, wherever its others come from.
    start = first if work.staged else constants.task_start_cycles + max(0.0, machine.global_latency - memory)
    if waited and not work.staged:
        start = 0.0
    clock = device.clock_hz
    latency = rounds * (start + work.steps * step + ending)
    if not waited:
        latency = max(latency, work.tasks * constants.block_start_s * clock)
    # Units without a task draw nothing from behind the cache; those that have one draw what is their share of it.
    drawn = machine.cache_bytes_per_s * min(1.0, work.tasks / machine.units)
    shared_cache = {}
    if machine.private_caches > 1:
        shared_cache["l3"] = work.shared_cache_bytes / min(machine.last_cache_bytes_per_s, drawn) + first / clock
    return {
        "global": global_bytes / min(machine.global_bytes_per_s, drawn) + first / clock,
        "l2": (cache_bytes + requests + constants.atomic_cost * work.atomic_bytes) / machine.cache_bytes_per_s
        + first / clock,
        **shared_cache,
        "workgroup": (passes + first) / clock,
        "compute": (compute + first) / clock,
        "latency": latency / clock,
        "launch": machine.launch_s,
    }


def rounds_of(tasks: float, places: int) -> float:
    """Return in how many rounds tasks are done that so many places do at a time; the last may leave some idle."""
    return -(-tasks // places)


def first_tile_cycles(machine: Machine, *, staged: bool) -> float:
    """Return the cycles of a task until its first tile is there, in which no layer is busy for it."""
    exchange = 2 * machine.workgroup_latency if staged else 0.0
    return machine.device.model.task_start_cycles + machine.global_latency + exchange


def total_seconds(
    layers: dict[str, float],
    constants: ModelConstants = DEFAULT_MODEL,
    *,
    alternates: bool = False,
    ahead: bool = False,
) -> float:
    """Return launch, the slowest layer, and what of the others is not hidden behind it.

    Where copies run ahead by themselves less is left of the others than where subgroups load, compute and store in
    turns of their own. Where tasks alternate between their layers, other tasks fill the gaps only by chance: between
    the slowest layer (all hidden) and the sum (nothing), the root of the sum of squares.

    >>> round(total_seconds({"launch": 1.0, "global": 10.0, "compute": 2.0}), 3)
    11.1
    >>> total_seconds({"launch": 1.0, "global": 3.0, "compute": 4.0}, alternates=True)
    6.0
    >>> round(total_seconds({"launch": 1.0, "global": 10.0, "compute": 2.0}, ahead=True), 3)
    11.04
    """
    slowest, total, squares = 0.0, 0.0, 0.0
    for key, value in layers.items():
        if key != "launch":
            total += value
            squares += value * value
            slowest = max(slowest, value)
    if alternates:
        return layers["launch"] + sqrt(squares)
    hidden = constants.ahead_hidden_share if ahead else constants.hidden_share
    return layers["launch"] + slowest + (1 - hidden) * (total - slowest)


def _cached_bytes(work: CandidateWork, machine: Machine, together: float, subgroups: int) -> tuple[float, float]:
    """Return bytes per task and step that pass a unit's first cache, and the share of shared loads that it answers.

    The cache keeps one set of shared bytes for all tasks of a unit that read it, unless the sets in use and the spilled
    registers exceed it. Spilled registers are written through, and read back from it as far as it reaches.
    """
    if not work.shared_bytes and not work.spilled_accesses:
        return 0.0, 0.0
    row = machine.device.subgroup_size * 4
    # Tasks that land on a unit read a random set each: the expected number of different ones.
    sets = work.shared_sets * (1 - (1 - 1 / work.shared_sets) ** together)
    room = max(machine.first_cache_bytes - together * work.workgroup_bytes, machine.first_cache_minimum)
    needed = sets * work.shared_bytes + work.spilled_words * row * subgroups * together
    held = min(1.0, room / needed) if needed else 1.0
    loads = work.shared_bytes * (held * sets / together + 1 - held)
    spills = work.spilled_accesses * row * subgroups * (1 - held / 2)
    return loads + spills, machine.device.model.found_share * held * (1 - sets / together)


def _lost_bytes(work: CandidateWork, machine: Machine, together: float) -> float:
    """Return the bytes that a task asks for again in a step, since its unit's first cache could not keep them."""
    if not work.again_bytes or not machine.first_cache_bytes:
        return 0.0
    room = machine.device.model.first_cache_share * machine.first_cache_bytes - together * work.workgroup_bytes
    return work.again_bytes * max(0.0, 1 - max(room, 0.0) / (together * work.direct_bytes))


def _overflow(work: CandidateWork, machine: Machine, together: float, subgroups: int) -> float:
    """Return bytes of spilled registers that reach global memory: what their share of the last cache cannot hold."""
    row = machine.device.subgroup_size * 4 * subgroups
    footprint = work.spilled_words * row * min(work.tasks, together * machine.units)
    if not footprint:
        return 0.0
    missed = max(0.0, 1 - machine.device.model.spill_cache_share * machine.cache_bytes / footprint)
    return work.spilled_accesses * row * work.tasks * work.steps * missed
