# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atoms: what each family of instructions is, one record a file.

Whoever needs to know something of a family asks its record (`atom_family`); nobody compares names. A new shape of a
family is an entry in a device's file, if the family's rule of shapes (`Family.exists`) has it. What a
new family touches stands in docs/architecture.md.
"""

from types import MappingProxyType

from roller_mlir.mapping.atoms.family import Factors, Family
from roller_mlir.mapping.atoms.mfma import MFMA
from roller_mlir.mapping.atoms.mma import MMA
from roller_mlir.mapping.atoms.scalar import FMA, PACKED_FMA
from roller_mlir.mapping.atoms.vectors import AMX, DOT
from roller_mlir.mapping.atoms.wgmma import WGMMA
from roller_mlir.mapping.atoms.wmma import WMMA

__all__ = ["ATOMS", "Factors", "Family", "atom_family"]

ATOMS = MappingProxyType({one.name: one for one in (FMA, PACKED_FMA, MMA, MFMA, WMMA, WGMMA, DOT, AMX)})
"""Each family's record by its name."""


def atom_family(name: str) -> Family:
    """Return the record of a family.

    Args:
        name: As a device's file and a plan spell it.

    Raises:
        ValueError: There is no such family.

    >>> atom_family("wgmma").subgroups
    4
    """
    found = ATOMS.get(name)
    if found is None:
        raise ValueError(f"families of instructions are {', '.join(ATOMS)}, but got '{name}'")
    return found
