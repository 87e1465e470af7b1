# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The crews of a block with roles: the threads that compute, and a warp that copies for them, ahead of them.

Both walk the same records; of the warp one thread copies, all fetch and poll. The order of a block's own tasks is not
given for what is copied ahead: of a result of the same block the consumers tell the producer at a barrier, where its
record says so. Tensor copies see what threads wrote behind proxy fences on both sides; what copies wrote is there for
threads when their group is complete.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.early.accesses import raise_early
from roller_mlir.lowering.codegen.graph.bodies import TaskBody
from roller_mlir.lowering.codegen.graph.crews import BodyTask, WalkingCrew, WholeBlock, waited
from roller_mlir.lowering.codegen.graph.roles import Roles
from roller_mlir.lowering.codegen.graph.tables import AWAITS, TELLS
from roller_mlir.lowering.codegen.hopper.consumer import Consumer, ConsumerContext, WarpSpecialised
from roller_mlir.lowering.codegen.hopper.ops import (
    address_of,
    binary,
    consumer_barrier,
    elected,
    equals,
    fence_global_copies,
    i32,
    memory_base,
    plus,
    pointer_at,
    prefetch_map,
    wait_stores,
    warp_barrier,
)
from roller_mlir.lowering.codegen.hopper.producer import ProducerBuilder
from roller_mlir.lowering.codegen.hopper.ring import Ring, RingSlot
from roller_mlir.lowering.codegen.hopper.store_pieces import Staging
from roller_mlir.lowering.codegen.hopper.warp_roles import RoleThread
from roller_mlir.lowering.codegen.kernel_function import BlockLimits
from roller_mlir.lowering.codegen.task.arena import plan_arena
from roller_mlir.lowering.codegen.task.task import TaskBuilder
from roller_mlir.mapping.index import Symbol
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS, WARPGROUP_THREADS
from roller_mlir.mapping.warpgroup_registers import role_registers
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.rammer.schedule import VirtualDevice
from roller_mlir.support.bindings import ir


@dataclass
class RoleMaps:
    """The tensor maps of a kernel with roles.

    Attributes:
        roles: What its bodies share.
        arguments: The kernel's arguments that are tensor maps.
    """

    roles: Roles
    arguments: Sequence[ir.Value]

    def of(self, emit: Emitter, task: BodyTask, wanted: Sequence[TensorMap]) -> Mapping[TensorMap, ir.Value]:
        """Return the kernel's tensor map of each map of a body's program: the one of where its operand starts."""
        found: dict[TensorMap, ir.Value] = {}
        for one in wanted:
            which, places = self.roles.places[task.body][one]
            (_, first), *others = places.items()
            value = self.arguments[first]
            for start, number in others:
                assert which is not None
                here = emit.compare("eq", task.starts[which], emit.constant(start))
                value = emit.op("arith.select", [here, self.arguments[number], value], value.type)
            found[one] = value
        return found


@dataclass
class Consumers(WholeBlock):
    """The threads of a block with roles that compute.

    Attributes:
        maps: The kernel's tensor maps.
        consumer: What the threads know of the ring.
    """

    maps: RoleMaps
    consumer: Consumer

    def start(self) -> list[ir.Value]:
        """Return what the first task finds: the first page, not yet filled."""
        return self.consumer.ring.start(0).values

    def barrier(self) -> None:
        """Emit a barrier of the threads that compute."""
        consumer_barrier(self.emit, self.threads)

    def run(self, task: BodyTask, carried: list[ir.Value]) -> tuple[list[ir.Value], tuple[int, int]]:
        """Emit a task; return the page behind its last one, and its multiply-adds and matrix instructions."""
        carried, waits = waited(task, carried)
        program, steps = task.body.program.operation, self.maps.roles.steps.get(task.body)
        own = self.maps.roles.layout.places.combine
        arena = plan_arena(program, self.limits.subgroup_size)
        context = ConsumerContext(
            emit=self.emit,
            thread=Symbol("thread", 0, self.threads - 1, 1, task.thread),
            threads=self.threads,
            subgroup_size=self.limits.subgroup_size,
            arena=self.arena,
            offsets={} if steps is not None else {load: own + at for load, at in arena.offsets.items()},
            combine_offset=own if steps is not None else own + arena.combine_offset,
            buffers=task.buffers,
            indices=dict(task.indices),
            repeats=True,
        )
        strategy = None
        if steps is not None:
            stored = self.maps.of(self.emit, task, [store.map for store in steps.stores])
            strategy = WarpSpecialised(steps, replace(self.consumer, maps=stored), RingSlot(*carried))
        TaskBuilder(context, None if strategy is None else strategy.parts).build(program, task.number)
        if strategy is None:  # what wgmma sums up holds the registers of others
            raise_early(ir.InsertionPoint.current.block, waits, task.early)
        found = carried if strategy is None else strategy.slot.values
        return found, (context.fma_count, context.matrix_count)

    def done(self, flags: Callable[[], ir.Value], signal: Callable[[], None]) -> None:
        """Emit the end of a task, behind which its results are there for other blocks and for tensor copies."""
        emit, ring, told = self.emit, self.consumer.ring, flags()
        if any(steps.stores for steps in self.maps.roles.steps.values()):
            wait_stores(emit, self.consumer.leads, 0, complete=True)
        fence_global_copies()
        self.barrier()
        signal()
        first = emit.compare("eq", self.thread, emit.constant(0))
        tells = emit.both(first, equals(emit, binary(emit, "arith.andi", told, TELLS), TELLS))
        emit.when(tells, lambda: ring.arrive(_handed_over(ring, self.maps.roles)) or [])


@dataclass
class Producer:
    """The warp of a block with roles of which one thread copies.

    Attributes:
        emit: The emitter.
        threads: Threads of the warp.
        thread: Number of the running thread in it.
        leads: Condition that it is the one that copies.
        consumers: Threads that compute.
        maps: The kernel's tensor maps.
        ring: The pages.
    """

    emit: Emitter
    threads: int
    thread: ir.Value
    leads: ir.Value
    consumers: int
    maps: RoleMaps
    ring: Ring

    def start(self) -> list[ir.Value]:
        """Return what the first task finds: the first page, and the parity of what it is told."""
        return [*self.ring.start(1).values, i32(self.emit, 0)]

    def runs(self, body: TaskBody) -> bool:
        """Return whether a body copies."""
        return body in self.maps.roles.steps

    def ready(self, flags: Callable[[], ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        """Wait for what the consumers tell, where a record says so; the next time it may come before all have heard."""
        emit = self.emit
        *slot, parity = carried

        def wait() -> list[ir.Value]:
            self.ring.wait(_handed_over(self.ring, self.maps.roles), parity)
            return [binary(emit, "arith.xori", parity, 1)]

        wanted = emit.both(self.leads, equals(emit, binary(emit, "arith.andi", flags(), AWAITS), AWAITS))
        assert wanted is not None
        (parity,) = emit.branch(wanted, [parity.type], wait, lambda: [parity])
        return [*slot, parity]

    def barrier(self) -> None:
        """Emit a barrier of the warp."""
        warp_barrier(self.emit)

    def run(self, task: BodyTask, carried: list[ir.Value]) -> tuple[list[ir.Value], tuple[int, int]]:
        """Emit the copies of a task, which compute nothing; return the page behind its last one.

        As many steps of its early operands as there are pages travel before its waits are over.
        """
        steps = self.maps.roles.steps[task.body]
        early = [copy for copy in steps.copies if copy.load.source.arg_number in task.body.early]
        *first, _ = carried
        types = [value.type for value in first]

        def lead(run: Callable[[], list[ir.Value]], otherwise: list[ir.Value]) -> list[ir.Value]:
            return self.emit.branch(self.leads, types, run, lambda: otherwise)

        begun = first
        if early:
            begun = lead(lambda: self._builder(task).begin(RingSlot(*first), early).values, first)
        *_, parity = task.wait(carried)

        def go_on() -> list[ir.Value]:
            fence_global_copies()
            builder = self._builder(task)
            if not early:
                return builder.build(RingSlot(*first)).values
            return builder.go_on(RingSlot(*first), early, RingSlot(*begun)).values

        return [*lead(go_on, begun), parity], (0, 0)

    def _builder(self, task: BodyTask) -> ProducerBuilder:
        steps = self.maps.roles.steps[task.body]
        context = TaskContext(
            emit=self.emit,
            thread=Symbol("thread", 0, 0),
            threads=self.consumers,
            subgroup_size=self.threads,
            arena=None,
            offsets={},
            combine_offset=0,
            buffers=task.buffers,
            indices=dict(task.indices),
        )
        maps = self.maps.of(self.emit, task, [copy.map for copy in steps.copies])
        return ProducerBuilder(context, steps, self.ring, maps, task.body.program.operation, task.number)

    def done(self, flags: Callable[[], ir.Value], signal: Callable[[], None]) -> None:
        """Emit the end of a task; those that compute signal it."""
        self.barrier()


@dataclass(frozen=True)
class RoleBlock:
    """A block with roles.

    Attributes:
        emit: The emitter.
        roles: What its bodies share.
        device: How many blocks there are, and what each may use.
        limits: What the device allows them.
        arena: Workgroup memory.
        arguments: The kernel's tensor maps.
        own: What the running thread knows of itself.
    """

    emit: Emitter
    roles: Roles
    device: VirtualDevice
    limits: BlockLimits
    arena: ir.Value
    arguments: Sequence[ir.Value]
    own: RoleThread

    def split(self, ahead: Callable[[Producer], None], together: Callable[[WalkingCrew], None]) -> None:
        """Emit both roles.

        Args:
            ahead: Emits the walk of the warp that copies.
            together: Emits that of those that compute.
        """
        emit, own, layout = self.emit, self.own, self.roles.layout
        consumers = self.device.threads - PRODUCER_THREADS
        groups = consumers // WARPGROUP_THREADS
        ring = Ring(emit, memory_base(emit, self.arena), layout.pages, layout.places.barriers)
        maps, size = RoleMaps(self.roles, self.arguments), self.limits.subgroup_size

        def initialize() -> list[ir.Value]:
            ir.Operation.create("nvvm.mbarrier.init", operands=[_handed_over(ring, self.roles), i32(emit, 1)])
            ring.initialize(groups)
            return []

        emit.branch(equals(emit, own.number, 0), [], initialize)
        ir.Operation.create("gpu.barrier")

        def prefetch() -> list[ir.Value]:
            for one in self.arguments:
                prefetch_map(one)
            return []

        def produce() -> None:
            leads, lane = elected(emit), binary(emit, "arith.subi", own.index, consumers)
            emit.branch(leads, [], prefetch)
            ahead(Producer(emit, size, lane, leads, consumers, maps, ring))

        def consume() -> None:
            staging = Staging(ring.base, layout.places.staging, own.group, own.number, own.leads)
            consumer = Consumer(ring, address_of(emit, ring.base), own.group, own.leads, groups, staging, {})
            together(Consumers(emit, own.index, consumers, self.limits, self.arena, maps, consumer))

        registers = role_registers(consumers, self.device.per_unit, self.limits.registers_per_unit)
        own.split(emit, consumers, registers, produce, consume)


def _handed_over(ring: Ring, roles: Roles) -> ir.Value:
    """Return the barrier at which consumers tell of a result that the producer copies from."""
    return pointer_at(ring.emit, ring.base, plus(ring.emit, i32(ring.emit, 0), roles.layout.handed_over))
