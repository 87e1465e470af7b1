# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tensor expressions of every form that the model meets, and what boxes of their loops touch and compute."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import gcd, prod

import numpy as np
from hypothesis import strategies as st

from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression

EXTENTS = (1, 1, 2, 3, 4, 5, 7, 8, 11, 12)
"""Ones, primes, powers of two, and neither."""

TYPES = ("f16", "f32", "f64")

MOST_POINTS = 1500
"""Points of a loop nest at most: tests look at each."""

Coordinate = tuple[int, ...]


@st.composite
def random_expressions(draw: st.DrawFn, *, loops: int = 6, most_points: int = MOST_POINTS) -> TensorExpression:
    """Draw an expression.

    1 to 6 loops in any order of parallel and reduction; 1 to 3 inputs of rank 0 to 4 that may be transposed, strided,
    windowed with strides and dilations, broadcast, indexed by a constant or read through a padding; any permutation of
    the output's dimensions; elements of 2, 4 and 8 bytes.
    """
    nest: list[Loop] = []
    for _ in range(draw(st.integers(1, loops))):
        room = most_points // prod(loop.extent.static for loop in nest)
        nest.append(Loop(draw(st.sampled_from([n for n in EXTENTS if n <= max(1, room)])), draw(st.booleans())))
    inputs = tuple(draw(accesses(f"x{number}", nest)) for number in range(draw(st.integers(1, 3))))
    parallel = draw(st.permutations([i for i, loop in enumerate(nest) if not loop.reduction]))
    reduces = any(loop.reduction for loop in nest)
    output = Access(
        "y",
        tuple(nest[i].extent.static for i in parallel),
        draw(st.sampled_from(TYPES)),
        tuple(LinearIndex(tuple(int(i == loop) for i in range(len(nest)))) for loop in parallel),
    )
    return TensorExpression(
        loops=tuple(nest),
        inputs=inputs,
        output=output,
        combiner="arith.addf" if reduces else None,
        flops_per_point=2,
        pad_values=tuple(0.0 for _ in inputs),
        accumulates=draw(st.booleans()),
        fused_multiply_add=reduces and len(inputs) == 2,
    )


@st.composite
def accesses(draw: st.DrawFn, name: str, loops: Sequence[Loop]) -> Access:
    """Draw an input."""
    shape: list[int] = []
    indices: list[LinearIndex] = []
    for _ in range(draw(st.integers(0, 4))):
        coefficients = [0] * len(loops)
        kind = draw(st.sampled_from(["loop", "loop", "loop", "stride", "window", "constant"]))
        if kind != "constant":
            first = draw(st.integers(0, len(loops) - 1))
            coefficients[first] = 1 if kind == "loop" else draw(st.integers(1, 4))
            if kind == "window":
                coefficients[draw(st.integers(0, len(loops) - 1))] = draw(st.integers(1, 3))
        before, behind = draw(st.sampled_from([(0, 0), (0, 0), (2, 1), (1, 2), (0, 3)]))
        constant = draw(st.integers(0, 2)) if not before else -before
        last = constant + sum(k * (loop.extent.static - 1) for k, loop in zip(coefficients, loops, strict=True))
        shape.append(max(1, last + 1 - behind if before else last + 1 + behind))
        indices.append(LinearIndex(tuple(coefficients), constant))
    return Access(name, tuple(shape), draw(st.sampled_from(TYPES)), tuple(indices))


def random_tiles(expression: TensorExpression) -> st.SearchStrategy[tuple[int, ...]]:
    """Return the strategy of tiles: of any size up to the first that covers a loop and a little beyond."""
    return st.tuples(*[st.integers(1, loop.extent.static + 1) for loop in expression.loops])


def coordinates(access: Access, box: Sequence[range]) -> set[Coordinate]:
    """Enumerate what the points of a box touch of a tensor, whether inside of it or not."""
    return {
        tuple(i.constant + sum(k * p for k, p in zip(i.coefficients, point, strict=True)) for i in access.indices)
        for point in product(*box)
    }


def bounding_box(touched: set[Coordinate]) -> list[list[int]]:
    """Return, per dimension, the evenly spaced values from the least to the greatest that hold all coordinates."""
    spans: list[list[int]] = []
    for values in zip(*touched, strict=True):
        low, high = min(values), max(values)
        step = gcd(*[value - low for value in values]) or 1
        spans.append(list(range(low, high + 1, step)))
    return spans


def boxes(expression: TensorExpression, tile: Sequence[int], over: Sequence[int]) -> Iterator[list[range]]:
    """Yield the boxes of whole tiles that cover the loops in `over`; along the others, the first one only."""
    starts = [
        range(0, loop.extent.static, size) if i in over else range(1)
        for i, (loop, size) in enumerate(zip(expression.loops, tile, strict=True))
    ]
    for origin in product(*starts):
        yield [range(start, start + size) for start, size in zip(origin, tile, strict=True)]


Point = Callable[[list[np.ndarray]], np.ndarray]
"""The body without its combiner: what one point of the loops contributes, of the inputs' values there."""

COMBINERS = {
    "arith.addf": np.add,
    "arith.mulf": np.multiply,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
}


def evaluate(
    expression: TensorExpression, inputs: Sequence[np.ndarray], old: np.ndarray | None = None, body: Point | None = None
) -> np.ndarray:
    """Compute an expression at each point of its loops.

    Args:
        expression: The operator. Elements outside of an input read as its pad value.
        inputs: The tensors.
        old: What the output held before, where the expression accumulates.
        body: What a point contributes; the product of the inputs by default.
    """
    at = np.indices([loop.extent.static for loop in expression.loops])
    values: list[np.ndarray] = []
    for access, tensor, pad in zip(expression.inputs, inputs, expression.pad_values, strict=True):
        assert tensor.shape == access.static_shape
        inside, places = np.ones(at.shape[1:], bool), list[np.ndarray]()
        for index, extent in zip(access.indices, access.static_shape, strict=True):
            place = sum((k * at[loop] for loop, k in index.terms().items()), np.full(at.shape[1:], index.constant))
            inside &= (place >= 0) & (place < extent)
            places.append(np.clip(place, 0, extent - 1))
        assert inside.all() or pad is not None
        values.append(np.where(inside, tensor[tuple(places)], 0.0 if pad is None else pad))
    found = body(values) if body is not None else prod(values[1:], start=values[0])
    join = COMBINERS[expression.combiner or "arith.addf"]
    for loop in reversed(expression.reductions()):
        found = join.reduce(found, axis=loop)
    kept = list(expression.parallel())
    order = [kept.index(next(iter(index.terms()))) for index in expression.output.indices]
    found = np.transpose(found, order)
    assert found.shape == expression.output.static_shape
    return join(found, old) if expression.accumulates and old is not None else found
