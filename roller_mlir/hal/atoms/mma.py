# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's `mma.sync` with 8 columns and 32-bit results. Source: PTX ISA, "Matrix Fragments for mma"."""

from roller_mlir.hal.atoms.family import Factors, Family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, Fragment, Fragments, Shape, Step


def mma_fragments(shape: Shape, element_bytes: int) -> Fragments:
    """Return the lane maps: a lane holds 4 neighbouring bytes of k, once or several times.

    >>> mma_fragments((16, 8, 16), 2).first.offset(3)
    {'k': 1, 'm': 8}
    >>> mma_fragments((16, 8, 16), 2).result.place(5)
    {'n': 2, 'm': 1}
    """
    m, n, k = shape
    near = max(1, 4 // element_bytes)
    pairs: tuple[Step, ...] = ((DEPTH, near, 1),) if near > 1 else ()
    far: tuple[Step, ...] = ((DEPTH, k // (4 * near), 4 * near),) if k > 4 * near else ()
    halves: tuple[Step, ...] = ((ROW, m // 8, 8),)
    return Fragments(
        tile=shape,
        lanes=32,
        first=Fragment(((DEPTH, 4, near), (ROW, 8, 1)), (*pairs, *halves, *far)),
        second=Fragment(((DEPTH, 4, near), (COLUMN, n, 1)), (*pairs, *far)),
        result=Fragment(((COLUMN, 4, 2), (ROW, 8, 1)), ((COLUMN, 2, 1), *halves)),
    )


def _exists(shape: Shape, element_bytes: int) -> bool:
    m, n, k = shape
    return m in (8, 16) and n == 8 and k * element_bytes in (16, 32)


MMA = Family(
    name="mma",
    lanes=32,
    factor_types=("f16", "bf16", "tf32", "i8"),
    exists=_exists,
    lane_maps=mma_fragments,
    factors=Factors.PIECES,
    ptx=r"mma\.sync",
    machine_code=r"[HIBDQ]MMA\b",
)
