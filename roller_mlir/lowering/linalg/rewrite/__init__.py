# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops that become other linalg ops."""
