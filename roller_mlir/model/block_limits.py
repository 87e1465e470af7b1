# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was asked of the block of a program: so many threads, at most so many registers and bytes of workgroup memory.

Bodies of several operators in one persistent kernel share one block. The construction grows their programs on a device
that has no more than such a block, so that the bounds hold for every class of programs, and takes those whose threads
are just as many.
"""

from dataclasses import replace
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.model.options import BlockOptions, ConstructOptions
from roller_mlir.plan import Plan


def machine_for(device: Device, options: ConstructOptions) -> Machine:
    """Return the machine that a construction grows programs on: units and blocks no larger than asked for.

    Raises:
        ConstructionError: The device has no block of so many threads.
    """
    lanes = device.subgroup_size
    for name, threads in (("block-threads", options.block_threads), ("task-threads", options.task_threads)):
        if threads is not None and (threads % lanes or threads > device.max_threads_per_block):
            raise ConstructionError(
                f"cannot have blocks of {name}={threads} on '{device.name}': they have multiples of {lanes} "
                f"threads, {device.max_threads_per_block} at most"
            )
    if options.block_threads is not None and options.task_threads is not None:
        raise ConstructionError(
            f"cannot have blocks of block-threads={options.block_threads} and task-threads={options.task_threads}: "
            "give one of them"
        )
    copying = 0 if options.task_threads is None else options.task_threads + PRODUCER_THREADS
    most = {
        "max_threads_per_block": (device.max_threads_per_block, options.block_threads or copying or None),
        "max_registers_per_thread": (device.max_registers_per_thread, options.block_registers),
        "max_workgroup_bytes_per_block": (device.max_workgroup_bytes_per_block, options.block_workgroup_bytes),
        "static_workgroup_bytes": (device.static_workgroup_bytes, options.block_workgroup_bytes),
        "max_blocks_per_unit": (device.max_blocks_per_unit, options.blocks_per_unit),
    }
    if device.max_multi_subgroup_blocks_per_unit is not None:
        name = "max_multi_subgroup_blocks_per_unit"
        most[name] = (device.max_multi_subgroup_blocks_per_unit, options.blocks_per_unit)
    smaller: dict[str, Any] = {name: asked for name, (has, asked) in most.items() if asked is not None and asked < has}
    device = replace(device, **smaller) if smaller else device
    return machine_of(
        device, options.max_units, options.block_threads, options.task_threads, staged_stores=options.staged_stores
    )


def threads_of_block(plan: Plan) -> int:
    """Return the threads of a plan's block: those of a task, and those that only copy."""
    return plan.threads + (PRODUCER_THREADS if atom_family(plan.instruction).reads_memory else 0)


def block_problem(plan: Plan, options: BlockOptions) -> str:
    """Return what of a plan's block is beyond what was asked for, or an empty string."""
    registers, size = (plan.prediction.registers, plan.prediction.shared_bytes) if plan.prediction else (0, 0)
    if options.block_threads not in (None, threads_of_block(plan)):
        return f"has a plan with blocks of {threads_of_block(plan)} threads, but {options.block_threads} were asked for"
    if options.task_threads not in (None, plan.threads):
        return f"has a plan with {plan.threads} threads that compute, but {options.task_threads} were asked for"
    if options.block_registers is not None and registers > options.block_registers:
        return f"has a plan with {registers} registers a thread, but at most {options.block_registers} were asked for"
    if options.block_workgroup_bytes is not None and size > options.block_workgroup_bytes:
        return (
            f"has a plan with {size} B of workgroup memory, but at most {options.block_workgroup_bytes} B were asked "
            "for"
        )
    if options.blocks_per_unit is not None and (plan.tasks_per_unit or 0) > options.blocks_per_unit:
        most = options.blocks_per_unit
        return f"has a plan with {plan.tasks_per_unit} blocks on a unit, but at most {most} were asked for"
    stages = () if plan.split is None else (plan.split.join,)
    return next((problem for stage in stages if (problem := block_problem(stage, options))), "")


def no_plan(best: Plan, options: BlockOptions) -> str:
    """Return that no plan has such a block, beside what the best one has without the limits.

    Args:
        best: That plan.
        options: The limits.
    """
    asked = [
        f"{how} {value}{unit}"
        for how, value, unit in (
            ("just", options.block_threads, " threads"),
            ("just", options.task_threads, " threads that compute"),
            ("at most", options.block_registers, " registers a thread"),
            ("at most", options.block_workgroup_bytes, " B of workgroup memory"),
            ("at most", options.blocks_per_unit, " of them on a unit"),
        )
        if value is not None
    ]
    assert best.prediction is not None
    name = "block-threads" if options.task_threads is None else "task-threads"
    return (
        f"has no plan with a block of {', '.join(asked)}; the best one without these limits has "
        f"{threads_of_block(best)} threads, {best.prediction.registers} registers a thread and "
        f"{best.prediction.shared_bytes} B; change {name}, or raise block-registers or block-workgroup-bytes"
    )
