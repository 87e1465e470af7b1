# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads that may lie outside of a tensor: what is known of them, what is asked, and what is left out."""
