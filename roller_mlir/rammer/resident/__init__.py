# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of operands that stay in workgroup memory: which do, where they lie, and which vEU keeps each."""
