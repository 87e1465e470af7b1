# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of a wgmma kernel that compute: products of the steps' tiles as they arrive, then the rest of the task.

The products of a step are one group; while it runs, the group before is waited for and its buffer given back. The
accumulators pass through the last wait, so that nothing reads them before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roller_mlir.codegen.builder.task_context import TaskContext
from roller_mlir.codegen.builder.tile_values import DirectTile, RegisterTile, SplatTile
from roller_mlir.codegen.hopper.ops import consumer_barrier, wait_stores
from roller_mlir.codegen.hopper.products import Products
from roller_mlir.codegen.hopper.ring import Ring, Slot
from roller_mlir.codegen.hopper.steps import Steps
from roller_mlir.codegen.hopper.store_pieces import Staging, store_by_copies
from roller_mlir.codegen.task.compute import Compute
from roller_mlir.codegen.task.register_tiles import settle
from roller_mlir.codegen.task.task import TaskBuilder
from roller_mlir.dialects.rtile import ComputeOp, TileLoad
from roller_mlir.loops.loop_nest import LoopNest
from roller_mlir.mapping.index import Symbol
from roller_mlir.plan.tensor_map import TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass
class ConsumerContext(TaskContext):
    """A task whose threads are not the whole block."""

    def barrier(self) -> None:
        """Emit a barrier of the task's threads."""
        consumer_barrier(self.emit, self.threads)
        self.arena_in_use = False


@dataclass(frozen=True)
class Consumer:
    """What the threads that compute know of themselves and of the producer.

    Attributes:
        ring: The buffers.
        address: Address of the first buffer, 32 bits.
        warpgroup: Number of the thread's warpgroup, the same in a whole subgroup for ptxas too.
        leads: Condition that the thread speaks for its warpgroup.
        count: Warpgroups that compute.
        staging: Where results are laid down that are written by copies.
        maps: Tensor map of each store that is done by copies.
    """

    ring: Ring
    address: ir.Value
    warpgroup: ir.Value
    leads: ir.Value
    count: int
    staging: Staging
    maps: Mapping[TensorMap, ir.Value]

    def finish(self) -> None:
        """Emit a wait until all that was written by copies is there."""
        if self.maps:
            wait_stores(self.ring.emit, self.leads, 0, complete=True)


class ConsumerBuilder(TaskBuilder):
    """Builds the body of a task whose tiles a producer copies.

    Attributes:
        slot: Where the tiles of the next step arrive.
    """

    def __init__(self, context: TaskContext, steps: Steps, consumer: Consumer, slot: Slot) -> None:
        super().__init__(context)
        self._steps, self._consumer, self.slot = steps, consumer, slot

    def _emit(self, op: ir.Operation) -> None:
        if self._steps.nest is None and any(copy.load.operation == op for copy in self._steps.copies):
            return  # read by the compute alone, which knows where it lies
        super()._emit(op)

    def _compute(self, op: ir.Operation) -> list[RegisterTile]:
        if op != self._steps.compute.operation:
            return super()._compute(op)
        return self._reduction(op.opview, [copy.load for copy in self._steps.copies])

    def _deep_pipeline(
        self, nest: LoopNest, view: ComputeOp, loads: Sequence[TileLoad], staged: Sequence[TileLoad]
    ) -> list[RegisterTile]:
        return self._reduction(view, loads)

    def _store(self, op: ir.Operation) -> None:
        how = next((one for one in self._steps.stores if one.store.operation == op), None)
        if how is None:
            super()._store(op)
            return
        view = op.opview
        tile = self._scope.tile(op, view.tile)
        assert isinstance(tile, RegisterTile)  # `tensor_store` knows the compute
        settle(self._context, tile, everyone=True)
        target = self._scope.place(op, view.destination, view.indices, view.origin_map, view.tile_steps)
        consumer = self._consumer
        store_by_copies(self._context, how, tile, target, consumer.maps[how.map], consumer.staging)

    def _at(self, view: ComputeOp, loads: Sequence[TileLoad], step: Symbol) -> Compute:
        """Return the compute of a step, refusing one whose points out of range would count."""
        if self._steps.nest is not None:
            self._scope.bind(self._steps.nest, step)
        for load in loads:
            self._scope.tiles[load.operation.results[0]] = self._scope.direct(load)
        compute = self._computes.prepare(view)
        limited = [tile for tile, _ in compute.inputs.values() if isinstance(tile, DirectTile) and tile.limits]
        if any(self._reaches_beyond(tile) for tile in limited) or compute.masked:
            fail(
                view,
                "a reduction loop of a wgmma has points out of range that tensor copies do not fill with 0",
            )
        return compute

    def _reaches_beyond(self, tile: DirectTile) -> bool:
        """Return whether elements beyond a loop's ends would be copied: those of a slice's neighbours, or a padding."""
        shape = dict(enumerate(tile.operation.opview.tile.shape))
        return any(limit.reaches_beyond(shape[limit.dimension]) for limit in tile.limits)

    def _reduction(self, view: ComputeOp, loads: Sequence[TileLoad]) -> list[RegisterTile]:
        """All steps: the first one without a group before it."""
        emit, ring, trips = self._context.emit, self._consumer.ring, self._steps.trips
        first = self._at(view, loads, Symbol("step", 0, 0))
        consumer = self._consumer
        products = Products.of(
            self._context, view, first, self._steps, consumer.address, consumer.warpgroup, consumer.count
        )
        start = self._scope.tile(view.operation, view.accumulators[0])
        fresh = isinstance(start, SplatTile) and not start.value
        values = [] if fresh else self._computes.start(view, replace(first, matrix=None))
        accumulators = products.accumulators(values)

        slot = self.slot
        ring.wait(ring.full(slot.stage), slot.phase)
        accumulators = products.step(slot.stage, accumulators, fresh=fresh)
        following = ring.after(slot)

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *current, stage, phase, before = carried
            self._at(view, loads, symbol)
            here = Slot(stage, phase)
            ring.wait(ring.full(stage), phase)
            current = products.step(stage, current, fresh=False)
            products.wait_but_one()
            self._release(before)
            after = ring.after(here)
            return [*current, after.stage, after.phase, stage]

        carried = [*accumulators, following.stage, following.phase, slot.stage]
        *accumulators, stage, phase, last = emit.loop(1, trips, carried, step)
        values = products.finish(accumulators, ir.RankedTensorType(view.operation.results[0].type).element_type)
        self._release(last)
        self.slot = Slot(stage, phase)
        return self._computes.results(view, replace(first, matrix=None), values)

    def _release(self, stage: ir.Value) -> None:
        """Give a buffer back: one thread of each warpgroup arrives."""
        ring = self._consumer.ring

        def arrive() -> list[ir.Value]:
            ring.arrive(ring.empty(stage))
            return []

        self._context.emit.branch(self._consumer.leads, [], arrive)
