# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an expanded program says, as the records that planning uses: its loads, computes and stores."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from roller_mlir.dialects.rtile import ComputeOp, ProgramOp, StoreOp, TileLoad
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.loops.nest import LoopNest, is_inner, parallel_nest, reduction_nest
from roller_mlir.plan import AxisPlan, Loop, OperandPlan
from roller_mlir.plan.plan import WORKGROUP, pipeline_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import operations_inside

LOADS = ("rtile.load", "rtile.map_load")

_Op = TypeVar("_Op", TileLoad, ComputeOp, StoreOp, ProgramOp)


def programs_of(module: ir.Module) -> list[ProgramOp]:
    """Return the programs of a module in order."""
    return _find(module.operation, ProgramOp)


def check_no_loose_ops(module: ir.Module) -> None:
    """Refuse linalg ops that stand in no program: a pass on programs would leave them as they are, without a word."""
    for function in module.body.operations:
        for region in function.operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    if is_structured(op.operation):
                        fail(op, f"'{op.operation.name}' stands in no program; run rtile-construct first")


def loads_of(program: ir.Operation) -> list[TileLoad]:
    """Return the loads of a program in order."""
    return _find(program, TileLoad)


def computes_of(program: ir.Operation) -> list[ComputeOp]:
    """Return the computes of a program in order."""
    return _find(program, ComputeOp)


def reduction_pipeline(said: str, nest: LoopNest, staged: Sequence[TileLoad]) -> str:
    """Return how a task walks the steps of a reduction.

    Args:
        said: What its program says; "" leaves it to the loads.
        nest: The reduction.
        staged: Its loads that go through workgroup memory.
    """
    matrix = any(isinstance(one, ComputeOp) and one.matrix_instruction is not None for one in nest.body)
    return said or pipeline_of([load_layout(load).copy for load in staged], nest.stages, matrix=matrix)


def is_read(tile: ir.Value) -> bool:
    """Return whether a compute reads a tile, and so all threads need it."""
    return any(use.owner.operation.name == "rtile.compute" for use in tile.uses)


def stores_of(program: ir.Operation) -> list[StoreOp]:
    """Return the stores of a program in order."""
    return _find(program, StoreOp)


def accessed_operands(program: ProgramOp) -> tuple[set[int], set[int]]:
    """Return the numbers of the operands of a program on buffers that it loads from, and of those it stores to."""
    numbers = {argument: number for number, argument in enumerate(program.entry.arguments)}
    sources = [load.source for load in loads_of(program.operation)]  # some are tiles
    read = {numbers[value] for value in sources if value in numbers}
    return read, {numbers[store.destination] for store in stores_of(program.operation)}


def staged_loads(program: ir.Operation) -> list[tuple[TileLoad, int]]:
    """Return the loads into workgroup memory, each with its number of buffers."""
    return _staged(parallel_nest(program).body)


def _staged(body: Iterable[ir.OpView]) -> list[tuple[TileLoad, int]]:
    found: list[tuple[TileLoad, int]] = []
    for op in body:
        operation = op.operation
        if operation.name in LOADS:
            found += [(load, 1) for load in [operation.opview] if load.tile.layer == WORKGROUP]
        elif operation.name == "scf.for" and is_inner(operation):
            found += _staged(operation.regions[0].blocks[0].operations)
        elif operation.name == "scf.for":
            nest = reduction_nest(operation)
            stages = min(nest.stages, nest.trips.bound)
            loads = [o for o in nest.body if isinstance(o, TileLoad)]
            found += [(load, stages) for load in loads if load.tile.layer == WORKGROUP]
    return found


def resumes(operation: ir.Operation) -> bool:
    """Return whether an operation loads the sums that the program's steps before have stored.

    Such a load is the second branch of a choice, whose condition is that no step was before.
    """
    if operation.name not in LOADS:
        return False
    choice = operation.parent
    return choice is not None and choice.name == "scf.if" and operation.block == choice.regions[1].blocks[0]


def load_layout(load: TileLoad) -> OperandPlan:
    """Return the layout of a staged load as a record."""
    layout = load.layout
    assert layout is not None  # its verifier requires it
    return layout.read(load.tile.layer, load.pad_value)


def box_loops(compute: ComputeOp) -> tuple[Loop, ...]:
    """Return the loops of a compute; extents are the bounds of the whole operator."""
    return tuple(
        Loop(bound, kind == "reduction") for bound, kind in zip(compute.loop_bounds, compute.iterators, strict=True)
    )


def box_axes(compute: ComputeOp) -> tuple[AxisPlan, ...]:
    """Return how a compute's box is spread over threads and registers."""
    names = ("threads", "chunk", "lanes", "tile")
    return tuple(
        AxisPlan(block=block, **dict(zip(names, axis, strict=False)))
        for block, axis in zip(compute.box_shape, compute.thread_map.axes, strict=True)
    )


def lane_of(compute: ComputeOp) -> int | None:
    """Return the loop whose chunk is a vector, None for scalars."""
    lane = compute.thread_map.lane
    return lane if lane >= 0 else None


def element_bytes(load: TileLoad) -> int:
    """Return the bytes of an element of what a load reads."""
    element = ir.MemRefType(load.source.type).element_type
    width = ir.FloatType(element).width if isinstance(element, ir.FloatType) else ir.IntegerType(element).width
    return max(1, width // 8)


def _find(operation: ir.Operation, kind: type[_Op]) -> list[_Op]:
    return [op.opview for op in operations_inside(operation) if isinstance(op.opview, kind)]
