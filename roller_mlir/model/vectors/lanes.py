# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lanes read a tensor, and what its loads take longer by where it lies.

Vectors may lie in two lines, pages from those of the next point, or in the same sets of a cache as others.
"""

from collections import Counter
from functools import lru_cache
from math import gcd

from roller_mlir.hal import Device, MemoryLayer, VectorConstants
from roller_mlir.mapping.layout.data_tile import walked_alone
from roller_mlir.model.vectors.cache_work import APART_BYTES, LINE_BYTES
from roller_mlir.plan import Access, TensorExpression
from roller_mlir.plan.expression import dense_strides

_NEARLY_HELD = 1.25
"""Times the ways of a cache, up to which rows in the same set cost little: an AMD Zen 4 walks ten in eight ways."""
_LOADED_BYTES = 32
"""What ports load at once, a part of a line."""


def lanes_of(expression: TensorExpression, device: Device) -> int:
    """Return the lanes of a vector in which an expression is computed: those of its widest type."""
    assert device.vector_bytes is not None
    accesses = (*expression.inputs, *expression.outputs, *expression.epilogue)
    widest = max(max(access.element_bytes for access in accesses), expression.result_bytes)
    return max(1, device.vector_bytes // widest)


def reads_lanes(access: Access, lane: int) -> str:
    """Return how lanes along a loop read a tensor.

    That is "one" element for all, neighbours as a "vector", every other element as "pairs" of vectors, or "each" alone.

    >>> from roller_mlir.plan import LinearIndex
    >>> x = Access("x", (8, 8), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> reads_lanes(x, 0), reads_lanes(x, 1)
    ('each', 'vector')
    """
    factors = [index.coefficients[lane] for index in access.indices]
    if not any(factors):
        return "one"
    last = next(d for d in reversed(range(len(factors))) if factors[d] or access.shape[d] != 1)
    factors = factors[: last + 1]  # dimensions of one element behind say nothing
    return {1: "vector", 2: "pairs"}.get(factors[-1], "each") if not any(factors[:-1]) else "each"


def lane_dimension(access: Access, lane: int) -> int | None:
    """Return the dimension of a tensor that a loop walks alone, element by element; None where there is none.

    Lanes along the loop find neighbours in a packed tile where that dimension comes last, wherever the tensor has it.

    >>> from roller_mlir.plan import LinearIndex
    >>> turned = Access("b", (64, 32), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))  # b[n, k] of loops n, k
    >>> lane_dimension(turned, 0), reads_lanes(turned, 0), reads_packed(turned, 0)
    (0, 'each', 'vector')
    """
    terms = [index.terms() for index in access.indices]
    return next((d for d in range(len(terms)) if walked_alone(terms, d) == lane), None)


def reads_packed(access: Access, lane: int) -> str:
    """Return how lanes along a loop read packed tiles of a tensor: as `reads_lanes`, or as vectors of turned ones."""
    how = reads_lanes(access, lane)
    return "vector" if how == "each" and lane_dimension(access, lane) is not None else how


@lru_cache(maxsize=4096)
def cut_share(access: Access, lane: int | None, vector_bytes: int, wide: float) -> float:
    """Return the share of vectors along a loop that take a load more, since they lie in two lines.

    Of vectors wider than what a port loads at once it is measured, for all that begin elsewhere than at multiples of
    that; others begin at any multiple of what divides all steps from one to the next.

    Args:
        access: The tensor.
        lane: The loop.
        vector_bytes: Of a vector.
        wide: The share of wider vectors.

    >>> from roller_mlir.plan import LinearIndex
    >>> indices = LinearIndex((1, 0)), LinearIndex((0, 1))
    >>> [cut_share(Access("b", (8, n), "f32", indices), 1, 32, 0.5) for n in (128, 84, 42)]
    [0.0, 0.25, 0.375]
    >>> [cut_share(Access("b", (8, n), "f32", indices), 1, 64, 0.5) for n in (128, 84, 42)]
    [0.0, 0.5, 0.5]
    """
    strides = dense_strides(access.bounds)
    steps = [
        coefficient * stride * access.element_bytes
        for index, stride in zip(access.indices, strides, strict=True)
        for loop, coefficient in index.terms().items()
        if loop != lane
    ]
    apart = gcd(*steps, LINE_BYTES)
    if vector_bytes > _LOADED_BYTES:
        return wide if apart % _LOADED_BYTES else 0.0
    return max(0, vector_bytes - apart) / LINE_BYTES


@lru_cache(maxsize=4096)
def lies_apart(expression: TensorExpression, access: Access, lane: int | None) -> bool:
    """Return whether the vectors of one point of the reduction lie pages from those of the next."""
    if lane is None or access.gathered or reads_lanes(access, lane) != "vector":
        return False
    strides = dense_strides(access.bounds)
    steps = [
        abs(sum(index.coefficients[loop] * stride for index, stride in zip(access.indices, strides, strict=True)))
        for loop in expression.reductions()
    ]
    return min([step for step in steps if step], default=0) * access.element_bytes >= APART_BYTES


@lru_cache(maxsize=8192)
def conflict_cycles(
    access: Access, own: tuple[tuple[int, int], ...], cache: MemoryLayer, known: VectorConstants
) -> float:
    """Return the cycles that a load takes longer where rows walked side by side are more than their sets hold.

    Args:
        access: The tensor.
        own: The loops along which a task holds points, beside that of the lanes, and how many.
        cache: The nearest cache.
        known: Its ways, and what a conflict costs.

    >>> from roller_mlir.plan import LinearIndex
    >>> first = MemoryLayer(name="l1", kind="cached", instances=1, capacity_bytes=32768, line_bytes=64)
    >>> rows = Access("a", (64, 1024), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> [conflict_cycles(rows, ((0, count),), first, VectorConstants()) for count in (6, 14, 20)]
    [0.0, 0.8, 1.5]
    """
    line = cache.line_bytes or LINE_BYTES
    ways = cache.ways or known.ways
    sets = max(1, cache.capacity_bytes // (line * ways))
    strides = dense_strides(access.bounds)
    places = [0]
    for loop, points in own:
        step = sum(index.coefficients[loop] * stride for index, stride in zip(access.indices, strides, strict=True))
        places = [place + step * point for place in places for point in range(points)]
    lines = {place * access.element_bytes // line for place in places}
    most = max(Counter(one % sets for one in lines).values())
    if most <= known.ways_share * ways:
        return 0.0
    return max(known.conflict_cycles, known.evicted_cycles * (most - _NEARLY_HELD * ways))
