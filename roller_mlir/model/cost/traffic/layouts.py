# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of staged inputs and their bank phases, remembered by what they depend on.

A layout depends on the tile and on the alignment of its rows, not on the extents of the operator: the same tile of
another operator is looked up, not simulated again.
"""

from dataclasses import replace
from functools import lru_cache

from roller_mlir.hal.atoms import atom_family
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import (
    TileCost,
    lies_as_stored,
    planned_vector,
    row_alignment,
    staged_layout,
    steps_of,
    tile_cost,
)
from roller_mlir.mapping.layout.matrix import matrix_operand
from roller_mlir.mapping.layout.matrix_phases import MatrixMemory, matrix_cost
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model.machine import Machine
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, OperandPlan, Plan
from roller_mlir.plan.plan import ASYNCHRONOUS, REGISTER, SYNCHRONOUS, AtomPlan

LARGEST_VECTOR = 16
"""Alignment beyond this many elements changes no layout."""

_loop = lru_cache(maxsize=1024)(Loop)  # tiles have few different extents

_matrix_operand = lru_cache(maxsize=4096)(matrix_operand)


def operand_layout(
    context: ProblemContext,
    number: int,
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    *,
    staged: bool,
    padded: bool = True,
    asynchronous: bool = False,
) -> OperandPlan:
    """Return the plan of one input.

    Args:
        context: The expression.
        number: Which input.
        axes: One AxisPlan per loop.
        thread_order: See Plan.
        lane: See Plan.
        staged: Whether the input goes through workgroup memory.
        padded: Whether rows may be padded.
        asynchronous: Whether asynchronous copies may bring it, where its vectors need no registers on their way.
    """
    access, pad_value = context.expression.inputs[number], context.expression.pad_values[number]
    if not staged:
        width = planned_vector(access, context.expression.loops, axes, context.machine.vector_bytes)
        order = tuple(range(len(access.shape)))
        return OperandPlan(layer=REGISTER, order=order, vector=width, pad_value=pad_value)
    layout, cost = _staged(context, number, axes, thread_order, lane, padded=padded)
    alone = asynchronous and lies_as_stored(layout, access.element_bytes)
    if alone or pad_value is not None:
        layout = replace(layout, pad_value=pad_value, copy=ASYNCHRONOUS if alone else SYNCHRONOUS)
    key = layout, axes, thread_order, lane, context.atom.instruction.family, None
    context.inputs[number].layout_costs[key] = cost  # for `layout_cost`, which is asked next
    return layout


def _staged(
    context: ProblemContext,
    number: int,
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    *,
    padded: bool = True,
) -> tuple[OperandPlan, TileCost]:
    machine = context.machine
    access, loops = _canonical(context, number, axes)
    lanes, widest = machine.device.subgroup_size, machine.vector_bytes
    return staged_layout(
        access, loops, axes, thread_order, lane, machine.banks, lanes, padded=padded, access_bytes=widest
    )


def matrix_layout(
    context: ProblemContext, number: int, axes: tuple[AxisPlan, ...], atom: AtomPlan, *, padded: bool = True
) -> OperandPlan:
    """Return the plan of an input that matrix instructions read.

    Args:
        context: The expression.
        number: Which input.
        axes: One AxisPlan per loop.
        atom: The instruction's shape and loops.
        padded: Whether rows may be padded, or their pieces permuted.
    """
    expression = context.expression
    access, small = _canonical(context, number, axes)
    found = _matrix_operand(
        access,
        small,
        axes,
        atom,
        context.atom.family,
        matrix_memory(context.machine),
        prologue=context.through_registers[number],
        spread=padded,
    )
    return replace(found, pad_value=expression.pad_values[number])


@lru_cache(maxsize=64)
def matrix_memory(machine: Machine) -> MatrixMemory:
    """Return what layouts of matrix instructions depend on."""
    device = machine.device
    return MatrixMemory(machine.banks, device.subgroup_size, machine.vector_bytes, tuple(device.features))


def layout_cost(context: ProblemContext, plan: Plan, number: int) -> TileCost:
    """Return the bank phases of one step of an input that goes through workgroup memory."""
    known = context.inputs[number].layout_costs
    key = plan.operands[number], plan.axes, plan.thread_order, plan.lane, plan.instruction, plan.atom
    if key not in known:
        known[key] = _layout_cost(context, plan, number)
    return known[key]


def _layout_cost(context: ProblemContext, plan: Plan, number: int) -> TileCost:
    operand, machine = replace(plan.operands[number], pad_value=None), context.machine
    access, _ = _canonical(context, number, plan.axes)
    if plan.atom is not None:
        return matrix_cost(access, operand, plan.axes, plan.atom, atom_family(plan.instruction), matrix_memory(machine))
    return _cost(access, operand, plan.axes, plan.thread_order, machine.banks, machine.device.subgroup_size)


@lru_cache(maxsize=4096)
def _cost(
    access: Access,
    operand: OperandPlan,
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    banks: Banks,
    subgroup_size: int,
) -> TileCost:
    return tile_cost(access, operand, axes, ThreadMap(axes, thread_order), banks, subgroup_size)


def _canonical(context: ProblemContext, number: int, axes: tuple[AxisPlan, ...]) -> tuple[Access, tuple[Loop, ...]]:
    """Return an access and loops of the smallest operator with the same tile and the same alignment."""
    blocks = tuple([axis.block for axis in axes])
    known = context.inputs[number].canonical
    if blocks not in known:
        known[blocks] = _smallest(context.expression.inputs[number], context.expression.loops, axes)
    return known[blocks]


def _smallest(access: Access, loops: tuple[Loop, ...], axes: tuple[AxisPlan, ...]) -> tuple[Access, tuple[Loop, ...]]:
    small = tuple(
        [
            _loop(axis.block * min(2, steps_of(loop, axis)), loop.reduction)
            for loop, axis in zip(loops, axes, strict=True)
        ]
    )
    blocks = [axis.block for axis in axes]
    aligned = power_of_two_divisor(row_alignment(access, loops, blocks), LARGEST_VECTOR)
    shape = (1,) * (len(access.shape) - 1) + (aligned,)
    back = tile_dimensions(access, blocks)
    starts = [d.offset * d.step for d in back]
    indices = tuple(
        [
            index if index.constant == start else LinearIndex(index.coefficients, start)
            for index, start in zip(access.indices, starts, strict=True)
        ]
    )
    return Access("", shape, access.element_type, indices), small
