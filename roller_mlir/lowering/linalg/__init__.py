# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg on tensors, read and rewritten: what a program of the compiler is made of. Nothing here emits kernels."""
