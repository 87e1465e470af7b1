# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes defined in Python, and pipelines of them and of upstream."""
