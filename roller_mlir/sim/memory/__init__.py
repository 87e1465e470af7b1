# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of one launch: the kernel's arguments, what compiled code works on, and the sanitizer's shadow."""
