# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of operators: where they lie, and how their rows are read."""
