# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels call for operations of whole subgroups: compiled at first use, kept for all kernels of the process."""

from collections.abc import Iterable
from functools import cache

import llvmlite.binding as binding

from roller_mlir.sim.engine.jit import MachineCode, compile_text
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.lds_copies import SameOperand, same_text
from roller_mlir.sim.matrix.ir import matrix_text
from roller_mlir.sim.matrix.layouts import MatrixInstruction
from roller_mlir.sim.matrix.tiles_ir import TileMove, tile_text
from roller_mlir.sim.matrix.wmma_ir import MatrixMove, move_text

SubgroupOperation = MatrixInstruction | TileMove | MatrixMove | SameOperand


def _text(operation: SubgroupOperation) -> str:
    if isinstance(operation, MatrixInstruction):
        return matrix_text(operation)
    if isinstance(operation, MatrixMove):
        return move_text(operation)
    if isinstance(operation, SameOperand):
        return same_text(operation)
    return tile_text(operation)


@cache
def _compiled(operation: SubgroupOperation) -> MachineCode:
    compiled = compile_text(_text(operation))
    binding.add_symbol(PREFIX + operation.name, compiled.address(PREFIX + operation.name))
    return compiled


def provide(operations: Iterable[SubgroupOperation]) -> None:
    """Make the functions of the operations known to LLVM, so that kernels compiled later find them."""
    for operation in operations:
        _compiled(operation)
