# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a candidate program to its work: cheap enough for hundreds of candidates, and shared with the final prediction.

A candidate has no layouts yet. Until it has, tiles are taken to lie without bank conflicts; `predict` replaces that by
what the banks of the chosen layout do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

from roller_mlir.mapping.arena_offsets import aligned
from roller_mlir.mapping.combine import combination
from roller_mlir.mapping.data_tile import copy_map, tile_dimensions
from roller_mlir.mapping.layout import window_phases, window_vector
from roller_mlir.mapping.resources import COPY_LOOP_REGISTERS, tasks_per_unit
from roller_mlir.mapping.thread_reads import own_reads
from roller_mlir.model.epilogue import epilogue_work
from roller_mlir.model.facts import AccessFacts, Facts
from roller_mlir.model.program import Program
from roller_mlir.model.raster import global_traffic
from roller_mlir.model.sectors import coalesced_sectors
from roller_mlir.model.timing import Work, seconds_by_layer, total_seconds
from roller_mlir.model.traffic import store_width
from roller_mlir.model.window_words import window_words
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
        reads: Such accesses of one thread in one step.
        load_phases: Passes of the fragment reads in one step: of a task, or of each subgroup where they are ideal.
        store_phases: Passes of its writes in one step.
        tile_bytes: Bytes of one buffer in workgroup memory.
    """

    vector: int
    store: int
    fragment: int
    reads: float
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
    if facts.atom.is_matrix:
        # Swizzled: each element of a group's tile is read once, 16 bytes a thread, and stored as it came.
        loaded = facts.fragment_bytes(access, program.registers)
        reads = 0.0 if facts.atom.reads_memory else loaded / lanes / machine.vector_bytes
        phases = loaded / machine.phase_bytes
        return OperandWidths(vector, vector, access.limit, reads, phases, -(-bytes_ // machine.phase_bytes), bytes_)
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
    direct_copies = atom.is_matrix and bool({"async_copy", "tensor_copy"} & set(device.features))
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
            changed = prologue[i] if prologue else 0
            before += rounds * found.vector * changed
            if changed or not direct_copies:
                accesses += rounds * found.vector // found.store
            copies += rounds
            chunk = lane_chunk if program.lane in access.loops else 1
            if atom.is_matrix:
                fragments += 2 * facts.fragment_registers(access, registers)
            else:
                fragment = prod([registers[k] for k in access.parallel]) * chunk
                fragments += fragment * (2 if reduction_points > 1 else 1) * access.words
            if atom.is_matrix:
                waits_in_registers = stages > 1 and (changed or not direct_copies)
                staging += ceil(rounds * found.vector * access.element_bytes / 4) if waits_in_registers else 0
            elif steps > 1:
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
    if facts.windows and not atom.is_matrix:
        windows = window_words(facts, program, read_widths, ahead=steps > 1)
        fragments, direct = (fragments, direct) if windows is None else (windows, 0)
    used = ceil(accumulators * lane_registers * facts.result_words + fragments) + staging
    used += device.model.addressing_registers
    used += min(direct, device.model.loads_in_flight)
    if steps == 1 and any_staged and not atom.is_matrix:
        used = max(used, COPY_LOOP_REGISTERS)
    if facts.expression.live_words:
        used = max(used, points * facts.expression.live_words + device.model.addressing_registers)
    end = epilogue_work(facts, program, accumulators) if facts.ends else None
    if end is not None:
        used = max(used, ceil(accumulators * facts.result_words) + end.registers + device.model.addressing_registers)
    resident = resident or tasks_per_unit(device, threads, used, workgroup_bytes)
    if resident == 0:
        return None

    columns = registers[atom.column] if atom.is_matrix else 0
    operations = points * facts.math_per_point / atom.points(columns)
    math = points * facts.math_per_point * facts.cycles_per_point / machine.math_cycles
    if before:
        if atom.is_matrix:
            before *= facts.other_cycles
        else:
            math += before * facts.other_cycles / machine.math_cycles
    issue = operations + accesses + copies * (1 + COPY_INSTRUCTIONS) + STEP_INSTRUCTIONS + before
    stores, store_phases, written = 0, 0, 0
    for output in (facts.output, *facts.more_outputs):
        store = store_width(facts.expression, program.lane, program.chunks, output.access)
        width = store * output.element_bytes
        sectors = coalesced_sectors(output.strides, program, width, min(lanes, threads), machine.sector_bytes)
        stores += accumulators // store
        store_phases += accumulators // store * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        written += tasks * output.traffic(blocks)
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
