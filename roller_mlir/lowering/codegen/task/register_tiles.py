# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Register tiles as what a later rtile.compute or rtile.store of the task takes: joined, and read where they lie.

What one thread computed it reads again without memory: two boxes that spread a loop alike hold its points in the same
registers of the same threads. Reductions that were split over threads are joined before; where a compute reads the
result, in all threads.
"""

from collections.abc import Hashable, Iterable, Sequence

from roller_mlir.lowering.codegen.builder.fragments import TileReader, Wide
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, splat, vector_type
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, SplatTile, TileValue
from roller_mlir.lowering.codegen.task.combine import combine, combine_spread
from roller_mlir.lowering.loops.program import is_read
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.layout.spread import spread_axes
from roller_mlir.plan import LinearIndex
from roller_mlir.plan.expression import NEUTRAL
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def materialise(context: TaskContext, tiles: Sequence[RegisterTile], *, everyone: bool) -> None:
    """Join the partial results of tiles that have any, and combine them with what the reductions started from.

    What threads hold alike of several tiles they join in one exchange.

    Args:
        context: The task.
        tiles: Changed in place.
        everyone: Whether all threads need the results; else those with coordinate 0 on the loops that were split.
    """
    alike: dict[Hashable, list[RegisterTile]] = {}
    for tile in {id(tile): tile for tile in tiles if tile.combiner is not None}.values():  # one may be read twice
        alike.setdefault(_how(tile), []).append(tile)
    for group in alike.values():
        box, combiner = group[0].box, str(group[0].combiner)
        values = [value for tile in group for value in tile.values]
        values, width = combine(context, box, combiner, values, everyone=everyone)
        for tile in group:
            tile.values, tile.width, tile.combiner = values[: len(tile.values)], width, None
            values = values[len(tile.values) :]
            _combine_with_start(context, tile, combiner, everyone=everyone)


def materialise_spread(
    context: TaskContext,
    tiles: Sequence[RegisterTile],
    reader: ThreadBox,
    read: Sequence[tuple[RegisterTile, tuple[LinearIndex, ...]]],
) -> None:
    """Join the partial results of tiles whose reader is spread, each thread those of the points that it has of it.

    Args:
        context: The task.
        tiles: Changed in place; those that lie as a tile that is read.
        reader: The reader's box.
        read: Tiles that it reads, with their coordinates as functions of its loops. Those that have whole results, or
            that it spreads as they are spread, stay as they are.
    """
    for first, indices in read:
        if first.combiner is None or not _is_spread(first, reader, indices):
            continue
        if not first.box.combination.across:
            fail(
                first.compute,
                f"partial results of '{first.compute.name}' are joined inside of subgroups, but the rtile.compute that "
                "reads them is spread over its threads; spread it as what it reads",
            )
        lies = first.box.axes, first.box.order, first.indices, _how(first)
        alike = [
            tile
            for tile in {id(tile): tile for tile in (first, *tiles)}.values()
            if tile.combiner is not None and (tile.box.axes, tile.box.order, tile.indices, _how(tile)) == lies
        ]
        values = [value for tile in alike for value in tile.values]
        loops = _loops(first, indices)
        combiner = first.combiner
        found = combine_spread(context, first.box, combiner, values, reader, loops)
        for number, tile in enumerate(alike):
            tile.box, tile.indices, tile.width, tile.combiner = reader, indices, 1, None
            tile.values = found[number * len(reader.keys) : (number + 1) * len(reader.keys)]
            _combine_with_start(context, tile, combiner, everyone=True)


def _is_spread(tile: RegisterTile, reader: ThreadBox, indices: Sequence[LinearIndex]) -> bool:
    """Return whether a reader of partial results has its points spread over the threads that hold them."""
    box = tile.box
    loops = _loops(tile, indices)
    found = spread_axes(box.loops, box.axes, box.order, box.lane)
    return (
        found is not None
        and all(box.loops[loop].reduction or loop in loops for loop in box.order)
        and any(box.spread(made) != reader.spread(to) for made, to in loops.items())
        and all(found[0][made] == reader.axes[to] for made, to in loops.items())
    )


def _loops(tile: RegisterTile, indices: Sequence[LinearIndex]) -> dict[int, int]:
    """Return the loops of a tile's box, each with that along which a reader walks the same dimension."""
    terms = ((made.terms(), read.terms()) for made, read in zip(tile.indices, indices, strict=True))
    return {next(iter(made)): next(iter(read)) for made, read in terms if len(made) == len(read) == 1}


def waiting_alike(tiles: Sequence[RegisterTile], others: Iterable[TileValue]) -> list[RegisterTile]:
    """Return tiles, and those of others that computes read and whose partial results are joined in the same way."""
    keys = {_how(tile) for tile in tiles if tile.combiner is not None}
    parents = {tile.compute.parent for tile in tiles}
    alike = [
        tile
        for tile in others
        if isinstance(tile, RegisterTile)
        and tile.combiner is not None
        and _how(tile) in keys
        and tile.compute.parent in parents
        and is_read(tile.compute.results[tile.number])
    ]
    return [*tiles, *alike]


def _how(tile: RegisterTile) -> Hashable:
    """Return what is the same of tiles whose partial results are joined in one exchange."""
    return tile.combiner, tile.box.combination, tile.width, tile.values[0].type


def _combine_with_start(context: TaskContext, tile: RegisterTile, combiner: str, *, everyone: bool) -> None:
    """Combine joined results with what the reduction started from, where that is not the neutral element."""
    box = tile.box
    emit, initial = context.emit, tile.initial
    if isinstance(initial, SplatTile) and initial.value is not None and initial.value != NEUTRAL.get(combiner):
        element = ir.RankedTensorType(tile.compute.results[tile.number].type).element_type
        start = splat(emit, element, tile.width, initial.value)
        tile.values = [emit.op(combiner, [value, start], value.type) for value in tile.values]
    elif isinstance(initial, RegisterTile):
        materialise(context, [initial], everyone=True)
        found = [read_register_tile(context, initial, box, tile.indices, box.at(key)) for key in box.keys]
        tile.values = [
            emit.op(combiner, [value, _as_wide(context, old, tile.width)], value.type)
            for value, old in zip(tile.values, found, strict=True)
        ]
    elif isinstance(initial, DirectTile):

        def add_old() -> list[ir.Value]:
            fragments = TileReader(context, box)
            found: list[ir.Value] = []
            for key, value in zip(box.keys, tile.values, strict=True):
                old = _as_wide(context, fragments.read(initial, tile.indices, box.at(key)), tile.width)
                found.append(emit.op(combiner, [value, old], value.type))
            return found

        condition = None if everyone else owner(context, tile)
        if condition is None:
            tile.values = add_old()
        else:
            kinds = [value.type for value in tile.values]
            tile.values = emit.branch(condition, kinds, add_old, lambda: list(tile.values))


def owner(context: TaskContext, tile: RegisterTile) -> ir.Value | None:
    """Return the condition that a thread is the one to write its elements of a tile; None: all are."""
    used = {loop for index in tile.indices for loop in index.terms()}
    condition: ir.Value | None = None
    for digit, value in tile.box.digits:
        if digit.loop not in used:
            zero = context.emit.compare("eq", context.emit.index(Linear.of(value)), context.emit.constant(0))
            condition = context.emit.both(condition, zero)
    return condition


def read_register_tile(
    context: TaskContext, tile: RegisterTile, box: ThreadBox, indices: Sequence[LinearIndex], positions: Positions
) -> Wide:
    """Return the element of a register tile at one position of a box, all lanes of it where the box has lanes.

    Args:
        context: The task.
        tile: Joined, in all threads.
        box: The box of the compute that reads it.
        indices: Tile coordinates as linear functions of that box's loops.
        positions: Position on each loop; loops of block 1 may be left out.
    """
    source, maker = tile.box, tile.compute
    registers = {loop: 0 for loop, bound in enumerate(source.loops) if not bound.reduction}
    lanes, within = 1, 0
    for made, read in zip(tile.indices, indices, strict=True):
        if not made.terms():
            continue  # one element
        ((from_loop, _),) = made.terms().items()
        terms = list(read.terms().items())
        if len(terms) != 1 or terms[0][1] != 1 or read.constant:
            fail(
                maker, f"the tile of '{maker.name}' is read by {read}, which is no loop by itself; load it from memory"
            )
        loop = terms[0][0]
        if source.spread(from_loop) != box.spread(loop):
            fail(
                maker,
                f"the tile of '{maker.name}' is spread over threads as {source.spread(from_loop)} (block, threads, "
                f"chunk, stride), but the rtile.compute that reads it spreads loop {loop} as {box.spread(loop)}; make "
                "them equal",
            )
        register = box.register(loop, positions.get(loop, box.base(loop)))
        if register is None:
            fail(maker, f"the tile of '{maker.name}' is read in a loop; registers are read in unrolled code only")
        if from_loop == source.lane and tile.width > 1:
            within = register % tile.width
            lanes = tile.width if loop == box.lane else 1
            register -= within
        elif loop == box.lane and box.width > 1:
            fail(
                maker, f"the tile of '{maker.name}' has no lanes, but the rtile.compute that reads it has along {loop}"
            )
        registers[from_loop] = register
    if registers not in source.keys:
        # Beyond the loops' ends, where nothing is stored.
        kind = vector_type(ir.RankedTensorType(tile.compute.results[tile.number].type).element_type, lanes)
        return context.emit.poison(kind), lanes
    value = tile.values[source.keys.index(registers)]
    if tile.width == 1 or lanes == tile.width:
        return value, tile.width
    return context.emit.cached(("extract", value, within), lambda: context.emit.extract(value, within)), 1


def _as_wide(context: TaskContext, value: Wide, width: int) -> ir.Value:
    found, lanes = value
    if lanes == width:
        return found
    return context.emit.op("vector.broadcast", [found], vector_type(found.type, width))
