# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a persistent kernel writes at the end of its state, and how that reads."""
