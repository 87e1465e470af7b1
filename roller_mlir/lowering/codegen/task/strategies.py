# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a task walks its reduction steps: one object a strategy, all around the same compute.

The pipeline of the plan names one (`strategy_of`). That of kernels with threads that only copy, `WarpSpecialised` of
`lowering.codegen.hopper.consumer`, needs the ring that they fill: its kernel makes it (`lowering.codegen.kernel`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from roller_mlir.dialects.rtile import ComputeOp, TileLoad
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.tile_values import RegisterTile
from roller_mlir.lowering.codegen.emitters import vector_emitter_of
from roller_mlir.lowering.codegen.matrix.compute import emit_matrix_points, matrix_sub_steps
from roller_mlir.lowering.codegen.task.compute import Compute, emit_points
from roller_mlir.lowering.codegen.task.compute_reader import ComputeReader
from roller_mlir.lowering.codegen.task.copies import StagedCopy, store_rounds
from roller_mlir.lowering.codegen.task.padding.edges import by_edges
from roller_mlir.lowering.codegen.task.padding.known_inside import known_or_tested, tile_inside
from roller_mlir.lowering.codegen.task.padding.last_tile import by_last_tile
from roller_mlir.lowering.codegen.task.pipeline import CopyPipeline
from roller_mlir.lowering.codegen.task.scope import TaskScope, staged_tile
from roller_mlir.lowering.loops.nest import LoopNest
from roller_mlir.lowering.loops.program import load_layout, reduction_pipeline
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.plan.plan import DEEP_ASYNCHRONOUS, DIRECT, REGISTER_PREFETCH, WORKGROUP, pipeline_problem
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True)
class Reduction:
    """The reduction steps of a task.

    Attributes:
        scope: The task's tiles and loop variables.
        computes: Reads its computes.
        nest: The reduction loops; None where one step is all.
        view: The compute of a step.
        loads: The loads of a step.
    """

    scope: TaskScope
    computes: ComputeReader
    nest: LoopNest | None
    view: ComputeOp
    loads: Sequence[TileLoad]

    @property
    def trips(self) -> int:
        """How many they are."""
        return self.nest.trips.static if self.nest is not None else 1

    @property
    def stages(self) -> int:
        """Buffers of staged tiles."""
        return min(self.nest.stages, self.trips) if self.nest is not None else 1

    @property
    def staged(self) -> list[TileLoad]:
        """The loads that go through workgroup memory."""
        return [load for load in self.loads if load.tile.layer == WORKGROUP]

    def bind(self, step: Symbol) -> None:
        """Give the loop variables their values in a step."""
        if self.nest is not None:
            self.scope.bind_step(self.nest, step)

    def copies(self, *, now: bool) -> dict[ir.Operation, StagedCopy]:
        """Return the copies of the staged loads."""
        return {load.operation: self.scope.copy(load, self.stages, now=now) for load in self.staged}

    def at(
        self, step: Symbol, stage: ir.Value | None = None, copies: dict[ir.Operation, StagedCopy] | None = None
    ) -> Compute:
        """Return the compute of a step, whose staged tiles lie in a buffer."""
        self.bind(step)
        for load in self.loads:
            tile, copy = self.scope.direct(load), (copies or {}).get(load.operation)
            if copy is not None:
                assert stage is not None
                tile = staged_tile(copy, tile, stage)
            self.scope.tiles[load.operation.results[0]] = tile
        return self.computes.prepare(self.view)


class Strategy(Protocol):
    """A way to walk reduction steps."""

    def run(self, steps: Reduction) -> list[RegisterTile]:
        """Emit all steps and return the compute's results."""
        ...


def emit_box(
    context: TaskContext, compute: Compute, values: Sequence[ir.Value], between: Sequence[Callable[[], None]] = ()
) -> list[ir.Value]:
    """Emit the points of a compute by its instruction for products, or each thread for itself."""
    if compute.matrix is not None:
        return emit_matrix_points(context, compute, values, between)
    assert not between
    emit = vector_emitter_of(compute.atom).emit_points if compute.atom is not None else emit_points
    if not context.masked:
        return emit(context, compute, values)

    def once(one: Compute, values: Sequence[ir.Value]) -> list[ir.Value]:
        walked = {(one.padded_input, each.dimension) for found in one.walked_inside().values() for each in found}
        facts = tile_inside(one.box, one.inputs, vectors=not context.mask_registers, inside=walked)
        return known_or_tested(context, facts, values, lambda: emit(context, one, values))

    def at_edges(one: Compute, values: Sequence[ir.Value]) -> list[ir.Value]:
        return by_edges(context, one, values, lambda each: once(each, values))

    return by_last_tile(context, compute, values, at_edges)


class Direct:
    """Steps without staging; a partial first step stands before the loop."""

    def run(self, steps: Reduction) -> list[RegisterTile]:
        """Emit all steps."""
        context = steps.scope.context
        first = steps.at(Symbol("step", 0, 0))
        values = steps.computes.start(steps.view, first)
        peeled = int(steps.trips == 1 or any(origin.range()[0] < 0 for origin in first.origin))
        if peeled:
            values = emit_box(context, first, values)
        values = context.emit.loop(
            peeled, steps.trips, values, lambda step, carried: emit_box(context, steps.at(step), carried)
        )
        return steps.computes.results(steps.view, first, values)


class RegisterPrefetch:
    """Steps with staged operands: while a step computes, the next one's tiles travel to registers.

    The last step prefetches under a false condition instead of being peeled: a peeled step's arithmetic would be sunk
    into the predicated stores and keep all its fragments alive. In a loop over tasks it fetches its own tiles again.
    """

    def run(self, steps: Reduction) -> list[RegisterTile]:
        """Emit all steps."""
        scope, context, emit = steps.scope, steps.scope.context, steps.scope.context.emit
        trips, staged = steps.trips, steps.staged
        copies = steps.copies(now=trips == 1)

        def fetch(symbol: Symbol, wanted: ir.Value | None) -> list[list[ir.Value]]:
            steps.bind(symbol)
            return [scope.fetch(load, copies[load.operation], wanted) for load in staged]

        def put(values: list[list[ir.Value]], stage: ir.Value) -> None:
            for load, share in zip(staged, values, strict=True):
                store_rounds(context, copies[load.operation], scope.name(load), share, stage)

        first = Symbol("step", 0, 0)
        zero = emit.constant(0)
        context.before_arena_write()
        steps.bind(first)
        scope.copy_now([(load, copies[load.operation]) for load in staged], zero)
        context.barrier()
        compute = steps.at(first, zero, copies)
        values = steps.computes.start(steps.view, compute)

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *accumulators, stage = carried
            following = emit.index(Linear.of(symbol) + 1)
            more = emit.compare("ne", following, emit.constant(trips))
            following, wanted = context.fetched_ahead(following, more, trips)
            fetched = fetch(Symbol("next", 1, trips - 1, 1, following), wanted)
            accumulators = emit_points(context, steps.at(symbol, stage, copies), accumulators)
            if steps.stages == 1:
                context.barrier()
                target = stage
            else:
                target = emit.index(Linear({Symbol("stage", 0, 1, 1, stage): -1}, 1))
            emit.when(wanted, lambda: put(fetched, target) or [])
            context.barrier()
            return [*accumulators, target]

        if trips == 1:
            values = emit_points(context, compute, values)
        else:
            values = emit.loop(0, trips, [*values, zero], step)[:-1]
        return steps.computes.results(steps.view, compute, values)


class DeepAsynchronous:
    """Steps behind copies that run ahead by several buffers."""

    def run(self, steps: Reduction) -> list[RegisterTile]:
        """Emit all steps."""
        scope, context = steps.scope, steps.scope.context
        if steps.stages == 1 and steps.trips > 1:
            fail(steps.view, "a matrix instruction's steps need at least 2 stages; raise rtile.stages")
        copies = steps.copies(now=steps.trips == 1)
        first = steps.at(Symbol("step", 0, 0), context.emit.constant(0), copies)
        loads = [(load, copies[load.operation]) for load in steps.staged]
        values = CopyPipeline(context, scope, loads, steps.stages, steps.trips, steps.bind).run(
            steps.computes.start(steps.view, first),
            lambda symbol, stage, carried, between: emit_box(
                context, steps.at(symbol, stage, copies), carried, between
            ),
            1 if first.matrix is None else matrix_sub_steps(first),
        )
        return steps.computes.results(steps.view, first, values)


STRATEGIES: dict[str, Strategy] = {
    DIRECT: Direct(),
    REGISTER_PREFETCH: RegisterPrefetch(),
    DEEP_ASYNCHRONOUS: DeepAsynchronous(),
}


def strategy_of(steps: Reduction, pipeline: str) -> Strategy:
    """Return the strategy of reduction steps.

    Args:
        steps: The steps; what stages nothing is walked directly, whatever the program's pipeline.
        pipeline: What the program says; "" leaves it to the loads.
    """
    if not steps.staged:
        return STRATEGIES[DIRECT]
    assert steps.nest is not None
    copies = [load_layout(load).copy for load in steps.staged]
    stages, matrix = steps.nest.stages, steps.view.matrix_instruction is not None
    pipeline = reduction_pipeline(pipeline, steps.nest, steps.staged)
    problem = pipeline_problem(pipeline, copies, stages, matrix=matrix)
    if problem:
        fail(steps.view, f"'rtile.compute' stands in {problem}; change the pipeline of its program")
    return STRATEGIES[pipeline]
