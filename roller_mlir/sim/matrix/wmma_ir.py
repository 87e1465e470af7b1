# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled loads and stores of whole 16x16 matrices (wmma): memory on one side, the lanes' fragments on the other.

Which lane holds what is not specified for these fragments. Here it is the same for A, B and C: lane l holds half of
row l / 2, eight elements from column 8 (l % 2) on.
"""

from dataclasses import dataclass
from functools import cache

from llvmlite import ir

from roller_mlir.sim.engine.layout import SubgroupOp
from roller_mlir.sim.matrix.ir import emit_entry, operand, start_job
from roller_mlir.sim.matrix.layouts import WMMA_EACH, WMMA_ROWS

LANES = 32
WMMA_ALIGNMENT_BYTES = 32
"""Of a matrix in memory: PTX ISA, "wmma.load"."""


@dataclass(frozen=True)
class MatrixMove:
    """A `wmma.load` or `wmma.store` of 16x16 elements.

    A lane's operands: address of the matrix and bytes between its rows in memory, the same in all lanes, and between
    them the address of the lane's fragment of eight elements.

    Attributes:
        element_bytes: Bytes of an element: 2 or 4.
        transposed: Whether what are rows in memory are the matrix's columns (`.col`).
        stores: Whether fragments go to memory; otherwise memory goes to fragments.
    """

    element_bytes: int
    transposed: bool
    stores: bool

    @property
    def name(self) -> str:
        """A name that no other move has."""
        return f"wmma_{'store' if self.stores else 'load'}_b{8 * self.element_bytes}{'_trans' * self.transposed}"


@cache
def move_text(move: MatrixMove) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, matrix, fragment, stride)`, and of its work."""
    code, jobs = start_job(move.name)
    first = code.parameters[1]
    element = ir.IntType(8 * move.element_bytes)

    matrix, stride = (operand(jobs, code.value(0), word) for word in (SubgroupOp.X, SubgroupOp.Z))
    with code.count(0, LANES) as lane:
        same = (operand(jobs, lane, SubgroupOp.X) == matrix, operand(jobs, lane, SubgroupOp.Z) == stride)
        with code.when(~(same[0] & same[1]), likely=False):
            code.give(first + lane + 1)
    with code.count(0, LANES) as lane:
        fragment = operand(jobs, lane, SubgroupOp.Y)
        row = lane // (WMMA_ROWS // WMMA_EACH)
        column = lane % (WMMA_ROWS // WMMA_EACH) * WMMA_EACH
        with code.count(0, WMMA_EACH) as number:
            across = column + number
            line, place = (across, row) if move.transposed else (row, across)
            memory = matrix + line * stride
            if move.stores:
                code.write(memory, place, code.read(fragment, number, element), element)
            else:
                code.write(fragment, number, code.read(memory, place, element), element)
    code.give(0)
    emit_entry(code, move.name)
    return str(code.function.module)
