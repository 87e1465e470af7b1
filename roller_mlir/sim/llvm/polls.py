# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notes what each turn of a spin loop of the LLVM level looks at, for the report of a deadlock (`gpu/polls`).

%now = load atomic i32, ptr addrspace(1) %p monotonic, align 4
%more = icmp slt i32 %now, %target
br i1 %more, label %loop, label %done
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.memory import parse_access
from roller_mlir.sim.llvm.types import size_bits

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""In the order of arith's numbers."""

_COMPARISON = re.compile(r"icmp (?:samesign )?(\w+) (i\d+) ([^\s,]+), (\S+)")
_CONVERSION = re.compile(
    r"(?:zext|sext|trunc)(?: \w+)* i\d+ (\S+) to i\d+|extractvalue .* ([^\s,]+), 0$|freeze i\d+ (\S+)"
)
_DIFFERENCE = re.compile(r"sub (?:nuw |nsw )*i\d+ ([^\s,]+), (\S+)")
_SWAPPED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
_NEGATED = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
_MOST_STEPS = 16


@dataclass(frozen=True)
class LoopPolls:
    """Finds what a loop looks at.

    Attributes:
        defined: By the names of values, the instructions that give them, as the kernel spells them.
    """

    defined: dict[str, str]

    @classmethod
    def of(cls, body: Iterable[tuple[int, str]]) -> "LoopPolls":
        """Read a kernel's instructions."""
        lines = (line.strip().partition(" = ") for _, line in body)
        return cls({name: rest for name, equals, rest in lines if equals and name.startswith("%")})

    def _read_behind(self, value: str) -> tuple[str, str] | None:
        """Type and value of the pointer that a value was read from, through conversions."""
        for _ in range(_MOST_STEPS):
            text = self.defined.get(value, "")
            if text.startswith(("load ", "atomicrmw ", "cmpxchg ")):
                access = parse_access(f"{value} = {text}")
                if access is None:
                    return None
                return (f"ptr addrspace<{access.space}>" if access.space else "ptr"), access.pointer
            found = _CONVERSION.match(text)
            if found is None:
                return None
            value = found[1] or found[2] or found[3]
        return None

    def lines(self, condition: str, negated: bool, site: int, fresh: Callable[[], str]) -> list[str]:
        """Return what notes a turn of the loop; nothing where the condition is not known.

        Args:
            condition: The i1 by which the loop goes on.
            negated: Whether it goes on where that does not hold.
            site: The loop's.
            fresh: Gives new names.
        """
        found = _COMPARISON.match(self.defined.get(condition, ""))
        if found is None or found[1] not in PREDICATES:
            return []
        relation, kind, (left, right) = PREDICATES.index(found[1]), found[2], (found[3], found[4])
        width = size_bits(kind) or 0
        difference = _DIFFERENCE.match(self.defined.get(left, ""))
        if difference is not None and right == "0":
            left, right = difference.groups()
        elif self._read_behind(left) is None:
            left, right, relation = right, left, _SWAPPED[relation]
        place = self._read_behind(left)
        if place is None or width % 8 or width > 64:
            return []
        pointer, (address, *wide) = place, (fresh() for _ in range(3))
        lines = [f"{address} = ptrtoint {pointer[0]} {pointer[1]} to i64"]
        for name, value in zip(wide, (left, right), strict=True):
            narrow = f"sext {kind} {value} to i64" if width < 64 else f"add i64 {value}, 0"
            lines.append(f"{name} = {narrow}")
        numbers = (site, address, width // 8, *wide, _NEGATED[relation] if negated else relation)
        operands = ", ".join(f"i64 {one}" for one in ("%roller.block", *numbers))
        return [*lines, f"call void @{PREFIX}poll({operands})"]
