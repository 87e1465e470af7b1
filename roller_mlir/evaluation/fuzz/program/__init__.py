# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random program as data, and as MLIR text."""
