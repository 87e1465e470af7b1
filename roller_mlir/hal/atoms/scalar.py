# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of one thread: a multiply-add, and two of them on the halves of a register or a pair of registers."""

from roller_mlir.hal.atoms.family import Family
from roller_mlir.hal.instructions import Instruction

FMA = Family(name="fma")
PACKED_FMA = Family(name="packed_fma", points=2)


def is_multiply_add(one: Instruction) -> bool:
    """Return whether an instruction is the multiply-add of f32 of one thread."""
    return one.family == FMA.name and one.operand_type == one.result_type == "f32"
