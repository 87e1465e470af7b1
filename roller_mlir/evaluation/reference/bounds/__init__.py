# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a right result may be from the exact one, element by element."""
