# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Others who compute an item, to be checked and timed like ours."""
