# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole graphs: what the tasks of programs touch, and the persistent kernel that runs them on a schedule."""
