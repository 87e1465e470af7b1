# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by the instructions of CPUs on narrow factors: sums of pairs or fours in lanes, and tile registers."""
