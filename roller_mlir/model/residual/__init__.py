# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What measurements say beside the model: small boosted trees over its terms, kept as numbers, and when they count."""
