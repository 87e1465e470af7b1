# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread maps: which positions of a task's box one thread holds, blocked or interleaved by one formula."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.plan import AxisPlan, Loop


def register_offset(axis: AxisPlan, register: int) -> int:
    """Return the position of a thread's register relative to the thread's first position.

    >>> [register_offset(AxisPlan(block=128, threads=16, chunk=4), r) for r in (0, 3, 4, 7)]
    [0, 3, 64, 67]
    >>> rows = AxisPlan(block=64, threads=16, lanes=8, tile=16)  # two subgroups of eight lanes
    >>> [register_offset(rows, r) for r in range(4)]
    [0, 8, 32, 40]
    """
    if not axis.lanes:
        return register // axis.chunk * axis.threads * axis.chunk + register % axis.chunk
    own = axis.tile // axis.lanes
    run, inner = divmod(register, own)
    return (
        run * (axis.threads // axis.lanes) * axis.tile
        + inner // axis.chunk * axis.lanes * axis.chunk
        + (inner % axis.chunk)
    )


def register_at(axis: AxisPlan, offset: int) -> int | None:
    """Return which register lies at a distance from a thread's first position, None where another thread's does.

    >>> axis = AxisPlan(block=128, threads=16, chunk=4)
    >>> [register_at(axis, offset) for offset in (0, 3, 4, 64, 67)]
    [0, 3, None, 4, 7]
    """
    if offset < 0:
        return None
    first, width = 0, axis.threads * axis.chunk
    if axis.lanes:
        own = axis.tile // axis.lanes
        run, offset = divmod(offset, axis.threads // axis.lanes * axis.tile)
        if offset >= axis.tile:
            return None
        first, width = run * own, axis.lanes * axis.chunk
    run, within = divmod(offset, width)
    return first + run * axis.chunk + within if within < axis.chunk else None


@dataclass(frozen=True)
class Digit:
    """One digit of the thread number.

    Attributes:
        loop: Where it moves the thread.
        count: How many values it has.
        stride: Points of the loop from one to the next.
        is_lane: Whether it numbers lanes of one matrix instruction.
    """

    loop: int
    count: int
    stride: int
    is_lane: bool = False


@dataclass(frozen=True)
class ThreadMap:
    """Threads of a task as a mixed-radix number: the lanes of a matrix instruction, if any, then loop by loop.

    Attributes:
        axes: One AxisPlan per loop.
        order: Loops with more than one thread, fastest in the thread number first.
        lane_order: Loops with lanes, likewise.
    """

    axes: tuple[AxisPlan, ...]
    order: tuple[int, ...]
    lane_order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for loop, axis in enumerate(self.axes):
            if axis.block < 1 or axis.block % (axis.threads * axis.chunk):
                raise ValueError(
                    f"a loop's block must be a multiple of threads * chunk, but got loop {loop}: block {axis.block}, "
                    f"threads {axis.threads}, chunk {axis.chunk}"
                )
            if axis.lanes and (
                axis.tile % (axis.lanes * axis.chunk)
                or axis.threads % axis.lanes
                or axis.block % (axis.threads // axis.lanes * axis.tile)
            ):
                raise ValueError(
                    f"a loop's block must hold whole tiles of its subgroups, but got loop {loop}: block {axis.block}, "
                    f"threads {axis.threads}, chunk {axis.chunk}, lanes {axis.lanes}, tile {axis.tile}"
                )
        expected = sorted(loop for loop, axis in enumerate(self.axes) if axis.threads > 1)
        if sorted(self.order) != expected:
            raise ValueError(f"order must name each loop with threads once ({expected}), but got {list(self.order)}")
        expected = sorted(loop for loop, axis in enumerate(self.axes) if axis.lanes)
        if sorted(self.lane_order) != expected:
            raise ValueError(
                f"lane_order must name each loop with lanes once ({expected}), but got {list(self.lane_order)}"
            )

    @property
    def threads(self) -> int:
        """Threads per task."""
        return prod(axis.threads for axis in self.axes)

    def digits(self) -> tuple[Digit, ...]:
        """Return the digits of the thread number, fastest first; those of one value are left out.

        >>> rows, columns = AxisPlan(block=64, threads=16, lanes=8, tile=16), AxisPlan(
        ...     block=32, threads=8, chunk=2, lanes=4, tile=8
        ... )
        >>> [(d.loop, d.count, d.stride) for d in ThreadMap((rows, columns), (0, 1), (1, 0)).digits()]
        [(1, 4, 2), (0, 8, 1), (0, 2, 16), (1, 2, 8)]
        """
        lanes = [Digit(loop, self.axes[loop].lanes, self.axes[loop].chunk, True) for loop in self.lane_order]
        others = [
            Digit(loop, axis.threads // axis.lanes, axis.tile) if axis.lanes else Digit(loop, axis.threads, axis.chunk)
            for loop, axis in ((loop, self.axes[loop]) for loop in self.order)
        ]
        return tuple(digit for digit in (*lanes, *others) if digit.count > 1)

    def positions(self, thread: int) -> dict[int, int]:
        """Return {loop: first position} of a linear thread number."""
        found = dict.fromkeys(self.order, 0)
        for digit in self.digits():
            thread, value = divmod(thread, digit.count)
            found[digit.loop] += value * digit.stride
        return found


def live_registers(axis: AxisPlan, loop: Loop) -> list[int]:
    """Return a thread's registers along a loop, without those that lie outside of it for every thread.

    Tiles of a matrix instruction are live as a whole.

    >>> live_registers(AxisPlan(block=32, threads=4, chunk=2, lanes=4, tile=8), Loop(17))
    [0, 1, 2, 3, 4, 5]
    >>> live_registers(AxisPlan(block=8), Loop(5))
    [0, 1, 2, 3, 4]
    """
    extent = loop.extent.bound
    if not axis.lanes:
        return [r for r in range(axis.registers) if register_offset(axis, r) < extent]
    held, apart = axis.tile // axis.lanes, axis.threads // axis.lanes * axis.tile
    return [r for r in range(axis.registers) if r // held * apart < extent]


def delinearize(value: int, sizes: Sequence[int]) -> list[int]:
    """Split a number into digits of the given sizes, fastest first; the last digit is not reduced."""
    digits: list[int] = []
    for size in sizes[:-1]:
        value, digit = divmod(value, size)
        digits.append(digit)
    return [*digits, value] if sizes else digits
