# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read what is before a reshape."""
