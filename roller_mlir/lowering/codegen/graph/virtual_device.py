# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many blocks walk a schedule at once, and what each may use: RAMMER's vDevice.

Paper: RAMMER, section 4.1.2: the vEUs of a unit are as many as its most demanding task allows.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.graph.roles import role_layout, tasks_of_roles
from roller_mlir.lowering.codegen.graph.tables import PIECE_BYTES, ring_bytes
from roller_mlir.lowering.codegen.task.arena import plan_arena
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.lowering.loops.program import computes_of
from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.resources import registers_of_tasks, tasks_per_unit
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS
from roller_mlir.mapping.warpgroup_registers import launch_registers
from roller_mlir.rammer.schedule import VirtualDevice
from roller_mlir.support.diagnostics import fail

WALK_REGISTERS, LEAST_REGISTERS, ALLOTTED = 8, 64, 8
"""Registers of a thread: what the walk needs beside a body, what kernels get at least, and what is allotted at once."""


def virtual_device(graph: rammer.GraphOp, device: Device, wanted: int | None = None) -> VirtualDevice:
    """Return the device that the tasks of a program find: blocks as large as the largest of them needs.

    Args:
        graph: The program.
        device: The device.
        wanted: Blocks, where the device holds as many at a time; None where nobody asks for more than
            the largest operator has tasks.
    """
    applications = graph.applications
    programs = rammer.programs_of(applications)
    threads = aligned(max(threads_of(program) for program in programs), device.subgroup_size)
    layout = role_layout(graph, threads, device.subgroup_size, device.max_workgroup_bytes_per_block)
    if layout is None:
        block, registers = threads, max(_registers(program, device) for program in programs)
        memory = _arena_bytes(programs, device) + _ring_bytes(applications)
        held = tasks_per_unit(device, threads, registers, memory)
    else:
        block, memory = threads + PRODUCER_THREADS, layout.places.total_bytes
        held = tasks_of_roles(programs, threads, memory, device)
        registers = launch_registers(threads, max(1, held), device.registers_per_unit)
    if held == 0:
        fail(
            graph,
            f"'rammer.program' '{graph.program_name}' needs blocks of {block} threads, {registers} registers a "
            f"thread and {memory} B of workgroup memory, of which {device.name} holds none; lower the tiles",
        )
    # The hardware spreads blocks over the units before it puts a second one on any.
    tasks = max(parallel_nest(program.operation).trips.static for program in programs)
    blocks = min(wanted or tasks, device.units * held)
    units = min(blocks, device.units)
    per_unit = blocks // units
    if layout is not None:
        registers = launch_registers(threads, per_unit, device.registers_per_unit)
    return VirtualDevice(units=units, per_unit=per_unit, threads=block, registers=registers, workgroup_bytes=memory)


def slot_room(graph: rammer.GraphOp, virtual: VirtualDevice, device: Device) -> range:
    """Return the bytes of a block's workgroup memory that hold slices: between those of bodies and of records."""
    applications = graph.applications
    begin = _arena_bytes(rammer.programs_of(applications), device)
    return range(begin, virtual.workgroup_bytes - _ring_bytes(applications))


def with_most_slots(virtual: VirtualDevice, device: Device) -> VirtualDevice:
    """Return blocks with all the workgroup memory that as many on a unit can have."""
    own = device.max_workgroup_bytes_per_unit // virtual.per_unit // device.workgroup_allocation_bytes
    most = own * device.workgroup_allocation_bytes - device.reserved_workgroup_bytes_per_block
    most = min(most, device.max_workgroup_bytes_per_block)
    return replace(virtual, workgroup_bytes=max(virtual.workgroup_bytes, most // PIECE_BYTES * PIECE_BYTES))


def _arena_bytes(programs: Sequence[rtile.ProgramOp], device: Device) -> int:
    return aligned(max(plan_arena(program.operation, device.subgroup_size).total_bytes for program in programs))


def _ring_bytes(applications: Sequence[rammer.ApplyOp]) -> int:
    words: dict[tuple[str, int], int] = {}  # of all applications of a program, which have as many operands and starts
    for one in applications:
        key = one.attributes["callee"].value, one.kernel
        if key not in words:
            words[key] = len(one.operands) + len(one.starts) + len(one.callee.resident)
    return ring_bytes(max(words.values()))


def check_block(graph: rammer.GraphOp, virtual: VirtualDevice, device: Device) -> None:
    """Refuse blocks that are too small for a task of a program."""
    needed = virtual_device(graph, device)
    for what, given, need in (
        ("threads", virtual.threads, needed.threads),
        ("bytes of workgroup memory", virtual.workgroup_bytes, needed.workgroup_bytes),
    ):
        if given < need:
            fail(graph, f"'rammer.program' '{graph.program_name}' gives a block {given} {what}, a task needs {need}")


def threads_of(program: rtile.ProgramOp) -> int:
    """Return the threads of a program's tasks."""
    computes = computes_of(program.operation)
    if not computes:
        fail(program, f"'rtile.program' '{program.program_name}' has no rtile.compute, so there is nothing to run")
    return prod(axis[0] for axis in computes[0].thread_map.axes)


def expected_registers(programs: Sequence[rtile.ProgramOp], most: int) -> int:
    """Return the registers that a kernel of these bodies is expected to need; assemblers take all that they may.

    Args:
        programs: The bodies, some of them with predictions.
        most: Registers of a thread at most.
    """
    plans = [program.plan.read() for program in programs if program.plan is not None]
    known = [plan.prediction.registers for plan in plans if plan.prediction is not None]
    if len(known) < len(programs):
        return most
    return min(most, max(LEAST_REGISTERS, aligned(max(known) + WALK_REGISTERS, ALLOTTED)))


def _registers(program: rtile.ProgramOp, device: Device) -> int:
    """Return the registers that a thread of a program may have: its share, where so many tasks are to fit on a unit."""
    resident = program.tasks_per_unit
    if resident is None:
        return device.max_registers_per_thread
    return registers_of_tasks(device, threads_of(program), resident)
