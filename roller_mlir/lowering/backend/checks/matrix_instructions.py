# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions in PTX and machine code, told by their names.

One instruction of PTX is one of machine code, but for families whose record says otherwise.
"""

import re
from collections.abc import Iterable

from roller_mlir.mapping.atoms import atom_family
from roller_mlir.plan.sm_architecture import sm_number

_PTX = ("mma.sync", "wmma.mma.", "wgmma.mma_async")
_SASS = re.compile(r"(?:[HIBDQ]G?MMA)\b")
_GROUP = re.compile(r"[HIQ]GMMA\b")
_GCN = re.compile(r"v_s?mfmac?_")


def matrix_count(instructions: Iterable[str]) -> int:
    """Count the matrix instructions of one subgroup."""
    return sum(is_matrix(name) for name in instructions)


def is_matrix(name: str) -> bool:
    """Return whether an instruction multiplies matrices.

    >>> [is_matrix(name) for name in ("HMMA.16816.F32", "v_mfma_f32_32x32x8_f16", "wgmma.mma_async.sync.aligned.m64")]
    [True, True, True]
    >>> [is_matrix(name) for name in ("HFMA2.MMA", "wgmma.fence.sync.aligned", "WARPGROUP.ARRIVE", "v_fma_f32")]
    [False, False, False, False]
    """
    return name.startswith(_PTX) or _SASS.match(name) is not None or _GCN.match(name) is not None


def is_group(name: str) -> bool:
    """Return whether an instruction multiplies matrices of a group of four subgroups, and reads workgroup memory.

    >>> [is_group(name) for name in ("HGMMA.64x256x16.F32", "HMMA.16816.F32")]
    [True, False]
    """
    return name.startswith("wgmma.mma_async") or _GROUP.match(name) is not None


def pieces(family: str, architecture: str, *, machine_code: bool) -> int:
    """Return how many instructions one matrix instruction of a plan becomes.

    Args:
        family: of the plan's instruction.
        architecture: such as "sm_80".
        machine_code: whether instructions of machine code are meant, not of PTX.

    >>> [pieces("wmma", chip, machine_code=True) for chip in ("sm_70", "sm_75", "sm_90a")]
    [16, 4, 2]
    """
    if not machine_code:
        return 1
    number = sm_number(architecture)
    return next((count for oldest, count in atom_family(family).machine_pieces if number >= oldest), 1)
