# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/peers.md"""
def page(found): return ""
