# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atoms: what each family of instructions is, one record a file, or two where one is the other's neighbour.

Whoever needs to know something of a family asks its record (`atom_family`); nobody compares names. A new shape of a
family is an entry in a device's file, if the family's rule of shapes (`Family.exists`) has it. A new family is a record
in a file of this folder: nothing lists them. How it is emitted and simulated stands in docs/architecture.md.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import MappingProxyType

from roller_mlir.hal.atoms.family import Factors, Family
from roller_mlir.hal.checks import require, require_member
from roller_mlir.hal.instructions import Instruction

__all__ = ["ATOMS", "FAMILIES", "MATRIX_FAMILIES", "Factors", "Family", "atom_family", "check_instruction"]


def _records() -> Iterator[Family]:
    """Yield the records of this folder's files."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found = vars(importlib.import_module(module.name)).values()
        yield from (one for one in found if isinstance(one, Family))


ATOMS = MappingProxyType({one.name: one for one in sorted(_records(), key=lambda one: (one.has_shape, one.name))})
"""Each family's record by its name; those of one thread and one point or two come first."""
FAMILIES = tuple(ATOMS)
"""All families of instructions."""
MATRIX_FAMILIES = tuple(name for name, one in ATOMS.items() if one.is_matrix)
"""Those that a matrix unit executes."""


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


def check_instruction(one: Instruction) -> None:
    """Raise a DeviceError unless an instruction of a device is of a family, and has what that family's have."""
    require_member("family", one.family, FAMILIES)
    family = atom_family(one.family)
    rule = f"must be {'given' if family.has_shape else 'left out'} for family '{one.family}'"
    require(bool(one.shape) == family.has_shape, "shape", rule)
    rule = f"must be above 1 for a matrix only, but got {one.threads}"
    require(one.is_matrix == family.is_matrix, "threads", rule)
