# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of tile registers: up to two rows of tiles by two columns of them, over the whole reduction.

    tilezero t0..t3                     sums, of R rows x 16
    for each 64 bytes of the reduction: tileload t4, t5 (rows, where they lie or packed), t6, t7 (columns, packed)
                                        tdpbf16ps t0 += t4 t6, t1 += t4 t7, t2 += t5 t6, t3 += t5 t7
    tilestore t0..t3                    to the result, where the sums are all of it and lie inside; else
                                        to memory of the task, from where vectors of sums are read

The tiles are described once in front of all tasks of a call (`TILE_REGISTERS`). A tile's rows and bytes are those of
the plan: no row or byte outside of a factor is read.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.hal.atoms.vectors import MOST_TILES
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.masked_access import load_neighbours
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes, memref_view
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.task.prefetch.constants import ask_ahead
from roller_mlir.lowering.codegen.vectors.atom import FactorReads, VectorAtom, converted
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.thread_map import live_registers
from roller_mlir.plan import LinearIndex
from roller_mlir.plan.expression import dense_strides
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import call_intrinsic, defining_op

_WORDS = {"bf16": "llvm.x86.tdpbf16ps", "i8": "llvm.x86.tdpbssd"}
_FIRST, _SECOND = 4, 6
"""The tile registers of factors; sums are the first four."""
_DESCRIPTION_BYTES, _PALETTE = 64, 1
_WIDTHS_AT, _ROWS_AT = 16, 48
"""Where in the description of tiles their bytes a row stand, 16 bits each, and their rows, 8 bits each."""


@dataclass(frozen=True)
class _Tiles:
    """The tiles of a compute: how many down and across, and the parts of one."""

    down: int
    across: int
    rows: int
    columns: int
    depth: int


def emit_amx_points(context: TaskContext, compute: Compute, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit all points of a box; return the new accumulators.

    Args:
        context: The task.
        compute: The compute, with an instruction of family "amx".
        values: The accumulators, vectors in the type of the result.
    """
    atom, box, emit = compute.atom, compute.box, context.emit
    assert atom is not None and context.arena is not None
    factors = FactorReads(context, atom, compute.inputs)
    loops = len(box.axes)
    tiles = _tiles_of(compute, atom)
    size = element_bytes(atom.factor)
    description = bytes(_description(tiles, size))
    if context.tile_registers not in (b"", description):
        fail(atom.operation, "'amx' describes its tiles once in a kernel, where another product has other ones")
    context.tile_registers = description
    others = [i for i, loop in enumerate(box.loops) if loop.reduction and i != atom.depth and box.axes[i].block > 1]
    for number in range(tiles.down * tiles.across):
        call_intrinsic("llvm.x86.tilezero", [_register(number)])
    pitches = dense_strides(factors.row_shape)
    row_bytes = size * _moved(
        factors.row_place({atom.row: Linear(None, 1)}, loops), factors.row_place({}, loops), pitches
    )
    packed_shape = tuple(ir.MemRefType(factors.columns.view.type).shape)
    packed_pitches = dense_strides(packed_shape)

    def step(at: Positions, group: Linear) -> None:
        depth = {**at, atom.depth: group * atom.near}
        for down in range(tiles.down):
            place = factors.row_place({**depth, atom.row: Linear(None, down * tiles.rows)}, loops)
            _load(context, _FIRST + down, factors.row_buffer, _offset(place, pitches), size, row_bytes)
        for across in range(tiles.across):
            column = {**depth, atom.column: Linear(None, across * tiles.columns)}
            place = factors.column_place(column, group, loops)
            offset = _offset(place, packed_pitches)
            _load(context, _SECOND + across, factors.columns.view, offset, size, size * packed_pitches[-2])
        for down in range(tiles.down):
            for across in range(tiles.across):
                context.matrix_count += 1
                numbers = (down * tiles.across + across, _FIRST + down, _SECOND + across)
                call_intrinsic(_WORDS[str(atom.factor)], [_register(number) for number in numbers])

    depths = box.axes[atom.depth].block // tiles.depth
    trips = prod([depths, *(box.axes[loop].block for loop in others)])

    def nest(rest: Sequence[int], at: Positions, trip: Linear) -> None:
        if rest:

            def one(run: Symbol, _: list[ir.Value]) -> list[ir.Value]:
                nest(rest[1:], {**at, rest[0]: Linear.of(run)}, trip * box.axes[rest[0]].block + Linear.of(run))
                return []

            emit.loop(0, box.axes[rest[0]].block, [], one)
            return

        def some(run: Symbol, _: list[ir.Value]) -> list[ir.Value]:
            ask_ahead(context, factors.columns, trip * depths + Linear.of(run), trips)
            step(at, Linear.of(run, tiles.depth // atom.near))
            return []

        emit.loop(0, depths, [], some)

    nest(others, {}, Linear())
    return _sums(context, compute, atom, tiles, values)


def _tiles_of(compute: Compute, atom: VectorAtom) -> _Tiles:
    box = compute.box
    rows, columns, depth = atom.shape
    down, across = box.axes[atom.row].block // rows, box.axes[atom.column].block // columns
    several = next(
        (
            loop
            for loop, one in enumerate(box.loops)
            if not one.reduction and box.axes[loop].block > 1 and loop not in (atom.row, atom.column)
        ),
        None,
    )
    if several is not None or max(down, across) > MOST_TILES:
        fail(
            atom.operation,
            f"'amx' computes at most {MOST_TILES} x {MOST_TILES} tiles of {rows} x {columns}, and one point of other "
            "loops; lower the blocks",
        )
    if compute.box.axes[atom.row].block > len(live_registers(box.axes[atom.row], box.loops[atom.row])):
        fail(atom.operation, f"'amx' reads whole tiles of {rows} rows, but loop {atom.row} ends before")
    return _Tiles(down, across, rows, columns, depth)


def _sums(
    context: TaskContext,
    compute: Compute,
    atom: VectorAtom,
    tiles: _Tiles,
    values: Sequence[ir.Value],
) -> list[ir.Value]:
    """Store the tiles of sums, and return them as the box holds them, with what stood there before.

    Where they are stored to the result, what is returned has no meaning.
    """
    emit, box = context.emit, compute.box
    assert context.arena is not None
    if compute.target is not None:
        target, indices = compute.target
        pitches = dense_strides(target.shape)
        start = _offset(_target_place(target, indices, {}), pitches)
        row, column = (
            _moved(_target_place(target, indices, {loop: Linear(None, 1)}), _target_place(target, indices, {}), pitches)
            for loop in (atom.row, atom.column)
        )
        assert column == 1
        _store(context, tiles, target.buffer, start, row, element_bytes(atom.sum))
        return list(values)
    shape = (tiles.down * tiles.rows, tiles.across * tiles.columns)
    sums = memref_view(emit, context.arena, context.combine_offset, shape, atom.sum)
    _store(context, tiles, sums, Linear(), shape[1], element_bytes(atom.sum))
    element = ir.VectorType(values[0].type).element_type
    found: list[ir.Value] = []
    for key, before in zip(box.keys, converted(context, values, atom.sum), strict=True):
        at = box.at(key)
        place = [at.get(loop, Linear()) for loop in (atom.row, atom.column)]
        value = load_neighbours(emit, sums, place, box.width, None, 0.0, "workgroup load sums")
        if not _is_zero(before):
            name = "arith.addf" if isinstance(atom.sum, ir.FloatType) else "arith.addi"
            value = emit.op(name, [before, value], value.type)
        found.append(value)
    return converted(context, found, element)


def takes_tiles(emit: Emitter, compute: Compute, target: tuple[DirectTile, tuple[LinearIndex, ...]]) -> bool:
    """Return whether a result can take tile registers as they are: all of it lies inside, its rows along columns.

    Args:
        emit: The emitter, which knows what is proven.
        compute: A compute of family "amx", whose sums are all of the result.
        target: Where the result lies, and index functions of its dimensions.
    """
    atom, (tile, indices) = compute.atom, target
    assert atom is not None
    if ir.MemRefType(tile.buffer.type).element_type != atom.sum:
        return False
    moved = {
        loop: [d for d, index in enumerate(indices) if index.coefficients[loop]] for loop in (atom.row, atom.column)
    }
    last, row = len(indices) - 1, moved[atom.row]
    if moved[atom.column] != [last] or indices[last].coefficients[atom.column] * tile.steps[last] != 1:
        return False
    if len(row) > 1 or row == [last]:
        return False
    ends = {loop: Linear(None, compute.box.axes[loop].block - 1) for loop in moved}
    corners = [_target_place(tile, indices, at) for at in ({}, ends)]
    return all(emit.proves(x, extent) for corner in corners for x, extent in zip(corner, tile.shape, strict=True))


def _target_place(tile: DirectTile, indices: tuple[LinearIndex, ...], at: Positions) -> list[Linear]:
    """Return where in its buffer a point of the result lies."""
    local = apply_indices(indices, [at.get(loop, Linear()) for loop in range(len(indices[0].coefficients))])
    return [o + x * s for o, x, s in zip(tile.origin, local, tile.steps, strict=True)]


def _store(context: TaskContext, tiles: _Tiles, buffer: ir.Value, start: Linear, row: int, size: int) -> None:
    """Store the tiles of sums to a buffer, whose rows are so many elements apart."""
    for down in range(tiles.down):
        for across in range(tiles.across):
            offset = start + down * tiles.rows * row + across * tiles.columns
            number = _register(down * tiles.across + across)
            address = _address(context, buffer, offset, size)
            call_intrinsic("llvm.x86.tilestored64", [number, address, _integer(row * size, 64)])


def _is_zero(value: ir.Value) -> bool:
    source = defining_op(value, "arith.constant")
    if source is None:
        return False
    attribute: Any = source.attributes["value"]
    if not isinstance(attribute, ir.DenseElementsAttr) or not attribute.is_splat:
        return False
    element: Any = attribute.get_splat_value()
    return element.value == 0


def _description(tiles: _Tiles, size: int) -> bytearray:
    """Return the description of tile registers that `ldtilecfg` loads."""
    found = bytearray(_DESCRIPTION_BYTES)
    found[0] = _PALETTE
    per_word = 4 // size
    for number in range(8):
        if number < _FIRST:
            rows, width = tiles.rows, tiles.columns * 4
        elif number < _SECOND:
            rows, width = tiles.rows, tiles.depth * size
        else:
            rows, width = tiles.depth // per_word, tiles.columns * 4
        found[_WIDTHS_AT + 2 * number : _WIDTHS_AT + 2 * number + 2] = width.to_bytes(2, "little")
        found[_ROWS_AT + number] = rows
    return found


def _register(number: int) -> ir.Value:
    return _integer(number, 8)


def _integer(value: int, bits: int) -> ir.Value:
    kind = ir.IntegerType.get_signless(bits)
    attributes: dict[str, ir.Attribute] = {"value": ir.IntegerAttr.get(kind, value)}
    return ir.Operation.create("llvm.mlir.constant", results=[kind], attributes=attributes).results[0]


def _load(context: TaskContext, number: int, buffer: ir.Value, offset: Linear, size: int, pitch: int) -> None:
    address = _address(context, buffer, offset, size)
    call_intrinsic("llvm.x86.tileloadd64", [_register(number), address, _integer(pitch, 64)])


def _address(context: TaskContext, buffer: ir.Value, offset: Linear, size: int) -> ir.Value:
    """Return the address of an element of a buffer, as LLVM has it."""
    emit, i64 = context.emit, ir.IntegerType.get_signless(64)
    start = emit.cached(
        ("address", buffer),
        lambda: emit.op("memref.extract_aligned_pointer_as_index", [buffer], emit.index_type),
    )
    at = emit.binary("arith.addi", start, emit.index(offset * size))
    whole = emit.op("arith.index_cast", [at], i64)
    return emit.op("llvm.inttoptr", [whole], ir.Type.parse("!llvm.ptr"))


def _offset(place: Sequence[Linear], pitches: Sequence[int]) -> Linear:
    total = Linear()
    for one, pitch in zip(place, pitches, strict=True):
        total = total + one * pitch
    return total


def _moved(there: Sequence[Linear], here: Sequence[Linear], pitches: Sequence[int]) -> int:
    """Return the elements from one place to another, which are constant."""
    return (_offset(there, pitches) + _offset(here, pitches) * -1).constant
