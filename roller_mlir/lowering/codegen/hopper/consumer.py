# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of a warp-specialised kernel that compute: products of tiles as they arrive, then the rest of the task.

The products of a step are one group; while it runs, the group before is waited for and its buffer given back. The
accumulators pass through the last wait, so that nothing reads them before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, SplatTile
from roller_mlir.lowering.codegen.hopper.ops import consumer_barrier, wait_stores
from roller_mlir.lowering.codegen.hopper.products import Products
from roller_mlir.lowering.codegen.hopper.ring import Ring, RingSlot
from roller_mlir.lowering.codegen.hopper.steps import Steps
from roller_mlir.lowering.codegen.hopper.store_pieces import Staging, store_by_copies
from roller_mlir.lowering.codegen.hopper.stores import TensorStore
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.register_tiles import materialise
from roller_mlir.lowering.codegen.task.scope import TaskScope
from roller_mlir.lowering.codegen.task.strategies import Reduction
from roller_mlir.lowering.codegen.task.task import OwnParts
from roller_mlir.mapping.index import Symbol
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
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


class WarpSpecialised:
    """The strategy of reduction steps whose tiles a producer copies.

    Attributes:
        slot: Where the tiles of the next step arrive.
    """

    def __init__(self, own: Steps, consumer: Consumer, slot: RingSlot) -> None:
        self._own, self._consumer, self.slot = own, consumer, slot

    @property
    def parts(self) -> OwnParts:
        """What a task with this strategy does in ways of its own."""
        alone = self._own.nest is None
        return OwnParts(
            strategies={self._own.compute.operation: self},
            loads=[copy.load for copy in self._own.copies] if alone else (),
            stores={one.store.operation: partial(self._store, one) for one in self._own.stores},
        )

    def _store(self, how: TensorStore, scope: TaskScope, op: ir.Operation) -> None:
        view = op.opview
        tile = scope.tile(op, view.tile)
        assert isinstance(tile, RegisterTile)  # `tensor_store` knows the compute
        materialise(scope.context, [tile], everyone=True)
        target = scope.place(op, view.destination, view.indices, view.origin_map, view.tile_steps)
        store_by_copies(scope.context, how, tile, target, self._consumer.maps[how.map], self._consumer.staging)

    def _at(self, steps: Reduction, step: Symbol) -> Compute:
        """Return the compute of a step, refusing one whose points out of range would count."""
        compute = steps.at(step)
        limited = [tile for tile, _ in compute.inputs.values() if isinstance(tile, DirectTile) and tile.limits]
        if any(map(_reaches_beyond, limited)) or compute.masked:
            fail(
                steps.view, "a reduction loop of a wgmma has points out of range that tensor copies do not fill with 0"
            )
        return compute

    def run(self, steps: Reduction) -> list[RegisterTile]:
        """Emit all steps: the first one without a group before it."""
        context, view, consumer = steps.scope.context, steps.view, self._consumer
        emit, ring = context.emit, consumer.ring
        first = self._at(steps, Symbol("step", 0, 0))
        products = Products.of(context, view, first, self._own, consumer.address, consumer.warpgroup, consumer.count)
        start = steps.scope.tile(view.operation, view.accumulators[0])
        fresh = isinstance(start, SplatTile) and not start.value
        values = [] if fresh else steps.computes.start(view, replace(first, matrix=None))
        accumulators = products.accumulators(values)

        slot = self.slot
        ring.wait(ring.full(slot.stage), slot.phase)
        accumulators = products.step(slot.stage, accumulators, fresh=fresh)
        following = ring.after(slot)

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *current, stage, phase, before = carried
            self._at(steps, symbol)
            here = RingSlot(stage, phase)
            ring.wait(ring.full(stage), phase)
            current = products.step(stage, current, fresh=False)
            products.wait_but_one()
            self._release(before)
            after = ring.after(here)
            return [*current, after.stage, after.phase, stage]

        carried = [*accumulators, following.stage, following.phase, slot.stage]
        *accumulators, stage, phase, last = emit.loop(1, steps.trips, carried, step)
        values = products.finish(accumulators, ir.RankedTensorType(view.operation.results[0].type).element_type)
        self._release(last)
        self.slot = RingSlot(stage, phase)
        return steps.computes.results(view, replace(first, matrix=None), values)

    def _release(self, stage: ir.Value) -> None:
        """Give a buffer back: one thread of each warpgroup arrives."""
        ring = self._consumer.ring

        def arrive() -> list[ir.Value]:
            ring.arrive(ring.empty(stage))
            return []

        ring.emit.branch(self._consumer.leads, [], arrive)


def _reaches_beyond(tile: DirectTile) -> bool:
    """Return whether elements beyond a loop's ends would be copied: those of a slice's neighbours, or a padding."""
    shape = dict(enumerate(tile.operation.opview.tile.shape))
    return any(limit.reaches_beyond(shape[limit.dimension]) for limit in tile.limits)
