# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What comes from strangers: files are read within bounds, and names are printed without control characters."""
