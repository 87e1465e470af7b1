# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measurement kits: what goes to a machine with a GPU."""
