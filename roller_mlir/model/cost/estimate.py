# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a candidate program to its work: cheap enough for hundreds of candidates, and shared with the final prediction.

A candidate has no layouts yet. Until it has, tiles are taken to lie without bank conflicts; `predict` replaces that by
what the banks of the chosen layout do.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.layout.combine import Combination, combination
from roller_mlir.mapping.layout.layout import ASYNCHRONOUS_BYTES, window_phases, window_vector
from roller_mlir.mapping.layout.thread_reads import own_reads
from roller_mlir.mapping.resources import registers_per_thread, tasks_per_unit
from roller_mlir.mapping.unrolling import copy_waits
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import COPY_INSTRUCTIONS, STEP_INSTRUCTIONS, Estimate, OperandWidths
from roller_mlir.model.cost.raster.order import cache_traffic
from roller_mlir.model.cost.raster.super_rows import raster_traffic
from roller_mlir.model.cost.task.epilogue import epilogue_bytes
from roller_mlir.model.cost.task.matrix import SYNCHRONOUS_STAGES, matrix_estimate
from roller_mlir.model.cost.task.rows import row_estimate
from roller_mlir.model.cost.task.stores import direct_stores, may_stage, staged_stores
from roller_mlir.model.cost.task.tail import add_tail, results_of, spread_candidate
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.cost.traffic.cache_requests import LoadRequests
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.machine import Machine
from roller_mlir.model.problem_context import AccessContext, ProblemContext
from roller_mlir.plan import AxisPlan, Loop, OperandPlan
from roller_mlir.plan.plan import ASYNCHRONOUS, REGISTER, STAGED, SYNCHRONOUS, WORKGROUP


def ideal_widths(context: ProblemContext, access: AccessContext, candidate: Candidate) -> OperandWidths:
    """Return the widths that a staged input will get, and its phases for each subgroup were there no bank conflict.

    They depend on the loops of the input only, and are remembered with it.
    """
    own = access.own
    order = candidate.order if access.windows else ()
    key = own(candidate.blocks), own(candidate.registers), own(candidate.chunks), candidate.lane, order
    found = access.widths.get(key)
    if found is None:
        found = access.widths[key] = _ideal_widths(context, access, candidate)
    return found


def _ideal_widths(context: ProblemContext, access: AccessContext, candidate: Candidate) -> OperandWidths:
    machine, blocks = context.machine, candidate.blocks
    vector = access.copy_vector(blocks)
    elements, extent, _ = access.tile(blocks)
    elements = elements // extent * (-(-extent // vector) * vector)
    fragment = 1
    inner = access.contiguous
    best = inner
    for loop in (candidate.lane, *context.parallel):
        if loop is not None and candidate.chunks[loop] > 1 and loop in access.loops:
            fragment, best = candidate.chunks[loop], loop
            break
    if fragment > access.limit:
        fragment = access.limit
    size, lanes = access.element_bytes, machine.device.subgroup_size
    bytes_ = elements * size
    per_read = 0
    dimensions = access.dimensions(blocks)
    if access.windows:
        axes = candidate.axes()
        rows = dimensions[-1]
        windowed = len(rows.coefficients) > 1 and rows.step == 1
        if windowed:
            fragment, best = window_vector(rows, axes, access.limit), inner
            per_read = window_phases(dimensions, axes, candidate.order, fragment, size, machine.banks, lanes)
        reads = own_reads(dimensions, axes, len(dimensions) - 1, fragment if windowed else 1)
        reads = reads if windowed else -(-reads // fragment)
    else:
        reads = prod([candidate.registers[i] for i in access.loops]) // fragment
    per_read = per_read or max(1, lanes * fragment * size // machine.phase_bytes)
    store = vector if best == inner else 1
    direct = store == vector and vector * size in ASYNCHRONOUS_BYTES
    stored = -(-bytes_ // machine.phase_bytes)
    along = [d for d, one in enumerate(dimensions) if best is not None and one.coefficients.get(best) == 1]
    row = along[0] if along and best != inner else len(dimensions) - 1
    order = (*[d for d in range(len(dimensions)) if d != row], row)
    return OperandWidths(vector, store, fragment, reads, reads * per_read, stored, bytes_, not direct, order)


def estimate(
    context: ProblemContext,
    candidate: Candidate,
    *,
    stages: int = 0,
    widths: Sequence[OperandWidths | None] | None = None,
    resident: int = 0,
    store: str = "",
    spread: bool | None = None,
) -> Estimate | None:
    """Return what the model expects of a candidate, or None where a unit cannot hold one task of it.

    Args:
        context: The expression on the machine.
        candidate: The candidate.
        stages: Buffers of staged inputs, 0 to decide.
        widths: Real widths and phases per input, None for direct ones; without the sequence, staging is decided and
            ideal.
        resident: Tasks that fit on one unit, 0 to estimate.
        store: How results leave, as a plan says it; "" for the faster way.
        spread: Whether the ops behind a reduction are spread, as a plan says it; None for what a construction decides.
    """
    if widths is not None or resident or store or spread is not None:
        return _estimate(context, candidate, stages, widths, resident, store, spread)
    key = candidate, stages
    if key in context.estimates:
        found: Estimate | None = context.estimates[key]
    elif context.staging is not None and key in context.staging.estimates:
        found = context.staging.estimates[key]
        found = found.direct if found is not None else None
    else:
        found = context.estimates[key] = _estimate(context, candidate, stages, None, 0, "", None)
    return found


def _estimate(
    context: ProblemContext,
    candidate: Candidate,
    stages: int,
    widths: Sequence[OperandWidths | None] | None,
    resident: int,
    store: str,
    spread: bool | None,
) -> Estimate | None:
    if context.atom.is_matrix:
        return matrix_estimate(context, candidate, stages=stages, widths=widths, resident=resident, store=store)
    if stages > SYNCHRONOUS_STAGES:
        return None
    if context.expression.walks_rows(candidate.blocks):
        return row_estimate(context, candidate, widths=widths, resident=resident) if stages < 2 else None
    machine = context.machine
    device = machine.device
    lanes = device.subgroup_size
    blocks, registers = candidate.blocks, candidate.registers
    counts = [-(-extent // block) for extent, block in zip(context.bounds, blocks, strict=True)]
    steps = prod([counts[i] for i in context.reductions])
    tasks = prod([counts[i] for i in context.parallel])
    threads = candidate.thread_count
    subgroups = -(-threads // lanes)
    staged = candidate.staged
    any_staged = True in staged
    if stages == 0:
        stages = 2 if steps > 1 and any_staged else 1
    points = prod(registers)
    accumulators = points // prod([registers[i] for i in context.reductions])

    atom, prologue = context.atom, context.prologue
    before = 0.0
    phases, accesses, copies, waiting, workgroup_bytes, cache = 0.0, 0.0, 0, 0, 0, 0
    operands: list[OperandPlan] = []
    requests = LoadRequests()
    through_registers: list[tuple[int, int]] = []
    for i, access in enumerate(context.inputs):
        behind = i in context.expression.tail_inputs and not staged[i]
        cache += 0 if behind else access.traffic(blocks)
        if staged[i]:
            requests.add_staged(machine, access, blocks)
            found = widths[i] if widths is not None else None
            if found is not None:
                synchronous = found.synchronous
                phases += found.load_phases + found.store_phases
            else:
                found = ideal_widths(context, access, candidate)
                synchronous = found.synchronous or not context.copies_alone(i, blocks)
                phases += found.load_phases * subgroups + found.store_phases
            copy = SYNCHRONOUS if synchronous else ASYNCHRONOUS
            operands.append(_operand(WORKGROUP, found.order, found.vector, found.fragment, copy))
            rounds = -(-found.tile_bytes // (access.element_bytes * found.vector * threads))
            accesses += found.reads
            # What a prologue changes passes through registers.
            if prologue:
                before += rounds * found.vector * prologue[i]
            copies += rounds
            if synchronous:
                accesses += rounds * found.vector // found.store
                elements, extent, _ = access.tile(blocks)  # without what pads rows, which nobody copies
                vectors = elements // extent * -(-extent // found.vector)
                through_registers.append((-(-vectors // threads), found.vector * access.words))
            workgroup_bytes += aligned(stages * found.tile_bytes)
        else:
            vector = access.direct_vector(blocks, candidate.chunks)
            operands.append(_operand(REGISTER, (), vector))
            own = prod([registers[k] for k in access.loops])
            if prologue:
                before += own * prologue[i]
            if (steps == 1 or access.reduces) and not behind:
                waiting += own * access.words
            width = vector * access.element_bytes
            sectors = coalesced_sectors(access.strides, candidate, width, min(lanes, threads), machine.sector_bytes)
            if not behind:
                accesses += own // vector
                passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
                phases += own // vector * subgroups * passes
            requests.add_direct(machine, access, candidate, width, sectors, own // vector * subgroups)

    free_bytes = workgroup_bytes
    joining = _combination(context.reduction, candidate.threads, candidate.order, lanes)
    if joining.across:
        joined = accumulators * max(1, context.expression.joined_results)
        workgroup_bytes += joined * joining.slots * context.result_bytes
    ending_bytes = epilogue_bytes(context, candidate) if context.ends else 0
    used = registers_per_thread(context.expression, candidate.axes(), candidate.lane, operands, device)
    resident = resident or tasks_per_unit(device, threads, used, workgroup_bytes)
    if resident == 0:
        return None

    operations = points * context.math_per_point / atom.points()
    math = points * context.math_per_point * context.cycles_per_point / machine.math_cycles
    if before:
        math += before * context.other_cycles / machine.math_cycles
    issue = operations + accesses + copies * (1 + COPY_INSTRUCTIONS) + STEP_INSTRUCTIONS + before
    times = 2 if context.expression.accumulates else 1
    concurrent = machine.units * resident
    from_global, from_shared, _ = cache_traffic(context, blocks, counts, concurrent, times)
    if widths is not None:  # of a plan, whose raster is decided
        rastered = raster_traffic(context, blocks, counts, concurrent, times)
        from_global, from_shared = rastered.global_bytes, rastered.shared_bytes
    work = CandidateWork(
        tasks=tasks,
        steps=steps,
        threads=threads,
        resident=resident,
        math=math,
        issue=issue,
        phases=phases,
        load_rounds=-(-waiting // device.model.loads_in_flight),
        staged=any_staged,
        stages=stages,
        tail_issue=0,
        tail_phases=0,
        tail_waits=0,
        cache_bytes=cache * tasks * steps + tasks * ending_bytes,
        global_bytes=from_global,
        shared_cache_bytes=from_shared,
        request_bytes=requests.more * tasks * steps,
        direct_bytes=requests.direct,
        again_bytes=requests.again,
        workgroup_bytes=workgroup_bytes,
        # A later step's tile passes registers at once, while the step before computes.
        copy_rounds=copy_waits(through_registers) if steps == 1 and through_registers else 1,
    )
    direct = direct_stores(context, candidate, tasks, accumulators)
    best: Estimate | None = None
    if store != STAGED:
        shared = None if spread is False else spread_candidate(context, candidate, joining)
        add_tail(work, context, candidate, joining, shared)
        ways = direct if shared is None else direct_stores(context, shared, tasks, results_of(context, shared))
        stored = ways.added(work, times)
        best = Estimate(_seconds(stored, machine), candidate, stages, used, workgroup_bytes, stored)
    if store == STAGED or (not store and may_stage(context, candidate, direct)):
        ways = staged_stores(context, candidate, direct, accumulators, free_bytes, exact=widths is not None)
        need = max(workgroup_bytes, ways.workgroup_bytes)
        fitting = resident if store else min(resident, tasks_per_unit(device, threads, used, need))
        if fitting:
            add_tail(work, context, candidate, joining)
            stored = ways.added(work, times)
            stored.resident = fitting
            seconds = _seconds(stored, machine)
            if best is None or seconds < best.seconds:
                best = Estimate(seconds, candidate, stages, used, need, stored, staged=True, unstaged=best)
    return best


def _seconds(work: CandidateWork, machine: Machine) -> float:
    return total_seconds(seconds_by_layer(work, machine), machine.device.model, alternates=work.alternates)


@lru_cache(maxsize=1024)
def _combination(
    reduction: tuple[bool, ...], threads: tuple[int, ...], order: tuple[int, ...], lanes: int
) -> Combination:
    """Return how partial results are joined; candidates repeat the same few threads, so that most are remembered."""
    loops = tuple(Loop(count, reduces) for count, reduces in zip(threads, reduction, strict=True))
    axes = tuple(AxisPlan(block=count, threads=count) for count in threads)
    return combination(loops, axes, order, lanes)


@lru_cache(maxsize=1024)
def _operand(
    layer: str, order: tuple[int, ...], vector: int, fragment: int = 1, copy: str = SYNCHRONOUS
) -> OperandPlan:
    """Return what decides the registers of an input; candidates have few different ones."""
    return OperandPlan(layer=layer, order=order, vector=vector, fragment_vector=fragment, copy=copy)
