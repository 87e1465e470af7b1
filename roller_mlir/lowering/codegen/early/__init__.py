# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels do before the launches that they depend on have ended."""
