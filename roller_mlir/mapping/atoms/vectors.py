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

from roller_mlir.mapping.atoms.family import Family
from roller_mlir.mapping.atoms.fragments import Shape

LANE_BYTES = 4
"""Of a sum, and of the factors that make it."""
TILE_ROWS, TILE_BYTES = 16, 64
MOST_TILES = 2
"""Tiles of sums down and across a task: four of eight tile registers, beside two of each factor."""
_DESCRIPTION_BYTES = 128
"""Of tiles: ours, and that of others, which is restored."""


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


DOT = Family(name="dot", vectors=True, factor_types=("bf16", "i8"), exists=_dot_exists)
AMX = Family(name="amx", vectors=True, factor_types=("bf16", "i8"), exists=_amx_exists, memory_bytes=_DESCRIPTION_BYTES)
