# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a vendor's intrinsic, as its expansion sees it, and what expansions may ask of the kernel around them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from roller_mlir.sim.matrix.units import SubgroupOperation

HELPER = "roller_llvm_"
"""Prefix of the functions that are compiled with each kernel at this level."""


class UnknownIntrinsicError(Exception):
    """What was called has no meaning in the simulator; the text says what."""


class EnclosingKernel(Protocol):
    """The kernel around an instruction, as far as an expansion may use it."""

    @property
    def copies(self) -> bool:
        """Whether threads of the kernel copy asynchronously, as far as is known."""
        ...

    def use_copies(self) -> None:
        """Note that they do."""
        ...

    def use_async_units(self) -> None:
        """Note that the kernel has what goes on beside its threads (`hopper_layout`)."""
        ...

    @property
    def subgroup_size(self) -> int:
        """Lanes of a subgroup."""
        ...

    def site(self) -> int:
        """Number the instruction; one that waits needs it."""
        ...

    def fresh(self) -> str:
        """Return a new name of a value."""
        ...

    def emitted(self, instruction: str) -> tuple[str, str]:
        """Return a new name and the line that gives it an instruction's result; checks know where it points."""
        ...

    def check(self, pointer: str, size: str, alignment: int, when: str = "true") -> list[str]:
        """Return checks that an access is inside what its address comes from, and aligned.

        Args:
            pointer: Type and value.
            size: In bytes, an i64.
            alignment: In bytes.
            when: An i1: whether it is accessed at all.
        """
        ...

    def aligned(self, pointer: str, alignment: int) -> list[str]:
        """Return the check that an address is a multiple of `alignment`."""
        ...

    def memory(self, start_bytes: int, size_bytes: int) -> str:
        """Return a ptr to a part of the thread's own memory, which all instructions share; it is aligned to 16 B.

        The ptr with `.address` behind it is the address, an i64.
        """
        ...

    def define(self, key: str, text: str) -> None:
        """Compile functions with the kernel, once for a key."""
        ...

    def provide(self, operation: SubgroupOperation) -> None:
        """Note an operation of whole subgroups that is called."""
        ...


@dataclass(frozen=True, kw_only=True)
class IntrinsicCall:
    """A call of an intrinsic.

    Attributes:
        callee: Without the sigil.
        result: Name of the result, "" for none.
        kind: LLVM type of the result.
        operands: Type and value of each.
        kernel: The kernel around it.
    """

    callee: str
    result: str
    kind: str
    operands: tuple[tuple[str, str], ...]
    kernel: EnclosingKernel

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
        value = {"true": "1", "false": "0"}.get(self.value(number), self.value(number))
        if not re.fullmatch(r"-?\d+", value):
            raise UnknownIntrinsicError(f"'{self.callee}' whose operand {number} is not constant")
        return int(value)


Expansion = Callable[[IntrinsicCall], list[str]]
