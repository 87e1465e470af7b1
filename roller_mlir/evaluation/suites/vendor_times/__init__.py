# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published times of others, read from their files, beside what the model predicts: the suite "vendor-times"."""
