# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Task bodies: one task of a program's hierarchical tiled loops, built op by op from the loops alone.

`rtile.load` becomes a staged copy or a direct read, `rtile.compute` the register tile, `rtile.store` the write; reduction
loops become a software pipeline of `rtile.stages` buffers. Whoever edits the loops gets the kernel that they wrote.
"""

from collections.abc import Sequence
from math import gcd, prod

from roller_mlir.codegen.affine import apply_indices, map_indices
from roller_mlir.codegen.body import NEUTRAL, Body, read_body
from roller_mlir.codegen.compute import Compute, emit_points, widen
from roller_mlir.codegen.copies import StagedCopy, copy_rounds, load_rounds, store_rounds
from roller_mlir.codegen.fragments import Fragments
from roller_mlir.codegen.join import join
from roller_mlir.codegen.loop_nest import LoopNest, reduction_nest, unit_nest
from roller_mlir.codegen.program import box_axes, box_loops, lane_of, load_layout
from roller_mlir.codegen.task_context import TaskContext, memref_view, splat, vector_type
from roller_mlir.codegen.task_store import store_register_tile
from roller_mlir.codegen.thread_box import ThreadBox
from roller_mlir.codegen.tile_values import DirectTile, RegisterTile, SplatTile, StagedTile, TileValue
from roller_mlir.dialects.rtile import ComputeOp, LoadOp, StoreOp
from roller_mlir.mapping.data_tile import TileDimension, copy_map
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout import buffer_shape
from roller_mlir.plan import LinearIndex, OperandPlan
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

NO_TILE = ("arith.constant", "tensor.empty", "scf.yield", "rtile.yield")


class TaskBuilder:
    """Builds the body of one program's task. May be run several times in one kernel."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._tiles: dict[ir.Value, TileValue] = {}
        self._boxes: dict[ir.Operation, ThreadBox] = {}

    def build(self, program: ir.Operation, task: Symbol) -> None:
        """Emit the task with number `task` (a symbol in the range of the unit loops' product)."""
        nest = unit_nest(program)
        self._bind(nest, task)
        for op in nest.body:
            self._emit(op.operation)

    # Ops of a body --------------------------------------------------------------------------------------------------

    def _emit(self, op: ir.Operation) -> None:
        if op.name == "rtile.load":
            view = op.opview
            tile = self._direct(view)
            if view.tile.layer == WORKGROUP:
                zero = self._context.emit.constant(0)
                copy = self._copy(view, 1)
                store_rounds(self._context, copy, tile.name, self._fetch(view, copy, None), zero)
                self._context.barrier()
                self._tiles[op.results[0]] = self._staged(tile, copy, zero)
            else:
                self._tiles[op.results[0]] = tile
        elif op.name == "rtile.compute":
            self._tiles[op.results[0]] = self._compute(op)
        elif op.name == "rtile.store":
            self._store(op)
        elif op.name == "scf.for":
            self._reduce(op)
        elif op.name not in NO_TILE:
            fail(op, f"'{op.name}' cannot stand in a task; only rtile ops, reduction loops and constant tiles can")

    def _compute(self, op: ir.Operation) -> RegisterTile:
        """A compute outside of reduction loops: all its points at once."""
        view = op.opview
        compute = self._prepare(view, {})
        values, initial = self._start(view, compute)
        values = emit_points(self._context, compute, values)
        return RegisterTile(op, values, self._is_partial(compute.box), initial)

    def _reduce(self, op: ir.Operation) -> None:
        """A nest of reduction loops: a pipeline of staged copies around one compute."""
        nest = reduction_nest(op)
        computes = [o.operation for o in nest.body if o.operation.name == "rtile.compute"]
        if len(computes) != 1 or len(nest.results) != 1 or nest.yielded[0] != computes[0].results[0]:
            fail(op, "a reduction loop must hold exactly 1 rtile.compute, whose result it yields")
        view = computes[0].opview
        if list(view.accumulators) != list(nest.carried):
            fail(computes[0], "an rtile.compute in a reduction loop must accumulate into the tile that the loop carries")
        for source, carried in zip(nest.initial, nest.carried, strict=True):
            self._tiles[carried] = self._tile(op, source)
        loads = [o for o in nest.body if o.operation.name == "rtile.load"]
        strange = [o.operation for o in nest.body if o.operation.name not in ("rtile.load", "rtile.compute", *NO_TILE)]
        if strange:
            fail(strange[0], f"'{strange[0].name}' cannot stand in a reduction loop; rtile.load and rtile.compute can")
        staged = [load for load in loads if load.tile.layer == WORKGROUP]
        if staged:
            result = self._pipeline(nest, view, loads, staged)
        else:
            result = self._stream(nest, view, loads)
        self._tiles[nest.results[0]] = result

    def _stream(self, nest: LoopNest, view: ComputeOp, loads: Sequence[LoadOp]) -> RegisterTile:
        """Reduction steps without staging. A partial first step stands before the loop, which then needs no masks."""
        context = self._context

        def step(symbol: Symbol, values: Sequence[ir.Value]) -> list[ir.Value]:
            self._bind(nest, symbol)
            for load in loads:
                self._tiles[load.operation.results[0]] = self._direct(load)
            return emit_points(context, self._prepare(view, {}), values)

        self._bind(nest, Symbol("step", 0, 0))
        for load in loads:
            self._tiles[load.operation.results[0]] = self._direct(load)
        first = self._prepare(view, {})
        values, initial = self._start(view, first)
        peeled = int(any(origin.range()[0] < 0 for origin in first.origin))
        if peeled:
            values = step(Symbol("step", 0, 0), values)
        if nest.trips == 1 and not peeled:
            values = step(Symbol("step", 0, 0), values)
        else:
            values = context.emit.loop(peeled, nest.trips, values, step)
        return RegisterTile(view.operation, values, self._is_partial(first.box), initial)

    def _pipeline(
        self, nest: LoopNest, view: ComputeOp, loads: Sequence[LoadOp], staged: Sequence[LoadOp]
    ) -> RegisterTile:
        """Reduction steps with staged operands: while a step computes, the next one's tiles travel to registers.

        The last step prefetches under a false condition instead of being peeled: a peeled step's arithmetic would be
        sunk into the predicated stores and keep all its fragments alive.
        """
        context, emit = self._context, self._context.emit
        stages = min(nest.stages, nest.trips)
        copies = {load.operation: self._copy(load, stages) for load in staged}

        def fetch(symbol: Symbol, wanted: ir.Value | None) -> list[list[ir.Value]]:
            self._bind(nest, symbol)
            return [self._fetch(load, copies[load.operation], wanted) for load in staged]

        def put(values: list[list[ir.Value]], stage: ir.Value) -> None:
            for load, share in zip(staged, values, strict=True):
                store_rounds(context, copies[load.operation], self._name(load), share, stage)

        def points(symbol: Symbol, stage: ir.Value, values: Sequence[ir.Value]) -> list[ir.Value]:
            self._bind(nest, symbol)
            for load in loads:
                tile = self._direct(load)
                copy = copies.get(load.operation)
                self._tiles[load.operation.results[0]] = tile if copy is None else self._staged(tile, copy, stage)
            return emit_points(context, self._prepare(view, copies), values)

        first = Symbol("step", 0, 0)
        zero = emit.constant(0)
        put(fetch(first, None), zero)
        context.barrier()
        self._bind(nest, first)
        for load in loads:
            copy = copies.get(load.operation)
            tile = self._direct(load)
            self._tiles[load.operation.results[0]] = tile if copy is None else self._staged(tile, copy, zero)
        compute = self._prepare(view, copies)
        values, initial = self._start(view, compute)

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *accumulators, stage = carried
            following = emit.index(Linear.of(symbol) + 1)
            more = emit.compare("ne", following, emit.constant(nest.trips))
            fetched = fetch(Symbol("next", 1, nest.trips - 1, 1, following), more)
            accumulators = points(symbol, stage, accumulators)
            if stages == 1:
                context.barrier()
                target = stage
            else:
                target = emit.index(Linear({Symbol("stage", 0, 1, 1, stage): -1}, 1))
            emit.branch(more, [], lambda: put(fetched, target) or [])
            context.barrier()
            return [*accumulators, target]

        if nest.trips == 1:
            values = points(first, zero, values)
        else:
            values = emit.loop(0, nest.trips, [*values, zero], step)[:-1]
        return RegisterTile(view.operation, values, self._is_partial(compute.box), initial)

    def _store(self, op: ir.Operation) -> None:
        view = op.opview
        tile = self._tile(op, view.tile)
        if not isinstance(tile, RegisterTile):
            fail(op, "'rtile.store' stores a tile that no rtile.compute made")
        box = self._boxes[tile.compute]
        compute = tile.compute.opview
        values, condition, width = tile.values, None, box.width
        if tile.partial:
            combiner = self._body(compute).combiner()
            assert combiner is not None
            start = tile.initial.value if isinstance(tile.initial, SplatTile) else None
            values, condition, width = join(self._context, box, combiner, start, values)
        target = self._buffer_tile(op, view.destination, view.indices, view.origin_map, view.tile_steps, 0.0)
        indices = map_indices(compute.maps[-1])

        def finish() -> list[ir.Value]:
            whole = values
            if isinstance(tile.initial, DirectTile):
                whole = self._add_old(box, compute, tile.initial, values, width)
            store_register_tile(self._context, box, target, indices, whole, width)
            return []

        if condition is None:
            finish()
        else:
            self._context.emit.branch(condition, [], finish)

    def _add_old(
        self, box: ThreadBox, compute: ComputeOp, old: DirectTile, values: Sequence[ir.Value], width: int
    ) -> list[ir.Value]:
        """Combine joined results with the old output, which only the threads that store them read."""
        combiner = self._body(compute).combiner()
        assert combiner is not None
        fragments, indices = Fragments(self._context, box), map_indices(compute.maps[-1])
        found: list[ir.Value] = []
        for key, value in zip(box.keys, values, strict=True):
            other = widen(self._context, fragments.read(old, indices, box.at(key)), width)
            found.append(self._context.emit.op(combiner, [value, other], value.type))
        return found

    # Pieces ---------------------------------------------------------------------------------------------------------

    def _bind(self, nest: LoopNest, symbol: Symbol) -> None:
        """Give the nest's loop variables their values from a linear number, last loop fastest."""
        moving = [loop for loop in nest.loops if loop.trips > 1]
        digits = self._context.emit.delinearize(symbol, [loop.trips for loop in reversed(moving)])
        values = dict(zip([loop.variable for loop in reversed(moving)], digits, strict=True))
        for loop in nest.loops:
            digit = values.get(loop.variable)
            number = Linear.of(digit, loop.step) if digit is not None else Linear()
            self._context.indices[loop.variable] = number + loop.low

    def _tile(self, op: ir.Operation, value: ir.Value) -> TileValue:
        if value in self._tiles:
            return self._tiles[value]
        owner = value.owner
        if not isinstance(owner, ir.Block):
            if owner.name == "tensor.empty":
                return SplatTile(None)
            if owner.name == "arith.constant":
                dense = ir.DenseElementsAttr(owner.attributes["value"])
                if dense.is_splat:
                    return SplatTile(dense.get_splat_value().value)
        fail(op, f"'{op.name}' uses a tile that is neither loaded, computed nor a constant of equal elements")

    def _name(self, load: LoadOp) -> str:
        source = load.source
        return f"arg{source.arg_number}" if isinstance(source.owner, ir.Block) else "buffer"

    def _direct(self, load: LoadOp) -> DirectTile:
        return self._buffer_tile(
            load.operation, load.source, load.indices, load.origin_map, load.tile.steps, load.pad_value or 0.0
        )

    def _buffer_tile(
        self,
        op: ir.Operation,
        memory: ir.Value,
        indices: Sequence[ir.Value],
        origin: ir.AffineMap,
        steps: tuple[int, ...],
        pad: float,
    ) -> DirectTile:
        context = self._context
        if memory not in context.buffers:
            fail(op, f"'{op.name}' needs a memref of the program; run rtile-assign-buffers first")
        at = apply_indices(map_indices(origin), context.linear(op, indices))
        name = f"arg{ir.BlockArgument(memory).arg_number}"
        buffer = context.buffers[memory]
        return DirectTile(name, buffer, tuple(ir.MemRefType(buffer.type).shape), tuple(at), steps, pad)

    def _copy(self, load: LoadOp, stages: int) -> StagedCopy:
        context = self._context
        assert context.arena is not None
        layout = load_layout(load)
        dimensions = [TileDimension({}, 1, extent) for extent in load.tile.shape]
        shape = (stages, *buffer_shape(dimensions, layout))
        element = ir.MemRefType(load.source.type).element_type
        view = memref_view(context.emit, context.arena, context.offsets[load.operation], shape, element)
        copy = copy_map(load.tile.shape, layout.vector, context.threads)
        return StagedCopy(view, layout, copy, copy_rounds(context, copy))

    def _fetch(self, load: LoadOp, copy: StagedCopy, wanted: ir.Value | None) -> list[ir.Value]:
        tile = self._direct(load)
        check_layout(load, copy.layout, tile)
        return load_rounds(self._context, copy, tile, wanted)

    def _staged(self, tile: DirectTile, copy: StagedCopy, stage: ir.Value) -> StagedTile:
        return StagedTile(tile, copy.view, stage, copy.layout, (), copy.copy)

    def _body(self, view: ComputeOp) -> Body:
        return read_body(view.entry, len(view.inputs))

    def _box(self, view: ComputeOp) -> ThreadBox:
        op = view.operation
        if op not in self._boxes:
            loops, axes = box_loops(view), box_axes(view)
            if prod(axis.threads for axis in axes) != self._context.threads:
                fail(op, f"'{op.name}' has another thread count than the program's first ({self._context.threads})")
            context = self._context
            self._boxes[op] = ThreadBox(
                loops, axes, view.thread_map.order, lane_of(view), context.emit, context.thread, context.subgroup_size
            )
        return self._boxes[op]

    def _prepare(self, view: ComputeOp, copies: dict[ir.Operation, StagedCopy]) -> Compute:
        box, body = self._box(view), self._body(view)
        maps = [map_indices(m) for m in view.maps]
        inputs: dict[int, tuple[DirectTile | StagedTile, tuple[LinearIndex, ...]]] = {}
        for number, value in enumerate(view.inputs):
            if not body.reads(number):
                continue
            tile = self._tile(view.operation, value)
            if not isinstance(tile, DirectTile | StagedTile):
                fail(view.operation, f"'{view.operation.name}' input {number} is no loaded tile; load it first")
            inputs[number] = (tile, maps[number])
        origin = tuple(apply_indices(map_indices(view.origin_map), self._context.linear(view.operation, view.indices)))
        masked = tuple(
            loop
            for loop, bound in enumerate(box.loops)
            if bound.reduction
            and not (0 <= origin[loop].range()[0] and origin[loop].range()[1] + box.axes[loop].block <= bound.extent)
            and not self._contributes_nothing(loop, bound.extent, body, inputs, origin)
        )
        return Compute(box, body, inputs, origin, masked, view.thread_map.unroll)

    def _contributes_nothing(
        self,
        loop: int,
        extent: int,
        body: Body,
        inputs: dict[int, tuple[DirectTile | StagedTile, tuple[LinearIndex, ...]]],
        origin: tuple[Linear, ...],
    ) -> bool:
        """Whether points out of a loop's range leave the accumulator as it is, because every input reads as its pad."""
        neutral = body.pad_value()
        if neutral is None or not inputs:
            return False
        for tile, functions in inputs.values():
            source = tile.source if isinstance(tile, StagedTile) else tile
            covered = any(
                function.terms() == {loop: 1}
                and step == 1
                and length == extent
                and start == origin[loop]
                for function, step, length, start in zip(
                    functions, source.steps, source.shape, source.origin, strict=True
                )
            )
            if source.pad != neutral or not covered:
                return False
        return True

    def _is_partial(self, box: ThreadBox) -> bool:
        return box.lane_reduces or bool(box.combination.split_loops)

    def _start(self, view: ComputeOp, compute: Compute) -> tuple[list[ir.Value], DirectTile | SplatTile | None]:
        """Return the accumulators before the first point, and what the joined result is to be combined with."""
        emit, box = self._context.emit, compute.box
        tile = self._tile(view.operation, view.accumulators[0])
        element = ir.RankedTensorType(view.operation.results[0].type).element_type
        if self._is_partial(box):
            combiner = compute.body.combiner()
            if combiner is None:
                fail(view.operation, f"'{view.operation.name}' splits a reduction without a known combiner over threads")
            if not isinstance(tile, DirectTile | SplatTile):
                fail(view.operation, f"'{view.operation.name}' splits a reduction that starts from a tile in registers")
            return [splat(emit, element, box.width, NEUTRAL[combiner])] * len(box.keys), tile
        if isinstance(tile, SplatTile):
            return [splat(emit, element, box.width, tile.value or 0.0)] * len(box.keys), None
        if isinstance(tile, RegisterTile):
            fail(view.operation, f"'{view.operation.name}' continues the accumulator of another rtile.compute")
        fragments = Fragments(self._context, box)
        indices = map_indices(view.maps[-1])
        found = [fragments.read(tile, indices, box.at(key)) for key in box.keys]
        kind = vector_type(element, box.width)
        return [v if w == box.width else emit.op("vector.broadcast", [v], kind) for v, w in found], None


def check_layout(load: LoadOp, layout: OperandPlan, tile: DirectTile) -> None:
    """Refuse a layout whose vectors would be misaligned; the widths are the plan's to choose, never changed here."""
    inner = len(tile.shape) - 1
    row = gcd(tile.shape[inner], tile.origin[inner].divisor())
    if layout.vector > 1 and (tile.steps[inner] != 1 or row % layout.vector):
        fail(load, f"'rtile.load' copies vectors of {layout.vector}, but its rows are aligned to {row} elements; lower vector")
    if layout.store_vector > 1 and (layout.order[-1] != inner or layout.vector % layout.store_vector):
        fail(
            load,
            f"'rtile.load' writes vectors of {layout.store_vector}, which must divide vector = {layout.vector} and lie "
            f"along dimension {inner}; lower store_vector",
        )
    width = max(layout.store_vector, layout.fragment_vector)
    if layout.pad % width:
        fail(load, f"'rtile.load' pads rows by {layout.pad}, which misaligns vectors of {width}; pad by a multiple")
