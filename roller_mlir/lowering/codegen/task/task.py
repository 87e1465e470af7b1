# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Task bodies: one task of a program's hierarchical tiled loops, built op by op from the loops alone.

`rtile.load` becomes a staged copy or a direct read, `rtile.compute` the register tile, `rtile.store` the write;
reduction loops become a software pipeline of `rtile.stages` buffers. Whoever edits the loops gets the kernel that they
wrote.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from roller_mlir.dialects.rtile import ComputeOp, StoreOp, TileLoad
from roller_mlir.lowering.codegen.builder.task_context import Slot, TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import (
    ChoiceTile,
    DirectTile,
    RegisterTile,
    SplatTile,
    StagedTile,
    TileValue,
)
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.compute_reader import ComputeReader
from roller_mlir.lowering.codegen.task.copies import bring_slice
from roller_mlir.lowering.codegen.task.pack.tile import pack
from roller_mlir.lowering.codegen.task.pipeline import CopyPipeline
from roller_mlir.lowering.codegen.task.register_tiles import materialise, owner
from roller_mlir.lowering.codegen.task.scope import TaskScope, staged_tile
from roller_mlir.lowering.codegen.task.stores.staged import store_staged
from roller_mlir.lowering.codegen.task.stores.store import prefetch_results, store_register_tile
from roller_mlir.lowering.codegen.task.strategies import Reduction, Strategy, emit_box, strategy_of
from roller_mlir.lowering.codegen.vectors.amx import takes_tiles
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.loops.nest import is_inner, is_row, nest_loop, parallel_nest, reduction_nest
from roller_mlir.lowering.loops.program import LOADS, loads_of
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.plan import LinearIndex
from roller_mlir.plan.plan import CONSTANT, STAGED, WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

NO_TILE = ("arith.constant", "arith.cmpi", "arith.andi", "tensor.empty", "scf.yield", "rtile.yield")


@dataclass(frozen=True)
class OwnParts:
    """What a kernel does in a task in ways of its own.

    Attributes:
        strategies: By compute: how its reduction steps are walked.
        loads: Loads of a compute outside of loops that such a strategy brings itself.
        stores: By store: what emits it, given the tiles of the task and the store.
    """

    strategies: Mapping[ir.Operation, Strategy] = field(default_factory=dict[ir.Operation, Strategy])
    loads: Sequence[TileLoad] = ()
    stores: Mapping[ir.Operation, Callable[[TaskScope, ir.Operation], None]] = field(
        default_factory=dict[ir.Operation, Callable[[TaskScope, ir.Operation], None]]
    )


class TaskBuilder:
    """Builds the body of one program's task. May be run several times in one kernel, also in one context.

    A barrier stands between two bodies only where the second writes what threads may still read of the first. A wrapper
    that loops over tasks puts a barrier at the end of its loop's body.
    """

    def __init__(self, context: TaskContext, own: OwnParts | None = None) -> None:
        self._context, self._own = context, own or OwnParts()
        self._scope = TaskScope(context)
        self._computes = ComputeReader(self._scope)
        self._pipeline = ""
        self._walked: Symbol | None = None
        self._stored: set[ir.Operation] = set()  # stores that computes do themselves

    def bring(self, program: ir.Operation, task: Symbol) -> None:
        """Emit what a task brings to slots of workgroup memory, in front of its body."""
        if self._context.slots:
            self._scope.bind(parallel_nest(program), task)
        for load in loads_of(program) if self._context.slots else ():
            slot = self._context.slots.get(load.source)
            if slot is not None:
                self._context.emit.when(slot.filled, lambda load=load, slot=slot: self._bring(load, slot))

    def _bring(self, load: TileLoad, slot: Slot) -> list[ir.Value]:
        bring_slice(self._context, self._scope.slice(load), slot)
        self._context.barrier()
        return []

    def build(self, program: ir.Operation, task: Symbol) -> None:
        """Emit the task with number `task` (a symbol in the range of the parallel loops' product)."""
        nest, self._pipeline = parallel_nest(program), program.opview.pipeline
        self._scope.bind(nest, task)
        for op in nest.body:
            if op not in self._own.loads:
                self._emit(op.operation)

    def _emit(self, op: ir.Operation) -> None:
        if op.name in LOADS and isinstance(self._scope.tiles.get(op.operands[0]), StagedTile):
            self._scope.tiles[op.results[0]] = self._scope.part(op.opview)
        elif op.name in LOADS:
            view = op.opview
            if view.tile.layer == CONSTANT:
                self._scope.tiles[op.results[0]] = self._scope.packed(view)
                return
            tile = self._scope.direct(view)
            if view.tile.layer == WORKGROUP and self._context.masked:
                self._scope.tiles[op.results[0]] = pack(self._scope, view, tile)
            elif view.tile.layer == WORKGROUP:
                zero = self._context.emit.constant(0)
                copy = self._scope.copy(view, 1, now=True)
                CopyPipeline(self._context, self._scope, [(view, copy)], 1, 1, lambda symbol: None).fill_once()
                self._scope.tiles[op.results[0]] = staged_tile(copy, tile, zero)
            else:
                self._scope.tiles[op.results[0]] = tile
        elif op.name == "rtile.compute":
            self._define(op.results, self._compute(op))
        elif op.name == "rtile.store":
            self._own.stores.get(op, self._store)(self._scope, op)
        elif op.name == "scf.for" and is_inner(op):
            self._walk(op)
        elif op.name == "scf.if":
            self._choose(op)
        elif op.name == "scf.for" and is_row(op):
            self._pass(op)
        elif op.name == "scf.for":
            self._reduce(op)
        elif op.name not in NO_TILE:
            fail(op, f"'{op.name}' cannot stand in a task; only rtile ops, reduction loops and constant tiles can")

    def _walk(self, op: ir.Operation) -> None:
        """A loop over tiles of one task."""
        loop = nest_loop(op)

        def one(step: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            self._context.indices[loop.variable] = Linear.of(step, loop.step) + loop.low
            around, self._walked = self._walked, step
            for inner in op.regions[0].blocks[0].operations:
                self._emit(inner.operation)
            self._walked = around
            return []

        self._context.emit.loop(0, loop.trips.static, [], one)

    def _choose(self, op: ir.Operation) -> None:
        """A choice between two tiles, of which each branch gives one."""
        found: list[list[TileValue]] = []
        for region in op.regions:
            *body, end = [one.operation for one in region.blocks[0].operations] if len(region.blocks) else [op]
            if end.name != "scf.yield" or any(one.name not in (*LOADS, *NO_TILE) for one in body):
                fail(op, "a choice in a task has two branches, each of which loads a tile or names a constant one")
            for one in body:
                self._emit(one)
            found.append([self._scope.tile(op, value) for value in end.operands])
        condition = self._scope.condition(op, op.operands[0])
        for result, first, second in zip(op.results, *found, strict=True):
            self._scope.tiles[result] = ChoiceTile(condition, first, second)

    def _pass(self, op: ir.Operation) -> None:
        """A pass over the task's rows: the loop carries what is reduced, which is joined behind it."""
        nest, context = reduction_nest(op), self._context
        reducing: list[ComputeOp] = []
        carried = list(nest.carried)
        while carried:
            taken = [o for o in nest.body if isinstance(o, ComputeOp) and list(o.accumulators)[:1] == carried[:1]]
            if len(taken) != 1 or carried[: len(taken[0].accumulators)] != list(taken[0].accumulators):
                fail(op, "what a pass over rows carries, 1 rtile.compute must accumulate into; another carries it on")
            reducing.append(taken[0])
            carried = carried[len(taken[0].accumulators) :]
        if list(nest.yielded) != [value for one in reducing for value in one.operation.results]:
            fail(op, "a pass over rows must yield what its computes accumulate, in the order in which it carries them")
        for source, value in zip(nest.initial, nest.carried, strict=True):
            self._scope.tiles[value] = self._scope.tile(op, source)
        starts = [self._computes.first(one) for one in reducing]
        last: dict[ir.Operation, Compute] = {}

        def step(symbol: Symbol, values: list[ir.Value]) -> list[ir.Value]:
            self._scope.bind(nest, symbol)
            left, found = list(values), dict[ir.Operation, list[ir.Value]]()
            own = {one.operation: start for one, start in zip(reducing, starts, strict=True)}
            parts: dict[ir.Operation, list[ir.Value]] = {}
            for one, start in own.items():
                parts[one], left = left[: len(start)], left[len(start) :]
            for inner in (o.operation for o in nest.body):
                if inner not in own:
                    self._emit(inner)
                    continue
                last[inner] = self._computes.prepare(inner.opview)
                found[inner] = emit_box(context, last[inner], parts[inner])
            return [value for one in own for value in found[one]]

        values = context.emit.loop(
            0, nest.trips.static, [value for start in starts for value in start], step, rolled=True
        )
        results = list(nest.results)
        for one, start in zip(reducing, starts, strict=True):
            tiles = self._computes.results(one, last[one.operation], values[: len(start)])
            values = values[len(start) :]
            for result, tile in zip(results[: len(tiles)], tiles, strict=True):
                self._scope.tiles[result] = tile
                materialise(
                    context, [tile], everyone=any(use.owner.operation.name != "rtile.store" for use in result.uses)
                )
            results = results[len(tiles) :]

    def _define(self, results: Sequence[ir.Value], tiles: Sequence[RegisterTile]) -> None:
        for result, tile in zip(results, tiles, strict=True):
            self._scope.tiles[result] = tile

    def _compute(self, op: ir.Operation) -> list[RegisterTile]:
        """Emit a compute outside of reduction loops, all of its points at once."""
        view, strategy = op.opview, self._own.strategies.get(op)
        if strategy is not None:
            return strategy.run(Reduction(self._scope, self._computes, None, view, self._own.loads))
        compute = self._computes.prepare(view)
        if (store := self._store_of_tiles(op, compute)) is not None:
            compute = replace(compute, target=store)
        elif self._context.masked:
            self._prefetch_results(op, compute)
        values = emit_box(self._context, compute, self._computes.start(view, compute))
        return self._computes.results(view, compute, values)

    def _store_of_tiles(self, op: ir.Operation, compute: Compute) -> tuple[DirectTile, tuple[LinearIndex, ...]] | None:
        """Return where a compute can store its tile registers itself, in the place of the store behind it."""
        view = op.opview
        if compute.atom is None or not compute.atom.family.tile_registers:
            return None
        uses = [use.owner.operation for use in op.results[0].uses]
        if len(uses) != 1 or uses[0].name != "rtile.store" or uses[0] in self._own.stores:
            return None
        store = uses[0].opview
        starts = self._scope.tile(op, view.accumulators[0])
        if store.copy == STAGED or not isinstance(starts, SplatTile) or starts.value != 0:
            return None
        place = self._scope.place(uses[0], store.destination, store.indices, store.origin_map, store.tile_steps)
        target = place, map_indices(view.maps[len(view.inputs)])
        if not takes_tiles(self._context.emit, compute, target):
            self._stored.discard(uses[0])
            return None
        self._stored.add(uses[0])
        return target

    def _prefetch_results(self, op: ir.Operation, compute: Compute) -> None:
        """Ask for what results are stored to; where the compute begins with what is there, for that of the next tile.

        Sums that a step of the reduction goes on with are loaded in front of the compute, too late to ask for them: the
        tile that the task walks to next has its own asked for by this one.
        """
        view = op.opview
        for number, result in enumerate(op.results):
            starts = self._scope.tile(op, view.accumulators[number])
            for use in result.uses:
                store = use.owner.operation.opview
                if not isinstance(store, StoreOp):
                    continue
                place = self._scope.place(
                    store.operation, store.destination, store.indices, store.origin_map, store.tile_steps
                )
                if isinstance(starts, ChoiceTile) and self._walked is not None:
                    next_tile = [x + x.terms.get(self._walked, 0) for x in place.origin]
                    place = replace(place, origin=tuple(next_tile))
                elif not isinstance(starts, SplatTile):
                    continue
                prefetch_results(self._context, compute, map_indices(view.maps[len(view.inputs) + number]), place)

    def _reduce(self, op: ir.Operation) -> None:
        """A nest of reduction loops: a pipeline of staged copies around one compute."""
        nest = reduction_nest(op)
        computes = [o.operation for o in nest.body if o.operation.name == "rtile.compute"]
        if len(computes) != 1 or list(nest.yielded) != list(computes[0].results):
            fail(op, "a reduction loop must hold exactly 1 rtile.compute, whose results it yields")
        view = computes[0].opview
        if list(view.accumulators) != list(nest.carried):
            fail(
                computes[0], "an rtile.compute in a reduction loop must accumulate into the tile that the loop carries"
            )
        for source, carried in zip(nest.initial, nest.carried, strict=True):
            self._scope.tiles[carried] = self._scope.tile(op, source)
        loads = [o for o in nest.body if o.operation.name in LOADS]
        strange = [o.operation for o in nest.body if o.operation.name not in (*LOADS, "rtile.compute", *NO_TILE)]
        if strange:
            fail(strange[0], f"'{strange[0].name}' cannot stand in a reduction loop; rtile.load and rtile.compute can")
        steps = Reduction(self._scope, self._computes, nest, view, loads)
        tiles = (self._own.strategies.get(view.operation) or strategy_of(steps, self._pipeline)).run(steps)
        self._define(nest.results, tiles)

    def _store(self, scope: TaskScope, op: ir.Operation) -> None:
        if op in self._stored:
            return
        view = op.opview
        tile = scope.tile(op, view.tile)
        if not isinstance(tile, RegisterTile):
            fail(op, "'rtile.store' stores a tile that no rtile.compute made")
        materialise(
            self._context, [tile], everyone=any(use.owner.operation.name == "rtile.compute" for use in view.tile.uses)
        )
        target = scope.place(op, view.destination, view.indices, view.origin_map, view.tile_steps)
        if view.copy == STAGED:
            store_staged(self._context, op, tile, target)
            return
        condition = owner(self._context, tile)
        self._context.emit.when(condition, lambda: store_register_tile(self._context, tile, target) or [])
