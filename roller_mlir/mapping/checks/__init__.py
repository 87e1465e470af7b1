# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan must keep to, and the code that it expects."""
