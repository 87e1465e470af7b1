# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How tiles lie in workgroup memory and how threads read them."""
