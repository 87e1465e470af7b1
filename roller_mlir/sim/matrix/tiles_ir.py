# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled ldmatrix and stmatrix: eight lanes give the addresses of the eight rows of 16 bytes of a tile.

PTX ISA, "Warp-level matrix load instruction: ldmatrix", and "... store instruction: stmatrix", the same in the other
direction: lanes 8 t to 8 t + 7 give the rows of tile t, the other lanes' addresses count for nothing. Of each tile lane
l has the 32-bit word l % 4 of row l / 4, or, transposed, the 16-bit elements l / 4 of the rows 2 (l % 4) and
2 (l % 4) + 1. The sanitizer sees each lane read what it gets, and write what it gives.
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
class TileMove:
    """An `ldmatrix` or `stmatrix.sync.aligned.m8n8.x<count>[.trans].shared.b16`.

    A lane's operands: address of its row, address of the 4 * count bytes that it gets or gives, 0.

    Attributes:
        count: Tiles: 1, 2 or 4.
        transposed: Whether lanes hold 16-bit elements of transposed tiles.
        stores: Whether what lanes hold goes to memory; otherwise memory goes to the lanes.
    """

    count: int
    transposed: bool
    stores: bool

    @property
    def name(self) -> str:
        """A name that no other move has."""
        return f"{'st' if self.stores else 'ld'}matrix_x{self.count}{'_trans' * self.transposed}"


def _emit_shadow_accesses(code: Code, move: TileMove, jobs: Value) -> None:
    """Emit that the sanitizer, if there is one, sees what each lane gets or gives of the tiles."""
    block, first = code.parameters
    name, access = ("touch_store", ShadowAccess.WRITE) if move.stores else ("touch_load", ShadowAccess.READ)
    function = ir.Function(code.function.module, ir.FunctionType(VOID, [I64] * 5), PREFIX + name)
    with code.when(block[Block.CELLS] != 0):
        site, current = code.read(block[Block.SITE], first, I32), block[Block.CURRENT]
        width = code.value(2 if move.transposed else 4)
        with code.count(0, LANES) as lane:
            block[Block.CURRENT] = first + lane
            group, part = lane >> 2, lane & 3
            rows, place, row = 1, part, group
            if move.transposed:
                rows, place, row = 2, group, part * 2
            for number in range(move.count):
                for further in range(rows):
                    giver = row + (TILE_ROWS * number + further)
                    address = operand(jobs, giver, SubgroupOp.X) + place * width
                    code.call(function, block, site, address, width, int(access))
        block[Block.CURRENT] = current


@cache
def tile_text(move: TileMove) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, row, fragment, 0)`, which the lanes call, and its work."""
    code, jobs = start_job(move.name)
    _emit_shadow_accesses(code, move, jobs)
    kind, words = (I16, ROW_BYTES // 2) if move.transposed else (I32, ROW_BYTES // 4)
    with code.count(0, move.count) as tile, code.count(0, TILE_ROWS) as row:
        memory = operand(jobs, tile * TILE_ROWS + row, SubgroupOp.X)
        place, first, step = tile, row * 4, 1
        if move.transposed:
            place = tile * 2 + (row & 1)
            first, step = row >> 1, 4
        for word in range(words):
            fragment = operand(jobs, first + step * word, SubgroupOp.Y)
            if move.stores:
                code.write(memory, word, code.read(fragment, place, kind), kind)
            else:
                code.write(fragment, place, code.read(memory, word, kind), kind)
    code.give(0)
    emit_entry(code, move.name)
    return str(code.function.module)
