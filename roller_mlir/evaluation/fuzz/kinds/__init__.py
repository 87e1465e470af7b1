# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, a kind a file."""
