# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one task of a plan occupies: registers, workgroup memory, arithmetic per step; how many tasks fit on a unit.

Paper: ROLLER section 3.3 (MemFootprint, with padding). The paper caps registers at an empirical 96; here they are
estimated, and an estimate above the device's limit rejects the plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import Family, atom_family
from roller_mlir.hal.atoms.fragments import Shape
from roller_mlir.mapping.alignment import TILE_ALIGNMENT_BYTES, aligned
from roller_mlir.mapping.layout.combine import combination_bytes
from roller_mlir.mapping.layout.data_tile import copy_map, tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape, row_blocks, steps_of
from roller_mlir.mapping.layout.staged_store import RING_RESULT_BYTES, StagedStore, result_tile, staged_store
from roller_mlir.mapping.layout.window_reads import window_registers
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS, ring_bytes, store_bytes
from roller_mlir.mapping.warpgroup_registers import register_problem
from roller_mlir.plan import Access, AxisPlan, Loop, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import STAGED, SYNCHRONOUS, TENSOR, WORKGROUP

COPY_LOOP_REGISTERS = 48
"""Registers of a loop that copies tiles, at least: 43 depthwise convolutions and poolings of one step, where their sums
did not need more, were assembled without spills in as many."""

SUM_BYTES = 4
"""Bytes of one sum of a matrix instruction."""


@dataclass(frozen=True)
class Resources:
    """What one task occupies.

    Attributes:
        registers: Estimated registers per thread.
        workgroup_bytes: Workgroup memory of a task.
        threads: Threads of a task.
        tasks_per_unit: Tasks that fit on one unit at a time; 0 if none does.
    """

    registers: int
    workgroup_bytes: int
    threads: int
    tasks_per_unit: int


def plan_resources(expression: TensorExpression, plan: Plan, device: Device) -> Resources:
    """Return what one task of a plan occupies on a device.

    Registers are those of threads that compute by themselves; what matrix instructions need is the model's to say.
    """
    registers = registers_per_thread(expression, plan.axes, plan.lane, plan.operands, device)
    staged = sum(arena_sizes(expression, plan.axes, plan.operands, plan.stages))
    if plan.atom is not None:
        subgroups = plan.threads // device.subgroup_size
        tiles = arena_sizes(expression, plan.axes, plan.operands, 1, alignment=1)
        staged = matrix_bytes(atom_family(plan.instruction), plan.atom.shape, plan.stages, tiles, subgroups)
        if plan.store == TENSOR:
            staged += store_bytes(plan.threads, plan.atom.shape[1])
    joined = tuple(
        [Loop(loop.extent, True) if i in expression.whole else loop for i, loop in enumerate(expression.loops)]
    )
    combine = combination_bytes(joined, plan.axes, plan.thread_order, device.subgroup_size, expression.result_bytes)
    if not expression.walks_rows([axis.block for axis in plan.axes]):
        combine *= max(1, expression.joined_results)
    need = staged + combine
    if plan.store == STAGED:
        ways = staged_stores(expression, plan, device.subgroup_size)
        need = beside_results(
            need, max(way.size_bytes for way in ways), ring=atom_family(plan.instruction).reads_memory
        )
    return Resources(registers, need, plan.threads, tasks_per_unit(device, plan.threads, registers, need))


def beside_results(workgroup_bytes: int, result_bytes: int, *, ring: bool) -> int:
    """Return the workgroup memory of a task whose results pass it on their way.

    Args:
        workgroup_bytes: What else it has there.
        result_bytes: Of the results.
        ring: Whether operands lie in a ring of buffers, which is never free; else results take their place.
    """
    return aligned(workgroup_bytes) + result_bytes if ring else max(workgroup_bytes, result_bytes)


def staged_stores(expression: TensorExpression, plan: Plan, lanes: int) -> list[StagedStore]:
    """Return how each output of a plan that stages its stores passes workgroup memory.

    Args:
        expression: The operator.
        plan: Its plan.
        lanes: Threads of a subgroup.
    """
    free_bytes = sum(arena_sizes(expression, plan.axes, plan.operands, plan.stages))
    if atom_family(plan.instruction).reads_memory:
        free_bytes = RING_RESULT_BYTES
    return [
        staged_store(
            result_tile(access, expression.loops, plan.axes, plan.thread_order, plan.lane_order, plan.lane),
            free_bytes,
            lanes,
        )
        for access in expression.outputs
    ]


def reduction_steps(expression: TensorExpression, axes: Sequence[AxisPlan]) -> int:
    """Return the number of steps in which a task walks its reduction loops."""
    return prod(steps_of(loop, axes[i]) for i, loop in enumerate(expression.loops) if loop.reduction)


def points_per_step(axes: Sequence[AxisPlan]) -> int:
    """Return the points that one thread computes in one step.

    >>> points_per_step((AxisPlan(block=128, threads=16, chunk=4), AxisPlan(block=128, threads=16), AxisPlan(block=8)))
    512
    """
    return prod(axis.registers for axis in axes)


def arena_sizes(
    expression: TensorExpression,
    axes: Sequence[AxisPlan],
    operands: Sequence[OperandPlan],
    stages: int,
    alignment: int = TILE_ALIGNMENT_BYTES,
) -> tuple[int, ...]:
    """Return the bytes of workgroup memory of each input's buffers (all stages, aligned), 0 for those not staged."""
    blocks = row_blocks(expression, axes)
    sizes: list[int] = []
    for access, operand in zip(expression.inputs, operands, strict=True):
        size = 0
        if operand.layer == WORKGROUP:
            size = stages * prod(buffer_shape(tile_dimensions(access, blocks), operand)) * access.element_bytes
        sizes.append(aligned(size, alignment))
    return tuple(sizes)


def matrix_bytes(family: Family, shape: Shape, stages: int, tiles: Sequence[int], subgroups: int) -> int:
    """Return the workgroup memory of a task with matrix instructions.

    Args:
        family: The instruction's family.
        shape: Its shape.
        stages: Buffers of each tile.
        tiles: Bytes of one buffer of each.
        subgroups: Subgroups of the task.

    Tiles that an instruction reads by itself lie in a ring of buffers with barriers; opaque results pass a space of
    each subgroup, behind the tiles.
    """
    if family.reads_memory:
        return ring_bytes(stages, tiles)
    return sum(aligned(stages * tile) for tile in tiles) + family.scratch_bytes(subgroups, shape)


def staging_registers(access: Access, blocks: Sequence[int], vector: int, threads: int, device: Device) -> int:
    """Return the registers that hold one thread's share of a tile on its way to workgroup memory, and its offsets.

    Args:
        access: What is copied.
        blocks: Points of each loop in a box.
        vector: Elements of one access of the copy.
        threads: Threads that copy.
        device: The device.
    """
    copy = copy_map([d.extent for d in tile_dimensions(access, blocks)], vector, threads)
    offsets = ceil(copy.rounds * device.model.offset_registers) if access.windows and copy.is_scattered else 0
    return copy.rounds * vector * _words(access) + offsets


def peak_registers(
    addressing: int, results: float, steps: float, *, after: int = 0, live: int = 0, copies_alone: bool = False
) -> int:
    """Return the most registers of one thread that hold something at a time.

    Args:
        addressing: Addresses and counters of loops.
        results: The thread's results.
        steps: What a step holds: results or parts of them, fragments, loads, and elements on their way to tiles.
        after: What the epilogue reads at a time, when fragments are gone.
        live: Values of a body of several operations that wait for others.
        copies_alone: Whether copies have a loop of their own.

    A matmul of 8x8 points per thread with fragments read ahead, and 4 + 4 elements of the next tiles:

    >>> peak_registers(24, 64, 64 + 2 * (8 + 8) + 4 + 4)
    128
    """
    most = addressing + max(ceil(steps), ceil(results) + after, live)
    return max(most, COPY_LOOP_REGISTERS) if copies_alone else most


def result_words(expression: TensorExpression) -> int:
    """Return the 32-bit registers of one point's results."""
    return max(1, expression.result_bytes // 4) + sum(_words(access) for access in expression.more_outputs)


def registers_per_thread(
    expression: TensorExpression,
    axes: Sequence[AxisPlan],
    lane: int | None,
    operands: Sequence[OperandPlan],
    device: Device,
) -> int:
    """Return the registers of one thread, estimated: results, fragments, staged elements, addressing, or an epilogue's.

    Of each operand its layer counts, how it is copied, and the order and widths of its reads.

    Fragments count twice where a step has several reduction points, since the next point's are read ahead. Where
    windows slide over a thread's results, what waits for later results counts (`window_reads`), twice in a loop of
    steps.
    """
    blocks, registers = [axis.block for axis in axes], [axis.registers for axis in axes]
    held = [1 if loop.reduction else count for loop, count in zip(expression.loops, registers, strict=True)]
    points, sums, threads = prod(registers), prod(held), prod([axis.threads for axis in axes])
    results = sums * result_words(expression)
    chunk = axes[lane].chunk if lane is not None and expression.loops[lane].reduction else 1
    several = reduction_steps(expression, axes) > 1
    windows = window_registers(expression, axes, lane, operands, ahead=several)
    total, direct = results * chunk + (windows or 0), 0
    for access, operand in zip(expression.inputs, operands, strict=True):
        used, words = access.loops(), _words(access)
        if operand.layer == WORKGROUP:
            if windows is None:
                fragment = prod([held[i] for i in used]) * (chunk if lane in used else 1)
                total += fragment * (2 if points > sums else 1) * words
            if several and operand.copy == SYNCHRONOUS:
                total += staging_registers(access, blocks, operand.vector, threads, device)
        elif windows is None:
            direct += (points if access.gathered else prod([registers[i] for i in used])) * words
    return peak_registers(
        device.model.addressing_registers,
        results,
        total + min(direct, device.model.loads_in_flight),
        after=epilogue_registers(expression, registers, device),
        live=points * expression.live_words,
        copies_alone=not several and any(operand.layer == WORKGROUP for operand in operands),
    )


def epilogue_registers(expression: TensorExpression, registers: Sequence[int], device: Device) -> int:
    """Return the registers of what a thread reads at a time for an epilogue, from its points per loop."""
    read = sum([prod([registers[i] for i in access.loops()]) * _words(access) for access in expression.epilogue])
    return min(read, device.model.loads_in_flight)


def tasks_per_unit(device: Device, threads: int, registers: int, workgroup_bytes: int) -> int:
    """Return how many tasks one unit holds at a time, 0 if not even one fits.

    H200: 256 threads of 128 registers and 16640 B: the registers allow 65536 / (8 * 4096) = 2.
    """
    if (
        threads > device.max_threads_per_block
        or registers > device.max_registers_per_thread
        or workgroup_bytes > device.max_workgroup_bytes_per_block
    ):
        return 0
    subgroups = -(-threads // device.subgroup_size)
    per_subgroup = aligned(registers * device.subgroup_size, device.register_allocation_per_subgroup)
    # Each of a unit's parts holds whole subgroups; a launch checks one task as if all parts got equally many.
    parts = device.subgroup_allocation
    held = device.registers_per_unit // parts // per_subgroup * parts
    if held < aligned(subgroups, parts):
        return 0
    blocks = device.max_blocks_per_unit
    if subgroups > 1 and device.max_multi_subgroup_blocks_per_unit is not None:
        blocks = device.max_multi_subgroup_blocks_per_unit
    limits = [blocks, device.max_threads_per_unit // (subgroups * device.subgroup_size), held // subgroups]
    need = workgroup_bytes + device.reserved_workgroup_bytes_per_block
    if need:
        limits.append(device.max_workgroup_bytes_per_unit // aligned(need, device.workgroup_allocation_bytes))
    return min(limits)


def registers_of_tasks(device: Device, threads: int, tasks: int) -> int:
    """Return the registers that a thread may have at most where one unit holds so many tasks at a time.

    H200: 3 tasks of 128 threads are 3 subgroups on each of 4 parts, which give them 5376 of 16384 / 3 = 5461.

    Args:
        device: The device.
        threads: Threads of a task.
        tasks: Tasks of a unit, at least 1.
    """
    subgroups = tasks * -(-threads // device.subgroup_size)
    of_part = device.registers_per_unit // device.subgroup_allocation
    per_subgroup = of_part // -(-subgroups // device.subgroup_allocation)
    granule = device.register_allocation_per_subgroup
    return min(device.max_registers_per_thread, per_subgroup // granule * granule // device.subgroup_size)


def specialised_tasks_per_unit(
    device: Device, threads: int, columns: int, accumulators: int, workgroup_bytes: int
) -> int:
    """Return `tasks_per_unit` where a warpgroup copies tiles for the others and leaves them most of its registers.

    Args:
        device: The device.
        threads: Threads that compute.
        columns: Columns of one instruction.
        accumulators: Of a thread that computes, 32 bits each.
        workgroup_bytes: Workgroup memory of a task.
    """
    for tasks in range(tasks_per_unit(device, threads + PRODUCER_THREADS, 24, workgroup_bytes), 0, -1):
        if not register_problem(threads, tasks, device.registers_per_unit, columns, accumulators):
            return tasks
    return 0


def _words(access: Access) -> int:
    return max(1, access.element_bytes // 4)
