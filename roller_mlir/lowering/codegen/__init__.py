# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code generation: from hierarchical tiled loops to kernels, and from kernels to binaries (`backend`)."""
