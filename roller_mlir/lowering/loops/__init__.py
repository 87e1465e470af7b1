# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A planned group as loops of the rtile dialect, and those loops read back."""
