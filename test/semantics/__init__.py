# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole compilations against numpy: what is computed, not how."""
