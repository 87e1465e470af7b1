# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD's `v_mfma` with one block of 32 x 32 or 16 x 16 results.

Source: AMD Instinct MI300 instruction set, section 7 (matrix core instructions).
"""

from roller_mlir.hal.atoms.family import Family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, Fragment, Fragments, Shape, Step

LANES = 64


def mfma_fragments(shape: Shape, element_bytes: int) -> Fragments:
    """Return the lane maps.

    A lane holds neighbours of k of one row or column; the other lanes of that row or column hold the next ones. Of the
    result it holds one column: four neighbouring rows, every 8 rows (32 x 32).
    """
    m, n, k = shape
    groups = LANES // m
    own: tuple[Step, ...] = ((DEPTH, k // groups, 1),) if k > groups else ()
    runs: tuple[Step, ...] = ((ROW, m // (4 * groups), 4 * groups),) if m > 4 * groups else ()
    return Fragments(
        tile=shape,
        lanes=LANES,
        first=Fragment(((ROW, m, 1), (DEPTH, groups, k // groups)), own),
        second=Fragment(((COLUMN, n, 1), (DEPTH, groups, k // groups)), own),
        result=Fragment(((COLUMN, n, 1), (ROW, groups, 4)), ((ROW, 4, 1), *runs)),
    )


def _exists(shape: Shape, element_bytes: int) -> bool:
    m, n, k = shape
    return m == n and m in (16, 32) and k % (LANES // m) == 0


MFMA = Family(
    name="mfma",
    lanes=LANES,
    factor_types=("f16", "bf16", "f32", "i8"),
    exists=_exists,
    lane_maps=mfma_fragments,
    packed_bytes=16,
    independent=True,
    machine_code="v_s?mfmac?_",
)
