# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of CPUs that multiply narrow factors: into each lane of a vector, or into tiles of sums.

`dot` sums in each lane of 32 bits as many products as fit into 32 bits: two of bf16 (`vdpbf16ps`), four of i8
(`vpdpbusd`). One factor is the same for all lanes; of the other, what a lane sums lies together, so that rows of it are
packed interleaved by pairs or by fours.

`amx` sums products of a tile of at most 16 rows of 64 bytes and one of 16 rows that lie so interleaved, in tile
registers of at most 16 rows of 16 sums (`tdpbf16ps`, `tdpbssd`).

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, VDPBF16PS, VPDPBUSD, TDPBF16PS, TDPBSSD;
volume 1, chapter 18 (AMX).
"""

from collections.abc import Iterator
from math import prod

from roller_mlir.hal.atoms.family import Family, VectorProduct, VectorTile, VectorTiles, VectorTileStep
from roller_mlir.hal.atoms.fragments import Shape
from roller_mlir.hal.instructions import Instruction

LANE_BYTES = 4
"""Of a sum, and of the factors that make it."""
TILE_ROWS, TILE_BYTES = 16, 64
MOST_TILES = 2
"""Tiles of sums down and across a task: four of eight tile registers, beside two of each factor."""
_AMX_LATENCY_CYCLES = 52.0
"""From one product into a tile of sums to the next (Intel 248966, chapter on AMX)."""
_SPARE_REGISTERS, _MOST_VECTORS, _MOST_ROWS = 4, 4, 16
_LEAST_ROWS, _LEAST_BYTES = 4, 16
"""Of a tile that is worth its registers."""


def _dot_exists(shape: Shape, element_bytes: int) -> bool:
    rows, lanes, depth = shape
    return rows == 1 and lanes in (8, 16) and depth * element_bytes == LANE_BYTES


def _amx_exists(shape: Shape, element_bytes: int) -> bool:
    rows, columns, depth = shape
    size = depth * element_bytes
    return (
        1 <= rows <= TILE_ROWS
        and columns == TILE_BYTES // LANE_BYTES
        and LANE_BYTES <= size <= TILE_BYTES
        and (size % LANE_BYTES == 0)
    )


def _dot_tiles(product: VectorProduct, one: Instruction) -> Iterator[VectorTile]:
    """Yield tiles of rows x vectors whose sums fit into registers."""
    width, near = one.shape[1], LANE_BYTES // product.element_bytes
    if product.rows_packed or product.depth % near:
        return
    across = -(-product.columns // width)
    for vectors in range(1, min(_MOST_VECTORS, across) + 1):
        most = max(1, min(_MOST_ROWS, (product.registers - _SPARE_REGISTERS) // vectors))
        for rows in sorted({n for n in range(1, most + 1) if product.rows % n == 0 or n in (most, 4, 6, 8)}):
            if rows <= product.rows:
                yield VectorTile((1, width, near), rows, vectors)


def _dot_step(product: VectorProduct, one: Instruction, tile: VectorTile) -> VectorTileStep:
    """Return what a group of the reduction takes."""
    cycles = 2 * prod(tile.shape) / one.flops_per_cycle_per_unit
    signed = product.element_bytes == 1
    instructions = tile.rows * tile.vectors + (tile.vectors if signed else 0)
    own = tile.rows / 2 if signed else 0.0
    return VectorTileStep(instructions * cycles + own, tile.rows + tile.vectors)


def _amx_tiles(product: VectorProduct, one: Instruction) -> Iterator[VectorTile]:
    """Yield tiles of registers that lie inside of the rows as a whole, or of rows that are packed: whole registers."""
    size, width = product.element_bytes, one.shape[1]
    if not (product.rows_inside or product.rows_packed):
        return
    depths = [n for n in range(TILE_BYTES // size, 0, -1) if product.depth % n == 0 and n * size % LANE_BYTES == 0]
    if not depths or depths[0] * size < _LEAST_BYTES:
        return
    across = -(-product.columns // width)
    most = min(TILE_ROWS, product.rows)
    least = most if product.rows_packed else _LEAST_ROWS
    for rows in range(max(least, _LEAST_ROWS), most + 1):
        for down in range(1, MOST_TILES + 1):
            if rows * down > product.rows or (product.rows % (rows * down) and not product.rows_packed):
                continue
            for vectors in range(1, min(MOST_TILES, across) + 1):
                yield VectorTile((rows, width, depths[0]), rows * down, vectors)


def _amx_step(product: VectorProduct, one: Instruction, tile: VectorTile) -> VectorTileStep:
    """Return what a step takes; a tile's instruction takes a cycle for each of its rows, however long they are."""
    rows, columns, _ = tile.shape
    cycles = 2 * rows * columns * (TILE_BYTES // product.element_bytes) / one.flops_per_cycle_per_unit
    step = max(tile.rows // rows * tile.vectors * cycles, _AMX_LATENCY_CYCLES)
    beside = 2.0 * tile.rows * tile.vectors
    return VectorTileStep(step, tile.rows + tile.vectors * TILE_ROWS, 0.0, beside)


DOT = Family(
    name="dot",
    vectors=VectorTiles(_dot_tiles, _dot_step),
    factor_types=("bf16", "i8"),
    exists=_dot_exists,
    machine_code=r"(?:vdpbf16ps|vpdpbusd)\b",
)
AMX = Family(
    name="amx",
    vectors=VectorTiles(_amx_tiles, _amx_step),
    factor_types=("bf16", "i8"),
    exists=_amx_exists,
    tile_registers=True,
    machine_code=r"(?:tdpbf16ps|tdpbssd)\b",
)
