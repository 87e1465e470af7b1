# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of programs that are constructed: one kind a module."""
