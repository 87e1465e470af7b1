# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arena: where in a task's workgroup memory staged tiles, partial results that are joined, and results lie."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import prod

from roller_mlir.hal.atoms import atom_family
from roller_mlir.hal.atoms.vectors import LANE_BYTES
from roller_mlir.lowering.codegen.builder.task_context import StagedResults, element_bytes
from roller_mlir.lowering.codegen.task.stores.staged import staged_results
from roller_mlir.lowering.loops.program import box_axes, box_loops, computes_of, is_read, load_layout, staged_loads
from roller_mlir.mapping.alignment import aligned
from roller_mlir.mapping.layout.combine import combination, combination_bytes
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
        results: What passes it on its way to global memory, in the place of staged loads.
    """

    offsets: dict[ir.Operation, int]
    combine_offset: int
    total_bytes: int
    results: StagedResults = field(default_factory=StagedResults)


def plan_arena(program: ir.Operation, subgroup_size: int) -> Arena:
    """Lay out the workgroup memory that a program's tasks need, each part aligned to 128 bytes."""
    offsets: dict[ir.Operation, int] = {}
    at = 0
    for load, stages in staged_loads(program):
        offsets[load.operation] = at
        dimensions = [TileDimension({}, 1, extent) for extent in load.tile.shape]
        elements = stages * prod(buffer_shape(dimensions, load_layout(load)))
        at = aligned(at + elements * element_bytes(ir.MemRefType(load.source.type).element_type))
    results = staged_results(program, at, subgroup_size)
    return Arena(offsets, at, max(at + combine_bytes(program, subgroup_size), results.size_bytes), results)


def combine_bytes(program: ir.Operation, subgroup_size: int) -> int:
    """Return the workgroup memory through which results of a program's computes pass, in bytes.

    Partial results of several threads are joined there, and opaque fragments become registers of known lanes.
    """
    needed = 0
    keys: dict[ir.Value, Hashable] = {}
    together = Counter[Hashable]()
    for compute in computes_of(program):
        # What one of them is read for, all that threads hold alike are joined for.
        for key in {keys[value] for value in compute.inputs if value in keys}:
            del together[key]
        loops, axes, order = box_loops(compute), box_axes(compute), compute.thread_map.order
        for result in compute.operation.results:
            kind = ir.RankedTensorType(result.type).element_type
            size = combination_bytes(loops, axes, order, subgroup_size, element_bytes(kind))
            if is_read(result):
                key = keys[result] = combination(loops, axes, order, subgroup_size), kind
                together[key] += size
            needed = max(needed, size, *together.values())
        instruction = compute.matrix_instruction
        if instruction is not None and atom_family(instruction.family).vectors:
            points = axes[instruction.row].block * axes[instruction.column].block
            passing = atom_family(instruction.family).tile_registers
            needed = max(needed, points * LANE_BYTES if passing else 0)
        elif instruction is not None:
            subgroups = prod(axis.threads for axis in axes) // subgroup_size
            needed = max(needed, atom_family(instruction.family).scratch_bytes(subgroups, instruction.shape))
    return needed
