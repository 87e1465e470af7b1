# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small extents at which a plan does all that it does at full size: two tiles and a remainder along every loop.

A plan decides tiles, never extents. Every loop that several tiles cover is cut to two whole tiles and the remainder
that it has at full size, a reduction to its stages + 2 steps and the residue, so that buffers fill, turn over and
drain. Windows stay whole. Extents change by whole tiles only: what divides the origins of tiles and the lengths of
rows, and with it every vector width and every mask, is as at full size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from roller_mlir.plan import LinearIndex, Loop, Plan, SplitKPartial, TensorExpression
from roller_mlir.plan.extent import Extent


@dataclass(frozen=True, kw_only=True)
class Extents:
    """What is left of the loops of a program.

    Attributes:
        whole: Points per loop at full size.
        sizes: Points per loop now.
        reduced: Loops that have one whole tile and the remainder only, because two would be too many points.
        part: What it is the first stage of now, where it is one. Its loop 0 numbers the parts.
        dropped: Points that the last part now lacks less than at full size.
    """

    whole: tuple[int, ...]
    sizes: tuple[int, ...]
    reduced: tuple[int, ...] = ()
    part: SplitKPartial | None = None
    dropped: int = 0

    @property
    def points(self) -> int:
        """Points of the loop nest."""
        return prod(self.sizes)

    def index(self, index: LinearIndex) -> LinearIndex:
        """Return an index of a tensor as it is now: the number of a part moves it by the points of a part."""
        if self.part is None:
            return index
        step = index.coefficients[self.part.loop + 1] * self.part.extent.static
        return LinearIndex((step if index.coefficients[0] and step else index.coefficients[0], *index.coefficients[1:]))

    def shorter(self, index: LinearIndex) -> int:
        """Return by how many elements the dimension of a tensor that is indexed so is shorter."""
        return _span(index, self.whole) - _span(self.index(index), self.sizes)

    def dropped_elements(self, index: LinearIndex) -> int:
        """Return by how many elements a padding behind the last part, along a dimension that is indexed so, shrinks."""
        if self.part is None or not index.coefficients[0]:
            return 0
        return index.coefficients[self.part.loop + 1] * self.dropped


def cut(extent: int, block: int, tiles: int) -> int:
    """Return an extent of at most so many whole tiles and the remainder.

    >>> cut(65536, 128, 2), cut(1000, 64, 2), cut(100, 64, 2), cut(3, 8, 2)
    (256, 168, 100, 3)
    """
    return min(extent // block, tiles) * block + extent % block


def shrunk_extents(expression: TensorExpression, plan: Plan, most: int) -> Extents:
    """Return small extents for a plan.

    Args:
        expression: The operator at full size.
        plan: Its plan, which is not divided further (`split` is None).
        most: Points that the loop nest should have at most: beyond that, loops keep one whole tile and the remainder
            instead of two, the largest tiles first. A loop without a remainder keeps two.
    """
    sizes = [_cut_loop(expression, plan, number, loop) for number, loop in enumerate(expression.loops)]
    reduced: list[int] = []
    for number in sorted(expression.parallel(), key=lambda i: -plan.axes[i].block):
        block = plan.axes[number].block
        rest = expression.loops[number].extent.static % block
        if prod(sizes) > most and rest and sizes[number] > block + rest:
            sizes[number] = block + rest
            reduced.append(number)
    found = Extents(
        whole=tuple(loop.extent.static for loop in expression.loops), sizes=tuple(sizes), reduced=tuple(sorted(reduced))
    )
    return found if plan.part is None else _with_parts(expression, plan, plan.part, found)


def _cut_loop(expression: TensorExpression, plan: Plan, number: int, loop: Loop) -> int:
    extent = loop.extent.static
    if not loop.reduction:
        return cut(extent, plan.axes[number].block, 2)
    # Only the part's number shares a dimension with the divided loop, which moves no window.
    divided = plan.part is not None and number == plan.part.loop + 1
    if expression.moves_window(number) and not divided:
        return extent
    return cut(extent, plan.axes[number].block, plan.stages + 2)


def _with_parts(expression: TensorExpression, plan: Plan, part: SplitKPartial, found: Extents) -> Extents:
    """Return the extents of a first stage: two parts, and the last one where it is shorter than the others."""
    divided = part.loop + 1
    extent, block = found.sizes[divided], plan.axes[divided].block
    missing = max(
        (
            -((size - _span(index, found.whole) - 1 - index.constant) // index.coefficients[divided])
            for access in expression.inputs
            for index, size in zip(access.indices, access.static_shape, strict=True)
            if index.coefficients[0] and index.coefficients[divided]
        ),
        default=0,
    )
    now = missing
    while now >= extent:
        now -= block
    parts = min(part.parts.static, 3 if missing > 0 else 2)
    return replace(
        found,
        sizes=(parts, *found.sizes[1:]),
        part=replace(part, parts=Extent(parts), extent=Extent(extent)),
        dropped=missing - now if missing > 0 else 0,
    )


def _span(index: LinearIndex, extents: Sequence[int]) -> int:
    """Return how far an index moves over all points of the loops."""
    return sum(k * (extents[loop] - 1) for loop, k in index.terms().items())
