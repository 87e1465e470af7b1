# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The construction: aligned tiles, enlarged by reuse score (ROLLER, section 3)."""
