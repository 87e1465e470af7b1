# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow, functions and scalars around linalg ops: calls, loops, conditions, assertions, globals."""
