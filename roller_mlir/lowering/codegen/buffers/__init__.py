# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers of a function: the order of their accesses, where they lie, and whether a device's memory holds them."""
