# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a suite goes with each operator."""
