# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bodies of wgmma share in a persistent kernel: a ring of equal pages, and the tensor maps of all their operands.

A page holds the step of any body, so that the ring goes on from task to task and from body to body. Bodies without
wgmma use workgroup memory of their own behind the ring: the producer may already fill pages for the next task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.buffers.order import place_of
from roller_mlir.lowering.codegen.graph.bodies import Bodies, TaskBody, id_of
from roller_mlir.lowering.codegen.graph.tables import ring_bytes
from roller_mlir.lowering.codegen.hopper.kernel import accumulators_of
from roller_mlir.lowering.codegen.hopper.steps import Steps, reads_memory, steps_of_program
from roller_mlir.lowering.codegen.hopper.warp_roles import SmemLayout
from roller_mlir.lowering.codegen.task.arena import combine_bytes, plan_arena
from roller_mlir.lowering.loops.program import computes_of
from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.resources import specialised_tasks_per_unit
from roller_mlir.mapping.tensor_copy import BARRIER_BYTES, STORE_BUFFERS, WARPGROUP_THREADS
from roller_mlir.mapping.warpgroup_registers import register_problem
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.support.diagnostics import fail

MOST_MAPS = 128
"""Tensor maps of one kernel at most, of 128 B each: half of the arguments that a kernel may have (32764 B)."""


@dataclass(frozen=True)
class RoleLayout:
    """The workgroup memory of a block with roles.

    Attributes:
        pages: Pages of the ring.
        page_bytes: Bytes of each.
        places: Where the other parts begin; what joins partial results there is the memory of all bodies, by turns.
        handed_over: Where the barrier lies at which consumers tell of a result that the producer copies from.
    """

    pages: int
    page_bytes: int
    places: SmemLayout
    handed_over: int


@dataclass(frozen=True, eq=False)
class Roles:
    """What a persistent kernel with bodies of wgmma needs beyond its bodies.

    Attributes:
        layout: Its workgroup memory.
        steps: The reductions of the bodies of wgmma, each step on a page of the ring.
        maps: The kernel's tensor maps.
        places: Of each body and tensor map of its program: which word of the record tells its operand (None: none
            does), and the number of the kernel's map by that word.
    """

    layout: RoleLayout
    steps: Mapping[TaskBody, Steps]
    maps: tuple[TensorMap, ...]
    places: Mapping[TaskBody, Mapping[TensorMap, tuple[int | None, Mapping[int, int]]]]


def takes_roles(program: rtile.ProgramOp) -> bool:
    """Return whether threads that only copy stand beside those that compute a program."""
    return reads_memory(computes_of(program.operation))


def role_layout(graph: rammer.GraphOp, threads: int, subgroup_size: int, most_bytes: int) -> RoleLayout | None:
    """Return the workgroup memory of a block that runs tasks of a program; None where none of them takes roles.

    Args:
        graph: The program.
        threads: Threads of a task.
        subgroup_size: Lanes of a subgroup.
        most_bytes: Workgroup memory of a block at most.
    """
    programs = graph.programs
    steps = [steps_of_program(program) for program in programs if takes_roles(program)]
    if not steps:
        return None
    page = max(one.stage_bytes for one in steps)
    wanted = max(one.stages for one in steps)
    least = min(2, wanted)
    staging = threads // WARPGROUP_THREADS * STORE_BUFFERS * max(one.staging_bytes for one in steps)
    own = max(
        combine_bytes(one.operation, subgroup_size)
        if takes_roles(one)
        else plan_arena(one.operation, subgroup_size).total_bytes
        for one in programs
    )
    words = max(len(application.operands) + len(application.starts) for application in graph.applications)
    records = 2 * ring_bytes(words + 1)

    def laid_out(pages: int) -> RoleLayout:
        barriers = pages * page + staging
        handed_over = barriers + 2 * BARRIER_BYTES * pages
        arena = aligned(handed_over + BARRIER_BYTES)
        total = aligned(arena + own) + records
        return RoleLayout(pages, page, SmemLayout(pages * page, barriers, arena, total), handed_over)

    fitting = [pages for pages in range(least, wanted + 1) if laid_out(pages).places.total_bytes <= most_bytes]
    if not fitting:
        fail(
            graph,
            f"'rammer.program' '{graph.program_name}' needs {laid_out(least).places.total_bytes} B of workgroup "
            f"memory for {least} pages of {page} B that tensor copies fill, what they write, and {own} B for other "
            f"tasks, a block has {most_bytes} B; lower the tiles, or leave out wgmma (instructions=...)",
        )
    return laid_out(max(fitting))


def tasks_of_roles(programs: Sequence[rtile.ProgramOp], threads: int, memory: int, device: Device) -> int:
    """Return how many blocks with roles a unit holds, so that each program has the registers that it was planned for.

    Args:
        programs: The programs.
        threads: Threads of a task.
        memory: Workgroup memory of a block, in bytes.
        device: The device.
    """
    found = [program.tasks_per_unit or 1 for program in programs]
    for program in programs:
        if takes_roles(program):
            columns, accumulators = accumulators_of(steps_of_program(program))
            found.append(specialised_tasks_per_unit(device, threads, columns, accumulators, memory))
    return min(found)


def roles_of(graph: rammer.GraphOp, bodies: Bodies, layout: RoleLayout, threads: int, registers_per_unit: int) -> Roles:
    """Return what the bodies of a kernel with roles need.

    Args:
        graph: The program, whose device is known.
        bodies: The bodies.
        layout: Its workgroup memory.
        threads: Threads of a task.
        registers_per_unit: 32-bit registers that the blocks of a unit share.
    """
    assert graph.device is not None
    per_unit = graph.device.read().per_unit
    numbers: dict[TensorMap, int] = {}
    roots = {id_of(root): number for number, root in enumerate(bodies.roots)}
    steps: dict[TaskBody, Steps] = {}
    places: dict[TaskBody, dict[TensorMap, tuple[int | None, dict[int, int]]]] = {}
    for number, body in enumerate(bodies.bodies):
        if not takes_roles(body.program):
            continue
        own = steps_of_program(body.program)
        problem = register_problem(threads, per_unit, registers_per_unit, *accumulators_of(own))
        if problem:
            fail(body.program, f"'rtile.program' '{body.program.program_name}' {problem}; lower per_unit or the tiles")
        steps[body] = replace(own, stages=layout.pages, stage_bytes=layout.page_bytes)
        places[body] = {}
        applications = [one for of, one in zip(bodies.of, graph.applications, strict=True) if of == number]
        for one in own.maps:
            operand, at = body.operands[one.argument], dict[int, int]()
            for value in (application.operands[one.argument] for application in applications):
                root, start = place_of(value)
                moved = replace(one, argument=roots[root], offset_bytes=start)
                at.setdefault(operand.word(value), numbers.setdefault(moved, len(numbers)))
            places[body][one] = body.word_number(one.argument), at
    if len(numbers) > MOST_MAPS:
        fail(
            graph,
            f"'rammer.program' '{graph.program_name}' needs {len(numbers)} tensor maps of {MAP_BYTES} B, a kernel "
            f"takes {MOST_MAPS} at most; leave out wgmma (instructions=...), or divide the function",
        )
    return Roles(layout, steps, tuple(numbers), places)
