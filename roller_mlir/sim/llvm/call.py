# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a vendor's intrinsic, as its expansion sees it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from roller_mlir.sim.llvm.context import InstructionContext
from roller_mlir.sim.llvm.text.instruction import LlvmInstruction


class UnknownIntrinsicError(Exception):
    """What was called has no meaning in the simulator; the text says what."""


@dataclass(frozen=True, kw_only=True)
class IntrinsicCall:
    """A call of an intrinsic.

    Attributes:
        match: The callee, without the sigil, as the pattern of the expansion found it.
        result: Name of the result, "" for none.
        kind: LLVM type of the result.
        operands: Type and value of each.
        instruction: The call, as it came.
        kernel: The kernel around it.
    """

    match: re.Match[str]
    result: str
    kind: str
    operands: tuple[tuple[str, str], ...]
    instruction: LlvmInstruction
    kernel: InstructionContext

    @property
    def callee(self) -> str:
        """What is called, without the sigil."""
        return self.match[0]

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup."""
        return self.kernel.subgroup_size

    def site(self) -> int:
        """Number the call; a call that waits needs it."""
        return self.kernel.site()

    def fresh(self) -> str:
        """Return a new name of a value."""
        return self.kernel.fresh()

    def value(self, number: int) -> str:
        """Return an operand's value."""
        return self.operands[number][1]

    def typed(self, number: int) -> str:
        """Return an operand's type and value."""
        return " ".join(self.operands[number])

    def constant(self, number: int) -> int:
        """Return an operand that must be a constant."""
        value = self.instruction.constant(number)
        if value is None:
            raise UnknownIntrinsicError(f"'{self.callee}' whose operand {number} is not constant")
        return value


Expansion = Callable[[IntrinsicCall], list[str]]
