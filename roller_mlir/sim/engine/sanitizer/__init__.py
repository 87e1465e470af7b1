# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer: shadow memory, and the order of accesses."""
