# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a candidate program to its work: cheap enough for hundreds of candidates, and shared with the final prediction.

A candidate has no layouts yet. Until it has, tiles are taken to lie without bank conflicts; `predict` replaces that by
what the banks of the chosen layout do.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod

from roller_mlir.mapping.arena_offsets import aligned
from roller_mlir.mapping.layout.combine import combination
from roller_mlir.mapping.layout.data_tile import copy_map, tile_dimensions
from roller_mlir.mapping.layout.layout import window_phases, window_vector
from roller_mlir.mapping.layout.thread_reads import own_reads
from roller_mlir.mapping.resources import COPY_LOOP_REGISTERS, tasks_per_unit
from roller_mlir.model.cost.ending import stored
from roller_mlir.model.cost.epilogue import epilogue_work
from roller_mlir.model.cost.estimates import COPY_INSTRUCTIONS, STEP_INSTRUCTIONS, Estimate, OperandWidths
from roller_mlir.model.cost.matrix_work import SYNCHRONOUS_STAGES, matrix_estimate
from roller_mlir.model.cost.raster import global_traffic
from roller_mlir.model.cost.sectors import coalesced_sectors
from roller_mlir.model.cost.timing import Work, seconds_by_layer, total_seconds
from roller_mlir.model.cost.window_words import window_words
from roller_mlir.model.facts import AccessFacts, Facts
from roller_mlir.model.program import Program
from roller_mlir.plan import AxisPlan, Loop


def ideal_widths(facts: Facts, access: AccessFacts, program: Program) -> OperandWidths:
    """Return the widths that a staged input will get, and its phases for each subgroup were there no bank conflict.

    They depend on the loops of the input only, and are remembered with it.
    """
    own = access.own
    order = program.order if access.windows else ()
    key = own(program.blocks), own(program.registers), own(program.chunks), program.lane, order
    found = access.widths.get(key)
    if found is None:
        found = access.widths[key] = _ideal_widths(facts, access, program)
    return found


def _ideal_widths(facts: Facts, access: AccessFacts, program: Program) -> OperandWidths:
    machine, blocks = facts.machine, program.blocks
    steps = {i: -(-facts.extents[i] // blocks[i]) for i in access.loops}
    shifts = {i: steps[i] * blocks[i] - facts.extents[i] if facts.reduction[i] else 0 for i in access.loops}
    vector = access.copy_vector(blocks, steps, shifts)
    elements, extent, _ = access.tile(blocks)
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
    bytes_ = elements * size
    per_read = 0
    if access.windows:
        dimensions, axes = tile_dimensions(access.access, blocks), program.axes()
        rows = dimensions[-1]
        windowed = len(rows.coefficients) > 1 and rows.step == 1
        if windowed:
            fragment, best = window_vector(rows, axes, access.limit), inner
            per_read = window_phases(dimensions, axes, program.order, fragment, size, machine.banks, lanes)
        reads = own_reads(dimensions, axes, len(dimensions) - 1, fragment if windowed else 1)
        reads = reads if windowed else -(-reads // fragment)
    else:
        reads = prod([program.registers[i] for i in access.loops]) // fragment
    per_read = per_read or max(1, lanes * fragment * size // machine.phase_bytes)
    stored = -(-bytes_ // machine.phase_bytes)
    return OperandWidths(vector, vector if best == inner else 1, fragment, reads, reads * per_read, stored, bytes_)


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
    if facts.atom.is_matrix:
        return matrix_estimate(facts, program, stages=stages, widths=widths, resident=resident)
    if stages > SYNCHRONOUS_STAGES:
        return None
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

    atom, prologue = facts.atom, facts.prologue
    before = 0.0
    phases, accesses, copies, direct, waiting = 0.0, 0.0, 0, 0, 0
    fragments, staging, workgroup_bytes, cache = 0.0, 0, 0, 0
    read_widths: list[int] = []
    for i, access in enumerate(facts.inputs):
        cache += access.traffic(blocks)
        if staged[i]:
            found = widths[i] if widths is not None else None
            if found is not None:
                phases += found.load_phases + found.store_phases
            else:
                found = ideal_widths(facts, access, program)
                phases += found.load_phases * subgroups + found.store_phases
            read_widths.append(found.fragment)
            rounds = -(-found.tile_bytes // (access.element_bytes * found.vector * threads))
            accesses += found.reads
            # What a prologue changes passes through registers.
            if prologue:
                before += rounds * found.vector * prologue[i]
            accesses += rounds * found.vector // found.store
            copies += rounds
            chunk = lane_chunk if program.lane in access.loops else 1
            fragment = prod([registers[k] for k in access.parallel]) * chunk
            fragments += fragment * (2 if reduction_points > 1 else 1) * access.words
            if steps > 1:
                staging += rounds * found.vector * access.words
                extents = [d.extent for d in tile_dimensions(access.access, blocks)] if access.windows else []
                if access.windows and copy_map(extents, found.vector, threads).is_scattered:
                    staging += ceil(rounds * device.model.offset_registers)
            need = stages * found.tile_bytes
            workgroup_bytes += aligned(need)
        else:
            vector = access.direct_vector(program.chunks)
            read_widths.append(vector)
            own = prod([registers[k] for k in access.loops])
            direct += own * access.words
            if prologue:
                before += own * prologue[i]
            if steps == 1 or access.reduces:
                waiting += own * access.words
            width = vector * access.element_bytes
            sectors = coalesced_sectors(access.strides, program, width, min(lanes, threads), machine.sector_bytes)
            accesses += own // vector
            passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
            phases += own // vector * subgroups * passes

    across, waits = _join(facts.reduction, program.threads, program.order, lanes)
    if across:
        need = accumulators * threads * facts.result_bytes
        workgroup_bytes += need
    lane_registers = lane_chunk if lane_reduces else 1
    if facts.windows:
        windows = window_words(facts, program, read_widths, ahead=steps > 1)
        fragments, direct = (fragments, direct) if windows is None else (windows, 0)
    used = ceil(accumulators * lane_registers * facts.result_words + fragments) + staging
    used += device.model.addressing_registers
    used += min(direct, device.model.loads_in_flight)
    if steps == 1 and any_staged:
        used = max(used, COPY_LOOP_REGISTERS)
    if facts.expression.live_words:
        used = max(used, points * facts.expression.live_words + device.model.addressing_registers)
    end = epilogue_work(facts, program, accumulators) if facts.ends else None
    if end is not None:
        used = max(used, ceil(accumulators * facts.result_words) + end.registers + device.model.addressing_registers)
    resident = resident or tasks_per_unit(device, threads, used, workgroup_bytes)
    if resident == 0:
        return None

    operations = points * facts.math_per_point / atom.points()
    math = points * facts.math_per_point * facts.cycles_per_point / machine.math_cycles
    if before:
        math += before * facts.other_cycles / machine.math_cycles
    issue = operations + accesses + copies * (1 + COPY_INSTRUCTIONS) + STEP_INSTRUCTIONS + before
    stores, store_phases, written = stored(facts, program, tasks, accumulators)
    times = 2 if facts.expression.accumulates else 1
    moved = cache * tasks * steps + times * written
    work = Work(
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
        tail_issue=2 * stores * times + waits * accumulators * 2,
        tail_phases=store_phases * times * subgroups + (2 * accumulators * subgroups if across else 0),
        tail_waits=waits + (2 if across else 0),
        cache_bytes=moved,
        global_bytes=global_traffic(facts, blocks, counts, machine.units * resident, times)[0],
    )
    if end is not None:
        work.tail_issue += end.issue
        work.tail_phases += end.phases
        work.tail_load_rounds = end.load_rounds
        work.cache_bytes += tasks * end.cache_bytes
    seconds = total_seconds(seconds_by_layer(work, machine), device.model, alternates=work.alternates)
    return Estimate(seconds, program, stages, used, workgroup_bytes, work)


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
