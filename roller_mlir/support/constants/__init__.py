# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The elements of constant tensors: as arrays, as bytes, as resources of the context."""
