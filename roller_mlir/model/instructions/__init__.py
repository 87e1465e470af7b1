# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions for an expression: which of a device's can compute it, and one placed on its loops."""
