# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments: elements of tiles in registers, read as wide as alignment allows and only once a scope.

In an unrolled step all register offsets are constants, so an element is a symbolic base plus a constant. Vector loads
are remembered by base and rounded constant: reuse between accumulators and between neighbouring positions is one
dictionary.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import gcd

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.masked_access import load_neighbours, neighbours_inside, takes_vectors
from roller_mlir.lowering.codegen.builder.swizzle import buffer_indices
from roller_mlir.lowering.codegen.builder.task_context import (
    TaskContext,
    access_memory,
    is_workgroup,
    splat,
    vector_type,
)
from roller_mlir.lowering.codegen.builder.thread_box import Positions, ThreadBox
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, StagedTile
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex, OperandPlan
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

Key = tuple[object, ...]
# A value and its width: lanes of a vector, or 1 for a scalar that all lanes share.
Wide = tuple[ir.Value, int]


class TileReader:
    """Reads elements of direct and staged tiles for one compute."""

    def __init__(self, context: TaskContext, box: ThreadBox) -> None:
        self._context = context
        self._emit = context.emit
        self._box = box
        self._known: list[dict[Key, ir.Value]] = [{}]

    @contextmanager
    def scope(self) -> Generator[None]:
        """Forget at the end what was read inside."""
        self._known.append({})
        try:
            yield
        finally:
            self._known.pop()

    def read(self, tile: DirectTile | StagedTile, indices: Sequence[LinearIndex], positions: Positions) -> Wide:
        """Return the elements of a tile at one position (of the lane loop: at all lanes).

        Args:
            tile: The tile.
            indices: Tile coordinates as linear functions of the box's loops.
            positions: Position on each loop; loops of block 1 may be left out.
        """
        loops = len(self._box.axes)
        local = apply_indices(indices, [positions.get(loop, Linear()) for loop in range(loops)])
        if isinstance(tile, StagedTile):
            order, place, strides = tile.layout.order, tile.place(local), tile.strides()
            at = [place[d] for d in order]
            functions = [indices[d] for d in order]
            width = 1 if self._context.masked else tile.layout.fragment_vector
            lane_factors = self._lane_factors(functions, [strides[d] for d in order])
        else:
            at = [o + x * s for o, x, s in zip(tile.origin, local, tile.steps, strict=True)]
            width = tile.vector
            lane_factors = self._lane_factors(indices, tile.steps)
        if at:
            self._check_width(tile, at[-1], width)
        lanes = self._box.width
        if lanes == 1 or not any(lane_factors):
            return self._element(tile, at, width), 1
        if self._takes_neighbours(tile) and lane_factors[-1] in (1, 2) and not any(lane_factors[:-1]):
            first = self._neighbours(tile, at, lanes)
            if lane_factors[-1] == 1:
                return first, lanes
            second = self._neighbours(tile, [*at[:-1], at[-1] + lanes], lanes)
            return self._every_other(first, second, lanes), lanes
        if lane_factors[-1] == 1 and not any(lane_factors[:-1]) and width == lanes and at[-1].constant % width == 0:
            return self._vector(tile, at, width), lanes
        elements = [
            self._element(tile, [x + k * j for x, k in zip(at, lane_factors, strict=True)], width) for j in range(lanes)
        ]
        kind = vector_type(elements[0].type, lanes)
        value = self._emit.cached(
            ("elements", *elements), lambda: self._emit.op("vector.from_elements", elements, kind)
        )
        return value, lanes

    # Private --------------------------------------------------------------------------------------------------------

    def _takes_neighbours(self, tile: DirectTile | StagedTile) -> bool:
        """Return whether lanes that are neighbours in memory are one load, wherever they begin."""
        source = tile.source if isinstance(tile, StagedTile) else tile
        return self._context.masked and takes_vectors(ir.MemRefType(source.buffer.type).element_type)

    def _neighbours(self, tile: DirectTile | StagedTile, at: list[Linear], lanes: int) -> ir.Value:
        key: Key = (id(tile), "neighbours", lanes, *at)
        for scope in reversed(self._known):
            if key in scope:
                return scope[key]
        if isinstance(tile, StagedTile):
            whole = [tile.number, *panel_place(self._emit, tile.layout, at)]
            if tile.layout.panel and whole[-1].range()[1] + lanes > tile.layout.panel:
                fail(
                    tile.source.operation,
                    f"'rtile.load' is read by {lanes} lanes across the ends of panels of {tile.layout.panel}; leave "
                    "out panel, or make it a multiple of what a tile reads",
                )
            site = f"workgroup load {tile.source.name}"
            self._known[-1][key] = load_neighbours(self._emit, tile.view, whole, lanes, None, 0.0, site)
            return self._known[-1][key]
        mask = neighbours_inside(self._emit, at, tile.shape, lanes)
        site = f"global load {tile.name}"
        value = load_neighbours(self._emit, tile.buffer, at, lanes, mask, tile.pad, site)
        self._known[-1][key] = mapped(self._context, tile, value, lanes, mask)
        return self._known[-1][key]

    def _every_other(self, first: ir.Value, second: ir.Value, lanes: int) -> ir.Value:
        """Return every other element of two vectors that follow each other."""
        mask: dict[str, ir.Attribute] = {"mask": ir.DenseI64ArrayAttr.get(list(range(0, 2 * lanes, 2)))}
        key = ("every other", first, second)
        return self._emit.cached(key, lambda: self._emit.op("vector.shuffle", [first, second], first.type, mask))

    def _lane_factors(self, functions: Sequence[LinearIndex], steps: Sequence[int]) -> list[int]:
        lane = self._box.lane
        if lane is None:
            return []
        return [f.coefficients[lane] * s for f, s in zip(functions, steps, strict=True)]

    def _check_width(self, tile: DirectTile | StagedTile, at: Linear, width: int) -> None:
        """Refuse a width that would not be aligned; it is the plan's to choose, never lowered here."""
        source = tile.source if isinstance(tile, StagedTile) else tile
        aligned = (at + -(at.constant % width)).divisor()
        key = "fragment_vector" if isinstance(tile, StagedTile) else "vector"
        if aligned % width:
            fail(
                source.operation,
                f"'rtile.load' is read by vectors of {width}, but threads read it at multiples of "
                f"{gcd(aligned, width)}; lower {key}",
            )
        if not isinstance(tile, StagedTile) and width > 1 and (tile.steps[-1] != 1 or tile.shape[-1] % width):
            fail(source.operation, f"'rtile.load' is read by vectors of {width}, but its rows are not; lower {key}")

    def _element(self, tile: DirectTile | StagedTile, at: list[Linear], width: int) -> ir.Value:
        if not at:
            return self._vector(tile, at, 1)
        offset = at[-1].constant % width
        vector = self._vector(tile, [*at[:-1], at[-1] + (-offset)], width)
        if width == 1:
            return vector
        return self._emit.cached(("extract", vector, offset), lambda: self._emit.extract(vector, offset))

    def _vector(self, tile: DirectTile | StagedTile, at: list[Linear], width: int) -> ir.Value:
        key: Key = (id(tile), width, *at)
        for scope in reversed(self._known):
            if key in scope:
                return scope[key]
        if isinstance(tile, StagedTile):
            place = panel_place(self._emit, tile.layout, at)
            indices = [tile.stage, *buffer_indices(self._emit, tile.view, tile.layout, place)]
            self._context.arena_in_use = True
            site = f"workgroup load {tile.source.name}"
            value = access_memory(self._emit, tile.view, indices, width, site)
            assert value is not None
        else:
            value = load_global(self._context, tile, at, width, self._emit.inside(at, tile.shape))
        self._known[-1][key] = value
        return value


def panel_place(emit: Emitter, layout: OperandPlan, at: Sequence[Linear]) -> list[Linear]:
    """Return the indices of an element in a buffer of panels, of rows where it has none.

    Args:
        emit: The emitter.
        layout: The layout.
        at: Tile coordinates in the buffer's order, innermost last.
    """
    if not layout.panel:
        return list(at)
    within, panel = emit.digits(at[-1], [layout.panel, 0])
    return [panel, *at[:-1], within]


def load_global(
    context: TaskContext, tile: DirectTile, at: Sequence[Linear], width: int, condition: ir.Value | None
) -> ir.Value:
    """Return elements of a tile from its buffer; where the condition does not hold, they are the tile's pad."""
    return mapped(context, tile, load_raw(context, tile, at, width, condition), width, condition)


def load_raw(
    context: TaskContext, tile: DirectTile, at: Sequence[Linear], width: int, condition: ir.Value | None
) -> ir.Value:
    """Load from a tile's buffer; where the condition does not hold, the result is the tile's pad."""
    emit = context.emit

    def load() -> ir.Value:
        indices = [emit.index(x) for x in at]
        memory = "workgroup" if is_workgroup(tile.buffer) else "global"
        value = access_memory(emit, tile.buffer, indices, width, f"{memory} load {tile.name}")
        assert value is not None
        return value

    if condition is None:
        return load()
    element = ir.MemRefType(tile.buffer.type).element_type
    kind = vector_type(element, width)
    return emit.branch(condition, [kind], lambda: [load()], lambda: [splat(emit, element, width, tile.pad)])[0]


def mapped(context: TaskContext, tile: DirectTile, value: ir.Value, width: int, condition: ir.Value | None) -> ir.Value:
    """Return what a tile's body makes of what was loaded; outside of the tensor the result is the tile's pad.

    Behind the load and not in its branch: nothing waits for the load before the result is used.
    """
    if tile.body is None:
        return value
    emit, made = context.emit, tile.body(value, width)
    if condition is None or tile.body_keeps_pad:
        return made
    element = ir.MemRefType(tile.buffer.type).element_type
    return emit.op("arith.select", [condition, made, splat(emit, element, width, tile.pad)], made.type)
