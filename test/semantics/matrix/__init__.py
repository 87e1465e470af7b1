# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix units: results, orders, and mistakes that are found."""
