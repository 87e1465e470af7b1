# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg ops that become one kernel, and the tensor expression that they make."""
