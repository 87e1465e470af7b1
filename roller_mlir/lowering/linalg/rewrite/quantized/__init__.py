# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of integers of 8 bits as quantizers write them: what is multiplied, stored and scaled where."""
