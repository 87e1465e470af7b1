# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PolyDL's model of caches: working sets of a tiled loop nest, the caches that hold them, and what that costs."""
