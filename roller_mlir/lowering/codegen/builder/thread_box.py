# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The box of one rtile.compute as a thread sees it: its coordinates, its registers and their positions."""

from copy import copy
from dataclasses import replace
from itertools import product

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.combine import Combination, combination
from roller_mlir.mapping.thread_map import ThreadMap, live_registers, register_at, register_offset
from roller_mlir.plan import AxisPlan, Loop

Positions = dict[int, Linear]


class ThreadBox:
    """Positions of a thread's registers in the box of a compute.

    Attributes:
        loops: The box's loops; extents are the bounds of the whole operator.
        axes: How the box is spread.
        lane: Loop whose chunk is a vector, None for scalars.
        width: Elements of that vector.
        keys: One {parallel loop: register} per accumulator value; registers that no thread can need are left out, those
            of matrix instructions by whole tiles.
        digits: The digits of the thread number, fastest first, each with its value.
        coordinates: The thread's number along each loop that no matrix instruction spans.
    """

    def __init__(
        self,
        loops: tuple[Loop, ...],
        axes: tuple[AxisPlan, ...],
        order: tuple[int, ...],
        lane: int | None,
        emit: Emitter,
        thread: Symbol,
        subgroup_size: int,
        lane_order: tuple[int, ...] = (),
    ) -> None:
        digits = ThreadMap(axes, order, lane_order).digits()
        self.loops, self.axes, self.order, self.lane = loops, axes, order, lane
        self.width = axes[lane].chunk if lane is not None else 1
        values = emit.delinearize(thread, [digit.count for digit in digits])
        self.digits = list(zip(digits, values, strict=True))
        self.coordinates = {digit.loop: value for digit, value in self.digits if not axes[digit.loop].lanes}
        parallel = [i for i, loop in enumerate(loops) if not loop.reduction]
        steps = {i: live_registers(axes[i], loops[i])[:: axes[i].chunk if i == lane else 1] for i in parallel}
        if lane in steps and all(axis.threads == 1 for axis in axes):
            # An element that all lanes read meets the row's vectors one after the other, and is forgotten.
            steps[lane] = steps.pop(lane)
        self.keys = [dict(zip(steps, registers, strict=True)) for registers in product(*steps.values())]
        self.combination: Combination = combination(loops, axes, order, subgroup_size)

    def shortened(self, loop: int, registers: int) -> "ThreadBox":
        """Return the box of a tile with the first registers along a loop alone, of one thread.

        Args:
            loop: A parallel loop.
            registers: How many it has: vectors of the lane's loop.
        """
        found, axis = copy(self), self.axes[loop]
        block = registers * axis.chunk
        found.axes = (*self.axes[:loop], replace(axis, block=block), *self.axes[loop + 1 :])
        found.keys = [key for key in self.keys if register_offset(axis, key[loop]) < block]
        return found

    @property
    def lane_reduces(self) -> bool:
        """Whether the lanes of a vector hold partial results."""
        return self.lane is not None and self.loops[self.lane].reduction

    def base(self, loop: int) -> Linear:
        """Return the thread's first position on a loop."""
        return self._sum(loop, lanes=True)

    def tile_base(self, loop: int) -> Linear:
        """Return the first position of the thread's subgroup on a loop that a matrix instruction spans."""
        return self._sum(loop, lanes=False)

    def _sum(self, loop: int, *, lanes: bool) -> Linear:
        total = Linear()
        for digit, value in self.digits:
            if digit.loop == loop and (lanes or not digit.is_lane):
                total = total + Linear.of(value, digit.stride)
        return total

    def at(self, key: dict[int, int]) -> Positions:
        """Return the positions of an accumulator's registers."""
        return {loop: self.base(loop) + register_offset(self.axes[loop], r) for loop, r in key.items()}

    def spread(self, loop: int) -> tuple[int, ...]:
        """Return how a loop's points are spread over threads and registers: equal for loops that go together."""
        axis = self.axes[loop]
        places: list[int] = []
        place = 1
        for digit, _ in self.digits:
            if digit.loop == loop:
                places.append(place)
            place *= digit.count
        return axis.block, axis.threads, axis.chunk, *((axis.lanes, axis.tile) if axis.lanes else ()), *places

    def register(self, loop: int, position: Linear) -> int | None:
        """Return which of a thread's registers along a loop holds a position, None where that is not constant."""
        offset = position + self.base(loop) * -1
        return None if offset.terms else register_at(self.axes[loop], offset.constant)
