# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes of a run, one of which may die with its device, and what they leave on disk."""
