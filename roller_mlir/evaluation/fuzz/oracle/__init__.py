# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second opinion of the numpy reference: IREE on this processor."""
