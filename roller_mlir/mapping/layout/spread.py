# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spreading what follows a reduction over the threads that split it.

Threads that split a reduction all hold its results when they have joined them, a vector of neighbouring points each,
and each of them would compute what follows for all of these points alike. Spread, a thread takes one point of the
vector: as many threads as it has points share the work, and the loads and stores that belong to it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from roller_mlir.mapping.layout.combine import combination
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES, planned_vector
from roller_mlir.plan import AxisPlan, Loop, Plan, TensorExpression
from roller_mlir.plan.plan import REGISTER, SYNCHRONOUS


def spread_axes(
    loops: Sequence[Loop], axes: Sequence[AxisPlan], thread_order: Sequence[int], lane: int | None
) -> tuple[tuple[AxisPlan, ...], tuple[int, ...]] | None:
    """Return how ops behind a reduction are spread, and the order of the threads' loops; None where they cannot be.

    Neighbouring threads have neighbouring points.

    >>> product = (Loop(1), Loop(256), Loop(256, True))
    >>> own = (AxisPlan(block=1), AxisPlan(block=4, chunk=4), AxisPlan(block=256, threads=256))
    >>> axes, order = spread_axes(product, own, (2,), 1)
    >>> [(axis.threads, axis.chunk) for axis in axes], order
    ([(1, 1), (4, 1), (64, 1)], (1, 2))
    """
    split = [loop for loop in thread_order if loops[loop].reduction]
    if lane is None or loops[lane].reduction or len(split) != 1 or any(axis.lanes for axis in axes):
        return None
    wide, deep = axes[lane], axes[split[0]]
    if wide.chunk == 1 or deep.threads % wide.chunk:
        return None
    found = list(axes)
    found[lane] = replace(wide, threads=wide.threads * wide.chunk, chunk=1)
    found[split[0]] = replace(deep, threads=deep.threads // wide.chunk)
    order = (lane, *(loop for loop in thread_order if loop != lane and found[loop].threads > 1))
    return tuple(found), order


def alike_threads(digits: Sequence[tuple[int, int]], loops: Collection[int], subgroup_size: int) -> tuple[int, ...]:
    """Return the distances, each twice the one before, between threads of a subgroup that have the same points.

    Args:
        digits: Loops in a thread's number, the fastest first, with threads along each.
        loops: Those whose points differ.
        subgroup_size: Threads of a subgroup.

    >>> alike_threads([(1, 4), (2, 64)], {1}, 32)
    (4, 8, 16)
    """
    found: list[int] = []
    place = 1
    for loop, count in digits:
        if loop not in loops and place & (place - 1) == 0:
            steps = [place << step for step in range(count.bit_length()) if count % (2 << step) == 0]
            found += [distance for distance in steps if distance < subgroup_size]
            break
        place *= count
    return tuple(found)


def spread_program(
    expression: TensorExpression,
    axes: Sequence[AxisPlan],
    thread_order: Sequence[int],
    lane: int | None,
    staged: Sequence[bool],
) -> tuple[tuple[AxisPlan, ...], tuple[int, ...]] | None:
    """Return what `spread_axes` gives for a program that computes and stores without workgroup memory.

    None where ops behind its reduction do not compute point by point, or read what threads hold there as vectors.

    Args:
        expression: The group.
        axes: The program's.
        thread_order: Loops with threads, fastest first.
        lane: Its lane loop.
        staged: Per input, whether it is read from workgroup memory.
    """
    walks = expression.walks_rows([axis.block for axis in axes])  # and joins each result by itself
    if not expression.tail_apart or walks:
        return None
    for access, there in zip(expression.inputs, staged, strict=True):
        if there and not any(expression.loops[loop].reduction for loop in access.loops()):
            return None
    return spread_axes(expression.loops, axes, thread_order, lane)


def spread_plan(expression: TensorExpression, plan: Plan) -> Plan | None:
    """Return a plan as the ops behind its reduction see it if they are spread, None where they cannot be."""
    if plan.store != SYNCHRONOUS or plan.atom is not None:
        return None
    staged = [operand.layer != REGISTER for operand in plan.operands]
    found = spread_program(expression, plan.axes, plan.thread_order, plan.lane, staged)
    return None if found is None else replace(plan, axes=found[0], thread_order=found[1], lane=None)


def tail_plan(expression: TensorExpression, plan: Plan) -> Plan:
    """Return a plan as the ops behind its reduction see it, spread or not."""
    return (spread_plan(expression, plan) if plan.spread else None) or plan


def with_tail_vectors(expression: TensorExpression, plan: Plan, access_bytes: int) -> Plan:
    """Return a plan that reads what its tail alone reads, and tensors beside the inputs, as wide as threads can.

    Args:
        expression: The operator.
        plan: Its plan, spread or not.
        access_bytes: Bytes of the widest access of one thread.
    """
    loops, axes = expression.loops, tail_plan(expression, plan).axes
    operands = list(plan.operands)
    for number in expression.tail_inputs:
        if operands[number].layer == REGISTER:
            vector = planned_vector(expression.inputs[number], loops, axes, access_bytes)
            operands[number] = replace(operands[number], vector=vector)
    beside = tuple(planned_vector(access, loops, axes, access_bytes) for access in expression.beside)
    return replace(plan, operands=tuple(operands), epilogue_vectors=beside)


def planned_epilogue_vectors(expression: TensorExpression, plan: Plan) -> tuple[int, ...]:
    """Return the elements of one read of each tensor beside the inputs: the widest, where the plan does not say."""
    return plan.epilogue_vectors or with_tail_vectors(expression, plan, MAX_VECTOR_BYTES).epilogue_vectors


def may_spread(expression: TensorExpression, plan: Plan, subgroup_size: int) -> bool:
    """Return whether ops behind a plan's reduction can be spread.

    Partial results have to pass workgroup memory: any thread then finds those of any point.
    """
    if spread_plan(expression, plan) is None:
        return False
    return bool(combination(expression.loops, plan.axes, plan.thread_order, subgroup_size).across)
