# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops of a nest are one: those that every tensor runs through contiguously, one behind the other.

Loop b follows loop a where both are parallel or both are reductions and each operand is indexed by a alone and, in its
next dimension, by b alone, or by neither of them. Dimensions of extent 1 do not count. A dimension that follows must
lie dense in memory, so it may not be padded. Paper: ROLLER section 3.2 (axis fusion).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

Groups = list[list[int]]


@dataclass(frozen=True)
class OperandIndexing:
    """How a tensor is indexed.

    Attributes:
        dimensions: Per dimension, the loop that indexes it alone, None where anything else does.
        occurrences: All loops in the order in which its indices name them, repetitions included.
        dense: Per dimension, whether it may follow another one: its loop runs over the whole of it, without padding.
        flat: Per dimension, whether it has extent 1.
    """

    dimensions: tuple[int | None, ...]
    occurrences: tuple[int, ...]
    dense: tuple[bool, ...]
    flat: tuple[bool, ...]

    @classmethod
    def plain(cls, *dimensions: int) -> "OperandIndexing":
        """Return a tensor that is indexed by one loop a dimension, all of it."""
        return cls(dimensions, dimensions, (True,) * len(dimensions), (False,) * len(dimensions))

    def allows(self, first: int, second: int) -> bool:
        """Return whether the second loop follows the first one here, or neither occurs."""
        if first not in self.occurrences and second not in self.occurrences:
            return True
        for loop in (first, second):
            if self.occurrences.count(loop) != 1 or loop not in self.dimensions:
                return False
        low, high = self.dimensions.index(first), self.dimensions.index(second)
        return low < high and self.dense[high] and all(self.flat[low + 1 : high])


def fusible_groups(
    operands: Sequence[OperandIndexing], kinds: Sequence[str], skipped: Sequence[int] = (), alone: Collection[int] = ()
) -> Groups:
    """Return the loops in groups to fuse, each group from its slowest loop to its fastest.

    Args:
        operands: The tensors.
        kinds: Kind of each loop; only loops of one kind are fused.
        skipped: Loops that stand in no group.
        alone: Loops that are fused with no other.

    >>> fusible_groups([OperandIndexing.plain(0, 1, 2), OperandIndexing.plain(2)], ["parallel"] * 3)
    [[0, 1], [2]]
    >>> fusible_groups([OperandIndexing.plain(1, 0)], ["parallel"] * 2)
    [[1, 0]]
    """
    named = {loop for operand in operands for loop in operand.occurrences}
    loops = [loop for loop in range(len(kinds)) if loop not in skipped]
    following = {
        first: second
        for first in loops
        for second in loops
        if first != second and kinds[first] == kinds[second] and first in named
        if first not in alone and second not in alone
        if all(each.allows(first, second) for each in operands)
    }
    groups: Groups = []
    for start in loops:
        if start in following.values():
            continue
        group = [start]
        while group[-1] in following:
            group.append(following[group[-1]])
        groups.append(group)
    return sorted(groups, key=min)
