# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What frozen records of all kinds have in common: as JSON, as keys, with numbers that no float holds."""
