# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The caller's arguments: arrays of any library, numbers, and what the signature asks of them."""
