# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task does that walks its rows in steps, pass by pass, instead of holding them.

Beyond the ROLLER paper, as `search.rows`. Each pass reads its inputs again: from workgroup memory where their rows stay
there, else from memory, where the last cache answers as far as it holds the rows of all tasks that run at a time.
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.layout.combine import combination
from roller_mlir.mapping.layout.layout import ASYNCHRONOUS_BYTES
from roller_mlir.mapping.resources import registers_per_thread, tasks_per_unit
from roller_mlir.mapping.unrolling import copy_waits
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import COPY_INSTRUCTIONS, STEP_INSTRUCTIONS, Estimate, OperandWidths
from roller_mlir.model.cost.raster.order import cache_traffic
from roller_mlir.model.cost.task.epilogue import epilogue_bytes, epilogue_work
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.cost.traffic.operands import store_width
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import AxisPlan, Loop, OperandPlan
from roller_mlir.plan.plan import ASYNCHRONOUS, REGISTER, SYNCHRONOUS, WORKGROUP


def row_blocks(context: ProblemContext, blocks: Sequence[int]) -> list[int]:
    """Return the points per loop of what stays in workgroup memory: rows from end to end."""
    whole = context.expression.whole
    return [
        -(-extent // block) * block if loop in whole else block
        for loop, (extent, block) in enumerate(zip(context.bounds, blocks, strict=True))
    ]


def kept_bytes(context: ProblemContext, blocks: Sequence[int], number: int) -> int:
    """Return the bytes of workgroup memory of an input's rows."""
    access, rows = context.inputs[number], row_blocks(context, blocks)
    elements, extent, _ = access.tile(rows)
    vector = access.copy_vector(rows)
    return aligned(elements // extent * (-(-extent // vector) * vector) * access.element_bytes)


def row_layout(context: ProblemContext, number: int, candidate: Candidate) -> OperandPlan:
    """Return the plan of an input whose rows stay in workgroup memory: as they lie in its tensor.

    Threads that follow each other read pieces that do, so that no bank is asked twice.
    """
    access = context.inputs[number]
    rows, pad = row_blocks(context, candidate.blocks), context.expression.pad_values[number]
    vector, along = access.copy_vector(rows), access.contiguous
    # What lies outside of the tensor is filled with 0 by copies that run by themselves.
    inside = all(context.bounds[loop] % rows[loop] == 0 for loop in access.loops)
    asynchronous = "async_copy" in context.machine.device.features and (inside or not pad)
    return OperandPlan(
        layer=WORKGROUP,
        order=tuple(range(len(access.access.shape))),
        vector=vector,
        store_vector=vector,
        fragment_vector=candidate.chunks[along] if along is not None and along == candidate.lane else 1,
        pad_value=pad,
        copy=ASYNCHRONOUS if asynchronous and vector * access.element_bytes in ASYNCHRONOUS_BYTES else SYNCHRONOUS,
    )


def row_estimate(
    context: ProblemContext,
    candidate: Candidate,
    *,
    widths: Sequence[OperandWidths | None] | None = None,
    resident: int = 0,
) -> Estimate | None:
    """Return what the model expects of a candidate that walks its rows; arguments and result as `estimate`."""
    machine, expression = context.machine, context.expression
    device, blocks, registers = machine.device, candidate.blocks, candidate.registers
    lanes, threads = device.subgroup_size, candidate.thread_count
    subgroups = -(-threads // lanes)
    counts = [-(-extent // block) for extent, block in zip(context.bounds, blocks, strict=True)]
    rows = [loop for loop in range(len(counts)) if loop not in expression.whole]
    tasks = prod([counts[loop] for loop in rows])
    steps = prod([counts[loop] for loop in expression.whole])
    points, passes = prod(registers), len(expression.row_passes)

    accesses, phases, rounds, cache, again = 0.0, 0.0, 0.0, 0.0, 0.0
    tail_issue, tail_phases, tail_loads, kept = 0.0, 0.0, 0.0, 0
    words, operands = [0] * passes, list[OperandPlan]()
    near = context.written_bytes
    for number, access in enumerate(context.inputs):
        times = sum(number in one.inputs for one in expression.row_passes)
        own = prod([registers[loop] for loop in access.loops])
        moved = access.traffic(blocks)
        if candidate.staged[number]:
            operands.append(row_layout(context, number, candidate))
            size = kept_bytes(context, blocks, number)
            kept += size
            vector = access.copy_vector(row_blocks(context, blocks))
            each = -(-size // (vector * access.element_bytes * threads))
            found = widths[number] if widths is not None else None
            synchronous = found.synchronous if found is not None else "async_copy" not in device.features
            tail_issue += each * (1 + COPY_INSTRUCTIONS + synchronous)
            tail_phases += -(-size // machine.phase_bytes)
            tail_loads += copy_waits([(each, vector * access.words)]) if synchronous else 1
            along = access.contiguous
            width = candidate.chunks[along] if along is not None and along == candidate.lane else 1
            accesses += times * own / width
            passing = own / width * subgroups * max(1, lanes * width * access.element_bytes // machine.phase_bytes)
            phases += times * (found.load_phases if found is not None else passing)
            cache += moved * tasks * steps
            continue
        vector = access.direct_vector(blocks, candidate.chunks)
        operands.append(OperandPlan(layer=REGISTER, order=(), vector=vector))
        sectors = coalesced_sectors(
            access.strides, candidate, vector * access.element_bytes, min(lanes, threads), machine.sector_bytes
        )
        accesses += times * own / vector
        phases += times * own / vector * subgroups * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        for place, one in enumerate(expression.row_passes):
            words[place] += own * access.words if number in one.inputs else 0
        cache += times * moved * tasks * steps
        if times > 1 and any(loop in access.loops for loop in rows):
            again += (times - 1) * moved * tasks * steps
            near += access.access.size_bytes
    rounds = sum(-(-one // device.model.loads_in_flight) for one in words)

    stores = 0.0
    for output in (context.output, *context.more_outputs):
        width = store_width(expression, candidate.lane, candidate.chunks, output.access)
        size = width * output.element_bytes
        sectors = coalesced_sectors(output.strides, candidate, size, min(lanes, threads), machine.sector_bytes)
        stores += points / width
        phases += points / width * subgroups * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        cache += output.traffic(blocks) * prod([counts[loop] for loop in output.loops])

    joined, axes = joined_loops(context, candidate)
    joining = combination(joined, axes, candidate.order, lanes)
    sums = points // prod([registers[loop] for loop in {*expression.whole, *context.reductions}]) or 1
    join = joining.work(sums, subgroups, everyone=True)
    exchanges = sum(expression.tail_exchanges) or passes  # each result by itself
    end = epilogue_work(context, candidate, sums) if context.ends else None
    workgroup_bytes = kept + (sums * joining.slots * context.result_bytes if joining.across else 0)
    used = registers_per_thread(expression, candidate.axes(), candidate.lane, operands, device)
    resident = resident or tasks_per_unit(device, threads, used, workgroup_bytes)
    if resident == 0:
        return None

    operations = points * sum([one.flops + one.point_cycles for one in expression.row_passes])
    math = operations * context.cycles_per_point / machine.math_cycles
    concurrent = machine.units * resident
    near *= min(1.0, concurrent / tasks)
    ends = row_blocks(context, blocks)
    each = [-(-extent // block) for extent, block in zip(context.bounds, ends, strict=True)]
    from_global, from_shared, _ = cache_traffic(context, ends, each, concurrent, 1)
    from_global += (1 - _held(machine.cache_bytes, near)) * again
    if machine.private_caches > 1:
        from_shared += (1 - _held(machine.private_caches * machine.private_cache_bytes, near)) * again
    work = CandidateWork(
        tasks=tasks,
        steps=steps * passes,
        threads=threads,
        resident=resident,
        math=math / passes,
        issue=(operations / context.atom.points() + accesses + 2 * stores) / passes + STEP_INSTRUCTIONS,
        phases=phases / passes,
        load_rounds=rounds / passes,
        staged=False,
        stages=1,
        tail_issue=tail_issue + exchanges * join.issue,
        tail_phases=tail_phases + exchanges * join.phases,
        tail_waits=exchanges * join.waits,
        cache_bytes=cache,
        global_bytes=from_global,
        shared_cache_bytes=from_shared,
        tail_load_rounds=tail_loads,
        workgroup_bytes=workgroup_bytes,
    )
    if end is not None:
        work.tail_issue += end.issue
        work.tail_phases += end.phases
        work.tail_load_rounds += end.load_rounds
        work.tail_stalls = end.stalls
        work.cache_bytes += tasks * epilogue_bytes(context, candidate)
    seconds = total_seconds(seconds_by_layer(work, machine), device.model, alternates=work.alternates)
    return Estimate(seconds, candidate, 1, used, workgroup_bytes, work)


def _held(capacity: int, near: float) -> float:
    """Return the share of what tasks read again that a cache holds: all of half of it, beyond that in proportion."""
    return min(1.0, capacity / (2 * near)) if near else 1.0


def joined_loops(context: ProblemContext, candidate: Candidate) -> tuple[tuple[Loop, ...], tuple[AxisPlan, ...]]:
    """Return the loops of a candidate as the joining of a row's partial results sees them: rows are reduced."""
    whole = context.expression.whole
    loops = tuple(
        Loop(loop.extent, loop.reduction or number in whole) for number, loop in enumerate(context.expression.loops)
    )
    return loops, candidate.axes()
