# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints that tiles of packed constants are soon read: a constant is read for the first time from far away.

    for n { for m { read tile n } }     each of the passes over m asks for a part of tile n + 1
    for n { read tile n }               asks for what is read itself a little later
    for m { for n { read tile n } }     the same, but where a cache keeps all tiles from pass to pass nobody asks

A tile that is read in several passes comes from the second cache in all but the first. Its lines are asked for once, by
the passes over the tile before it, as evenly as their trips allow: asked for again in each pass, tiles of 64 columns
were up to a tenth slower (ResNet-50 on a Sapphire Rapids).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.dialects.rtile import TileLoad
from roller_mlir.lowering.codegen.builder.masked_access import prefetch
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes
from roller_mlir.lowering.codegen.builder.tile_values import Ahead, StagedTile
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.loops.nest import NestLoop, nest_loop
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.support.bindings import ir

_LINE_BYTES = 64
_BYTES_AHEAD = 16384
"""How far ahead of what is read once: of 1 to 64 KiB, in turns over ResNet-50 on a Sapphire Rapids, among the best."""
_LONG_TILES = 4
"""Times so much in a tile of which parts are asked for; of a shorter one those of the next."""


@dataclass(frozen=True)
class _Around:
    """A loop around a load: how it is walked, and how many tiles further each trip reads."""

    loop: NestLoop
    tiles: int

    @property
    def trips(self) -> int:
        return self.loop.trips.static

    def number(self, context: TaskContext) -> Linear:
        """Return which trip it is in."""
        at = context.indices[self.loop.variable] + -self.loop.low
        return Linear({symbol: k // self.loop.step for symbol, k in at.terms.items()}, at.constant // self.loop.step)


def ahead_of(context: TaskContext, load: TileLoad, number: Linear, tile_bytes: int) -> Ahead | None:
    """Return what to ask for while a tile of a packed constant is read, None where a cache has it.

    Args:
        context: The task, whose loop variables have their values.
        load: The load of the tile.
        number: Which tile it reads.
        tile_bytes: Of one tile.
    """
    around = _loops_around(load)
    inside = _trailing(around, moving=True)
    passes = _trailing(around[: len(around) - len(inside)], moving=False)
    read_bytes = prod([tile_bytes, *(one.trips for one in inside)])
    if not passes or (inside and read_bytes > context.kept_bytes):
        if inside and tile_bytes < _LONG_TILES * _BYTES_AHEAD:
            return Ahead(number + _to_next(context, inside), 0)
        return Ahead(number, _BYTES_AHEAD)
    further = [one for one in around[: len(around) - len(inside) - len(passes)] if one.tiles]
    if not further:
        return None
    part = Linear()
    for one in passes:
        part = part * one.trips + one.number(context)
    return Ahead(number + _to_next(context, further), 0, part, prod(one.trips for one in passes))


def _loops_around(load: TileLoad) -> list[_Around]:
    """Return the loops of a program around a load that have several trips, outermost first."""
    (tiles,) = map_indices(load.origin_map)
    factors = dict(zip(load.indices, tiles.coefficients, strict=True))
    found: list[_Around] = []
    parent = load.operation.parent
    while parent.name != "rtile.program":
        if parent.name == "scf.for" and (loop := nest_loop(parent.operation)).trips != 1:
            found.append(_Around(loop, factors.get(loop.variable, 0) * loop.step))
        parent = parent.operation.parent
    return found[::-1]


def _trailing(loops: Sequence[_Around], *, moving: bool) -> list[_Around]:
    """Return the innermost loops that all move the tile, or that all leave it."""
    count = 0
    while count < len(loops) and bool(loops[-1 - count].tiles) == moving:
        count += 1
    return list(loops[len(loops) - count :])


def _to_next(context: TaskContext, moving: Sequence[_Around]) -> Linear:
    """Return how many tiles on the next one lies; behind the last trip of a loop, that of the loop outside of it."""
    emit, back, jumps = context.emit, 0, list[int]()
    for one in reversed(moving):
        jumps.append(one.tiles - back)
        back += (one.trips - 1) * one.tiles
    if len(set(jumps)) == 1:
        return Linear(None, jumps[0])
    choice = emit.constant(jumps[-1])
    for one, jump in zip(moving[1:], reversed(jumps[:-1]), strict=True):
        last = emit.compare("eq", emit.index(one.number(context)), emit.constant(one.trips - 1))
        choice = emit.op("arith.select", [last, choice, emit.constant(jump)], emit.index_type)
    return Linear.of(Symbol("next", min(jumps), max(jumps), value=choice))


def ask_ahead(context: TaskContext, tile: StagedTile, trip: Linear, trips: int) -> None:
    """Ask for what a trip of the loops over a tile's elements has to ask for.

    Args:
        context: The task.
        tile: A tile; nothing is asked where it is none of a packed constant.
        trip: Number of the trip.
        trips: How many there are.
    """
    ahead = tile.ahead
    if ahead is None:
        return
    kind = ir.MemRefType(tile.source.buffer.type)
    elements, size, shares = kind.shape[1], element_bytes(kind.element_type), ahead.parts * trips
    line = _LINE_BYTES // size
    if elements < shares:
        return
    lines = -(-elements // (line * shares))
    stride = lines * line if lines > 1 else -(-elements // shares)
    first = (ahead.part * trips + trip) * stride + ahead.offset // size
    for number in range(lines):
        prefetch(context.emit, tile.source.buffer, [ahead.number, first + number * line], near=False)
