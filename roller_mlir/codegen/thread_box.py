# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The box of one rtile.compute as a thread sees it: its coordinates, its registers and their positions."""

from itertools import product
from math import prod

from roller_mlir.codegen.emitter import Emitter
from roller_mlir.mapping.combine import Combination, combination
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.thread_map import ThreadMap, register_offset
from roller_mlir.plan import AxisPlan, Loop

Positions = dict[int, Linear]


class ThreadBox:
    """Positions of a thread's registers in the box of a compute.

    Attributes:
        loops: The box's loops; extents are the bounds of the whole operator.
        axes: How the box is spread.
        lane: Loop whose chunk is a vector, None for scalars.
        width: Elements of that vector.
        keys: One {parallel loop: register} per accumulator value; registers that no thread can need are left out.
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
    ) -> None:
        ThreadMap(axes, order)  # checks divisibility and order
        self.loops, self.axes, self.order, self.lane = loops, axes, order, lane
        self.width = axes[lane].chunk if lane is not None else 1
        digits = emit.delinearize(thread, [axes[loop].threads for loop in order])
        self.coordinates = dict(zip(order, digits, strict=True))
        parallel = [i for i, loop in enumerate(loops) if not loop.reduction]
        steps = [range(0, axes[i].registers, axes[i].chunk if i == lane else 1) for i in parallel]
        keys = [dict(zip(parallel, registers, strict=True)) for registers in product(*steps)]
        self.keys = [key for key in keys if all(register_offset(axes[i], r) < loops[i].extent for i, r in key.items())]
        self.combination: Combination = combination(loops, axes, order, subgroup_size)

    @property
    def lane_reduces(self) -> bool:
        """Whether the lanes of a vector hold partial results."""
        return self.lane is not None and self.loops[self.lane].reduction

    def base(self, loop: int) -> Linear:
        """Return the thread's first position on a loop."""
        if loop not in self.coordinates:
            return Linear()
        return Linear.of(self.coordinates[loop], self.axes[loop].chunk)

    def at(self, key: dict[int, int]) -> Positions:
        """Return the positions of an accumulator's registers."""
        return {loop: self.base(loop) + register_offset(self.axes[loop], r) for loop, r in key.items()}

    def stride(self, loop: int) -> int:
        """Return the threads between neighbours along a loop."""
        return prod(self.axes[other].threads for other in self.order[: self.order.index(loop)])

    def spread(self, loop: int) -> tuple[int, int, int, int]:
        """Return how a loop's points are spread over threads and registers: equal for loops that go together."""
        axis = self.axes[loop]
        return axis.block, axis.threads, axis.chunk, self.stride(loop) if axis.threads > 1 else 0

    def register(self, loop: int, position: Linear) -> int | None:
        """Return which of a thread's registers along a loop holds a position, None where that is not constant."""
        offset = position + self.base(loop) * -1
        if offset.terms:
            return None
        axis = self.axes[loop]
        run, within = divmod(offset.constant, axis.threads * axis.chunk)
        return run * axis.chunk + within if 0 <= within < axis.chunk else None
