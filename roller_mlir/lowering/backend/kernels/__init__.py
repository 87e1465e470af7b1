# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as modules of MLIR, before LLVM: what all lowerings share, and what kernels carry and are given."""
