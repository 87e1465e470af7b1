# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPUs: kernels of one thread become functions of a range of tasks, and these objects and shared libraries."""
