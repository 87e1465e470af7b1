# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dimension of images lies innermost."""
