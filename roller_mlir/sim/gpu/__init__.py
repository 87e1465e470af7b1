# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of kernel IR as LLVM IR for this processor."""
