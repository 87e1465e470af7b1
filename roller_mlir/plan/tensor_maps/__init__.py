# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: what NVIDIA's tensor copies must know of an array."""
