# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that one thread packs into memory of the task."""
