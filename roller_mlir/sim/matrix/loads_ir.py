# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled ldmatrix: eight lanes give the addresses of the eight rows of 16 bytes of a tile, all lanes get a part.

PTX ISA, "Warp-level matrix load instruction: ldmatrix": lanes 8 t to 8 t + 7 give the rows of tile t, the other
lanes' addresses count for nothing. Of each tile lane l gets the 32-bit word l % 4 of row l / 4, or, transposed, the
16-bit elements l / 4 of the rows 2 (l % 4) and 2 (l % 4) + 1. The sanitizer sees each lane read what it gets.
"""

from dataclasses import dataclass
from functools import cache

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, ShadowAccess, SubgroupOp
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.structured import I16, I32, I64, VOID, Code, Value
from roller_mlir.sim.matrix.ir import emit_entry, operand, start_job

LANES = 32
ROW_BYTES = 16
TILE_ROWS = 8


@dataclass(frozen=True)
class MatrixLoad:
    """An `ldmatrix.sync.aligned.m8n8.x<count>[.trans].shared.b16`.

    A lane's operands: address of its row, address of the 4 * count bytes that it gets, 0.

    Attributes:
        count: Tiles: 1, 2 or 4.
        transposed: Whether 16-bit elements of tiles are dealt out transposed.
    """

    count: int
    transposed: bool

    @property
    def name(self) -> str:
        """A name that no other load has."""
        return f"ldmatrix_x{self.count}{'_trans' * self.transposed}"


def emit_shadow_accesses(code: Code, count: int, transposed: bool, jobs: Value, access: ShadowAccess) -> None:
    """Emit that the sanitizer, if there is one, sees what each lane gets or gives of the tiles.

    Args:
        code: The work of a subgroup.
        count: Tiles.
        transposed: Whether lanes hold 16-bit elements of transposed tiles.
        jobs: Address of the lanes' jobs, whose first operand is the address of a row.
        access: `ShadowAccess.READ` or `ShadowAccess.WRITE`.
    """
    builder = code.builder
    block, first = code.parameters
    name = PREFIX + ("touch_load" if access is ShadowAccess.READ else "touch_store")
    function = ir.Function(code.function.module, ir.FunctionType(VOID, [I64] * 5), name)
    with code.when(code.compare("!=", code.read(block, Block.CELLS), 0)):
        site, current = code.read(code.read(block, Block.SITE), first, I32), code.read(block, Block.CURRENT)
        width = code.value(2 if transposed else 4)
        with code.count(0, code.value(LANES)) as lane:
            code.write(block, Block.CURRENT, builder.add(first, lane))
            group, part = builder.lshr(lane, code.value(2)), builder.and_(lane, code.value(3))
            rows, place, row = 1, part, group
            if transposed:
                rows, place, row = 2, group, builder.mul(part, code.value(2))
            for number in range(count):
                for further in range(rows):
                    giver = builder.add(row, code.value(TILE_ROWS * number + further))
                    address = builder.add(operand(code, jobs, giver, SubgroupOp.X), builder.mul(place, width))
                    code.call(function, block, site, address, width, int(access))
        code.write(block, Block.CURRENT, current)


@cache
def load_text(load: MatrixLoad) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, row, result, 0)`, which the lanes call, and of its work."""
    code, jobs = start_job(load.name)
    builder = code.builder
    emit_shadow_accesses(code, load.count, load.transposed, jobs, ShadowAccess.READ)
    with code.count(0, code.value(load.count)) as tile, code.count(0, code.value(TILE_ROWS)) as row:
        giver = builder.add(builder.mul(tile, code.value(TILE_ROWS)), row)
        source = operand(code, jobs, giver, SubgroupOp.X)
        if load.transposed:
            half = builder.and_(row, code.value(1))
            place = builder.add(builder.mul(tile, code.value(2)), half)
            for column in range(ROW_BYTES // 2):
                taker = builder.add(builder.lshr(row, code.value(1)), code.value(4 * column))
                code.write(operand(code, jobs, taker, SubgroupOp.Y), place, code.read(source, column, I16), I16)
        else:
            for word in range(ROW_BYTES // 4):
                taker = builder.add(builder.mul(row, code.value(4)), code.value(word))
                code.write(operand(code, jobs, taker, SubgroupOp.Y), tile, code.read(source, word, I32), I32)
    code.give(0)
    emit_entry(code, load.name)
    return str(code.function.module)
