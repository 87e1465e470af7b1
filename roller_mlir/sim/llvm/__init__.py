# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from the LLVM IR that the vendors' compilers get."""
