# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel wrapper of wgmma: blocks of warpgroups that compute and one that copies, in a loop over tasks.

The buffers of the steps are a ring with two barriers each: the producer waits until a buffer was emptied, and starts
tensor copies, whose bytes arrive at the other barrier, for which the consumers wait. A block of a persistent program
takes every `grid`-th task; the ring goes on from task to task, so that the tiles of the next one arrive while the
consumers still store the last one.
"""

from collections.abc import Callable, Sequence
from math import prod

from roller_mlir.codegen.attributes import FMA_COUNT, MATRIX_COUNT, TASKS_PER_UNIT
from roller_mlir.codegen.emitter import Emitter
from roller_mlir.codegen.hopper_consumer import Consumer, ConsumerBuilder, ConsumerContext
from roller_mlir.codegen.hopper_ops import (
    address_of,
    binary,
    elected,
    equals,
    memory_base,
    prefetch_map,
    set_registers,
    uniform,
)
from roller_mlir.codegen.hopper_producer import ProducerBuilder
from roller_mlir.codegen.hopper_ring import Ring, Slot, run_from
from roller_mlir.codegen.hopper_steps import Steps, steps_of_program
from roller_mlir.codegen.hopper_store_pieces import Staging
from roller_mlir.codegen.kernel_function import Kernel, KernelLimits, declare_kernel, gpu_id
from roller_mlir.codegen.loop_nest import LoopNest, unit_nest
from roller_mlir.codegen.program import box_axes, box_loops, computes_of
from roller_mlir.codegen.task_context import TaskContext, element_bytes
from roller_mlir.dialects import rtile
from roller_mlir.mapping.combine import combination_bytes
from roller_mlir.mapping.index import Symbol
from roller_mlir.mapping.tensor_copy import (
    BARRIER_BYTES,
    PRODUCER_THREADS,
    STORE_BUFFERS,
    SWIZZLE_BYTES,
    WARPGROUP_THREADS,
    register_problem,
    role_registers,
)
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_WARP_THREADS = 32


def emit_hopper_kernel(program: rtile.ProgramOp, module_body: ir.Block, limits: KernelLimits) -> Kernel:
    """Emit a program whose heavy compute is wgmma as a kernel at the end of a gpu.module.

    Args:
        program: An rtile.program on memrefs whose region is unit loops.
        module_body: Block of the gpu.module.
        limits: What the device allows.
    """
    name, nest = program.program_name, unit_nest(program.operation)
    steps = steps_of_program(program)
    consumers = prod(count for count, _ in steps.compute.thread_map.axes)
    threads = consumers + PRODUCER_THREADS
    if consumers % WARPGROUP_THREADS or threads > limits.max_threads:
        fail(
            program,
            f"'rtile.program' '{name}' has {consumers} threads that compute and {PRODUCER_THREADS} that copy, "
            f"{limits.device} has {limits.max_threads} in a block, and wgmma takes {WARPGROUP_THREADS} at a time; "
            "change the threads of rtile.compute",
        )
    resident = program.tasks_per_unit or 1
    columns, accumulators = _accumulators(steps)
    problem = register_problem(consumers, resident, limits.registers_per_unit, columns, accumulators)
    if problem:
        fail(program, f"'rtile.program' '{name}' {problem}; lower tasks_per_unit or the tiles")
    staging = steps.stages * steps.stage_bytes
    barriers = staging + consumers // WARPGROUP_THREADS * STORE_BUFFERS * steps.staging_bytes
    combine = barriers + 2 * BARRIER_BYTES * steps.stages
    total = combine + _combine_bytes(program, limits.subgroup_size)
    if total > limits.workgroup_bytes:
        fail(
            program,
            f"'rtile.program' '{name}' needs {total} B of workgroup memory, {limits.device} has "
            f"{limits.workgroup_bytes} B; lower the tiles or rtile.stages",
        )
    dynamic = total if total > limits.static_workgroup_bytes else 0
    function = declare_kernel(
        program, module_body, name, threads, 0 if dynamic else total, alignment=SWIZZLE_BYTES, maps=steps.maps
    )
    entry = function.regions[0].blocks[0]
    arguments = list(entry.arguments)
    grid = min(limits.units * resident, nest.trips) if program.persistent else nest.trips
    with ir.InsertionPoint(entry.operations[0]), program.location:
        emit = Emitter()
        memory = arguments[-1]
        if dynamic:
            kind = ir.Type.parse("memref<?xi8, #gpu.address_space<workgroup>>")
            memory = ir.Operation.create("gpu.dynamic_shared_memory", results=[kind]).results[0]
        buffers = list(program.entry.arguments)
        builder = _KernelBuilder(
            program,
            steps,
            nest,
            Ring(emit, memory_base(emit, memory), steps.stages, barriers),
            grid,
            dict(zip(buffers, arguments, strict=False)),
            arguments[len(buffers) : len(buffers) + len(steps.maps)],
            (memory, combine),
            staging,
            limits.subgroup_size,
        )
        builder.build(consumers, role_registers(consumers, resident, limits.registers_per_unit))
    i64 = ir.IntegerType.get_signless(64)
    # Registers can only change hands where a bound says how many a block starts with.
    function.attributes[TASKS_PER_UNIT] = ir.IntegerAttr.get(i64, resident)
    function.attributes[FMA_COUNT] = ir.IntegerAttr.get(i64, builder.counts[0])
    function.attributes[MATRIX_COUNT] = ir.IntegerAttr.get(i64, builder.counts[1])
    return Kernel(
        name=name,
        grid=grid,
        block=threads,
        dynamic_workgroup_bytes=dynamic,
        workgroup_bytes=total,
        maps=len(steps.maps),
    )


def _accumulators(steps: Steps) -> tuple[int, int]:
    """Return the columns of an instruction, and the accumulators of a thread."""
    instruction = steps.compute.matrix_instruction
    assert instruction is not None
    parallel = zip(box_loops(steps.compute), box_axes(steps.compute), strict=True)
    return instruction.shape[1], prod(axis.registers for loop, axis in parallel if not loop.reduction)


def _combine_bytes(program: rtile.ProgramOp, subgroup_size: int) -> int:
    """Return the bytes in which partial results of the threads that compute are joined."""
    needed = 0
    for compute in computes_of(program.operation):
        loops, axes = box_loops(compute), box_axes(compute)
        for result in compute.operation.results:
            size = element_bytes(ir.RankedTensorType(result.type).element_type)
            needed = max(needed, combination_bytes(loops, axes, compute.thread_map.order, subgroup_size, size))
    return needed


class _KernelBuilder:
    """Builds the body of one kernel.

    Attributes:
        counts: Multiply-adds and matrix instructions that were emitted.
    """

    def __init__(
        self,
        program: rtile.ProgramOp,
        steps: Steps,
        nest: LoopNest,
        ring: Ring,
        grid: int,
        buffers: dict[ir.Value, ir.Value],
        maps: Sequence[ir.Value],
        combine: tuple[ir.Value, int],
        staging: int,
        subgroup_size: int,
    ) -> None:
        self._program, self._steps, self._nest, self._ring, self._grid = program.operation, steps, nest, ring, grid
        self._buffers, self._maps, self._combine, self._subgroup_size = buffers, maps, combine, subgroup_size
        self._emit, self._staging = ring.emit, staging
        self.counts = (0, 0)

    def build(self, consumers: int, registers: tuple[int, int] | None) -> None:
        """Emit the roles.

        Args:
            consumers: Threads that compute.
            registers: Of a thread that copies, and of one that computes.
        """
        emit, groups = self._emit, consumers // WARPGROUP_THREADS
        narrow = ir.IntegerType.get_signless(32)
        thread = gpu_id("gpu.thread_id")
        number = emit.op("arith.index_castui", [thread], narrow)
        warp = uniform(emit, binary(emit, "arith.shrui", number, _WARP_THREADS.bit_length() - 1))
        group = binary(emit, "arith.shrui", warp, (WARPGROUP_THREADS // _WARP_THREADS).bit_length() - 1)
        leads = equals(emit, binary(emit, "arith.andi", number, WARPGROUP_THREADS - 1), 0)
        block = gpu_id("gpu.block_id") if self._nest.trips > 1 else None
        emit.branch(equals(emit, number, 0), [], lambda: self._ring.initialize(groups) or [])
        ir.Operation.create("gpu.barrier")

        def produce() -> list[ir.Value]:
            if registers is not None:
                set_registers(registers[0], more=False)
            first = equals(emit, warp, consumers // _WARP_THREADS)
            emit.branch(first, [], lambda: emit.branch(elected(emit), [], lambda: self._produce(consumers, block)))
            return []

        def consume() -> list[ir.Value]:
            if registers is not None:
                set_registers(registers[1], more=True)
            staging = Staging(self._ring.base, self._staging, group, number, leads)
            maps = dict(zip(self._steps.maps, self._maps, strict=True))
            stored = {store.map: maps[store.map] for store in self._steps.stores}
            address = address_of(emit, self._ring.base)
            consumer = Consumer(self._ring, address, group, leads, groups, staging, stored)
            self._consume(consumer, Symbol("thread", 0, consumers - 1, 1, thread), consumers, block)
            return []

        emit.branch(equals(emit, group, groups), [], produce, consume)

    def _produce(self, threads: int, block: ir.Value | None) -> list[ir.Value]:
        for one in self._maps:
            prefetch_map(one)
        context = TaskContext(
            emit=self._emit,
            thread=Symbol("thread", 0, 0),
            threads=threads,
            subgroup_size=self._subgroup_size,
            arena=None,
            offsets={},
            combine_offset=0,
            buffers=self._buffers,
        )
        maps = dict(zip(self._steps.maps, self._maps, strict=True))
        builder = ProducerBuilder(context, self._steps, self._ring, maps)
        self._tasks(block, self._ring.start(1), lambda task, slot: builder.build(self._program, task, slot))
        return []

    def _consume(self, consumer: Consumer, thread: Symbol, threads: int, block: ir.Value | None) -> None:
        context = ConsumerContext(
            emit=self._emit,
            thread=thread,
            threads=threads,
            subgroup_size=self._subgroup_size,
            arena=self._combine[0],
            offsets={},
            combine_offset=self._combine[1],
            buffers=self._buffers,
        )

        def one(task: Symbol, slot: Slot) -> Slot:
            builder = ConsumerBuilder(context, self._steps, consumer, slot)
            builder.build(self._program, task)
            if self._grid < self._nest.trips:
                context.before_arena_write()
            return builder.slot

        self._tasks(block, self._ring.start(0), one)
        consumer.finish()
        self.counts = (context.fma_count, context.matrix_count)

    def _tasks(self, block: ir.Value | None, slot: Slot, body: Callable[[Symbol, Slot], Slot]) -> None:
        """Emit a body for each task of the block."""
        emit, tasks = self._emit, self._nest.trips
        if self._grid == tasks:
            body(Symbol("task", 0, tasks - 1, 1, block), slot)
            return
        assert block is not None

        def one(number: ir.Value, here: Slot) -> Slot:
            wide = emit.op("arith.index_castui", [number], emit.index_type)
            return body(Symbol("task", 0, tasks - 1, 1, wide), here)

        first = emit.op("arith.index_castui", [block], ir.IntegerType.get_signless(32))
        run_from(emit, first, tasks, self._grid, slot, one)
