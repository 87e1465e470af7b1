# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of its early operands a task brings before its waits are over, as code generation moves it there.

Copies into workgroup memory of as many steps as have buffers that nothing else needs first; of what stays in registers
as much as a thread may hold meanwhile, up to the first loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.dialects.rtile import ComputeOp, ProgramOp, TileLoad
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.loops.nest import LoopNest, parallel_nest, reduction_nest
from roller_mlir.lowering.loops.program import box_axes, box_loops, element_bytes, lane_of, reduction_pipeline
from roller_mlir.mapping.unrolling import HELD_EARLY, rolled_loops
from roller_mlir.plan.plan import PIPELINES, WORKGROUP
from roller_mlir.support.bindings import ir

_WORD_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class EarlyLoad:
    """What a task brings early of one load.

    Attributes:
        operand: The number of the operand.
        tile_bytes: Bytes of the tile that a task brings, of all early steps.
        words: Registers of a thread that hold it meanwhile; 0 where it goes to workgroup memory.
    """

    operand: int
    tile_bytes: int
    words: int


def early_loads(program: ProgramOp, early: Sequence[int]) -> list[EarlyLoad]:
    """Return what tasks of a program on buffers bring early.

    Args:
        program: The program.
        early: The operands that it may access before the waits are over.
    """
    found: list[EarlyLoad] = []
    held = 0
    for op in parallel_nest(program.operation).body:
        if isinstance(op, TileLoad):
            if _operand(op) in early and op.tile.layer == WORKGROUP:
                found.append(_staged(op, 1))
        elif op.operation.name == "scf.for":
            nest = reduction_nest(op.operation)
            loads = [one for one in nest.body if isinstance(one, TileLoad)]
            staged = [one for one in loads if one.tile.layer == WORKGROUP]
            ahead = _ahead(program, nest, staged)
            found += [_staged(one, ahead) for one in staged if _operand(one) in early]
            if nest.trips.static > 1:
                break
            held += _hold(found, [one for one in nest.body if isinstance(one, ComputeOp)], early, held)
        elif isinstance(op, ComputeOp):
            if _rolled(op):
                break
            held += _hold(found, [op], early, held)
    return found


def _ahead(program: ProgramOp, nest: LoopNest, staged: Sequence[TileLoad]) -> int:
    """Return the steps whose tiles are copied before the first one computes."""
    pipeline = PIPELINES[reduction_pipeline(program.pipeline, nest, staged)]
    return pipeline.steps_ahead(nest.stages, nest.trips.static)


def _hold(found: list[EarlyLoad], computes: Sequence[ComputeOp], early: Sequence[int], held: int) -> int:
    """Add what computes read early straight from memory, and return the registers that this takes."""
    more = 0
    for compute in computes:
        axes = box_axes(compute)
        for number, value in enumerate(compute.inputs):
            owner = value.owner
            load = None if isinstance(owner, ir.Block) else owner.opview
            if not isinstance(load, TileLoad) or load.tile.layer == WORKGROUP or _operand(load) not in early:
                continue
            loops = {loop for index in map_indices(compute.maps[number]) for loop in index.terms()}
            words = prod(axes[loop].registers for loop in loops) * max(1, element_bytes(load) // _WORD_BYTES)
            if held + more + words <= HELD_EARLY:
                more += words
                found.append(EarlyLoad(operand=_operand(load), tile_bytes=_tile_bytes(load), words=words))
    return more


def _rolled(compute: ComputeOp) -> bool:
    """Return whether some of a thread's points are a loop."""
    axes, lane = box_axes(compute), lane_of(compute)
    reductions = [number for number, loop in enumerate(box_loops(compute)) if loop.reduction]
    runs = {i: axes[i].registers // axes[i].chunk for i in reductions}
    inner = {i: 1 if i == lane else axes[i].chunk for i in reductions}
    return bool(rolled_loops(reductions, runs, inner, compute.thread_map.unroll))


def _staged(load: TileLoad, steps: int) -> EarlyLoad:
    return EarlyLoad(operand=_operand(load), tile_bytes=steps * _tile_bytes(load), words=0)


def _operand(load: TileLoad) -> int:
    return ir.BlockArgument(load.source).arg_number


def _tile_bytes(load: TileLoad) -> int:
    return prod(load.tile.shape) * element_bytes(load)
