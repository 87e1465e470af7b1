# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusion of an element-wise operator with a heavy one by index-set splitting: whether it may be, and where it is done.

The element-wise operator runs in the last iterations of the heavy one's reduction loops, when an element is complete;
for one that comes before, in their first iterations. So that no iteration has to ask, those loops are split there:

    for k in 0..K:                          for k in 0..K-1:
      for i, j: C[i, j] += A[i, k] B[k, j]    for i, j: C[i, j] += A[i, k] B[k, j]
    for i, j: C[i, j] = max(C[i, j], 0)     for i, j: C[i, j] += A[i, K-1] B[K-1, j]; C[i, j] = max(C[i, j], 0)

Paper: PolyDL section 5, Algorithm 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.values import Values, span, volume
from roller_mlir.plan import Access, TensorExpression


@dataclass(frozen=True, slots=True)
class SplitRegion:
    """A part of the heavy operator's nest.

    Attributes:
        ranges: First and last iteration of each of its loops.
        fused: Whether the element-wise operator runs in it.
    """

    ranges: tuple[tuple[int, int], ...]
    fused: bool


def fusion_problem(heavy: TensorExpression, other: TensorExpression, between: Sequence[Access] = ()) -> str | None:
    """Return why an element-wise operator next to a heavy one cannot be fused with it; None where it can.

    Args:
        heavy: The operator with reduction loops.
        other: The operator behind it, or before it, which works in place: it writes what the heavy one writes.
        between: What operators between the two read and write.
    """
    name = heavy.output.name
    written, rewritten = _elements(heavy.output, heavy.bounds), _elements(other.output, other.bounds)
    if other.output.name != name:
        return f"it writes '{other.output.name}', not '{name}'"
    if written is None or rewritten is None:
        return f"a loop moves along two dimensions of '{name}'"
    if written != rewritten:
        return f"it writes other elements of '{name}'"
    if other.points != _count(rewritten):
        return f"it has {other.points} points, but writes {_count(rewritten)} elements: it is not element-wise"
    for access in (*other.inputs, *other.epilogue):
        if access.name == name and access.indices != other.output.indices:
            return f"it reads other elements of '{name}' than it writes"
    if any(access.name == name for access in between):
        return f"'{name}' is read or written between the two"
    return None


def split(nest: TiledNest, *, last: bool = True) -> tuple[SplitRegion, ...]:
    """Return the parts of a heavy operator's nest, in an order in which they may run one after the other.

    Args:
        nest: Its nest.
        last: Whether the element-wise operator comes behind it, and runs in the last iterations; else in the first.
    """
    loops = nest.loops
    # Iterations of an axis's outermost loop may reach beyond the axis: its last tile then has fewer.
    ends = [loop.count - 1 for loop in loops]
    for axis, extent in enumerate(nest.extents):
        left = extent - 1
        for size, m in sorted(((loop.size, m) for m, loop in enumerate(loops) if loop.axis == axis), reverse=True):
            ends[m] = min(ends[m], left // size)
            left -= ends[m] * size
    ranges = [(0, loop.count - 1) for loop in loops]
    regions: list[SplitRegion] = []
    for m, loop in enumerate(loops):
        if not nest.expression.loops[loop.axis].reduction or loop.count == 1:
            continue
        edge = ends[m] if last else 0
        if last and edge > 0:
            regions.append(SplitRegion((*ranges[:m], (0, edge - 1), *ranges[m + 1 :]), False))
        if not last and loop.count > 1:
            regions.append(SplitRegion((*ranges[:m], (1, loop.count - 1), *ranges[m + 1 :]), False))
        ranges[m] = (edge, edge)
    regions.append(SplitRegion(tuple(ranges), True))
    return tuple(regions) if last else tuple(reversed(regions))


_Elements = tuple[tuple[int, int, Values], ...]


def _elements(access: Access, extents: Sequence[int]) -> _Elements | None:
    """Return the indices of each dimension as (first, step, values of (index - first) / step)."""
    found: list[tuple[int, int, Values]] = []
    seen: set[int] = set()
    for index in access.indices:
        terms = {axis: c for axis, c in index.terms().items() if extents[axis] > 1}
        if seen & terms.keys():
            return None
        seen |= terms.keys()
        step = gcd(*terms.values()) or 1
        first = index.constant + sum(min(0, c * (extents[axis] - 1)) for axis, c in terms.items())
        found.append((first, step, span(sorted((abs(c) // step, 0, extents[axis] - 1) for axis, c in terms.items()))))
    return tuple(found)


def _count(elements: _Elements) -> int:
    return volume(tuple([values for _, _, values in elements]))
