# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index arithmetic, data tiles, thread maps and bank phases: what the model predicts from and code generation emits."""
