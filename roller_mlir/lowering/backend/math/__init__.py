# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions and sums of products as the vendors' libraries and instructions have them."""
