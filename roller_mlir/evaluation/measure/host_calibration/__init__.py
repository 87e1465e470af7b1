# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The running machine's constants, measured by small kernels: clock, ports, caches, packing, what is hidden."""
