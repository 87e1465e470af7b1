# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `roller`, one a file."""
