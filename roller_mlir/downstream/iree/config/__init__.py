# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our tiles for IREE's code generator: in the program that it compiles, or as a file for plain `iree-compile`."""
