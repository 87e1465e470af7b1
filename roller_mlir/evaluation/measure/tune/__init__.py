# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates, measured winners, and their data base."""
