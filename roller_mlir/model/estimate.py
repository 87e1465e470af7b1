# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a candidate program to its work: cheap enough for hundreds of candidates, and shared with the final prediction.

A candidate has no layouts yet. Until it has, tiles are taken to lie without bank conflicts; `predict` replaces that by
what the banks of the chosen layout do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from roller_mlir.mapping.arena_offsets import aligned
from roller_mlir.mapping.combine import combination
from roller_mlir.mapping.resources import (
    ADDRESSING_REGISTERS,
    DIRECT_LOADS_IN_FLIGHT,
    tasks_per_unit,
)
from roller_mlir.model.facts import AccessFacts, Facts
from roller_mlir.model.program import Program
from roller_mlir.model.timing import Work, seconds_by_layer, total_seconds
from roller_mlir.model.traffic import store_width
from roller_mlir.plan import AxisPlan, Loop

STEP_INSTRUCTIONS = 15
"""Instructions of one step besides arithmetic and memory accesses: counters, addresses, barriers."""

COPY_INSTRUCTIONS = 5
"""Instructions beside each global load of a staged copy: its address, its mask and the step's clamp. Both figures are
from the disassembly of a 128x128x8 f32 matmul of 8x8 points per thread on sm_90a: 576 instructions in the loop, of
which 512 FFMA, 32 + 5 workgroup accesses, 2 global loads and 25 others."""


@dataclass(frozen=True, slots=True)
class OperandWidths:
    """Access widths of one input, in elements, and its bank phases per step and task.

    Attributes:
        vector: Of a global access.
        store: Of an access that writes workgroup memory.
        fragment: Of an access that reads it.
        load_phases: Passes of a task's fragment reads in one step.
        store_phases: Passes of its writes in one step.
        tile_bytes: Bytes of one buffer in workgroup memory.
    """

    vector: int
    store: int
    fragment: int
    load_phases: float
    store_phases: float
    tile_bytes: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A candidate with what the model expects of it.

    Attributes:
        seconds: Expected time.
        program: The candidate.
        stages: Buffers of staged inputs.
        registers: Registers per thread.
        workgroup_bytes: Workgroup memory of a task.
        work: What the program does.
    """

    seconds: float
    program: Program
    stages: int
    registers: int
    workgroup_bytes: int
    work: Work


def ideal_widths(facts: Facts, access: AccessFacts, program: Program, steps: Sequence[int]) -> OperandWidths:
    """Return the widths that a staged input will get, and its phases were there no bank conflict."""
    machine = facts.machine
    shifts = [steps[i] * program.blocks[i] - facts.extents[i] if facts.reduction[i] else 0 for i in range(len(steps))]
    vector = access.copy_vector(program.blocks, steps, shifts)
    elements, extent, _ = access.tile(program.blocks)
    elements = elements // extent * (-(-extent // vector) * vector)
    fragment = 1
    inner = access.contiguous
    best = inner
    for loop in (program.lane, *facts.parallel):
        if loop is not None and program.chunks[loop] > 1 and loop in access.loops:
            fragment, best = program.chunks[loop], loop
            break
    if fragment > access.limit:
        fragment = access.limit
    size, lanes = access.element_bytes, machine.device.subgroup_size
    subgroups = -(-program.thread_count // lanes)
    reads = prod([program.registers[i] for i in access.loops]) // fragment
    per_read = max(1, lanes * fragment * size // machine.phase_bytes)
    bytes_ = elements * size
    return OperandWidths(
        vector,
        vector if best == inner else 1,
        fragment,
        reads * per_read * subgroups,
        -(-bytes_ // machine.phase_bytes),
        bytes_,
    )


def coalesced_sectors(strides: Sequence[int], program: Program, width_bytes: int, lanes: int, sector: int) -> int:
    """Return the sectors that one access of a subgroup touches, from the strides of the loops that its lanes run along.

    >>> from roller_mlir.model.program import Program
    >>> row = Program((1, 128), (1, 32), (1, 4), (1,), 1, (), (1, 4), 32)
    >>> coalesced_sectors((4096, 4), row, 16, 32, 32)
    16
    """
    left, span, runs = lanes, width_bytes, 1
    for loop in program.order:
        threads = min(program.threads[loop], left)
        stride = strides[loop] * program.chunks[loop]
        if stride and threads > 1:
            if stride <= max(span, sector):
                span += stride * (threads - 1)
            else:
                runs *= threads
        left = max(1, left // program.threads[loop])
    return runs * -(-span // sector)


def estimate(
    facts: Facts,
    program: Program,
    *,
    stages: int = 0,
    widths: Sequence[OperandWidths | None] | None = None,
    resident: int = 0,
) -> Estimate | None:
    """Return what the model expects of a candidate, or None where a unit cannot hold one task of it.

    Args:
        facts: The expression on the machine.
        program: The candidate.
        stages: Buffers of staged inputs, 0 to decide.
        widths: Real widths and phases per input, None for direct ones; without the sequence, staging is decided and
            ideal.
        resident: Tasks that fit on one unit, 0 to estimate.
    """
    machine = facts.machine
    device = machine.device
    lanes = device.subgroup_size
    blocks, registers = program.blocks, program.registers
    counts = [-(-extent // block) for extent, block in zip(facts.extents, blocks, strict=True)]
    steps = prod([counts[i] for i in facts.reductions])
    tasks = prod([counts[i] for i in facts.parallel])
    threads = program.thread_count
    subgroups = -(-threads // lanes)
    staged = program.staged
    any_staged = True in staged
    if stages == 0:
        stages = 2 if steps > 1 and any_staged else 1
    points = prod(registers)
    reduction_points = prod([registers[i] for i in facts.reductions])
    lane_reduces = program.lane is not None and facts.reduction[program.lane]
    lane_chunk = program.chunks[program.lane] if lane_reduces and program.lane is not None else 1
    accumulators = points // reduction_points

    phases, accesses, copies, direct, waiting = 0.0, 0, 0, 0, 0
    fragments, staging, workgroup_bytes, cache = 0, 0, 0, 0
    for i, access in enumerate(facts.inputs):
        cache += access.traffic(blocks)
        if staged[i]:
            found = widths[i] if widths is not None else None
            found = found or ideal_widths(facts, access, program, counts)
            rounds = -(-found.tile_bytes // (access.element_bytes * found.vector * threads))
            accesses += prod([registers[k] for k in access.loops]) // found.fragment
            accesses += rounds * found.vector // found.store
            copies += rounds
            phases += found.load_phases + found.store_phases
            chunk = lane_chunk if program.lane in access.loops else 1
            fragment = prod([registers[k] for k in access.parallel]) * chunk
            fragments += fragment * (2 if reduction_points > 1 else 1) * access.words
            staging += rounds * found.vector * access.words if steps > 1 else 0
            need = stages * found.tile_bytes
            workgroup_bytes += aligned(need)
        else:
            vector = access.direct_vector(program.chunks)
            own = prod([registers[k] for k in access.loops])
            direct += own * access.words
            if steps == 1 or access.reduces:
                waiting += own * access.words
            width = vector * access.element_bytes
            sectors = coalesced_sectors(access.strides, program, width, min(lanes, threads), machine.sector_bytes)
            accesses += own // vector
            passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
            phases += own // vector * subgroups * passes

    across, waits = _join(facts.reduction, program.threads, program.order, lanes)
    if across:
        need = accumulators * threads * facts.output.element_bytes
        workgroup_bytes += need
    lane_registers = lane_chunk if lane_reduces else 1
    used = accumulators * lane_registers * facts.output.words + fragments + staging + ADDRESSING_REGISTERS
    used += min(direct, DIRECT_LOADS_IN_FLIGHT)
    resident = resident or tasks_per_unit(device, threads, used, workgroup_bytes)
    if resident == 0:
        return None

    math = points * facts.math_per_point
    issue = math + accesses + copies * (1 + COPY_INSTRUCTIONS) + STEP_INSTRUCTIONS
    store = store_width(facts.expression, program.lane, program.chunks)
    width = store * facts.output.element_bytes
    sectors = coalesced_sectors(facts.output.strides, program, width, min(lanes, threads), machine.sector_bytes)
    stores = accumulators // store
    passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
    times = 2 if facts.expression.accumulates else 1
    written = times * tasks * facts.output.traffic(blocks)
    moved = cache * tasks * steps + written
    work = Work(
        tasks=tasks,
        steps=steps,
        threads=threads,
        resident=resident,
        math=math,
        issue=issue,
        phases=phases,
        load_rounds=-(-waiting // DIRECT_LOADS_IN_FLIGHT),
        staged=any_staged,
        stages=stages,
        tail_issue=2 * stores * times + waits * accumulators * 2,
        tail_phases=stores * times * subgroups * passes + (2 * accumulators * subgroups if across else 0),
        tail_waits=waits + (2 if across else 0),
        cache_bytes=moved,
        global_bytes=global_bytes(facts, blocks, counts, tasks, steps, device.units * resident, times),
    )
    seconds = total_seconds(seconds_by_layer(work, machine))
    return Estimate(seconds, program, stages, used, workgroup_bytes, work)


def global_bytes(
    facts: Facts, blocks: Sequence[int], counts: Sequence[int], tasks: int, steps: int, concurrent: int, times: int
) -> float:
    """Return the bytes that reach global memory: each tensor once, again by every wave that the cache cannot span.

    Args:
        facts: The expression.
        blocks: Points per loop of a task's step.
        counts: Boxes along each loop.
        tasks: Tasks of the program.
        steps: Reduction steps of a task.
        concurrent: Tasks that run at the same time on the whole device.
        times: Passes over the output: 1 written, 2 also read.
    """
    unique = [min(a.access.size_bytes, a.traffic(blocks) * prod([counts[i] for i in a.loops])) for a in facts.inputs]
    written = times * facts.output.access.size_bytes
    capacity = facts.machine.cache_bytes
    if sum(unique) + written <= capacity or tasks <= concurrent:
        return sum(unique) + written
    covered: dict[int, int] = {}
    left = concurrent
    for loop in reversed(facts.parallel):
        covered[loop] = min(counts[loop], left)
        left = max(1, left // counts[loop])
    waves = tasks / concurrent
    total = float(written)
    for access, once in zip(facts.inputs, unique, strict=True):
        if once <= capacity // 2:
            total += once
            continue
        reductions = prod([counts[i] for i in access.loops if facts.reduction[i]])
        wave = access.traffic(blocks) * prod([covered[i] for i in access.parallel]) * reductions
        total += min(max(once, wave * waves), access.traffic(blocks) * tasks * steps)
    return total


@lru_cache(maxsize=1024)
def _join(
    reduction: tuple[bool, ...], threads: tuple[int, ...], order: tuple[int, ...], lanes: int
) -> tuple[bool, int]:
    """Return whether partial results are joined across subgroups, and the shuffles before that.

    Candidates repeat the same few threads, so that most are remembered.
    """
    loops = tuple(Loop(count, reduces) for count, reduces in zip(threads, reduction, strict=True))
    axes = tuple(AxisPlan(block=count, threads=count) for count in threads)
    found = combination(loops, axes, order, lanes)
    return bool(found.across), len(found.shuffles)
