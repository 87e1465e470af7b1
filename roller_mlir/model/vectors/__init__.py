# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planning for devices of vectors and caches: register tiles of vectors, and what moves between the layers."""
