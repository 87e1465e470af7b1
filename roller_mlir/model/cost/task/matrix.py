# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a candidate program of a matrix instruction to its work: fragments, pipelines of staged tiles, residency.

Subgroups read fragments by pieces, or the matrix unit reads tiles by itself; tiles are copied through registers (two
buffers), by copies that a thread waits for later, or by one thread for all (more buffers, as many as fit).
"""

from collections.abc import Sequence
from itertools import product
from math import ceil, prod

from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.layout.layout import ASYNCHRONOUS_BYTES
from roller_mlir.mapping.layout.matrix import Rows, choose_rows
from roller_mlir.mapping.layout.staged_store import RING_RESULT_BYTES
from roller_mlir.mapping.resources import (
    SUM_BYTES,
    beside_results,
    epilogue_registers,
    matrix_bytes,
    peak_registers,
    specialised_tasks_per_unit,
    tasks_per_unit,
)
from roller_mlir.mapping.tensor_copy import store_bytes
from roller_mlir.mapping.unrolling import MOST_INSTRUCTIONS, copy_parts, copy_registers
from roller_mlir.mapping.warpgroup_registers import OTHER_REGISTERS as WARPGROUP_REGISTERS
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import COPY_INSTRUCTIONS, STEP_INSTRUCTIONS, Estimate, OperandWidths
from roller_mlir.model.cost.raster.order import cache_traffic
from roller_mlir.model.cost.raster.super_rows import raster_traffic
from roller_mlir.model.cost.task.epilogue import epilogue_bytes, epilogue_work
from roller_mlir.model.cost.task.stores import direct_stores, may_stage, staged_stores, tensor_stores
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.cost.traffic.cache_requests import LoadRequests
from roller_mlir.model.cost.traffic.layouts import matrix_memory
from roller_mlir.model.options import MOST_STAGES
from roller_mlir.model.problem_context import AccessContext, ProblemContext
from roller_mlir.plan.plan import STAGED, TENSOR

STORED_BYTES = 16
"""Bytes of a write of what a thread transposed in registers."""

SYNCHRONOUS_STAGES = 2
"""Buffers of tiles that pass through registers, which hold one more."""

ASYNCHRONOUS_STAGES = 4
"""Buffers at most of tiles that threads copy and wait for later."""

TENSOR_STAGES = 6
"""Buffers at most of tiles that one thread copies for all."""


def matrix_widths(context: ProblemContext, access: AccessContext, candidate: Candidate) -> OperandWidths:
    """Return the widths that an input will get, and its phases for each subgroup were there no bank conflict.

    Remembered with the input, by its own loops; what is read again for other rows or columns is not.
    """
    key = access.own(candidate.blocks), candidate.registers
    found = access.widths.get(key)
    if found is None:
        found = access.widths[key] = _matrix_widths(context, access, candidate)
    return found


def _matrix_widths(context: ProblemContext, access: AccessContext, candidate: Candidate) -> OperandWidths:
    machine, atom, blocks = context.machine, context.atom, candidate.blocks
    vector = access.copy_vector(blocks)
    rows = _rows(context, access, blocks)
    device, size = machine.device, access.element_bytes
    elements, extent, _ = access.tile(blocks)
    tile_bytes = elements // extent * (-(-extent // vector) * vector) * size
    if not rows.permuted:
        tile_bytes += tile_bytes // rows.row_bytes * rows.fragment * size
    loaded = context.fragment_bytes(access, candidate.registers)
    reads = 0.0 if atom.reads_memory else loaded / size / device.subgroup_size / rows.fragment
    direct = rows.as_stored and "async_copy" in device.features and vector * size in ASYNCHRONOUS_BYTES
    return OperandWidths(
        vector,
        vector if rows.as_stored else STORED_BYTES // size,
        rows.fragment,
        reads,
        max(loaded / machine.phase_bytes, reads),
        -(-tile_bytes // machine.phase_bytes),
        tile_bytes,
        synchronous=not (direct or atom.reads_memory),
    )


def _rows(context: ProblemContext, access: AccessContext, blocks: Sequence[int]) -> Rows:
    key, atom = access.own(blocks), context.atom
    found = access.rows.get(key)
    if found is None:
        memory = matrix_memory(context.machine)
        found = choose_rows(access.access, blocks, atom.loops, atom.family, atom.least_shape, memory)
        access.rows[key] = found
    return found


def matrix_estimate(
    context: ProblemContext,
    candidate: Candidate,
    *,
    stages: int = 0,
    widths: Sequence[OperandWidths | None] | None = None,
    resident: int = 0,
    store: str = "",
) -> Estimate | None:
    """Return what `estimate.estimate` returns, for a matrix instruction: both inputs are staged.

    Args:
        context: The expression on the machine.
        candidate: The candidate.
        stages: Buffers of staged inputs, 0 to decide.
        widths: Real widths and phases per input.
        resident: Tasks that fit on one unit, 0 to estimate.
        store: How results leave, as a plan says it; "" for tensor copies where they can, else the faster way.
    """
    machine, atom = context.machine, context.atom
    device = machine.device
    blocks, registers, threads = candidate.blocks, candidate.registers, candidate.thread_count
    subgroups = -(-threads // device.subgroup_size)
    counts = [-(-extent // block) for extent, block in zip(context.bounds, blocks, strict=True)]
    steps = prod([counts[i] for i in context.reductions])
    tasks = prod([counts[i] for i in context.parallel])
    points = prod(registers)
    accumulators = points // prod([registers[i] for i in context.reductions])
    phases, fragments, before, issue, cache = 0.0, 0.0, 0.0, float(STEP_INSTRUCTIONS), 0
    staging, offsets, synchronous, tiles, requests = 0, 0, False, list[int](), LoadRequests()
    for i, access in enumerate(context.inputs):
        found = widths[i] if widths is not None else None
        ideal = found is None
        found = found or matrix_widths(context, access, candidate)
        phases += found.load_phases * (subgroups if ideal else 1) + found.store_phases
        changed = context.prologue[i] if context.prologue else 0
        rounds = -(-found.tile_bytes // (access.element_bytes * found.vector * threads))
        issue += found.reads
        if not atom.reads_memory:
            issue += rounds * (1 + COPY_INSTRUCTIONS)
        if context.through_registers[i] or found.synchronous:
            synchronous = True
            issue += rounds * found.vector / found.store
            staging += copy_registers(rounds, found.vector, access.element_bytes)
            # Blocks of vectors that are transposed together have one offset.
            units = -(-rounds // (found.store if found.store > found.vector else 1))
            if access.is_scattered(blocks, found.vector, threads):
                offsets += ceil(units * device.model.offset_registers)
        before += rounds * found.vector * changed
        fragments += 2 * context.fragment_registers(access, registers)
        cache += access.traffic(blocks)
        requests.add_staged(machine, access, blocks)
        tiles.append(found.tile_bytes)
    issue += points * context.math_per_point / atom.points(registers[atom.column]) + before * context.other_cycles
    addressing = WARPGROUP_REGISTERS if atom.reads_memory else device.model.addressing_registers
    end = epilogue_work(context, candidate, accumulators) if context.ends else None
    ending_bytes = epilogue_bytes(context, candidate) if end is not None else 0
    sums = accumulators * context.result_words
    after = epilogue_registers(context.expression, registers, device)
    used = peak_registers(addressing, sums, sums + fragments, after=after)
    direct = direct_stores(context, candidate, tasks, accumulators)
    times = 2 if context.expression.accumulates else 1
    work = CandidateWork(
        tasks=tasks,
        steps=steps,
        threads=threads,
        resident=1,
        math=points * context.math_per_point * context.cycles_per_point / machine.math_cycles,
        issue=issue,
        phases=phases,
        load_rounds=0,
        staged=True,
        stages=1,
        tail_issue=0,
        tail_phases=0,
        tail_waits=0,
        cache_bytes=cache * tasks * steps,
        request_bytes=requests.more * tasks * steps,
        global_bytes=0.0,
        asynchronous=atom.reads_memory or (atom.family.independent and accumulators >= 2 * prod(atom.per_thread)),
    )
    passes = atom.family.result_accesses
    work.tail_phases += passes * accumulators * subgroups * device.subgroup_size * SUM_BYTES / machine.phase_bytes
    work.tail_issue += passes * accumulators
    work.tail_waits += passes
    if end is not None:
        work.tail_issue += end.issue
        work.tail_phases += end.phases
        work.tail_load_rounds = end.load_rounds
        work.tail_stalls = end.stalls
        work.cache_bytes += tasks * ending_bytes
    if stages and widths is None and not (1 if steps == 1 else 2) <= stages <= most_stages(context, synchronous):
        return None
    sub_steps = prod([registers[i] for i in context.reductions]) // atom.length
    if accumulators // prod(atom.per_thread) * sub_steps > MOST_INSTRUCTIONS:
        sub_steps = 1  # loops are left of the step: nothing stands between their passes
    staging = ceil(staging / copy_parts(staging, sub_steps)) + offsets
    results = 0
    if context.tensor_store if not store else store == TENSOR:
        results, direct = store_bytes(threads, atom.shape(registers[atom.column])[1]), tensor_stores(direct)
    ways = [store == STAGED]
    if not store and not context.tensor_store and may_stage(context, candidate, direct):
        ways.append(True)
    best: Estimate | None = None
    unstaged: Estimate | None = None
    counts_tried = [stages] if stages else stage_counts(context, steps, synchronous=synchronous)
    for staged, count in product(ways, counts_tried):
        need = matrix_bytes(atom.family, atom.least_shape, count, tiles, subgroups) + results
        stores = direct
        if staged:
            free_bytes = RING_RESULT_BYTES if atom.reads_memory else sum(aligned(count * tile) for tile in tiles)
            stores = staged_stores(context, candidate, direct, accumulators, free_bytes, exact=widths is not None)
            need = beside_results(need, stores.workgroup_bytes, ring=atom.reads_memory)
        words = used + (staging if count > 1 else 0)
        held = resident or _residency(context, candidate, words, need)
        if not held or (best is not None and not staged and held <= best.work.resident):
            continue
        if widths is None:
            moved, shared, _ = cache_traffic(context, blocks, counts, machine.units * held, times)
        else:  # of a plan, whose raster is decided
            tasks_move = raster_traffic(context, blocks, counts, machine.units * held, times)
            moved, shared = tasks_move.global_bytes, tasks_move.shared_bytes
        ahead = count > SYNCHRONOUS_STAGES and not synchronous
        one = stores.added(work, times)
        one.resident, one.stages, one.ahead = held, count, ahead
        one.global_bytes, one.shared_cache_bytes = moved, shared
        seconds = total_seconds(seconds_by_layer(one, machine), device.model, ahead=ahead)
        if best is None or seconds < 0.999 * best.seconds:
            best = Estimate(seconds, candidate, count, words, need, one, staged, unstaged if staged else None)
            unstaged = unstaged if staged else best
    return best


def stage_counts(context: ProblemContext, steps: int, *, synchronous: bool) -> list[int]:
    """Return the numbers of buffers that are tried, most first: what they hide costs workgroup memory only."""
    if steps == 1:
        return [1]
    most = TENSOR_STAGES if context.atom.reads_memory else SYNCHRONOUS_STAGES if synchronous else ASYNCHRONOUS_STAGES
    return list(range(min(most, steps), 1, -1))


def most_stages(context: ProblemContext, synchronous: bool) -> int:
    """Return how many buffers a user may ask for."""
    return SYNCHRONOUS_STAGES if synchronous and not context.atom.reads_memory else MOST_STAGES


def _residency(context: ProblemContext, candidate: Candidate, registers: int, workgroup_bytes: int) -> int:
    """Return how many tasks fit on one unit at a time, 0 if none does."""
    atom, device, threads = context.atom, context.machine.device, candidate.thread_count
    if not atom.reads_memory:
        return tasks_per_unit(device, threads, registers, workgroup_bytes)
    columns = atom.shape(candidate.registers[atom.column])[1]
    own = registers - WARPGROUP_REGISTERS
    return specialised_tasks_per_unit(device, threads, columns, own, workgroup_bytes)
