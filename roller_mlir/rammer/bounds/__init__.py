# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no schedule of a graph's tasks comes below."""
