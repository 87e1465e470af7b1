# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps, mbarriers, asynchronous copies and warpgroup products."""
