# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a result may be from the exact one: where kernels round, and what that adds up to."""
