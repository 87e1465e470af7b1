# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Task bodies: one task of a program's hierarchical tiled loops, built op by op from the loops alone.

`rtile.load` becomes a staged copy or a direct read, `rtile.compute` the register tile, `rtile.store` the write;
reduction loops become a software pipeline of `rtile.stages` buffers. Whoever edits the loops gets the kernel that they
wrote.
"""

from collections.abc import Callable, Sequence

from roller_mlir.codegen.builder.task_context import TaskContext
from roller_mlir.codegen.builder.tile_values import RegisterTile
from roller_mlir.codegen.matrix.compute import emit_matrix_points, matrix_stretches
from roller_mlir.codegen.task.compute import Compute, emit_points
from roller_mlir.codegen.task.compute_reader import ComputeReader
from roller_mlir.codegen.task.copies import store_rounds
from roller_mlir.codegen.task.pipeline import Pipeline
from roller_mlir.codegen.task.register_tiles import owner, settle
from roller_mlir.codegen.task.scope import TaskScope, staged_tile
from roller_mlir.codegen.task.store import store_register_tile
from roller_mlir.dialects.rtile import ComputeOp, TileLoad
from roller_mlir.loops.loop_nest import LoopNest, reduction_nest, unit_nest
from roller_mlir.loops.program import LOADS, load_layout
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.plan.plan import SYNCHRONOUS, WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def _emit_box(
    context: TaskContext,
    compute: Compute,
    values: Sequence[ir.Value],
    between: Sequence[Callable[[], None]] = (),
) -> list[ir.Value]:
    """Emit the points of a compute by its matrix instruction, or each thread for itself."""
    if compute.matrix is not None:
        return emit_matrix_points(context, compute, values, between)
    assert not between
    return emit_points(context, compute, values)


NO_TILE = ("arith.constant", "tensor.empty", "scf.yield", "rtile.yield")


class TaskBuilder:
    """Builds the body of one program's task. May be run several times in one kernel, also in one context.

    A barrier stands between two bodies only where the second writes what threads may still read of the first. A wrapper
    that loops over tasks puts a barrier at the end of its loop's body.
    """

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._scope = TaskScope(context)
        self._computes = ComputeReader(self._scope)

    def build(self, program: ir.Operation, task: Symbol) -> None:
        """Emit the task with number `task` (a symbol in the range of the unit loops' product)."""
        nest = unit_nest(program)
        self._scope.bind(nest, task)
        for op in nest.body:
            self._emit(op.operation)

    def _emit(self, op: ir.Operation) -> None:
        if op.name in LOADS:
            view = op.opview
            tile = self._scope.direct(view)
            if view.tile.layer == WORKGROUP:
                zero = self._context.emit.constant(0)
                copy = self._scope.copy(view, 1, now=load_layout(view).copy == SYNCHRONOUS)
                Pipeline(self._context, self._scope, [(view, copy)], 1, 1, lambda symbol: None).fill_once()
                self._scope.tiles[op.results[0]] = staged_tile(copy, tile, zero)
            else:
                self._scope.tiles[op.results[0]] = tile
        elif op.name == "rtile.compute":
            self._define(op.results, self._compute(op))
        elif op.name == "rtile.store":
            self._store(op)
        elif op.name == "scf.for":
            self._reduce(op)
        elif op.name not in NO_TILE:
            fail(op, f"'{op.name}' cannot stand in a task; only rtile ops, reduction loops and constant tiles can")

    def _define(self, results: Sequence[ir.Value], tiles: Sequence[RegisterTile]) -> None:
        for result, tile in zip(results, tiles, strict=True):
            self._scope.tiles[result] = tile

    def _compute(self, op: ir.Operation) -> list[RegisterTile]:
        """A compute outside of reduction loops: all its points at once."""
        view = op.opview
        compute = self._computes.prepare(view)
        values = _emit_box(self._context, compute, self._computes.start(view, compute))
        return self._computes.results(view, compute, values)

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
        staged = [load for load in loads if load.tile.layer == WORKGROUP]
        if any(load.layout is not None and load.layout.copy != SYNCHRONOUS for load in staged) or (
            staged and (nest.stages > 2 or view.matrix_instruction is not None)
        ):
            tiles = self._deep_pipeline(nest, view, loads, staged)
        else:
            tiles = self._pipeline(nest, view, loads, staged) if staged else self._stream(nest, view, loads)
        self._define(nest.results, tiles)

    def _stream(self, nest: LoopNest, view: ComputeOp, loads: Sequence[TileLoad]) -> list[RegisterTile]:
        """Reduction steps without staging; a partial first step stands before the loop."""
        context = self._context

        def at(symbol: Symbol) -> Compute:
            self._scope.bind(nest, symbol)
            for load in loads:
                self._scope.tiles[load.operation.results[0]] = self._scope.direct(load)
            return self._computes.prepare(view)

        first = at(Symbol("step", 0, 0))
        values = self._computes.start(view, first)
        peeled = int(nest.trips == 1 or any(origin.range()[0] < 0 for origin in first.origin))
        if peeled:
            values = emit_points(context, first, values)
        values = context.emit.loop(
            peeled, nest.trips, values, lambda step, carried: emit_points(context, at(step), carried)
        )
        return self._computes.results(view, first, values)

    def _pipeline(
        self, nest: LoopNest, view: ComputeOp, loads: Sequence[TileLoad], staged: Sequence[TileLoad]
    ) -> list[RegisterTile]:
        """Reduction steps with staged operands: while a step computes, the next one's tiles travel to registers.

        The last step prefetches under a false condition instead of being peeled: a peeled step's arithmetic would be
        sunk into the predicated stores and keep all its fragments alive.
        """
        context, emit = self._context, self._context.emit
        stages = min(nest.stages, nest.trips)
        copies = {load.operation: self._scope.copy(load, stages, now=nest.trips == 1) for load in staged}

        def fetch(symbol: Symbol, wanted: ir.Value | None) -> list[list[ir.Value]]:
            self._scope.bind(nest, symbol)
            return [self._scope.fetch(load, copies[load.operation], wanted) for load in staged]

        def put(values: list[list[ir.Value]], stage: ir.Value) -> None:
            for load, share in zip(staged, values, strict=True):
                store_rounds(context, copies[load.operation], self._scope.name(load), share, stage)

        def at(symbol: Symbol, stage: ir.Value) -> Compute:
            self._scope.bind(nest, symbol)
            for load in loads:
                tile, copy = self._scope.direct(load), copies.get(load.operation)
                self._scope.tiles[load.operation.results[0]] = tile if copy is None else staged_tile(copy, tile, stage)
            return self._computes.prepare(view)

        first = Symbol("step", 0, 0)
        zero = emit.constant(0)
        context.before_arena_write()
        self._scope.bind(nest, first)
        self._scope.copy_now([(load, copies[load.operation]) for load in staged], zero)
        context.barrier()
        compute = at(first, zero)
        values = self._computes.start(view, compute)

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *accumulators, stage = carried
            following = emit.index(Linear.of(symbol) + 1)
            more = emit.compare("ne", following, emit.constant(nest.trips))
            fetched = fetch(Symbol("next", 1, nest.trips - 1, 1, following), more)
            accumulators = emit_points(context, at(symbol, stage), accumulators)
            if stages == 1:
                context.barrier()
                target = stage
            else:
                target = emit.index(Linear({Symbol("stage", 0, 1, 1, stage): -1}, 1))
            emit.branch(more, [], lambda: put(fetched, target) or [])
            context.barrier()
            return [*accumulators, target]

        if nest.trips == 1:
            values = emit_points(context, compute, values)
        else:
            values = emit.loop(0, nest.trips, [*values, zero], step)[:-1]
        return self._computes.results(view, compute, values)

    def _deep_pipeline(
        self, nest: LoopNest, view: ComputeOp, loads: Sequence[TileLoad], staged: Sequence[TileLoad]
    ) -> list[RegisterTile]:
        """Reduction steps behind copies that run ahead by several buffers."""
        context = self._context
        if nest.stages == 1 and nest.trips > 1:
            fail(view, "a matrix instruction's steps need at least 2 stages; raise rtile.stages")
        stages = min(nest.stages, nest.trips)
        copies = {load.operation: self._scope.copy(load, stages, now=False) for load in staged}

        def at(symbol: Symbol, stage: ir.Value) -> Compute:
            self._scope.bind(nest, symbol)
            for load in loads:
                tile, copy = self._scope.direct(load), copies.get(load.operation)
                self._scope.tiles[load.operation.results[0]] = tile if copy is None else staged_tile(copy, tile, stage)
            return self._computes.prepare(view)

        first = at(Symbol("step", 0, 0), context.emit.constant(0))
        pipeline = Pipeline(
            context,
            self._scope,
            [(load, copies[load.operation]) for load in staged],
            stages,
            nest.trips,
            lambda symbol: self._scope.bind(nest, symbol),
        )
        values = pipeline.run(
            self._computes.start(view, first),
            lambda symbol, stage, carried, between: _emit_box(context, at(symbol, stage), carried, between),
            1 if first.matrix is None else matrix_stretches(first),
        )
        return self._computes.results(view, first, values)

    def _store(self, op: ir.Operation) -> None:
        view = op.opview
        tile = self._scope.tile(op, view.tile)
        if not isinstance(tile, RegisterTile):
            fail(op, "'rtile.store' stores a tile that no rtile.compute made")
        settle(self._context, tile, everyone=any(use.owner.operation.name == "rtile.compute" for use in view.tile.uses))
        target = self._scope.place(op, view.destination, view.indices, view.origin_map, view.tile_steps)
        condition = owner(self._context, tile)
        if condition is None:
            store_register_tile(self._context, tile, target)
        else:
            self._context.emit.branch(condition, [], lambda: store_register_tile(self._context, tile, target) or [])
