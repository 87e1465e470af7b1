# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alignment rules: what shapes of tiles the hardware and the tensors ask for, one rule a class.

Paper: ROLLER section 3.1. A rule restricts the size of a tile along one loop, the threads of a task, or both. A device
or an instruction adds a rule to the list; nothing else needs to know.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.hal import Device
from roller_mlir.model.tile import contiguous_loop
from roller_mlir.plan import TensorExpression


class AlignmentRule:
    """A condition on tiles. A rule that does not restrict an aspect allows everything there."""

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether a tile may have this size along a loop."""
        del expression, loop, size
        return True

    def allows_threads(self, threads: int) -> bool:
        """Return whether a task may have this number of threads."""
        del threads
        return True


@dataclass(frozen=True)
class ExecutionUnitRule(AlignmentRule):
    """A task fills whole subgroups.

    The paper also asks for a multiple of the schedulers; smaller tasks are legal here, since several of them share a
    unit, and the performance model charges for idle schedulers.

    Attributes:
        subgroup_size: Threads that execute together.
        max_threads: Limit of a task.
    """

    subgroup_size: int
    max_threads: int

    @staticmethod
    def of(device: Device) -> "ExecutionUnitRule":
        """Return the rule of a device."""
        return ExecutionUnitRule(device.subgroup_size, device.max_threads_per_block)

    def allows_threads(self, threads: int) -> bool:
        """Return whether threads fill whole subgroups, up to the limit of a task."""
        return threads % self.subgroup_size == 0 and threads <= self.max_threads


@dataclass(frozen=True)
class MemoryTransactionRule(AlignmentRule):
    """The contiguous dimension of a data tile is a multiple of a transaction, or the whole tensor row.

    Attributes:
        transaction_bytes: Bytes of one transaction.
    """

    transaction_bytes: int

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether a tile's rows along the loop are whole transactions."""
        if size >= expression.loops[loop].extent:
            return True
        for access in (*expression.inputs, expression.output):
            if contiguous_loop(access) == loop and size * access.element_bytes % self.transaction_bytes:
                return False
        return True


@dataclass(frozen=True)
class TensorShapeRule(AlignmentRule):
    """Padding an axis to whole tiles wastes at most epsilon of it: (S - N % S) / N <= epsilon.

    Attributes:
        epsilon: The share.
    """

    epsilon: float

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether padding the loop to whole tiles is within epsilon."""
        extent = expression.loops[loop].extent
        rest = extent % size
        return rest == 0 or (size - rest) / extent <= self.epsilon


@dataclass(frozen=True)
class WindowRule(AlignmentRule):
    """A reduction loop that moves a window is walked in steps that divide it.

    A partial step would move the window outside its tensor dimension, where real data of another window lies.
    """

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether a step of a window's reduction loop divides it."""
        if not expression.loops[loop].reduction:
            return True
        windows = any(
            index.coefficients[loop] and len(index.terms()) > 1
            for access in expression.inputs
            for index in access.indices
        )
        return not windows or expression.loops[loop].extent % size == 0


def bank_padding(row: int, fragment: int, banks: int, bank_width: int) -> int:
    """Return the paper's padding of a tile's rows that are read by a tile with rows of `fragment` elements.

    (B*L - N % (B*L) + L * ceil(n / L)) % (B*L), in the unit of the arguments. Figure 5: a 3x4 tile over 4 banks of
    width 1, read by columns, is padded by 1. (The paper writes [n/L]; rounding up is what makes a fragment narrower
    than a bank move on by a whole bank.)

    >>> bank_padding(row=4, fragment=1, banks=4, bank_width=1)
    1
    >>> bank_padding(row=128, fragment=4, banks=32, bank_width=1)
    4
    """
    line = banks * bank_width
    return (line - row % line + bank_width * -(-fragment // bank_width)) % line


def device_rules(device: Device, epsilon: float) -> tuple[AlignmentRule, ...]:
    """Return the rules of a device."""
    transaction = device.layer("global").transaction_bytes or 1
    return (
        ExecutionUnitRule.of(device),
        MemoryTransactionRule(transaction),
        TensorShapeRule(epsilon),
        WindowRule(),
    )


def allowed(rules: Sequence[AlignmentRule], expression: TensorExpression, loop: int, size: int) -> bool:
    """Return whether every rule allows a size along a loop."""
    return all(rule.allows_size(expression, loop, size) for rule in rules)


def aligned_sizes(
    rules: Sequence[AlignmentRule], expression: TensorExpression, loop: int, limit: int
) -> tuple[int, ...]:
    """Return the aligned sizes of a loop up to a limit, ascending: the paper's GetNextAlignedAxisSize, unrolled.

    Sizes are powers of two, since threads and vectors come in them, and the extent itself where that is small enough.
    """
    extent = expression.loops[loop].extent
    sizes = [extent] if extent <= limit else []
    size = 1
    while size <= limit:
        sizes.append(size)
        if size >= limit:
            break
        size *= 2
    return tuple(size for size in sorted(set(sizes)) if allowed(rules, expression, loop, size))
