# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of staged inputs and their bank phases, remembered by what they depend on.

A layout depends on the tile and on the alignment of its rows, not on the extents of the operator: the same tile of
another operator is looked up, not simulated again.
"""

from functools import lru_cache

from roller_mlir.mapping.bank_phases import Banks
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout import TileCost, plan_operand, row_alignment, steps_of, tile_cost
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model.machine import Machine
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, OperandPlan

LARGEST_VECTOR = 16
"""Alignment beyond this many elements changes no layout."""


def operand_layout(
    access: Access,
    loops: tuple[Loop, ...],
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    lane: int | None,
    machine: Machine,
    *,
    staged: bool,
    pad_value: float | None,
) -> OperandPlan:
    """Return the plan of one input."""
    if staged:
        access, loops = _canonical(access, loops, axes)
    return plan_operand(
        access,
        loops,
        axes,
        thread_order,
        lane,
        machine.banks,
        machine.device.subgroup_size,
        staged=staged,
        pad_value=pad_value,
    )


def layout_cost(
    access: Access,
    loops: tuple[Loop, ...],
    operand: OperandPlan,
    axes: tuple[AxisPlan, ...],
    thread_order: tuple[int, ...],
    machine: Machine,
) -> TileCost:
    """Return the bank phases of one step of a staged input."""
    canonical, _ = _canonical(access, loops, axes)
    return _cost(canonical, operand, axes, thread_order, machine.banks, machine.device.subgroup_size)


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


def _canonical(access: Access, loops: tuple[Loop, ...], axes: tuple[AxisPlan, ...]) -> tuple[Access, tuple[Loop, ...]]:
    """Return an access and loops of the smallest operator with the same tile and the same alignment."""
    small = tuple(
        Loop(axis.block * min(2, steps_of(loop, axis)), loop.reduction) for loop, axis in zip(loops, axes, strict=True)
    )
    aligned = power_of_two_divisor(row_alignment(access, loops, axes), LARGEST_VECTOR)
    shape = (1,) * (len(access.shape) - 1) + (aligned,)
    indices = tuple(LinearIndex(index.coefficients) for index in access.indices)
    return Access("", shape, access.element_type, indices), small
