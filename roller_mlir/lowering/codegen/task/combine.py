# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joining partial results: lanes of a vector, threads of a subgroup by shuffles, subgroups through workgroup memory.

Paper: ROLLER keeps a reduction inside one execution unit; this is its realisation on threads.
"""

from collections.abc import Sequence
from math import gcd

from roller_mlir.lowering.codegen.builder.shuffle import shuffle_xor
from roller_mlir.lowering.codegen.builder.task_context import (
    TaskContext,
    access_memory,
    element_bytes,
    memref_view,
    vector_type,
)
from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.combine import Combination, passed_units
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES
from roller_mlir.mapping.layout.spread import alike_threads
from roller_mlir.support.bindings import ir


def combine(
    context: TaskContext, box: ThreadBox, combiner: str, values: list[ir.Value], *, everyone: bool
) -> tuple[list[ir.Value], int]:
    """Join the partial results of a box.

    Args:
        context: The task.
        box: The thread's box.
        combiner: The operation that joins two results.
        values: One partial result an accumulator.
        everyone: Whether all threads need the result; else it is right in those with coordinate 0 on the loops that
            were split.

    Returns:
        The joined values and their width.
    """
    width = box.width
    if box.lane_reduces:
        values = [_combine_lanes(context, combiner, value, width) for value in values]
        width = 1
    joining = box.combination
    if not joining.split_loops:
        return values, width
    units = _units(context, values, width)
    halvings, whole = joining.passing(len(units)).halvings, len(units)
    units = _combine_subgroup(context, joining, combiner, units)
    if joining.across:
        units = _combine_across(context, box, combiner, units, whole, everyone=everyone)
    else:
        units = _gather(context, units, joining.shuffles[:halvings])
    return _values(context, units, values), width


def combine_spread(
    context: TaskContext,
    box: ThreadBox,
    combiner: str,
    values: list[ir.Value],
    reader: ThreadBox,
    loops: dict[int, int],
) -> list[ir.Value]:
    """Join the partial results of a box; each thread gets those of the points that another box gives it.

    Args:
        context: The task.
        box: The thread's box, whose partial results pass workgroup memory.
        combiner: The operation that joins two results.
        values: One partial result an accumulator, those of one tile or of several that lie alike.
        reader: The box of what reads them, see `mapping.layout.spread`.
        loops: For each parallel loop of the box that has several points, that of the reader.

    Returns:
        The joined points: of each tile, one a register of the reader.
    """
    emit, joining, lane = context.emit, box.combination, box.lane
    assert lane is not None and len(joining.across) == 1
    units = [emit.extract(value, at) if box.width > 1 else value for value in values for at in range(box.width)]
    whole, (across,) = len(units), joining.across
    slots, *_ = _put_in_slots(
        context, joining, _combine_subgroup(context, joining, combiner, units), whole, together=False
    )
    run, point = emit.divide(reader.coordinates[loops[lane]], box.width)
    first, stride = Linear(), 1
    for loop in box.order:
        if not box.loops[loop].reduction:
            at = run if loop == lane else reader.coordinates[loops[loop]]
            first = first + Linear.of(at, stride >> sum(distance < stride for distance in joining.shuffles))
        stride *= box.axes[loop].threads
    alike = alike_threads(
        [(digit.loop, digit.count) for digit, _ in reader.digits], set(loops.values()), context.subgroup_size
    )
    points = len(reader.keys) * (whole // (len(box.keys) * box.width))
    distances = alike[: joining.divided_reading(points, len(alike))]
    offsets = [across.stride * j for j in range(across.count >> len(distances))]
    first = first + _place(context, distances, across.count) * across.stride
    found: list[ir.Value] = []
    for tile in range(0, whole, len(box.keys) * box.width):
        for key in reader.keys:
            held = dict.fromkeys(box.keys[0], 0)
            held.update((loop, key[at] * (box.width if loop == lane else 1)) for loop, at in loops.items())
            value = Linear.of(point) + (tile + box.keys.index(held) * box.width)
            found += slots.joined(combiner, [first + offset for offset in offsets], value, 1)
    for distance in distances:
        found = _combine_passed(context, combiner, found, found, distance)
    return found


def _combine_subgroup(
    context: TaskContext, joining: Combination, combiner: str, units: list[ir.Value]
) -> list[ir.Value]:
    """Join what threads of a subgroup hold, halved as far as it pays."""
    halvings = joining.passing(len(units)).halvings
    for distance in joining.shuffles[:halvings]:
        lower, upper = units[: len(units) // 2], units[len(units) // 2 :]
        kept, passed = _chosen(context, distance, upper, lower), _chosen(context, distance, lower, upper)
        units = _combine_passed(context, combiner, kept, passed, distance)
    for distance in joining.shuffles[halvings:]:
        units = _combine_passed(context, combiner, units, units, distance)
    return units


def _combine(context: TaskContext, combiner: str, left: ir.Value, right: ir.Value) -> ir.Value:
    return context.emit.op(combiner, [left, right], left.type)


def _combine_lanes(context: TaskContext, combiner: str, value: ir.Value, width: int) -> ir.Value:
    if width == 1:
        return value
    lanes = [context.emit.extract(value, lane) for lane in range(width)]
    while len(lanes) > 1:
        pairs = [_combine(context, combiner, a, b) for a, b in zip(lanes[::2], lanes[1::2], strict=False)]
        lanes = pairs + ([lanes[-1]] if len(lanes) % 2 else [])
    return lanes[0]


def _units(context: TaskContext, values: list[ir.Value], width: int) -> list[ir.Value]:
    """Return what threads pass to each other, see `passed_units`."""
    if width == 1 or passed_units(width, width, element_bytes(ir.VectorType(values[0].type).element_type)) == 1:
        return list(values)
    return [context.emit.extract(value, lane) for value in values for lane in range(width)]


def _values(context: TaskContext, units: list[ir.Value], values: list[ir.Value]) -> list[ir.Value]:
    """Return units as vectors again, where values are."""
    width = len(units) // len(values)
    if width == 1:
        return units
    kind = values[0].type
    starts = range(0, len(units), width)
    return [context.emit.op("vector.from_elements", units[start : start + width], kind) for start in starts]


def _bit(context: TaskContext, distance: int) -> Symbol:
    """Return the binary digit of the thread's number that tells it from its partner at a distance."""
    return context.emit.divide(context.emit.divide(context.thread, distance)[0], 2)[1]


def _chosen(
    context: TaskContext, distance: int, upper: Sequence[ir.Value], lower: Sequence[ir.Value]
) -> list[ir.Value]:
    """Return values that a thread takes if it is the upper one of two partners, else those of the lower one."""
    emit = context.emit
    is_upper = emit.compare("eq", emit.index(Linear.of(_bit(context, distance))), emit.constant(1))
    return [emit.op("arith.select", [is_upper, *pair], pair[0].type) for pair in zip(upper, lower, strict=True)]


def _combine_passed(
    context: TaskContext, combiner: str, kept: Sequence[ir.Value], passed: Sequence[ir.Value], distance: int
) -> list[ir.Value]:
    """Return what a thread keeps, joined with what its partner at a distance passes."""
    return [
        _combine(context, combiner, own, shuffle_xor(context, other, distance))
        for own, other in zip(kept, passed, strict=True)
    ]


def _gather(context: TaskContext, units: list[ir.Value], distances: Sequence[int]) -> list[ir.Value]:
    """Return all values of threads that have halved theirs over these distances."""
    for distance in reversed(distances):
        others = [shuffle_xor(context, unit, distance) for unit in units]
        units = _chosen(context, distance, others, units) + _chosen(context, distance, units, others)
    return units


def _place(context: TaskContext, distances: Sequence[int], count: int) -> Linear:
    """Return which of so many things are the thread's, the first of them, if partners halve them over distances."""
    steps = enumerate(distances, 1)
    return sum((Linear.of(_bit(context, distance), count >> step) for step, distance in steps), Linear())


def _slot(context: TaskContext, distances: Sequence[int]) -> Linear:
    """Return the thread's number without the binary digits over which shuffles joined."""
    emit = context.emit
    slot, left, taken = Linear(), context.thread, len(distances)
    for distance in sorted(distances, reverse=True):
        above, below = emit.divide(left, 2 * distance)
        slot = slot + Linear.of(above, 2 * distance >> taken)
        left, taken = emit.divide(below, distance)[1], taken - 1
    return slot + Linear.of(left)


class _Slots:
    """Workgroup memory with the values of each slot of a combination.

    What a thread reads of a slot at once lies together, slot by slot; or all values of a slot do.
    """

    def __init__(
        self, context: TaskContext, joining: Combination, kind: ir.Type, values: int, *, together: bool
    ) -> None:
        assert context.arena is not None
        self._context = context
        self._inner = ir.VectorType(kind).shape[0] if isinstance(kind, ir.VectorType) else 1
        self._element = ir.VectorType(kind).element_type if self._inner > 1 else kind
        self._most = MAX_VECTOR_BYTES // element_bytes(self._element) if self._inner == 1 else 1
        columns = values if together else gcd(values, self._most)
        self._sizes = [columns, values // columns]
        shape = [values // columns, joining.slots, columns * self._inner]
        self._memory = memref_view(context.emit, context.arena, context.combine_offset, shape, self._element)

    def write(self, slot: Linear, first: Linear, units: Sequence[ir.Value]) -> None:
        """Write neighbouring values of a slot, from the first one on."""
        at_once = gcd(len(units), self._most)
        for start in range(0, len(units), at_once):
            self._access(slot, first + start, at_once, self._together(units[start : start + at_once]))

    def joined(
        self, combiner: str, slots: Sequence[Linear], first: Linear, count: int, held: Sequence[ir.Value] = ()
    ) -> list[ir.Value]:
        """Return so many neighbouring values, from the first one on, each joined over slots in their order.

        Args:
            combiner: The operation that joins two values.
            slots: The slots.
            first: The first value.
            count: How many.
            held: The values of a slot before these, which the thread has.
        """
        emit, at_once = self._context.emit, gcd(count, self._most)
        found: list[ir.Value] = []
        for start in range(0, count, at_once):
            parts = [self._together(held[start : start + at_once])] if held else []
            parts += [self._access(slot, first + start, at_once) for slot in slots]
            total, *others = parts
            for other in others:
                total = _combine(self._context, combiner, total, other)
            found += [total] if at_once == 1 else [emit.extract(total, lane) for lane in range(at_once)]
        return found

    def _together(self, units: Sequence[ir.Value]) -> ir.Value:
        """Return neighbouring values as one."""
        if len(units) == 1:
            return units[0]
        return self._context.emit.op("vector.from_elements", units, vector_type(self._element, len(units)))

    def _access(self, slot: Linear, value: Linear, at_once: int, stored: ir.Value | None = None) -> ir.Value:
        """Load values, or store and return them."""
        emit = self._context.emit
        column, row = emit.digits(value, self._sizes)
        at = [emit.index(row), emit.index(slot), emit.index(column * self._inner)]
        site = f"workgroup {'load' if stored is None else 'store'} partial results"
        loaded = access_memory(emit, self._memory, at, at_once * self._inner, site, stored)
        found = loaded if stored is None else stored
        assert found is not None
        return found


def _put_in_slots(
    context: TaskContext, joining: Combination, units: Sequence[ir.Value], whole: int, *, together: bool
) -> tuple[_Slots, Linear, Linear]:
    """Write what threads hold after the shuffles to slots, once; return these, a thread's slot and its first value.

    All threads pass the barrier.

    Args:
        context: The task.
        joining: How they join it.
        units: The values that the thread holds.
        whole: How many there are in its slot.
        together: As of `_Slots`.
    """
    emit, halvings = context.emit, joining.passing(whole).halvings
    context.before_arena_write()
    slots = _Slots(context, joining, units[0].type, whole, together=together)
    own, held = _slot(context, joining.shuffles), _place(context, joining.shuffles[:halvings], whole)
    writes: ir.Value | None = None
    for distance in joining.shuffles[halvings:]:  # threads that hold the same
        lower = emit.compare("eq", emit.index(Linear.of(_bit(context, distance))), emit.constant(0))
        writes = emit.both(writes, lower)
    emit.when(writes, lambda: slots.write(own, held, units) or [])
    context.barrier()
    context.arena_in_use = True
    return slots, own, held


def _combine_across(
    context: TaskContext, box: ThreadBox, combiner: str, units: list[ir.Value], whole: int, *, everyone: bool
) -> list[ir.Value]:
    """Join across subgroups: each slot's values are written once, leaders or all read and combine them.

    All threads pass the barrier.

    Args:
        context: The task.
        box: The thread's box.
        combiner: The operation that joins two results.
        units: The values that the thread holds after the shuffles.
        whole: How many there are in its slot.
        everyone: As of `combine`.
    """
    emit, joining = context.emit, box.combination
    halvings = joining.passing(whole).halvings
    slots, own, held = _put_in_slots(context, joining, units, whole, together=joining.alone)
    offsets = [0]
    leads: ir.Value | None = None
    first = own
    for across in joining.across:
        offsets = [o + across.stride * j for o in offsets for j in range(across.count)]
        run, _ = emit.divide(box.coordinates[across.loop], across.joined)
        leads = emit.both(leads, emit.compare("eq", emit.index(Linear.of(run)), emit.constant(0)))
        first = first + Linear.of(run, -across.stride)
    if not everyone:
        assert leads is not None
        has = [] if halvings else units
        others = [own + offset for offset in offsets[bool(has) :]]
        return emit.branch(
            leads,
            [units[0].type] * whole,
            lambda: slots.joined(combiner, others, Linear(), whole, has),
            lambda: has or units[:1] * whole,  # nothing is asked of those that do not lead
        )
    divisions = joining.shared_reading(whole)
    if divisions is None:
        return slots.joined(combiner, [first + offset for offset in offsets], Linear(), whole)
    distances = joining.shuffles[halvings : halvings + divisions]
    first = first + _place(context, distances, len(offsets)) * joining.across[0].stride
    mine = offsets[: len(offsets) >> divisions]
    units = slots.joined(combiner, [first + offset for offset in mine], held, len(units))
    for distance in distances:
        units = _combine_passed(context, combiner, units, units, distance)
    return _gather(context, units, joining.shuffles[:halvings])
