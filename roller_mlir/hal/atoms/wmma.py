# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's `wmma`, whose fragments are opaque: whole matrices are loaded and stored.

Results pass workgroup memory once, to lanes that hold what is said here. Source: PTX ISA, "wmma".
"""

from roller_mlir.hal.atoms.family import Factors, Family
from roller_mlir.hal.atoms.fragments import COLUMN, NOTHING, ROW, Fragment, Fragments, Shape

LANES = 32
SIDE = 16
"""Rows, columns and reduction length."""
BASE_BYTES = 32
"""What the address of a matrix must be a multiple of."""


def wmma_fragments(shape: Shape, element_bytes: int) -> Fragments:
    """Return how results are spread after they passed workgroup memory: a row of two neighbours a lane."""
    m, n, _ = shape
    across = n // 2
    down = LANES // across
    result = Fragment(((COLUMN, across, 2), (ROW, down, 1)), ((COLUMN, 2, 1), (ROW, m // down, down)))
    return Fragments(tile=shape, lanes=LANES, first=NOTHING, second=NOTHING, result=result)


def _exists(shape: Shape, element_bytes: int) -> bool:
    return shape == (SIDE, SIDE, SIDE)


WMMA = Family(
    name="wmma",
    lanes=LANES,
    factor_types=("f16",),
    exists=_exists,
    lane_maps=wmma_fragments,
    factors=Factors.WHOLE,
    base_bytes=BASE_BYTES,
    scratch_padding=4,
    # Read off the code that ptxas makes of one with f32 sums.
    machine_pieces=((80, 2), (75, 4), (70, 16)),
    ptx=r"wmma\.mma\.",
    machine_code=r"HMMA\b",
)
