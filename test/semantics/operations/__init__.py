# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of linalg, tensor and affine, one after the other."""
