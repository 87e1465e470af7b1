# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel wrapper: a grid of independent tasks, one block each.

The wrapper alone knows of block and thread ids, of attributions and of what may alias; the body in `task.py` does not.
"""

from dataclasses import dataclass
from math import prod

from roller_mlir.codegen.arena import plan_arena
from roller_mlir.codegen.attributes import FMA_COUNT, TASKS_PER_UNIT
from roller_mlir.codegen.emitter import Emitter
from roller_mlir.codegen.loop_nest import unit_nest
from roller_mlir.codegen.program import computes_of, loads_of, stores_of
from roller_mlir.codegen.task import TaskBuilder
from roller_mlir.codegen.task_context import TaskContext
from roller_mlir.dialects import rtile
from roller_mlir.mapping.arena_offsets import TILE_ALIGNMENT_BYTES
from roller_mlir.mapping.index import Symbol
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

# What every buffer of a kernel is aligned to, in bytes: the widest access.
BUFFER_ALIGNMENT = 16


@dataclass(frozen=True, kw_only=True)
class KernelLimits:
    """What a device allows one block.

    Attributes:
        device: Its name, for messages.
        subgroup_size: Lanes of a subgroup.
        max_threads: Threads of a block.
        workgroup_bytes: Workgroup memory of a block, in bytes.
        static_workgroup_bytes: How much of it can be declared in the kernel, in bytes.
    """

    device: str
    subgroup_size: int
    max_threads: int
    workgroup_bytes: int
    static_workgroup_bytes: int


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """An emitted kernel and how it is launched.

    Attributes:
        name: Symbol in the gpu.module.
        grid: Blocks.
        block: Threads of a block.
        dynamic_workgroup_bytes: Workgroup memory given at launch, in bytes; 0 when it is declared in the kernel.
        workgroup_bytes: Workgroup memory in use, in bytes.
    """

    name: str
    grid: int
    block: int
    dynamic_workgroup_bytes: int
    workgroup_bytes: int


def emit_kernel(program: rtile.ProgramOp, module_body: ir.Block, limits: KernelLimits) -> Kernel:
    """Emit a program as a kernel at the end of a gpu.module.

    Args:
        program: An rtile.program on memrefs whose region is unit loops.
        module_body: Block of the gpu.module.
        limits: What the device allows.
    """
    name = program.program_name
    nest = unit_nest(program.operation)
    computes = computes_of(program.operation)
    if not computes:
        fail(program, f"'rtile.program' '{name}' has no rtile.compute, so there is nothing to launch")
    threads = prod(count for count, _ in computes[0].thread_map.axes)
    arena = plan_arena(program.operation, limits.subgroup_size)
    if threads > limits.max_threads:
        fail(
            program,
            f"'rtile.program' '{name}' needs {threads} threads in a block, {limits.device} has {limits.max_threads}; "
            "lower the threads of rtile.compute",
        )
    if arena.total_bytes > limits.workgroup_bytes:
        fail(
            program,
            f"'rtile.program' '{name}' needs {arena.total_bytes} B of workgroup memory, {limits.device} has "
            f"{limits.workgroup_bytes} B; lower the tiles or rtile.stages",
        )
    dynamic = arena.total_bytes if arena.total_bytes > limits.static_workgroup_bytes else 0
    static = 0 if dynamic else arena.total_bytes
    function = _declare(program, module_body, name, threads, static)
    entry = function.regions[0].blocks[0]
    arguments = list(entry.arguments)
    with ir.InsertionPoint(entry.operations[0]), program.location:
        emit = Emitter()
        memory = arguments[-1] if static else None
        if dynamic:
            kind = ir.Type.parse("memref<?xi8, #gpu.address_space<workgroup>>")
            memory = ir.Operation.create("gpu.dynamic_shared_memory", results=[kind]).results[0]
        thread = Symbol("thread", 0, threads - 1, 1, _id("gpu.thread_id") if threads > 1 else None)
        task = Symbol("task", 0, nest.trips - 1, 1, _id("gpu.block_id") if nest.trips > 1 else None)
        context = TaskContext(
            emit=emit,
            thread=thread,
            threads=threads,
            subgroup_size=limits.subgroup_size,
            arena=memory,
            offsets=arena.offsets,
            combine_offset=arena.combine_offset,
            buffers=dict(zip(program.entry.arguments, arguments, strict=False)),
        )
        TaskBuilder(context).build(program.operation, task)
    i64 = ir.IntegerType.get_signless(64)
    function.attributes[FMA_COUNT] = ir.IntegerAttr.get(i64, context.fma_count)
    return Kernel(
        name=name,
        grid=nest.trips,
        block=threads,
        dynamic_workgroup_bytes=dynamic,
        workgroup_bytes=arena.total_bytes,
    )


def _id(name: str) -> ir.Value:
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create(name, results=[ir.IndexType.get()], attributes=dimension).results[0]


def _declare(
    program: rtile.ProgramOp, module_body: ir.Block, name: str, threads: int, static_bytes: int
) -> ir.Operation:
    """Declare the kernel function: bare memrefs that do not overlap, and the arena."""
    written = {op.destination for op in stores_of(program.operation)}
    read = {op.source for op in loads_of(program.operation)}

    def i64(value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)

    buffers = [argument.type for argument in program.entry.arguments]
    facts: list[ir.Attribute] = []
    for argument in program.entry.arguments:
        known: dict[str, ir.Attribute] = {"llvm.noalias": ir.UnitAttr.get(), "llvm.align": i64(BUFFER_ALIGNMENT)}
        if argument not in written:
            known["llvm.readonly"] = ir.UnitAttr.get()
        elif argument not in read:
            known["llvm.writeonly"] = ir.UnitAttr.get()
        facts.append(ir.DictAttr.get(known))
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(buffers, [])),
        "arg_attrs": ir.ArrayAttr.get(facts),
        "gpu.kernel": ir.UnitAttr.get(),
        "known_block_size": ir.DenseI32ArrayAttr.get([threads, 1, 1]),
    }
    if program.tasks_per_unit is not None:
        attributes[TASKS_PER_UNIT] = i64(program.tasks_per_unit)
    arena: list[ir.Type] = []
    if static_bytes:
        arena.append(ir.Type.parse(f"memref<{static_bytes}xi8, #gpu.address_space<workgroup>>"))
        attributes["workgroup_attributions"] = i64(1)
        attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get(
            [ir.DictAttr.get({"llvm.align": i64(TILE_ALIGNMENT_BYTES)})]
        )
    with program.location:
        function = ir.Operation.create("gpu.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module_body))
        types = [*buffers, *arena]
        block = function.regions[0].blocks.append(*types, arg_locs=[program.location] * len(types))
        ir.Operation.create("gpu.return", ip=ir.InsertionPoint(block))
    return function
