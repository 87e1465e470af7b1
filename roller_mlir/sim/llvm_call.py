# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a vendor's intrinsic, as its expansion sees it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

HELPER = "roller_llvm_"
"""Prefix of the functions that are compiled with each kernel at this level."""


class UnknownIntrinsicError(Exception):
    """What was called has no meaning in the simulator; the text says what."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of an intrinsic.

    Attributes:
        callee: Without the sigil.
        result: Name of the result, "" for none.
        kind: LLVM type of the result.
        operands: Type and value of each.
        subgroup_size: Lanes.
        site: Numbers the call; a call that waits needs it.
        fresh: Gives a new name.
    """

    callee: str
    result: str
    kind: str
    operands: tuple[tuple[str, str], ...]
    subgroup_size: int
    site: Callable[[], int]
    fresh: Callable[[], str]

    def value(self, number: int) -> str:
        """Return an operand's value."""
        return self.operands[number][1]

    def constant(self, number: int) -> int:
        """Return an operand that must be a constant."""
        value = {"true": "1", "false": "0"}.get(self.value(number), self.value(number))
        if not re.fullmatch(r"-?\d+", value):
            raise UnknownIntrinsicError(f"'{self.callee}' whose operand {number} is not constant")
        return int(value)


Expansion = Callable[[Call], list[str]]
