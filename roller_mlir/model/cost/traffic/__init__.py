# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan moves, and how: bytes, sectors, bank phases."""
