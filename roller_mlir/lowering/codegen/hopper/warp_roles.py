# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Roles of warpgroups in a warp-specialised kernel: those that compute, and the last, of which one thread copies."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import StagedResults, TaskContext
from roller_mlir.lowering.codegen.hopper.consumer import Consumer, ConsumerContext, WarpSpecialised
from roller_mlir.lowering.codegen.hopper.made_maps import MadeMaps
from roller_mlir.lowering.codegen.hopper.ops import (
    acquire_map,
    address_of,
    binary,
    elected,
    equals,
    prefetch_map,
    set_registers,
    uniform,
)
from roller_mlir.lowering.codegen.hopper.producer import ProducerBuilder
from roller_mlir.lowering.codegen.hopper.ring import Ring, RingSlot
from roller_mlir.lowering.codegen.hopper.steps import Steps
from roller_mlir.lowering.codegen.hopper.store_pieces import Staging
from roller_mlir.lowering.codegen.kernel_function import gpu_id
from roller_mlir.lowering.codegen.last_block import LastBlock
from roller_mlir.lowering.codegen.task.task import TaskBuilder
from roller_mlir.lowering.codegen.wrappers import TaskGrid
from roller_mlir.mapping.index import Symbol
from roller_mlir.mapping.tensor_copy import WARP_THREADS, WARPGROUP_THREADS
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class SmemLayout:
    """Where the parts of a block's workgroup memory begin, in bytes; the buffers of the steps come first.

    Attributes:
        staging: What is written by tensor copies.
        barriers: The barriers of the buffers.
        combine: Partial results that threads join.
        total_bytes: The end.
        joined: Where threads join sums of the second stage, where they run it.
        flag: Where a block then keeps whether it is the last one of its tile.
        results: What passes it on its way to global memory, and where.
    """

    staging: int
    barriers: int
    combine: int
    total_bytes: int
    joined: int = 0
    flag: int = 0
    results: StagedResults = field(default_factory=StagedResults)


@dataclass(frozen=True)
class RoleThread:
    """What a thread of a block with roles knows of itself.

    Attributes:
        index: Its number in the block.
        number: The same, 32 bits.
        warp: Number of its warp, 32 bits, the same in a whole warp for ptxas too.
        group: Number of its warpgroup, likewise.
        leads: Condition that the thread speaks for its warpgroup.
    """

    index: ir.Value
    number: ir.Value
    warp: ir.Value
    group: ir.Value
    leads: ir.Value

    @classmethod
    def of(cls, emit: Emitter) -> "RoleThread":
        """Emit what tells the running thread."""
        thread = gpu_id("gpu.thread_id")
        number = emit.op("arith.index_castui", [thread], ir.IntegerType.get_signless(32))
        warp = uniform(emit, binary(emit, "arith.shrui", number, WARP_THREADS.bit_length() - 1))
        group = binary(emit, "arith.shrui", warp, (WARPGROUP_THREADS // WARP_THREADS).bit_length() - 1)
        return cls(
            thread, number, warp, group, equals(emit, binary(emit, "arith.andi", number, WARPGROUP_THREADS - 1), 0)
        )

    def split(
        self,
        emit: Emitter,
        consumers: int,
        registers: tuple[int, int] | None,
        produce: Callable[[], None],
        consume: Callable[[], None],
    ) -> None:
        """Emit the roles.

        Args:
            emit: The emitter.
            consumers: Threads that compute.
            registers: Of a thread that copies, and of one that computes; None where they keep what they have.
            produce: Emits what the warp does, a thread of which copies.
            consume: Emits what those do that compute.
        """

        def copying() -> list[ir.Value]:
            if registers is not None:
                set_registers(registers[0], more=False)
            first = equals(emit, self.warp, consumers // WARP_THREADS)
            emit.branch(first, [], lambda: produce() or [])
            return []

        def computing() -> list[ir.Value]:
            if registers is not None:
                set_registers(registers[1], more=True)
            consume()
            return []

        emit.branch(equals(emit, self.group, consumers // WARPGROUP_THREADS), [], copying, computing)


@dataclass
class WarpRoles:
    """Builds the body of one kernel.

    Attributes:
        program: The program.
        steps: Its reduction.
        wrapper: Which tasks a block runs.
        ring: The buffers of the steps.
        memory: Workgroup memory, a memref of i8.
        places: Its parts.
        buffers: Kernel buffer of each memref that the program uses.
        maps: Where each tensor map lies: the kernel's argument, or what was made.
        subgroup_size: Lanes of a subgroup.
        made: What makes the tensor maps; None where the kernel takes them.
        last: The second stage, where the last block of a tile runs it.
        arguments: The kernel's arguments.
        counts: Multiply-adds and matrix instructions that were emitted.
    """

    program: rtile.ProgramOp
    steps: Steps
    wrapper: TaskGrid
    ring: Ring
    memory: ir.Value
    places: SmemLayout
    buffers: dict[ir.Value, ir.Value]
    maps: Mapping[TensorMap, ir.Value]
    subgroup_size: int
    made: MadeMaps | None = None
    last: LastBlock | None = None
    arguments: Sequence[ir.Value] = ()
    counts: tuple[int, int] = (0, 0)

    def build(self, consumers: int, registers: tuple[int, int] | None) -> None:
        """Emit the roles.

        Args:
            consumers: Threads that compute.
            registers: Of a thread that copies, and of one that computes.
        """
        emit, groups = self.ring.emit, consumers // WARPGROUP_THREADS
        own = RoleThread.of(emit)
        block = self.wrapper.block()
        emit.branch(equals(emit, own.number, 0), [], lambda: self.ring.initialize(groups) or [])
        if self.made is not None:
            made, base = self.made, self.ring.base
            copies = equals(emit, own.warp, consumers // WARP_THREADS)
            emit.branch(copies, [], lambda: made.make(emit, base, own.number) or [])
        ir.Operation.create("gpu.barrier")

        def consume() -> None:
            staging = Staging(self.ring.base, self.places.staging, own.group, own.number, own.leads)
            stored = {store.map: self.maps[store.map] for store in self.steps.stores}
            if self.made is not None and stored:
                emit.branch(own.leads, [], lambda: self._acquire(stored.values()))
            address = address_of(emit, self.ring.base)
            consumer = Consumer(self.ring, address, own.group, own.leads, groups, staging, stored)
            self._consume(consumer, Symbol("thread", 0, consumers - 1, 1, own.index), consumers, block)

        def produce() -> None:
            emit.branch(elected(emit), [], lambda: self._produce(consumers, block) or [])

        own.split(emit, consumers, registers, produce, consume)

    def _produce(self, threads: int, block: ir.Value | None) -> None:
        if self.made is None:
            for one in self.maps.values():
                prefetch_map(one)
        else:
            self._acquire(self.maps[copy.map] for copy in self.steps.copies)
        context = TaskContext(
            emit=self.ring.emit,
            thread=Symbol("thread", 0, 0),
            threads=threads,
            subgroup_size=self.subgroup_size,
            buffers=self.buffers,
        )

        def copies(task: Symbol, slot: list[ir.Value]) -> list[ir.Value]:
            builder = ProducerBuilder(context, self.steps, self.ring, self.maps, self.program.operation, task)
            return builder.build(RingSlot(*slot)).values

        self.wrapper.run(self.ring.emit, block, self.ring.start(1).values, copies)

    def _acquire(self, maps: Iterable[ir.Value]) -> list[ir.Value]:
        for one in dict.fromkeys(maps):
            acquire_map(self.ring.emit, one)
        return []

    def _consume(self, consumer: Consumer, thread: Symbol, threads: int, block: ir.Value | None) -> None:
        context = ConsumerContext(
            emit=self.ring.emit,
            thread=thread,
            threads=threads,
            subgroup_size=self.subgroup_size,
            arena=self.memory,
            combine_offset=self.places.combine,
            results=self.places.results,
            buffers=self.buffers,
        )

        joined = (0, 0)

        def one(task: Symbol, slot: list[ir.Value]) -> list[ir.Value]:
            nonlocal joined
            strategy = WarpSpecialised(self.steps, consumer, RingSlot(*slot))
            TaskBuilder(context, strategy.parts).build(self.program.operation, task)
            if self.last is not None:
                consumer.finish()
                joined = self.last.emit(context, task, self.arguments, self.places.flag, self.places.joined)
            if self.wrapper.repeats:
                context.before_arena_write()
            return strategy.slot.values

        self.wrapper.run(self.ring.emit, block, self.ring.start(0).values, one)
        if self.last is None:
            consumer.finish()
        self.counts = (context.fma_count + joined[0], context.matrix_count + joined[1])
