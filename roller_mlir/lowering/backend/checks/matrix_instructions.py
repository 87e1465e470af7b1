# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions in PTX and machine code, told by their names, which stand in the records of their families.

One instruction of PTX is one of machine code, but for families whose record says otherwise.
"""

import re
from collections.abc import Iterable

from roller_mlir.hal.atoms import ATOMS, atom_family
from roller_mlir.plan.sm_architecture import sm_number


def _beginnings(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(name for name in names if name))


_FAMILIES = [one for one in ATOMS.values() if one.is_matrix]
_NAMES = _beginnings(name for one in _FAMILIES for name in (one.ptx, one.machine_code))
_GROUP = _beginnings(name for one in _FAMILIES if one.reads_memory for name in (one.ptx, one.machine_code))
_PTX = _beginnings([r"ld\.param", *(one.ptx for one in _FAMILIES)])


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
    return _NAMES.match(name) is not None


def is_group(name: str) -> bool:
    """Return whether an instruction multiplies matrices of a group of four subgroups, and reads workgroup memory.

    >>> [is_group(name) for name in ("HGMMA.64x256x16.F32", "HMMA.16816.F32")]
    [True, False]
    """
    return _GROUP.match(name) is not None


def is_ptx(name: str) -> bool:
    """Return whether an instruction is one that kernels have in PTX only: it reads a parameter or multiplies matrices.

    >>> [is_ptx(name) for name in ("ld.param.u64", "mma.sync.aligned.m16n8k16.row.col.f32", "HMMA.16816.F32")]
    [True, True, False]
    """
    return _PTX.match(name) is not None


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
