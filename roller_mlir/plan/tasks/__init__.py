# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which task of a plan computes what: the raster, tiles that one walks, points that one leaves out."""
