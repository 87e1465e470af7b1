# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs in processes that may die, here or on a Ray cluster."""
