# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the emitters of kernels share: operations, thread positions, fragments, layouts, inline assembly."""
