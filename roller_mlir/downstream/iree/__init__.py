# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts in programs of IREE: what its compiler takes, and its runtime executes with our kernels inside."""

from roller_mlir.downstream.iree.compiler import compile_program
from roller_mlir.downstream.iree.program import iree_program
from roller_mlir.downstream.iree.tools import IreeError

__all__ = ["IreeError", "compile_program", "iree_program"]
