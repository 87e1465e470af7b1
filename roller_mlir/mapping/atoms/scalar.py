# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of one thread: a multiply-add, and two of them on the halves of a register or a pair of registers."""

from roller_mlir.mapping.atoms.family import Family

FMA = Family(name="fma")
PACKED_FMA = Family(name="packed_fma", points=2)
