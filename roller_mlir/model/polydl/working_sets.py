# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Working sets: what is touched between an element's use and its reuse, in closed form.

The smallest must fit a cache for any of a dependence's reuses to be served by it, the largest for all of them.

Paper: PolyDL section 4.1, Algorithm 1. There, sets are counted by a library of integer sets, in seconds; here, boxes of
iterations give intervals along each dimension of a tensor, whose unions are counted by arithmetic, exactly. Where loops
are divided over threads, their iterations are taken together, as there.
"""

from dataclasses import dataclass

from roller_mlir.model.polydl.dependences import Dependence, dependences
from roller_mlir.model.polydl.intervals import Footprints
from roller_mlir.model.polydl.nest import TiledNest


@dataclass(frozen=True, slots=True)
class WorkingSet:
    """What a reuse needs a cache to hold.

    Attributes:
        dependence: The reuse.
        min_bytes: Bytes of all tensors that are touched from the source to its first target.
        max_bytes: The same, to its last target.
    """

    dependence: Dependence
    min_bytes: int
    max_bytes: int


def working_sets(nest: TiledNest, *, largest: bool = True) -> tuple[WorkingSet, ...]:
    """Return the working sets of all reuses of a nest.

    Of a dependence that spans iterations of a parallel loop both are what all of them touch, from the outermost
    parallel loop inwards.

    Args:
        nest: The nest.
        largest: Whether the largest sets are wanted, too; else the smallest stand in their place.
    """
    footprints = Footprints(nest)
    tensors = nest.tensors
    depth = len(footprints.counts)
    outermost = next((m for m, loop in enumerate(nest.point_loops) if loop.parallel), depth)
    known: dict[object, int] = {}

    def counted(source: tuple[int, ...], target: tuple[int, ...]) -> int:
        key = (source, target)
        if key not in known:
            known[key] = footprints.touched_bytes(source, target, tensors)
        return known[key]

    found: list[WorkingSet] = []
    for one in dependences(nest):
        if one.parallel:
            start = (0,) * depth
            end = (*start[:outermost], *[count - 1 for count in footprints.counts[outermost:]])
            low = high = counted(start, end)
        else:
            low = high = counted(one.source, one.first)
            if largest:
                high = counted(one.source, one.last)
        found.append(WorkingSet(one, low, high))
    return tuple(found)
