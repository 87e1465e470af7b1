# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Staged copies: global memory to registers, registers to workgroup memory, shared by all threads of a task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import gcd

from roller_mlir.lowering.codegen.builder.fragments import load_global, load_raw, mapped
from roller_mlir.lowering.codegen.builder.swizzle import buffer_indices
from roller_mlir.lowering.codegen.builder.task_context import (
    Slot,
    TaskContext,
    access_memory,
    element_bytes,
    slice_of,
    splat,
    vector_type,
)
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import UNLIMITED, Linear, Symbol
from roller_mlir.mapping.layout.data_tile import CopyMap, copy_vector, tile_copy
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES
from roller_mlir.mapping.unrolling import COPIED_AT_ONCE, ISSUED_AT_ONCE, rounds_at_once, trip_rounds
from roller_mlir.plan import OperandPlan
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True)
class Round:
    """One vector that a thread copies.

    Attributes:
        at: Tile coordinates of its first element, in tensor order.
        present: Condition that the thread has such a vector; None: always.
    """

    at: tuple[Linear, ...]
    present: ir.Value | None


@dataclass(frozen=True)
class StagedCopy:
    """The copy of one tile: the buffers it goes to and each thread's share.

    Attributes:
        view: The buffers, a memref of stages x buffer extents.
        layout: Dimension order and access widths.
        copy: The distribution over threads.
        rounds: What the current thread copies; empty for a copy in a loop.
    """

    view: ir.Value
    layout: OperandPlan
    copy: CopyMap
    rounds: tuple[Round, ...]


def copy_rounds(context: TaskContext, copy: CopyMap, numbers: Sequence[Linear] | None = None) -> tuple[Round, ...]:
    """Return the tile coordinates of the vectors that the thread copies.

    The leading digits of the vector number that divide the thread count are the same in every round, so they are
    computed once; only the remaining digits move.

    Args:
        context: The task.
        copy: The distribution over threads.
        numbers: The rounds; None for all of them.
    """
    emit, threads = context.emit, copy.threads
    fixed, low = 1, 0
    while low < len(copy.sizes) and threads % (fixed * copy.sizes[low]) == 0:
        fixed *= copy.sizes[low]
        low += 1
    if low == len(copy.sizes):
        low -= 1
        fixed //= copy.sizes[low]
    digits_below = [*copy.sizes[:low], UNLIMITED]
    same = emit.delinearize(context.thread, digits_below)[:low]
    rest, _ = emit.divide(context.thread, fixed)
    rounds: list[Round] = []
    for r in [Linear(None, number) for number in range(copy.rounds)] if numbers is None else numbers:
        moving = Linear.of(rest) + r * (threads // fixed)
        sizes = copy.sizes[low:]
        digits = emit.digits(moving, sizes)
        present = None
        number = Linear.of(context.thread) + r * threads
        if number.range()[1] >= copy.vectors:
            present = emit.compare("slt", emit.index(number), emit.constant(copy.vectors))
            last = emit.symbol("digit", digits.pop())
            # Holds only where the thread has such a vector, which guards every use.
            high = min(last.high, sizes[len(sizes) - 1] - 1)
            digits.append(Linear.of(Symbol(last.name, last.low, high, last.divisor, last.value)))
        at = [Linear.of(d) for d in same] + digits
        at[0] = at[0] * copy.vector
        if copy.depth > 1:
            at[copy.across] = at[copy.across] * copy.depth
        rounds.append(Round(tuple(reversed(at)), present))
    return tuple(rounds)


@dataclass(frozen=True)
class Transfer:
    """A tile on its way: the copy, the tile's place in its buffer, and what reports call it."""

    staged: StagedCopy
    source: DirectTile
    name: str


def copy_now(context: TaskContext, transfers: Sequence[Transfer], stage: ir.Value) -> None:
    """Copy the thread's share of tiles, as much at once as leaves registers for others."""
    waiting: list[tuple[Transfer, list[ir.Value]]] = []
    held = 0

    def put() -> None:
        for one, values in waiting:
            store_rounds(context, one.staged, one.name, values, stage)
        waiting.clear()

    for transfer in transfers:
        size = element_bytes(ir.MemRefType(transfer.source.buffer.type).element_type)
        words = transfer.staged.copy.vector * transfer.staged.copy.depth * max(1, size // 4)
        if not transfer.staged.rounds:
            _copy_in_loop(context, transfer, stage, rounds_at_once(transfer.staged.copy.rounds, words))
            continue
        for share in transfer.staged.rounds:
            if held and held + words > COPIED_AT_ONCE:
                put()
                held = 0
            one = replace(transfer, staged=replace(transfer.staged, rounds=(share,)))
            waiting.append((one, load_rounds(context, one.staged, one.source, None)))
            held += words
    put()


def _copy_in_loop(context: TaskContext, transfer: Transfer, stage: ir.Value, at_once: int) -> None:
    def move(rounds: tuple[Round, ...]) -> None:
        part = replace(transfer.staged, rounds=rounds)
        store_rounds(context, part, transfer.name, load_rounds(context, part, transfer.source, None), stage)

    _in_loop(context, transfer.staged.copy, at_once, move)


def _in_loop(context: TaskContext, copy: CopyMap, at_once: int, move: Callable[[tuple[Round, ...]], None]) -> None:
    """Emit a loop over the thread's share of a tile, so many rounds in a trip."""

    def run(trip: Symbol, _: list[ir.Value]) -> list[ir.Value]:
        move(copy_rounds(context, copy, [Linear.of(trip, at_once) + number for number in range(at_once)]))
        return []

    context.emit.loop(0, -(-copy.rounds // at_once), [], run)


def bring_slice(context: TaskContext, source: DirectTile, slot: Slot) -> None:
    """Copy a slice of an operand to a slot of workgroup memory, as wide as both are aligned: no plan has such copies.

    Args:
        context: The task.
        source: Where the slice begins in its buffer.
        slot: Where it goes.
    """
    kind = ir.MemRefType(slot.buffer.type)
    (_, *extents), size = kind.shape, element_bytes(kind.element_type)
    alignment = gcd(extents[-1], source.shape[-1], source.origin[-1].divisor())
    vector = copy_vector(extents[-1], 1, alignment, max(1, slot.access_bytes // size))
    order = tuple(range(len(extents)))
    layout = OperandPlan(layer=WORKGROUP, order=order, vector=vector, store_vector=vector, fragment_vector=vector)
    copy = tile_copy(extents, layout, context.threads)
    words = vector * max(1, size // 4)
    transfer = Transfer(StagedCopy(slot.buffer, layout, copy, ()), source, source.name)
    _copy_in_loop(context, transfer, context.emit.constant(0), rounds_at_once(copy.rounds, words))


def load_rounds(
    context: TaskContext, staged: StagedCopy, source: DirectTile, wanted: ir.Value | None
) -> list[ir.Value]:
    """Load the thread's share of a tile into registers: `CopyMap.depth` vectors a round.

    Args:
        context: The task.
        staged: The copy.
        source: The tile's place in its buffer.
        wanted: Condition that the tile is needed at all; None: always.
    """
    emit = context.emit
    values: list[ir.Value] = []
    for share, place in _vectors(staged):
        at = [o + x * s for o, x, s in zip(source.origin, place, source.steps, strict=True)]
        inside = emit.both(share.present, emit.inside(at, source.shape))
        limit = _within_limits(context, staged, source, place)
        if wanted is None or inside is None:
            condition = emit.both(wanted, inside)
            value = load_global(context, source, at, staged.copy.vector, condition)
            values.append(_limited(context, source, value, limit))
            continue
        # Masked tiles: a value that is not wanted is unspecified, which costs ptxas no register to clear.
        kind = vector_type(ir.MemRefType(source.buffer.type).element_type, staged.copy.vector)
        (value,) = emit.branch(
            wanted,
            [kind],
            lambda at=at, inside=inside: [load_raw(context, source, at, staged.copy.vector, inside)],
            lambda kind=kind: [emit.poison(kind)],
        )
        value = mapped(context, source, value, staged.copy.vector, inside)
        values.append(_limited(context, source, value, limit))
    return values


def _within_limits(
    context: TaskContext, staged: StagedCopy, source: DirectTile, place: Sequence[Linear]
) -> ir.Value | None:
    """Return the condition that a vector lies within the tile's limits; None: always."""
    inner = len(place) - 1
    condition: ir.Value | None = None
    for limit in source.limits:
        extent, width = limit.extent, staged.copy.vector if limit.dimension == inner else 1
        position = limit.positions(place[limit.dimension], width)
        if position.divisor() % width or extent % width:
            fail(
                source.operation,
                f"'rtile.load' copies vectors of {width}, but a reduction of {extent} points ends inside of one; lower "
                "vector",
            )
        condition = context.emit.both(condition, context.emit.inside([position], [extent]))
    return condition


def _limited(context: TaskContext, source: DirectTile, value: ir.Value, limit: ir.Value | None) -> ir.Value:
    """Return a value, or 0 beyond the tile's limits."""
    if limit is None:
        return value
    element = ir.MemRefType(source.buffer.type).element_type
    width = ir.VectorType(value.type).shape[0] if isinstance(value.type, ir.VectorType) else 1
    return context.emit.op("arith.select", [limit, value, splat(context.emit, element, width, 0)], value.type)


def issue_rounds(
    context: TaskContext, staged: StagedCopy, source: DirectTile, stage: ir.Value, wanted: ir.Value | None = None
) -> None:
    """Start asynchronous copies of the thread's share of a tile into a stage's buffer.

    Elements outside of the tensor, and all of a tile that is not wanted, are written as zeros: a branch around the
    copies would part the arithmetic that stands on both sides. The copies are in no group yet.
    """
    emit, width = context.emit, staged.copy.vector
    kind = ir.Type.parse("!nvgpu.device.async.token")

    def issue(share: Round) -> list[ir.Value]:
        at = [o + x * s for o, x, s in zip(source.origin, share.at, source.steps, strict=True)]
        to = [stage, *buffer_indices(emit, staged.view, staged.layout, [share.at[d] for d in staged.layout.order])]
        of = [emit.index(x) for x in at]
        inside = emit.inside(at, source.shape)
        if inside is not None and source.pad != 0:
            fail(
                source.operation,
                f"'rtile.load' copies asynchronously, which fills with 0, but reads as {source.pad} outside of the "
                "tensor; make the copy synchronous",
            )
        inside = emit.both(emit.both(inside, _within_limits(context, staged, source, share.at)), wanted)
        given: list[ir.Value] = []
        if inside is not None:
            given = [emit.op("arith.select", [inside, emit.constant(width), emit.constant(0)], emit.index_type)]
        size = width * element_bytes(ir.MemRefType(source.buffer.type).element_type)
        sizes = [1, len(to), 1, len(of), len(given)]
        attributes: dict[str, ir.Attribute] = {
            "dstElements": ir.IntegerAttr.get(emit.index_type, width),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(sizes),
            SITE: ir.StringAttr.get(f"asynchronous copy {source.name}"),
        }
        if size == MAX_VECTOR_BYTES:
            attributes["bypassL1"] = ir.UnitAttr.get()
        emit.op("nvgpu.device_async_copy", [staged.view, *to, source.buffer, *of, *given], kind, attributes)
        return []

    def issue_all(rounds: Sequence[Round]) -> None:
        for share in rounds:
            emit.when(share.present, lambda share=share: issue(share))

    if staged.rounds:
        issue_all(staged.rounds)
    else:
        _in_loop(context, staged.copy, trip_rounds(staged.copy.rounds, ISSUED_AT_ONCE), issue_all)


def store_rounds(context: TaskContext, staged: StagedCopy, name: str, values: list[ir.Value], stage: ir.Value) -> None:
    """Store the thread's share of a tile into a stage's buffer."""
    depth = staged.copy.depth
    for number, share in enumerate(staged.rounds):
        own = values[number * depth : (number + 1) * depth]
        context.emit.when(share.present, lambda s=share, v=own: _store(context, staged, name, s, v, stage) or [])


def _vectors(staged: StagedCopy) -> list[tuple[Round, tuple[Linear, ...]]]:
    """Return the vectors that a thread copies: the round of each, and where it begins."""
    copy = staged.copy
    found: list[tuple[Round, tuple[Linear, ...]]] = []
    for share in staged.rounds:
        rows = len(share.at) - 1 - copy.across
        for number in range(copy.depth):
            moved = [x + (number if d == rows and copy.depth > 1 else 0) for d, x in enumerate(share.at)]
            found.append((share, tuple(moved)))
    return found


def _store(
    context: TaskContext, staged: StagedCopy, name: str, share: Round, values: Sequence[ir.Value], stage: ir.Value
) -> None:
    emit, vector, width = context.emit, staged.copy.vector, staged.layout.store_vector
    order = staged.layout.order
    inner = len(share.at) - 1
    if len(values) > 1:
        # Transposed in registers: element by element of the tensor's rows, a vector along the buffer's.
        kind = vector_type(ir.MemRefType(staged.view.type).element_type, len(values))
        parts = [
            emit.op("vector.from_elements", [slice_of(emit, v, lane, 1) if vector > 1 else v for v in values], kind)
            for lane in range(vector)
        ]
    else:
        (value,) = values
        parts = [slice_of(emit, value, start, width) if width < vector else value for start in range(0, vector, width)]
    for number, part in enumerate(parts):
        start = number if len(values) > 1 else number * width
        at = [share.at[d] + (start if d == inner else 0) for d in order]
        indices = [stage, *buffer_indices(emit, staged.view, staged.layout, at)]
        access_memory(emit, staged.view, indices, width, f"workgroup store {name}", part)
