# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread maps: which positions of a task's box one thread holds, blocked or interleaved by one formula."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.plan import AxisPlan


def register_offset(axis: AxisPlan, register: int) -> int:
    """Return the position of a thread's register relative to the thread's first position.

    >>> [register_offset(AxisPlan(block=128, threads=16, chunk=4), r) for r in (0, 3, 4, 7)]
    [0, 3, 64, 67]
    """
    return register // axis.chunk * axis.threads * axis.chunk + register % axis.chunk


@dataclass(frozen=True)
class ThreadMap:
    """Threads of a task as a mixed-radix number over loops.

    Attributes:
        axes: One AxisPlan per loop.
        order: Loops with more than one thread, fastest in the thread number first.
    """

    axes: tuple[AxisPlan, ...]
    order: tuple[int, ...]

    def __post_init__(self) -> None:
        for loop, axis in enumerate(self.axes):
            if axis.block < 1 or axis.block % (axis.threads * axis.chunk):
                raise ValueError(
                    f"a loop's block must be a multiple of threads * chunk, but got loop {loop}: block {axis.block}, "
                    f"threads {axis.threads}, chunk {axis.chunk}"
                )
        expected = sorted(loop for loop, axis in enumerate(self.axes) if axis.threads > 1)
        if sorted(self.order) != expected:
            raise ValueError(f"order must name each loop with threads once ({expected}), but got {list(self.order)}")

    @property
    def threads(self) -> int:
        """Threads per task."""
        return prod(axis.threads for axis in self.axes)

    def coordinates(self, thread: int) -> dict[int, int]:
        """Return {loop: thread coordinate} of a linear thread number."""
        result: dict[int, int] = {}
        for loop in self.order:
            thread, result[loop] = divmod(thread, self.axes[loop].threads)
        return result

    def positions(self, thread: int) -> dict[int, int]:
        """Return {loop: first position} of a linear thread number."""
        return {loop: t * self.axes[loop].chunk for loop, t in self.coordinates(thread).items()}


def delinearize(value: int, sizes: Sequence[int]) -> list[int]:
    """Split a number into digits of the given sizes, fastest first; the last digit is not reduced."""
    digits: list[int] = []
    for size in sizes[:-1]:
        value, digit = divmod(value, size)
        digits.append(digit)
    return [*digits, value] if sizes else digits
