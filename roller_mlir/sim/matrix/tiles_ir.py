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
    builder = code.builder
    block, first = code.parameters
    name, access = ("touch_store", ShadowAccess.WRITE) if move.stores else ("touch_load", ShadowAccess.READ)
    function = ir.Function(code.function.module, ir.FunctionType(VOID, [I64] * 5), PREFIX + name)
    with code.when(code.compare("!=", code.read(block, Block.CELLS), 0)):
        site, current = code.read(code.read(block, Block.SITE), first, I32), code.read(block, Block.CURRENT)
        width = code.value(2 if move.transposed else 4)
        with code.count(0, code.value(LANES)) as lane:
            code.write(block, Block.CURRENT, builder.add(first, lane))
            group, part = builder.lshr(lane, code.value(2)), builder.and_(lane, code.value(3))
            rows, place, row = 1, part, group
            if move.transposed:
                rows, place, row = 2, group, builder.mul(part, code.value(2))
            for number in range(move.count):
                for further in range(rows):
                    giver = builder.add(row, code.value(TILE_ROWS * number + further))
                    address = builder.add(operand(code, jobs, giver, SubgroupOp.X), builder.mul(place, width))
                    code.call(function, block, site, address, width, int(access))
        code.write(block, Block.CURRENT, current)


@cache
def tile_text(move: TileMove) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, row, fragment, 0)`, which the lanes call, and its work."""
    code, jobs = start_job(move.name)
    builder = code.builder
    _emit_shadow_accesses(code, move, jobs)
    kind, words = (I16, ROW_BYTES // 2) if move.transposed else (I32, ROW_BYTES // 4)
    with code.count(0, code.value(move.count)) as tile, code.count(0, code.value(TILE_ROWS)) as row:
        memory = operand(code, jobs, builder.add(builder.mul(tile, code.value(TILE_ROWS)), row), SubgroupOp.X)
        place, first, step = tile, builder.mul(row, code.value(4)), 1
        if move.transposed:
            place = builder.add(builder.mul(tile, code.value(2)), builder.and_(row, code.value(1)))
            first, step = builder.lshr(row, code.value(1)), 4
        for word in range(words):
            fragment = operand(code, jobs, builder.add(first, code.value(step * word)), SubgroupOp.Y)
            if move.stores:
                code.write(memory, word, code.read(fragment, place, kind), kind)
            else:
                code.write(fragment, place, code.read(memory, word, kind), kind)
    code.give(0)
    emit_entry(code, move.name)
    return str(code.function.module)
