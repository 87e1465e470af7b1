# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alignment rules: what shapes of tiles the hardware and the tensors ask for, one rule a class.

Paper: ROLLER section 3.1. A rule restricts the size of a tile along one loop, the threads of a task, or both. A device
or an instruction adds a rule to the list; nothing else needs to know.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from roller_mlir.hal import Device
from roller_mlir.model.instructions.atom import Atom
from roller_mlir.model.tile import contiguous_loop
from roller_mlir.plan import TensorExpression

SHORTEST_TRANSACTION = 32
"""Bytes of a sector, the transaction of all NVIDIA devices here."""

MATRIX_TRANSACTION = 64
"""Bytes of the rows of a matrix instruction's steps, at least, where transactions are as long: half a line of AMD's. A
step has few rows of each factor then, so that many lines would wait in a cache for their other parts."""


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
    """A task fills whole subgroups, and its tile whole instructions.

    Threads run along each loop in powers of two, so that subgroups are boxes of the tile. The paper also asks for a
    multiple of the schedulers; smaller tasks are legal here, since several of them share a unit, and the performance
    model charges for idle schedulers.

    Attributes:
        subgroup_size: Threads that execute together.
        max_threads: Limit of a task.
        multiples: Per loop, what a tile must be a multiple of: the shape of a matrix instruction.
    """

    subgroup_size: int
    max_threads: int
    multiples: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(device: Device, atom: Atom | None = None) -> "ExecutionUnitRule":
        """Return the rule of a device, for tiles of an instruction."""
        multiples = atom.multiples if atom is not None else ()
        return ExecutionUnitRule(device.subgroup_size, device.max_threads_per_block, multiples)

    def allows_threads(self, threads: int) -> bool:
        """Return whether threads fill whole subgroups, up to the limit of a task."""
        return threads % self.subgroup_size == 0 and threads <= self.max_threads

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether a tile holds whole instructions along the loop."""
        del expression
        return all(size % shape == 0 for along, shape in self.multiples if along == loop)


@dataclass(frozen=True)
class MemoryTransactionRule(AlignmentRule):
    """The contiguous dimension of a data tile is a multiple of a transaction, or the whole tensor row.

    A reduction is walked in steps along its rows: what one step leaves of a long transaction the next one finds in a
    cache, so that steps are multiples of the shortest transactions only.

    Attributes:
        transaction_bytes: Bytes of one transaction.
        step_bytes: Bytes of the rows of a step, at least, where transactions are longer.
    """

    transaction_bytes: int
    step_bytes: int = SHORTEST_TRANSACTION

    def allows_size(self, expression: TensorExpression, loop: int, size: int) -> bool:
        """Return whether a tile's rows along the loop are whole transactions."""
        if expression.loops[loop].extent <= size:
            return True
        needed = self.transaction_bytes
        if expression.loops[loop].reduction:
            needed = min(needed, self.step_bytes)
        for access in (*expression.inputs, expression.output):
            if contiguous_loop(access) == loop and size * access.element_bytes % needed:
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
        extent = expression.bounds[loop]
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
        return expression.loops[loop].extent.divisor % size == 0 or not expression.moves_window(loop)


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


RULES = ("execution-unit", "memory-transaction", "memory-bank", "tensor-shape")
"""The rules of section 3.1, as users name them, in the order of the paper's Table 3 but for the bank."""


def device_rules(
    device: Device, epsilon: float, atom: Atom | None = None, disabled: Collection[str] = ()
) -> tuple[AlignmentRule, ...]:
    """Return the rules of tiles on a device; the memory banks' is about layouts: `layouts.operand_layout`.

    Args:
        device: The device.
        epsilon: Share of an axis by which padding may grow it.
        atom: The instruction.
        disabled: Names of `RULES` that are left out, to see what they are worth. What correctness needs stays: the
            limit of threads, the shape of a matrix instruction, windows.
    """
    transaction = device.layer("global").transaction_bytes or 1
    unit = ExecutionUnitRule.of(device, atom)
    if "execution-unit" in disabled:
        unit = replace(unit, subgroup_size=1)
    rules: list[AlignmentRule] = [unit, WindowRule()]
    if "memory-transaction" not in disabled:
        matrix = atom is not None and atom.is_matrix
        longest = MATRIX_TRANSACTION if matrix else SHORTEST_TRANSACTION
        rules.append(MemoryTransactionRule(transaction, max(SHORTEST_TRANSACTION, min(transaction, longest))))
    if "tensor-shape" not in disabled:
        rules.append(TensorShapeRule(epsilon))
    return tuple(rules)


def allowed(rules: Sequence[AlignmentRule], expression: TensorExpression, loop: int, size: int) -> bool:
    """Return whether every rule allows a size along a loop."""
    return all(rule.allows_size(expression, loop, size) for rule in rules)


def next_size(size: int, *, aligned: bool) -> int:
    """Return the next size to look at: twice as large where threads come in powers of two, else half as large again.

    >>> [next_size(size, aligned=False) for size in (1, 2, 3, 5, 8)]
    [2, 3, 5, 8, 12]
    """
    return 2 * size if aligned else max(size + 1, (3 * size + 1) // 2)


def aligned_sizes(
    rules: Sequence[AlignmentRule], expression: TensorExpression, loop: int, limit: int, *, aligned: bool = True
) -> tuple[int, ...]:
    """Return the aligned sizes of a loop up to a limit, ascending: the paper's GetNextAlignedAxisSize, unrolled.

    Sizes grow by `next_size`; the extent itself is one where it is small enough.
    """
    extent = expression.bounds[loop]
    sizes = {extent} if extent <= limit else set[int]()
    size = 1
    while size <= limit:
        sizes.add(size)
        size = next_size(size, aligned=aligned)
    return tuple(size for size in sorted(sizes) if allowed(rules, expression, loop, size))
