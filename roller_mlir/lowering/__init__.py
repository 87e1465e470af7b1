# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From linalg to binaries: each package rewrites or lowers what the one before it gave."""
