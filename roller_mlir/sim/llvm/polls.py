# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notes what each turn of a spin loop of the LLVM level looks at, for the report of a deadlock (`gpu/polls`).

%now = load atomic i32, ptr addrspace(1) %p monotonic, align 4
%more = icmp slt i32 %now, %target
br i1 %more, label %loop, label %done
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from roller_mlir.sim.engine.layout import NEGATED, SWAPPED
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.text.instruction import LlvmInstruction
from roller_mlir.sim.llvm.text.types import size_bits

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""In the order of arith's numbers."""

_PREDICATE = re.compile(r"%\S+ = icmp (?:samesign )?(\w+) i\d+ ")
_CONVERTS = ("zext", "sext", "trunc", "freeze", "extractvalue")
_MOST_STEPS = 16


@dataclass(frozen=True)
class LoopPolls:
    """Finds what a loop looks at.

    Attributes:
        defined: By the names of values, the instructions that give them.
    """

    defined: Mapping[str, LlvmInstruction]

    def _made_by(self, value: str, opcode: str) -> LlvmInstruction | None:
        found = self.defined.get(value)
        return found if found and found.opcode == opcode else None

    def _read_behind(self, value: str) -> tuple[str, str] | None:
        """Return the type and value of the pointer that a value was read from, through conversions."""
        for _ in range(_MOST_STEPS):
            one = self.defined.get(value)
            if one is None:
                return None
            if one.opcode in ("load", "atomicrmw", "cmpxchg"):
                return one.operands[0]
            if one.opcode not in _CONVERTS or (one.opcode == "extractvalue" and not one.line.endswith(", 0")):
                return None
            value = one.operands[0][1]
        return None

    def lines(self, condition: str, negated: bool, site: int, fresh: Callable[[], str]) -> list[str]:
        """Return what notes a turn of the loop; nothing where the condition is not known.

        Args:
            condition: The i1 by which the loop goes on.
            negated: Whether it goes on where that does not hold.
            site: The loop's.
            fresh: Gives new names.
        """
        one = self._made_by(condition, "icmp")
        found = _PREDICATE.match(one.line) if one else None
        if one is None or found is None:
            return []
        relation, ((kind, left), (_, right)) = PREDICATES.index(found[1]), one.operands
        width = size_bits(kind) or 0
        difference = self._made_by(left, "sub")
        if difference is not None and right == "0":
            left, right = (value for _, value in difference.operands)
        elif self._read_behind(left) is None:
            left, right, relation = right, left, SWAPPED[relation]
        place = self._read_behind(left)
        if place is None or width % 8 or width > 64:
            return []
        pointer, (address, *wide) = place, (fresh() for _ in range(3))
        lines = [f"{address} = ptrtoint {pointer[0]} {pointer[1]} to i64"]
        for name, value in zip(wide, (left, right), strict=True):
            narrow = f"sext {kind} {value} to i64" if width < 64 else f"add i64 {value}, 0"
            lines.append(f"{name} = {narrow}")
        numbers = (site, address, width // 8, *wide, NEGATED[relation] if negated else relation)
        operands = ", ".join(f"i64 {one}" for one in ("%roller.block", *numbers))
        return [*lines, f"call void @{PREFIX}poll({operands})"]
