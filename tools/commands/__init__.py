# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `roller`, each a file, or a folder with what it alone needs."""
