# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in files: those that users give, by program name, and the tuning data base of measured ones."""
