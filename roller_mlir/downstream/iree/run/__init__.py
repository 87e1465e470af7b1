# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of IREE: what they say of themselves, their functions called by `iree-run-module`, and results compared."""
