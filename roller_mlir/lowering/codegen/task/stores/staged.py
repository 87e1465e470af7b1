# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results through workgroup memory: threads write theirs to a buffer, then all threads store its rows.

    workgroup store results | gpu.barrier | workgroup load results, global store | gpu.barrier, for the next pass

The buffer takes the place of the tiles of operands, which nobody reads any more. `mapping.layout.staged_store` decides
where results lie and how wide they move.
"""

from collections.abc import Sequence
from math import gcd

from roller_mlir.dialects.rtile import ComputeOp, StoreOp
from roller_mlir.lowering.codegen.builder.task_context import (
    StagedResults,
    TaskContext,
    access_memory,
    element_bytes,
    memref_view,
    slice_of,
)
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile
from roller_mlir.lowering.codegen.task.copies import Round, copy_rounds
from roller_mlir.lowering.codegen.task.register_tiles import owner
from roller_mlir.lowering.linalg.affine import apply_indices, map_indices
from roller_mlir.lowering.loops.nest import LoopNest, parallel_nest
from roller_mlir.lowering.loops.program import LOADS, box_axes, box_loops, lane_of, stores_of
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.staged_store import ResultTile, StagedStore, run_of, run_points, staged_store
from roller_mlir.mapping.unrolling import MOST_UNROLLED_ROUNDS, rounds_at_once
from roller_mlir.plan import AxisPlan, LinearIndex
from roller_mlir.plan.plan import STAGED
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


def staged_results(program: ir.Operation, free_bytes: int, lanes: int) -> StagedResults:
    """Return how a program's stores pass workgroup memory, which the tiles of its operands leave to them.

    Args:
        program: A program on memrefs.
        free_bytes: What these tiles take.
        lanes: Threads of a subgroup.
    """
    stores = [store for store in stores_of(program) if store.copy == STAGED]
    if not stores:
        return StagedResults()
    nest = parallel_nest(program)
    body = [one.operation for one in nest.body]
    for store in stores:
        behind = body[body.index(store.operation) :] if store.operation in body else None
        if behind is None or any(one.name in (*LOADS, "rtile.compute", "scf.for", "scf.if") for one in behind):
            fail(store, "'rtile.store' through workgroup memory must stand behind all loads and computes of its task")
    return StagedResults({store.operation: staged_store(_tile(store, nest), free_bytes, lanes) for store in stores})


def store_staged(context: TaskContext, operation: ir.Operation, tile: RegisterTile, target: DirectTile) -> None:
    """Store a joined tile through workgroup memory.

    Args:
        context: The task. All of its threads come here.
        operation: The store.
        tile: The results.
        target: Where they go.
    """
    emit, how = context.emit, context.results.stores.get(operation)
    if how is None or context.arena is None:
        fail(
            operation,
            "'rtile.store' through workgroup memory needs a kernel of its own, whose threads are those of a GPU; leave "
            "out its copy",
        )
    element = ir.MemRefType(target.buffer.type).element_type
    buffer = memref_view(emit, context.arena, context.results.offset, [how.elements], element)
    mine = owner(context, tile)
    for start in how.starts():
        context.before_arena_write()
        emit.when(mine, lambda start=start: _write(context, how, buffer, tile, start))
        context.barrier()
        _store_rows(context, how, buffer, target, start)
        context.arena_in_use = True


def _tile(store: StoreOp, nest: LoopNest) -> ResultTile:
    """Return the tile of a store, from the loops alone."""
    compute, number = _maker(store)
    loops, axes = box_loops(compute), box_axes(compute)
    walks = [_walk(store, index, axes) for index in map_indices(compute.maps[len(compute.inputs) + number])]
    several = [i for i, axis in enumerate(axes) if axis.block > 1 and not loops[i].reduction]
    if not walks or sorted(loop for loop in walks if loop is not None) != several:
        fail(store, f"'rtile.store' through workgroup memory needs each loop of {several} to be one dimension")
    variables = {
        loop.variable: Linear.of(Symbol("loop", 0, loop.trips.bound - 1), loop.step) + loop.low for loop in nest.loops
    }
    places = [variables.get(index) or Linear(None, _constant(store, index)) for index in store.indices]
    origin = apply_indices(map_indices(store.origin_map), places)
    shape, steps = tuple(ir.MemRefType(store.destination.type).shape), store.tile_steps
    extents: list[int] = []
    for walk, at, bound, step in zip(walks, origin, shape, steps, strict=True):
        extent = 1 if walk is None else axes[walk].block
        extents.append(extent if at.terms else min(extent, -(-(bound - at.constant) // step)))
    element = ir.MemRefType(store.destination.type).element_type
    lane = lane_of(compute)
    return ResultTile(
        walks=tuple(walks),
        axes=axes,
        order=tuple(compute.thread_map.order),
        lane_order=tuple(compute.thread_map.lane_order),
        lane=lane if lane is not None and lane in walks else None,
        element_bytes=element_bytes(element),
        extents=tuple(extents),
        alignment=gcd(shape[-1], origin[-1].divisor()) if steps[-1] == 1 else 1,
    )


def _maker(store: StoreOp) -> tuple[ComputeOp, int]:
    """Return the compute whose result is stored, and which of its results it is."""
    value = store.tile
    made = defining_op(value)
    while made is not None and made.name == "scf.for":
        value = list(made.regions[0].blocks[0].operations)[-1].operation.operands[list(made.results).index(value)]
        made = defining_op(value)
    if made is not None and made.name == "rtile.compute":
        return made.opview, list(made.results).index(value)
    return fail(store, "'rtile.store' stores a tile that no rtile.compute made")


def _walk(store: StoreOp, index: LinearIndex, axes: Sequence[AxisPlan]) -> int | None:
    """Return the loop that walks a dimension of a tile; None of one element."""
    terms = [(loop, factor) for loop, factor in index.terms().items() if axes[loop].block > 1]
    if len(terms) > 1 or index.constant or (terms and terms[0][1] != 1):
        fail(store, f"'rtile.store' through workgroup memory has a dimension {index}, which is no loop by itself")
    return terms[0][0] if terms else None


def _constant(store: StoreOp, value: ir.Value) -> int:
    made = defining_op(value, "arith.constant")
    if made is None:
        fail(store, f"'rtile.store' is indexed by {value}, which is no loop variable or constant")
    return ir.IntegerAttr(made.attributes["value"]).value


def _write(
    context: TaskContext, how: StagedStore, buffer: ir.Value, tile: RegisterTile, start: dict[int, int]
) -> list[ir.Value]:
    """Write the thread's results of a pass to the buffer."""
    emit, box, lane = context.emit, tile.box, tile.box.lane
    strides = {loop: stride for loop, stride in zip(how.tile.walks, how.strides, strict=True) if loop is not None}
    for key, value in zip(box.keys, tile.values, strict=True):
        if any(register for loop, register in key.items() if loop not in strides):
            continue  # an element that another register holds too
        if not all(_in_pass(how, loop, first, key.get(loop, 0)) for loop, first in start.items()):
            continue
        positions = box.at(key)
        at = Linear()
        for loop, stride in strides.items():
            at = at + (positions.get(loop, Linear()) + -start[loop]) * stride
        width = tile.width if lane in strides else 1
        for first in range(0, width, how.write):
            part = value if tile.width == how.write else slice_of(emit, value, first, how.write)
            place = at + first * (strides[lane] if lane is not None and lane in strides else 0)
            access_memory(emit, buffer, [emit.index(place)], how.write, "workgroup store results", part)
    return []


def _in_pass(how: StagedStore, loop: int, first: int, register: int) -> bool:
    """Return whether a register along a loop lies in the pass that begins at a point of it."""
    axis = how.tile.axes[loop]
    point = run_of(axis, register) * run_points(axis)
    return first <= point < first + how.part[loop]


def _store_rows(
    context: TaskContext, how: StagedStore, buffer: ir.Value, target: DirectTile, start: dict[int, int]
) -> None:
    """Store what one pass has written, as neighbouring threads find it in rows."""
    emit, copy = context.emit, how.copy
    origin = [
        o + (0 if loop is None else start[loop] * step)
        for o, loop, step in zip(target.origin, how.tile.walks, target.steps, strict=True)
    ]
    # The last pass along a loop may be a part of one: what lies behind the tile is another task's.
    left = [
        extent - (0 if loop is None else start[loop])
        for extent, loop in zip(how.tile.extents, how.tile.walks, strict=True)
    ]
    words = how.vector * max(1, how.tile.element_bytes // 4)
    at_once = rounds_at_once(copy.rounds, words)

    def move(rounds: Sequence[Round]) -> None:
        for share in rounds:
            at = [o + x * s for o, x, s in zip(origin, share.at, target.steps, strict=True)]
            condition = emit.both(emit.both(share.present, emit.inside(at, target.shape)), emit.inside(share.at, left))
            emit.when(condition, lambda share=share, at=at: _move(context, how, buffer, share, target, at))

    if copy.rounds <= MOST_UNROLLED_ROUNDS:
        move(copy_rounds(context, copy))
        return

    def trip(symbol: Symbol, _: list[ir.Value]) -> list[ir.Value]:
        move(copy_rounds(context, copy, [Linear.of(symbol, at_once) + number for number in range(at_once)]))
        return []

    emit.loop(0, -(-copy.rounds // at_once), [], trip)


def _move(
    context: TaskContext, how: StagedStore, buffer: ir.Value, share: Round, target: DirectTile, to: Sequence[Linear]
) -> list[ir.Value]:
    """Read a vector from the buffer and store it."""
    emit, at = context.emit, Linear()
    for x, stride in zip(share.at, how.strides, strict=True):
        at = at + x * stride
    value = access_memory(emit, buffer, [emit.index(at)], how.vector, "workgroup load results")
    places = [emit.index(x) for x in to]
    access_memory(emit, target.buffer, places, how.vector, f"global store {target.name}", value)
    return []
