# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors read and written at positions that are computed or data."""
