# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions rewritten before they are planned: axes joined, reductions divided, starts of slices forgotten."""
