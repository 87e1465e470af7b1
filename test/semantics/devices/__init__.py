# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same programs on each device: results, reports, counts."""
