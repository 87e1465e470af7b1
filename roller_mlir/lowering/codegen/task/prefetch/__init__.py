# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints of what is soon read, which a core does not fetch ahead by itself."""
