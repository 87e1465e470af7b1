# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code generation: from hierarchical tiled loops to kernels, and from kernels to binaries (`backend`)."""

from roller_mlir.mapping.atoms import ATOMS

FAMILIES = tuple(ATOMS)
"""Families of instructions that code is generated for; plans with others are predicted and explained only."""
