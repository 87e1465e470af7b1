# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes that others stand for, which say the same and which torch-mlir lowers as they are."""
