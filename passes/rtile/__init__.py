# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of the dialect `rtile`: from linalg on tensors to kernels."""
