# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arena: where in a task's workgroup memory each staged tile and the joining of partial results lie."""

from dataclasses import dataclass
from math import prod

from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.loops.program import box_axes, box_loops, computes_of, load_layout, staged_loads
from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.atoms import atom_family
from roller_mlir.mapping.atoms.vectors import LANE_BYTES
from roller_mlir.mapping.layout.combine import combination_bytes
from roller_mlir.mapping.layout.data_tile import TileDimension
from roller_mlir.mapping.layout.layout import buffer_shape
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Arena:
    """A task's workgroup memory.

    Attributes:
        offsets: Byte offset of each staged load.
        combine_offset: Byte offset of the space for partial results.
        total_bytes: Size of the whole, in bytes.
    """

    offsets: dict[ir.Operation, int]
    combine_offset: int
    total_bytes: int


def plan_arena(program: ir.Operation, subgroup_size: int) -> Arena:
    """Lay out the workgroup memory that a program's tasks need, each part aligned to 128 bytes."""
    offsets: dict[ir.Operation, int] = {}
    at = 0
    for load, stages in staged_loads(program):
        offsets[load.operation] = at
        dimensions = [TileDimension({}, 1, extent) for extent in load.tile.shape]
        elements = stages * prod(buffer_shape(dimensions, load_layout(load)))
        at = aligned(at + elements * element_bytes(ir.MemRefType(load.source.type).element_type))
    return Arena(offsets, at, at + combine_bytes(program, subgroup_size))


def combine_bytes(program: ir.Operation, subgroup_size: int) -> int:
    """Return the workgroup memory through which results of a program's computes pass, in bytes.

    Partial results of several threads are joined there, and opaque fragments become registers of known lanes.
    """
    needed = 0
    for compute in computes_of(program):
        loops, axes = box_loops(compute), box_axes(compute)
        for result in compute.operation.results:
            size = element_bytes(ir.RankedTensorType(result.type).element_type)
            needed = max(needed, combination_bytes(loops, axes, compute.thread_map.order, subgroup_size, size))
        instruction = compute.matrix_instruction
        if instruction is not None and atom_family(instruction.family).vectors:
            points = axes[instruction.row].block * axes[instruction.column].block
            description = atom_family(instruction.family).memory_bytes
            needed = max(needed, description + points * LANE_BYTES if description else 0)
        elif instruction is not None:
            subgroups = prod(axis.threads for axis in axes) // subgroup_size
            needed = max(needed, atom_family(instruction.family).scratch_bytes(subgroups, instruction.shape))
    return needed
