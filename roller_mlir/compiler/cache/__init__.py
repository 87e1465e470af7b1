# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts of earlier compilations."""
