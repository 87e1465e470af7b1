# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled stmatrix: what ldmatrix reads, in the other direction.

PTX ISA, "Warp-level matrix store instruction: stmatrix": lanes 8 t to 8 t + 7 give the addresses of the rows of tile t,
the other lanes' addresses count for nothing. Of each tile lane l has the 32-bit word l % 4 of row l / 4, or,
transposed, the 16-bit elements l / 4 of the rows 2 (l % 4) and 2 (l % 4) + 1. The sanitizer sees each lane write what
it gives.
"""

from dataclasses import dataclass
from functools import cache

from roller_mlir.sim.engine.layout import ShadowAccess, SubgroupOp
from roller_mlir.sim.engine.structured import I16, I32
from roller_mlir.sim.matrix.ir import emit_entry, operand, start_job
from roller_mlir.sim.matrix.loads_ir import ROW_BYTES, TILE_ROWS, emit_shadow_accesses


@dataclass(frozen=True)
class MatrixStore:
    """An `stmatrix.sync.aligned.m8n8.x<count>[.trans].shared.b16`.

    A lane's operands: address of its row, address of the 4 * count bytes that it stores, 0.

    Attributes:
        count: Tiles: 1, 2 or 4.
        transposed: Whether lanes hold 16-bit elements of transposed tiles.
    """

    count: int
    transposed: bool

    @property
    def name(self) -> str:
        """A name that no other store has."""
        return f"stmatrix_x{self.count}{'_trans' * self.transposed}"


@cache
def store_text(store: MatrixStore) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, row, fragment, 0)`, and of its work."""
    code, jobs = start_job(store.name)
    builder = code.builder

    emit_shadow_accesses(code, store.count, store.transposed, jobs, ShadowAccess.WRITE)
    with code.count(0, code.value(store.count)) as tile, code.count(0, code.value(TILE_ROWS)) as row:
        target = operand(code, jobs, builder.add(builder.mul(tile, code.value(TILE_ROWS)), row), SubgroupOp.X)
        if store.transposed:
            place = builder.add(builder.mul(tile, code.value(2)), builder.and_(row, code.value(1)))
            for column in range(ROW_BYTES // 2):
                giver = builder.add(builder.lshr(row, code.value(1)), code.value(4 * column))
                holder = operand(code, jobs, giver, SubgroupOp.Y)
                code.write(target, column, code.read(holder, place, I16), I16)
        else:
            for word in range(ROW_BYTES // 4):
                giver = builder.add(builder.mul(row, code.value(4)), code.value(word))
                holder = operand(code, jobs, giver, SubgroupOp.Y)
                code.write(target, word, code.read(holder, tile, I32), I32)
    code.give(0)
    emit_entry(code, store.name)
    return str(code.function.module)
