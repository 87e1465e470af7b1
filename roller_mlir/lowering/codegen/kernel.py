# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels around task bodies: function, memory, and what may alias; the body in `task.py` knows nothing of these.

The pipeline of the plan names what emits its kernel (`KERNELS`).
"""

from collections.abc import Callable, Mapping
from math import prod

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import StagedResults, TaskContext
from roller_mlir.lowering.codegen.early.accesses import raise_early
from roller_mlir.lowering.codegen.early.dependent_launch import let_dependents_start, wait_for_launches
from roller_mlir.lowering.codegen.hopper.kernel import emit_warp_specialised
from roller_mlir.lowering.codegen.hopper.steps import reads_memory
from roller_mlir.lowering.codegen.hopper.stores import is_tensor_store
from roller_mlir.lowering.codegen.kernel_function import (
    BlockLimits,
    EmittedKernel,
    KernelRequest,
    declare_kernel,
    dynamic_bytes,
    dynamic_memory,
    gpu_id,
    kernel_name,
    note_counts,
    resident_blocks,
)
from roller_mlir.lowering.codegen.task.arena import plan_arena
from roller_mlir.lowering.codegen.task.strategies import STRATEGIES
from roller_mlir.lowering.codegen.task.task import TaskBuilder
from roller_mlir.lowering.codegen.wrappers import wrapper_of
from roller_mlir.lowering.loops.attributes import TILE_REGISTERS
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.lowering.loops.program import computes_of, stores_of
from roller_mlir.mapping.index import Symbol
from roller_mlir.mapping.joined_memory import flag_offset, joined_bytes
from roller_mlir.plan.plan import DIRECT, PIPELINES, WARP_SPECIALISED
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

__all__ = ["BlockLimits", "EmittedKernel", "KernelRequest", "emit_kernel"]


def emit_kernel(request: KernelRequest) -> EmittedKernel:
    """Emit a program as a kernel at the end of a gpu.module."""
    program = request.program
    if not computes_of(program.operation):
        fail(program, f"'rtile.program' '{program.program_name}' has no rtile.compute, so there is nothing to launch")
    return KERNELS[_pipeline(program)](request)


def _pipeline(program: rtile.ProgramOp) -> str:
    """Return the pipeline that names a program's kernel.

    A program by hand may leave it out: an instruction that reads workgroup memory has one only, and the others have
    one kernel, in which the loads of each reduction tell its strategy.
    """
    needed = reads_memory(computes_of(program.operation))
    said = program.pipeline or (WARP_SPECIALISED if needed else DIRECT)
    if PIPELINES[said].specialised != needed:
        what = "with" if needed else "without"
        fail(
            program,
            f"'rtile.program' '{program.program_name}' has pipeline '{said}' {what} an instruction that reads "
            "workgroup memory; change it",
        )
    return said


def _emit_alike(request: KernelRequest) -> EmittedKernel:
    """Emit a kernel all of whose threads copy and compute, which takes no tensor maps."""
    program, limits, early, last = request.program, request.limits, request.early, request.last
    name, computes = program.program_name, computes_of(program.operation)
    wrapper = wrapper_of(parallel_nest(program.operation).trips, resident_blocks(program, limits))
    for store in stores_of(program.operation):
        if is_tensor_store(store):
            fail(store, f"'rtile.store' by tensor copy needs pipeline '{WARP_SPECIALISED}'; leave out its copy")
    threads = prod(axis[0] for axis in computes[0].thread_map.axes)
    arena = plan_arena(program.operation, limits.subgroup_size)
    if threads > limits.max_threads:
        fail(
            program,
            f"'rtile.program' '{name}' needs {threads} threads in a block, {limits.device} has {limits.max_threads}; "
            "lower the threads of rtile.compute",
        )
    flag, total = 0, arena.total_bytes
    if last is not None:
        combine = last.combine_bytes(limits.subgroup_size)
        flag, total = flag_offset(combine), joined_bytes(total, combine, apart=False)
    dynamic = dynamic_bytes(program, total, limits)
    static = 0 if dynamic else total
    function = declare_kernel(program, request.module_body, threads, static, early=early, last=last)
    entry = function.regions[0].blocks[0]
    arguments = list(entry.arguments)
    with ir.InsertionPoint(entry.operations[0]), program.location:
        emit = Emitter()
        memory = dynamic_memory() if dynamic else arguments[-1] if static else None
        thread = Symbol("thread", 0, threads - 1, 1, gpu_id("gpu.thread_id") if threads > 1 else None)
        block = wrapper.block()
        context = TaskContext(
            emit=emit,
            thread=thread,
            threads=threads,
            subgroup_size=limits.subgroup_size,
            arena=memory,
            offsets=arena.offsets,
            combine_offset=arena.combine_offset,
            results=StagedResults() if limits.masked else arena.results,
            buffers=dict(zip(program.entry.arguments, arguments, strict=False)),
            repeats=wrapper.repeats,
            masked=limits.masked,
            mask_registers=limits.mask_registers,
            kept_bytes=limits.kept_bytes,
        )

        if early is not None:
            let_dependents_start()
            if wrapper.repeats:
                wait_for_launches()

        counts = (0, 0)

        def one(task: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            nonlocal counts
            waits = range(0) if early is None or wrapper.repeats else wait_for_launches()
            TaskBuilder(context).build(program.operation, task)
            if waits:
                raise_early(ir.InsertionPoint.current.block, waits, [arguments[number] for number in early or ()])
            if last is not None:
                counts = last.emit(context, task, arguments, flag, 0)
            if wrapper.repeats and memory is not None:
                context.barrier()  # other threads may still read what the next task writes
            return []

        wrapper.run(emit, block, [], one)
    note_counts(function, context.fma_count + counts[0], context.matrix_count + counts[1])
    if context.tile_registers:
        function.attributes[TILE_REGISTERS] = ir.DenseI8ArrayAttr.get(
            list(memoryview(context.tile_registers).cast("b"))
        )
    return EmittedKernel(
        name=kernel_name(program),
        grid=wrapper.blocks,
        block=threads,
        dynamic_workgroup_bytes=dynamic,
        workgroup_bytes=total,
        dependent=early is not None,
    )


KERNELS: Mapping[str, Callable[[KernelRequest], EmittedKernel]] = {
    **dict.fromkeys(STRATEGIES, _emit_alike),
    WARP_SPECIALISED: emit_warp_specialised,
}
"""What emits the kernel of each pipeline."""
