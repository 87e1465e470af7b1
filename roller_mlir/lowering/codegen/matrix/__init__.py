# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products on the matrix instructions of subgroups: mma, mfma and WMMA."""
