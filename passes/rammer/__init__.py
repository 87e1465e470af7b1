# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of the dialect `rammer`: from kernels of a graph to a persistent kernel."""
