# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp-specialised kernels: tensor copies, mbarriers and wgmma."""
