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


def is_plain(access: Access) -> bool:
    """Return whether a tensor is read once per point, each dimension by a loop of its own or at a constant."""
    terms = [index.terms() for index in access.indices]
    loops = [loop for each in terms for loop in each]
    return len(set(loops)) == len(loops) and all(list(each.values()) in ([], [1]) for each in terms)


def tensor_box(plan: Plan, box: ComputeBox, access: Access) -> tuple[ComputeBox, Access]:
    """Return the box of a tensor that a box reads as `is_plain`, and its access there: a loop for each dimension."""
    loops = [next(iter(index.terms())) for index in access.indices if index.terms()]
    own = ComputeBox(plan, [box.group[loop] for loop in loops], [Loop(box.loops[loop].extent) for loop in loops])
    place = {loop: at for at, loop in enumerate(loops)}
    moved: list[LinearIndex] = []
    for index in access.indices:
        coefficients = [0] * len(own.loops)
        for loop in index.terms():
            coefficients[place[loop]] = 1
        moved.append(LinearIndex(tuple(coefficients), index.constant))
    return own, Access(access.name, access.shape, access.element_type, tuple(moved))


def _one_point(axis: AxisPlan) -> AxisPlan:
    """Return an axis on which each thread holds one point."""
    return AxisPlan(block=axis.threads, threads=axis.threads, lanes=axis.lanes, tile=axis.lanes)


def local_map(dimensions: Sequence[TileDimension], loops: int) -> ir.AffineMap:
    """Return the map from points of the box to elements of a tile."""
    return ir.AffineMap.get(loops, 0, [affine_sum(one.coefficients, one.offset) for one in dimensions])


def unit_coefficients(loop: int, loops: int) -> tuple[int, ...]:
    """Return the coefficients of one loop alone."""
    return tuple(int(i == loop) for i in range(loops))
