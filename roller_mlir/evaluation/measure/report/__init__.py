# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured, as figures and tables."""
