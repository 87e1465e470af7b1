# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of a matrix instruction's compute: all products of the box that a subgroup's registers hold."""

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW
from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.emitters import emitter_of
from roller_mlir.lowering.codegen.matrix.operands import MatrixOperands, staged_inputs
from roller_mlir.lowering.codegen.matrix.product import Matrix
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.layout.matrix_phases import MATRIX_ROWS
from roller_mlir.mapping.thread_map import register_offset
from roller_mlir.mapping.unrolling import rolled_reductions
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def matrix_sub_steps(compute: Compute) -> int:
    """Return into how many sub-steps of the reduction a step is unrolled; 1 where loops are left of it."""
    assert compute.matrix is not None
    rolled, unrolled, runs = _reductions(compute.matrix)
    return 1 if rolled else runs * prod(compute.box.axes[loop].block for loop in unrolled)


def emit_matrix_points(
    context: TaskContext, compute: Compute, packed: Sequence[ir.Value], between: Sequence[Callable[[], None]] = ()
) -> list[ir.Value]:
    """Emit all points of the box; return the new fragments of the result.

    Args:
        context: The task.
        compute: The compute, with a matrix instruction.
        packed: The fragments of the result, one per `Matrix.atoms`.
        between: What is emitted between sub-steps of the reduction, evenly spread: fewer than `matrix_sub_steps`.
    """
    matrix, box = compute.matrix, compute.box
    assert matrix is not None
    inputs = staged_inputs(matrix.operation, compute.inputs)
    if compute.masked:
        fail(
            matrix.operation,
            f"reduction loop {compute.masked[0]} of a matrix instruction has points out of range that do not read as 0",
        )
    depth, length = matrix.loops[DEPTH], matrix.shape[2]
    rolled, unrolled, runs = _reductions(matrix)
    sub_steps = matrix_sub_steps(compute)
    assert len(between) < sub_steps
    due = {(number + 1) * sub_steps // (len(between) + 1): act for number, act in enumerate(between)}

    def nest(loops: Sequence[int], positions: Positions, values: Sequence[ir.Value]) -> list[ir.Value]:
        if loops:
            return context.emit.loop(
                0,
                box.axes[loops[0]].block,
                values,
                lambda run, carried: nest(loops[1:], {**positions, loops[0]: Linear.of(run)}, carried),
            )
        operands = MatrixOperands(context, matrix, inputs)
        current = list(values)
        points = product(*[range(box.axes[loop].block) for loop in unrolled], range(runs))
        for number, (*point, run) in enumerate(points):
            if number in due:
                due[number]()
            at = positions | {loop: Linear(None, p) for loop, p in zip(unrolled, point, strict=True)}
            _products(context, matrix, operands, {**at, depth: Linear(None, run * length)}, current)
        return current

    return nest(rolled, {}, packed)


def _reductions(matrix: Matrix) -> tuple[list[int], list[int], int]:
    """Return the reduction loops that stay loops, those that are unrolled, and the instructions along the depth."""
    box, depth = matrix.box, matrix.loops[DEPTH]
    others = [i for i, loop in enumerate(box.loops) if loop.reduction and i != depth and box.axes[i].block > 1]
    runs = box.axes[depth].block // matrix.shape[2]
    split = rolled_reductions([box.axes[loop].block for loop in others], len(matrix.atoms) * runs)
    return others[:split], others[split:], runs


def _products(
    context: TaskContext, matrix: Matrix, operands: MatrixOperands, at: Positions, values: list[ir.Value]
) -> None:
    """Emit the instructions of one sub-step of the reduction; `values` change in place."""
    places = [_tile_positions(matrix, atom) | at for atom in matrix.atoms]
    column = matrix.loops[COLUMN]
    # Eight columns are half of what one access reads: neighbouring tiles are read together.
    columns = sorted({place[column] for place in places}, key=lambda x: x.constant)
    partner = dict(zip(columns[::2], columns[1::2], strict=False)) if matrix.shape[1] == MATRIX_ROWS else {}
    factors = [
        (
            operands.read(ROW, place),
            operands.read(
                COLUMN, place, pair={**place, column: partner[place[column]]} if place[column] in partner else None
            ),
        )
        for place in places
    ]
    for number, (first, second) in enumerate(factors):
        values[number] = _instruction(context, matrix, first, second, values[number])


def _tile_positions(matrix: Matrix, atom: dict[int, int]) -> Positions:
    """Return where the subgroup's tile of an atom begins on each parallel loop."""
    box = matrix.box
    spanned = (matrix.loops[ROW], matrix.loops[COLUMN])
    return {
        loop: (box.tile_base(loop) if loop in spanned else box.base(loop)) + register_offset(box.axes[loop], register)
        for loop, register in atom.items()
    }


def _instruction(context: TaskContext, matrix: Matrix, first: ir.Value, second: ir.Value, total: ir.Value) -> ir.Value:
    context.matrix_count += 1
    return emitter_of(matrix).multiply(context, matrix, first, second, total)
