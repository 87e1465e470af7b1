# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several ops, joined into kernels or left apart."""
