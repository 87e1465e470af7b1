# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on devices, through the drivers of CUDA and HIP."""
