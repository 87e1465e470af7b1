# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's `wgmma`: four subgroups together, 16 rows each, with factors in workgroup memory.

Source: PTX ISA, "Register Fragments for wgmma".
"""

from roller_mlir.hal.atoms.family import Factors, Family
from roller_mlir.hal.atoms.fragments import COLUMN, NOTHING, ROW, Fragment, Fragments, Shape, Step

SUBGROUPS, ROWS = 4, 64


def wgmma_fragments(shape: Shape, element_bytes: int) -> Fragments:
    """Return the lane maps of one of the four subgroups."""
    _, n, k = shape
    columns: tuple[Step, ...] = ((COLUMN, n // 8, 8),) if n > 8 else ()
    result = Fragment(((COLUMN, 4, 2), (ROW, 8, 1)), ((COLUMN, 2, 1), (ROW, 2, 8), *columns))
    return Fragments(tile=(ROWS // SUBGROUPS, n, k), lanes=32, first=NOTHING, second=NOTHING, result=result)


def _exists(shape: Shape, element_bytes: int) -> bool:
    m, n, _ = shape
    return m == ROWS and 0 < n <= 256 and n % 8 == 0


WGMMA = Family(
    name="wgmma",
    lanes=32,
    subgroups=SUBGROUPS,
    factor_types=("f16", "bf16", "tf32", "i8"),
    exists=_exists,
    lane_maps=wgmma_fragments,
    factors=Factors.MEMORY,
    ptx=r"wgmma\.mma_async",
    machine_code=r"[HIBDQ]GMMA\b",
)
