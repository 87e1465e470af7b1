# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose devices can be described, and for whose code is generated; the family of a new target adds its own."""

_COMPILES = {"nvidia": True, "amd": True, "cpu": True, "graphcore": False}


def register_vendor(name: str) -> None:
    """Make devices of a vendor known, for which code is generated."""
    _COMPILES[name] = True


def vendors() -> tuple[str, ...]:
    """Return the vendors whose devices can be described; some are for the construction and its model only."""
    return tuple(_COMPILES)


def compiling_vendors() -> tuple[str, ...]:
    """Return the vendors for whose devices code is generated."""
    return tuple(name for name, compiles in _COMPILES.items() if compiles)
