# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that say in other words what arith, math and reshapes of tensors say."""
