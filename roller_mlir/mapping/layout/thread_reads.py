# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The elements of a staged tile that one thread reads in a step, as aligned vectors, each counted once.

A step is unrolled: what several points of a thread share, along a window or a diagonal, is read once.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod

from roller_mlir.mapping.layout.data_tile import TileDimension
from roller_mlir.mapping.thread_map import register_offset
from roller_mlir.plan import AxisPlan, Loop


def own_reads(dimensions: Sequence[TileDimension], axes: Sequence[AxisPlan], inner: int, width: int) -> int:
    """Return the reads of one thread's elements of a tile, `width` of them at once along the dimension `inner`.

    A loop that moves along two dimensions moves along a diagonal:

    >>> rows, columns = TileDimension({0: 1}, 1, 8), TileDimension({0: 1, 1: 1}, 1, 11)
    >>> axes = (AxisPlan(block=8), AxisPlan(block=4))
    >>> own_reads((rows, columns), axes, 1, 1), own_vectors(rows, axes, 1) * own_vectors(columns, axes, 1)
    (32, 88)
    """
    if not _has_diagonal(dimensions):
        return prod([own_vectors(d, axes, width if i == inner else 1) for i, d in enumerate(dimensions)])
    return _distinct(dimensions, axes, inner, width, lambda loop: _offsets(axes[loop]))


def live_reads(
    dimensions: Sequence[TileDimension],
    loops: Sequence[Loop],
    axes: Sequence[AxisPlan],
    lane: int | None,
    inner: int,
    width: int,
) -> int:
    """Return as `own_reads`, without the points that lie outside of their loops for every thread.

    Args:
        dimensions: The tile.
        loops: The expression's loops.
        axes: One AxisPlan per loop.
        lane: The loop whose chunks are vectors, which are live as a whole; None for scalars.
        inner: The dimension that is read as vectors.
        width: Elements of one read along it.
    """
    if not _has_diagonal(dimensions):
        return prod([live_vectors(d, loops, axes, lane, width if i == inner else 1) for i, d in enumerate(dimensions)])
    return _distinct(
        dimensions, axes, inner, width, lambda loop: live_offsets(loops[loop], axes[loop], vector=loop == lane)
    )


def own_vectors(dimension: TileDimension, axes: Sequence[AxisPlan], width: int) -> int:
    """Return the aligned vectors that hold one thread's elements along a dimension, each counted once.

    >>> row = TileDimension({0: 2, 1: 1}, 1, 67)
    >>> [own_vectors(row, (AxisPlan(block=32, threads=8, chunk=4), AxisPlan(block=5)), width) for width in (1, 4)]
    [11, 3]
    """
    terms = tuple([(k, axes[loop].block, axes[loop].threads, axes[loop].chunk) for loop, k in _terms(dimension, axes)])
    return _own_vectors(terms, width, dimension.offset)


def live_vectors(
    dimension: TileDimension, loops: Sequence[Loop], axes: Sequence[AxisPlan], lane: int | None, width: int
) -> int:
    """Return as `own_vectors`, without the points that lie outside of their loops for every thread.

    Only a loop of one step has such points: its box is larger than the loop.
    """
    terms = _terms(dimension, axes)
    if all(loops[loop].extent.bound >= axes[loop].block for loop, _ in terms):
        return own_vectors(dimension, axes, width)
    places = {dimension.offset}
    for loop, k in terms:
        offsets = live_offsets(loops[loop], axes[loop], vector=loop == lane)
        places = {at + k * offset for at in places for offset in offsets}
    return len({at // width for at in places})


def _terms(dimension: TileDimension, axes: Sequence[AxisPlan]) -> list[tuple[int, int]]:
    return [(loop, k) for loop, k in dimension.coefficients.items() if axes[loop].registers > 1]


def _offsets(axis: AxisPlan) -> list[int]:
    return [register_offset(axis, r) for r in range(axis.registers)]


def live_offsets(loop: Loop, axis: AxisPlan, *, vector: bool) -> list[int]:
    """Return where a thread's registers lie along a loop, without those that lie outside of it for every thread.

    Args:
        loop: The loop.
        axis: How it is spread.
        vector: Whether its chunks are vectors, which are live as a whole.

    >>> [live_offsets(Loop(5), AxisPlan(block=8, chunk=4), vector=vector) for vector in (False, True)]
    [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5, 6, 7]]
    """
    offsets = _offsets(axis)
    if not loop.extent <= axis.block:
        return offsets
    width = axis.chunk if vector else 1
    if loop.reduction:
        # The residue comes first: the last thread reaches furthest into the loop.
        reach = (axis.threads - 1) * axis.chunk - (axis.block - loop.extent.bound)
        return [at for at in offsets if at - at % width + width - 1 + reach >= 0]
    return [at for at in offsets if at - at % width < loop.extent.bound]


@lru_cache(maxsize=4096)
def _own_vectors(terms: tuple[tuple[int, int, int, int], ...], width: int, first: int) -> int:
    places = {first}
    for k, block, threads, chunk in terms:
        offsets = [k * offset for offset in _offsets(AxisPlan(block=block, threads=threads, chunk=chunk))]
        places = {at + offset for at in places for offset in offsets}
    return len({at // width for at in places})


def _has_diagonal(dimensions: Sequence[TileDimension]) -> bool:
    """Return whether a loop moves along several dimensions, which then cannot be counted one by one."""
    return len({loop for d in dimensions for loop in d.coefficients}) < sum([len(d.coefficients) for d in dimensions])


def _distinct(
    dimensions: Sequence[TileDimension],
    axes: Sequence[AxisPlan],
    inner: int,
    width: int,
    offsets_of: Callable[[int], list[int]],
) -> int:
    """Return the distinct places of one thread's points in all dimensions, counted together."""
    places = {tuple([d.offset for d in dimensions])}
    for loop in sorted({loop for d in dimensions for loop, _ in _terms(d, axes)}):
        steps = [d.coefficients.get(loop, 0) for d in dimensions]
        offsets = offsets_of(loop)
        places = {
            tuple([at + k * offset for at, k in zip(place, steps, strict=True)])
            for place in places
            for offset in offsets
        }
    return len({(*place[:inner], place[inner] // width, *place[inner + 1 :]) for place in places})
