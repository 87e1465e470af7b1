# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as programs: their linalg text, their tensor expression, and the same at small extents."""
