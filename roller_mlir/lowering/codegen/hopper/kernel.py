# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel of the warp-specialised pipeline: blocks of warpgroups that compute and one that copies.

The buffers of the steps are a ring with two barriers each: the producer waits until a buffer was emptied, and starts
tensor copies, whose bytes arrive at the other barrier, for which the consumers wait. A block of a persistent program
takes every `grid`-th task; the ring goes on from task to task, so that the tiles of the next one arrive while the
consumers still store the last one. Which tasks a block takes, `wrappers` says.
"""

from dataclasses import replace
from math import prod

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.early.dependent_launch import let_dependents_start, wait_for_launches
from roller_mlir.lowering.codegen.hopper.made_maps import MadeMaps
from roller_mlir.lowering.codegen.hopper.ops import memory_base
from roller_mlir.lowering.codegen.hopper.ring import Ring
from roller_mlir.lowering.codegen.hopper.steps import Steps, steps_of_program
from roller_mlir.lowering.codegen.hopper.warp_roles import SmemLayout, WarpRoles
from roller_mlir.lowering.codegen.kernel_function import (
    EmittedKernel,
    KernelRequest,
    declare_kernel,
    dynamic_bytes,
    dynamic_memory,
    kernel_name,
    note_counts,
    resident_blocks,
)
from roller_mlir.lowering.codegen.last_block import LastBlock
from roller_mlir.lowering.codegen.task.arena import combine_bytes
from roller_mlir.lowering.codegen.task.stores.staged import staged_results
from roller_mlir.lowering.codegen.wrappers import wrapper_of
from roller_mlir.lowering.loops.attributes import TASKS_PER_UNIT
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.lowering.loops.program import box_axes, box_loops
from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.joined_memory import flag_offset, joined_bytes
from roller_mlir.mapping.layout.staged_store import RING_RESULT_BYTES
from roller_mlir.mapping.tensor_copy import (
    BARRIER_BYTES,
    PRODUCER_THREADS,
    STORE_BUFFERS,
    SWIZZLE_BYTES,
    WARPGROUP_THREADS,
)
from roller_mlir.mapping.warpgroup_registers import register_problem, role_registers
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def emit_warp_specialised(request: KernelRequest) -> EmittedKernel:
    """Emit a program whose reduction is warp-specialised as a kernel at the end of a gpu.module.

    All threads of one that waits for launches wait in front of all that they do with memory. A second stage is run by
    the threads that compute of the last block of a tile.
    """
    program, limits, early, last = request.program, request.limits, request.early, request.last
    name, nest = program.program_name, parallel_nest(program.operation)
    steps = steps_of_program(program)
    consumers = prod(axis[0] for axis in steps.compute.thread_map.axes)
    threads = consumers + PRODUCER_THREADS
    if consumers % WARPGROUP_THREADS or threads > limits.max_threads:
        fail(
            program,
            f"'rtile.program' '{name}' has {consumers} threads that compute and {PRODUCER_THREADS} that copy, "
            f"{limits.device} has {limits.max_threads} in a block, and a warpgroup is {WARPGROUP_THREADS}; "
            "change the threads of rtile.compute",
        )
    resident = program.tasks_per_unit or 1
    columns, accumulators = accumulators_of(steps)
    problem = register_problem(consumers, resident, limits.registers_per_unit, columns, accumulators)
    if problem:
        fail(program, f"'rtile.program' '{name}' {problem}; lower tasks_per_unit or the tiles")
    places = _places(program, steps, consumers // WARPGROUP_THREADS, limits.subgroup_size, last)
    total = places.total_bytes
    dynamic = dynamic_bytes(program, total, limits)
    wrapper = wrapper_of(nest.trips, resident_blocks(program, limits))
    map_bytes = wrapper.blocks.bound * len(steps.maps) * MAP_BYTES if request.tensor_maps == "device" else 0
    function = declare_kernel(
        program,
        request.module_body,
        threads,
        0 if dynamic else total,
        alignment=SWIZZLE_BYTES,
        maps=steps.maps,
        map_bytes=map_bytes,
        early=early,
        last=last,
    )
    entry = function.regions[0].blocks[0]
    arguments = list(entry.arguments)
    with ir.InsertionPoint(entry.operations[0]), program.location:
        emit = Emitter()
        if early is not None:
            let_dependents_start()
            wait_for_launches()
        memory = dynamic_memory() if dynamic else arguments[-1]
        buffers = list(program.entry.arguments)
        given = arguments[len(buffers) :]
        if last is not None:
            given = given[len(last.more_operands(program)) + 1 :]
        made = None if not map_bytes else MadeMaps.of(emit, steps.maps, given[0], arguments)
        roles = WarpRoles(
            program=program,
            steps=steps,
            wrapper=wrapper,
            ring=Ring(emit, memory_base(emit, memory), steps.stages, places.barriers),
            memory=memory,
            places=places,
            buffers=dict(zip(buffers, arguments, strict=False)),
            maps=dict(zip(steps.maps, given if made is None else made.pointers, strict=False)),
            made=made,
            subgroup_size=limits.subgroup_size,
            last=last,
            arguments=arguments,
        )
        roles.build(consumers, role_registers(consumers, resident, limits.registers_per_unit))
    i64 = ir.IntegerType.get_signless(64)
    # Registers can only change hands where a bound says how many a block starts with.
    function.attributes[TASKS_PER_UNIT] = ir.IntegerAttr.get(i64, resident)
    note_counts(function, *roles.counts)
    return EmittedKernel(
        name=kernel_name(program),
        grid=wrapper.blocks,
        block=threads,
        dynamic_workgroup_bytes=dynamic,
        workgroup_bytes=total,
        maps=0 if map_bytes else len(steps.maps),
        map_bytes=map_bytes,
        dependent=early is not None,
    )


def accumulators_of(steps: Steps) -> tuple[int, int]:
    """Return the columns of an instruction, and the accumulators of a thread."""
    instruction = steps.compute.matrix_instruction
    assert instruction is not None
    parallel = zip(box_loops(steps.compute), box_axes(steps.compute), strict=True)
    return instruction.shape[1], prod(axis.registers for loop, axis in parallel if not loop.reduction)


def _places(
    program: rtile.ProgramOp, steps: Steps, groups: int, subgroup_size: int, last: LastBlock | None
) -> SmemLayout:
    """Lay out a block's workgroup memory."""
    staging = steps.stages * steps.stage_bytes
    barriers = staging + groups * STORE_BUFFERS * steps.staging_bytes
    combine = barriers + 2 * BARRIER_BYTES * steps.stages
    end = combine + combine_bytes(program.operation, subgroup_size)
    results = staged_results(program.operation, RING_RESULT_BYTES, subgroup_size)
    if results.stores:
        results = replace(results, offset=aligned(end))
        end = results.offset + results.size_bytes
    if last is None:
        return SmemLayout(staging, barriers, combine, end, results=results)
    own = last.combine_bytes(subgroup_size)
    total = joined_bytes(end, own, apart=True)
    return SmemLayout(staging, barriers, combine, total, end, end + flag_offset(own), results)
