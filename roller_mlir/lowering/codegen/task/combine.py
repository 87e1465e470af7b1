# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joining partial results: lanes of a vector, threads of a subgroup by shuffles, subgroups through workgroup memory.

Paper: ROLLER keeps a reduction inside one execution unit; this is its realisation on threads.
"""

from roller_mlir.lowering.codegen.builder.shuffle import shuffle_xor
from roller_mlir.lowering.codegen.builder.task_context import (
    TaskContext,
    access_memory,
    element_bytes,
    memref_view,
    vector_type,
)
from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.mapping.index import Linear
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
    for distance in box.combination.shuffles:
        values = [_combine(context, combiner, value, shuffle_xor(context, value, distance)) for value in values]
    if box.combination.across:
        values = _combine_across(context, box, combiner, values, width, everyone=everyone)
    return values, width


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


def _combine_across(
    context: TaskContext, box: ThreadBox, combiner: str, values: list[ir.Value], width: int, *, everyone: bool
) -> list[ir.Value]:
    """Join across subgroups: every thread writes, leaders or all read and combine. All threads pass the barrier."""
    emit = context.emit
    assert context.arena is not None
    context.before_arena_write()
    kind = values[0].type
    element = kind if width == 1 else ir.VectorType(kind).element_type
    shape = [context.threads] if width == 1 else [context.threads, width]
    thread = emit.index(Linear.of(context.thread))
    tail = [] if width == 1 else [emit.constant(0)]
    size = context.threads * width * element_bytes(element)
    views = [
        memref_view(emit, context.arena, context.combine_offset + i * size, shape, element) for i in range(len(values))
    ]
    for view, value in zip(views, values, strict=True):
        access_memory(emit, view, [thread, *tail], width, "workgroup store partial results", value)
    context.barrier()
    offsets = [0]
    leader: ir.Value | None = None
    first = Linear.of(context.thread)
    for across in box.combination.across:
        offsets = [o + across.stride * j for o in offsets for j in range(across.count)]
        coordinate = Linear.of(box.coordinates[across.loop])
        if everyone:
            # Whom shuffles joined hold the same: each starts at its own like among the first of them.
            run, _ = emit.divide(box.coordinates[across.loop], across.joined)
            first = first + Linear.of(run, -across.stride)
        else:
            below = emit.compare("ult", emit.index(coordinate), emit.constant(across.joined))
            leader = emit.both(leader, below)

    def combine_all() -> list[ir.Value]:
        results: list[ir.Value] = []
        for view, value in zip(views, values, strict=True):
            total = value
            for offset in offsets if everyone else offsets[1:]:
                at = emit.index(first + offset)
                other = access_memory(emit, view, [at, *tail], width, "workgroup load partial results")
                assert other is not None
                total = other if everyone and offset == 0 else _combine(context, combiner, total, other)
            results.append(total)
        return results

    context.arena_in_use = True
    if leader is None:
        return combine_all()
    return emit.branch(leader, [vector_type(element, width)] * len(values), combine_all, lambda: values)
