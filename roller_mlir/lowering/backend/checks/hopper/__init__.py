# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constant parts of tensor copies and matrix descriptors in PTX, compared with the rules of the hardware."""
