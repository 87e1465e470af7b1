# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of an LLVM IR module: what stands in it, and what is known of it."""
