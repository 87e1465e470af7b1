# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores of a task's results: from registers, turned there, or through workgroup memory."""
