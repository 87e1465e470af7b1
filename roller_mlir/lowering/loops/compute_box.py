# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The box of one op's compute in a program of several: its loops, and how threads that lack one compute alike."""

from collections.abc import Sequence

from roller_mlir.lowering.linalg.affine import affine_sum
from roller_mlir.mapping.layout.data_tile import TileDimension
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, Plan
from roller_mlir.support.bindings import ir


class ComputeBox:
    """The loops of one compute: an op's own, then those that only say how many threads compute the same.

    Attributes:
        group: The group's loop of each.
        loops: Extents and kinds.
        axes: How they are spread.
        own: How many are the op's own.
    """

    def __init__(self, plan: Plan, own: Sequence[int], loops: Sequence[Loop]) -> None:
        others = [loop for loop, axis in enumerate(plan.axes) if axis.threads > 1 and loop not in own]
        spare = [_one_point(plan.axes[loop]) for loop in others]
        self.own = len(own)
        self.group = (*own, *others)
        self.loops = (*loops, *(Loop(axis.block) for axis in spare))
        self.axes = (*(plan.axes[loop] for loop in own), *spare)
        self.lane = self.group.index(plan.lane) if plan.lane in own else -1
        self.order = tuple(self.group.index(loop) for loop in plan.thread_order)
        lane_order = plan.atom.lane_order if plan.atom is not None else ()
        self.lane_order = tuple(self.group.index(loop) for loop in lane_order)

    @property
    def blocks(self) -> list[int]:
        """Points per loop."""
        return [axis.block for axis in self.axes]

    def access(self, access: Access, *, points_only: bool = False) -> Access:
        """Return an access of the op as one over the box's loops.

        Args:
            access: Over the op's own loops.
            points_only: Whether loops of one point are left out, however large the box is along them.
        """
        spare = (0,) * (len(self.loops) - self.own)
        moving = [not points_only or loop.extent != 1 for loop in self.loops]

        def over_box(index: LinearIndex) -> LinearIndex:
            own = (k * keep for k, keep in zip(index.coefficients, moving, strict=False))
            return LinearIndex((*own, *spare), index.constant)

        indices = tuple(map(over_box, access.indices))
        return Access(access.name, access.shape, access.element_type, indices)


def _one_point(axis: AxisPlan) -> AxisPlan:
    """Return an axis on which each thread holds one point."""
    return AxisPlan(block=axis.threads, threads=axis.threads, lanes=axis.lanes, tile=axis.lanes)


def local_map(dimensions: Sequence[TileDimension], loops: int) -> ir.AffineMap:
    """Return the map from points of the box to elements of a tile."""
    return ir.AffineMap.get(loops, 0, [affine_sum(one.coefficients, one.offset) for one in dimensions])


def unit_coefficients(loop: int, loops: int) -> tuple[int, ...]:
    """Return the coefficients of one loop alone."""
    return tuple(int(i == loop) for i in range(loops))
