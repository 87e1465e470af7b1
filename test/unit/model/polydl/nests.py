# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiled loop nests for these tests: by hand, and random."""

from collections.abc import Sequence

from hypothesis import strategies as st
from random_expressions import random_expressions

from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression


def point_nest(expression: TensorExpression, order: Sequence[int] | None = None) -> TiledNest:
    """Return one loop for each axis, over points."""
    axes = range(len(expression.loops)) if order is None else order
    return TiledNest(expression, tuple(TileLoop(axis, expression.bounds[axis], 1) for axis in axes))


def window(
    size: int, taps: int, *, stride: int = 1, dilation: int = 1, padding: int = 0, backwards: bool = False
) -> TensorExpression:
    """Return y[i] += x[stride * i + dilation * k - padding] * w[k]; backwards, -dilation * k."""
    reach = dilation * (taps - 1)
    steps = (stride, -dilation if backwards else dilation)
    constant = (reach if backwards else 0) - padding
    x = Access("x", (stride * (size - 1) + reach + 1 - 2 * padding,), "f32", (LinearIndex(steps, constant),))
    w = Access("w", (taps,), "f32", (LinearIndex((0, 1)),))
    y = Access("y", (size,), "f32", (LinearIndex((1, 0)),))
    return TensorExpression((Loop(size), Loop(taps, True)), (x, w), y, "arith.addf", 2, (0.0, 0.0))


def turned(access: Access, expression: TensorExpression, axis: int) -> Access:
    """Return an access along which an axis runs backwards."""
    if axis >= len(expression.loops):
        return access
    indices = [
        LinearIndex(
            tuple(-c if i == axis else c for i, c in enumerate(index.coefficients)),
            index.constant + index.coefficients[axis] * (expression.bounds[axis] - 1),
        )
        for index in access.indices
    ]
    return Access(access.name, access.shape, access.element_type, tuple(indices))


@st.composite
def nests(draw: st.DrawFn, *, most_points: int = 500, parallel: bool = True) -> TiledNest:
    """Draw an expression, with 0 to 3 loops along each axis, of any order, whose last tiles may be cut."""
    expression = draw(random_expressions(loops=4, most_points=most_points))
    if draw(st.booleans()):
        expression = expression.with_accesses(lambda access: turned(access, expression, draw(st.integers(0, 3))))
    loops: list[TileLoop] = []
    for axis, extent in enumerate(expression.bounds):
        size = draw(st.sampled_from([1, 1, 2, 3]))
        for _ in range(draw(st.integers(0, 3))):
            left = -(-extent // size)
            count = draw(st.integers(1, left))
            loops.append(TileLoop(axis, count, size))
            size *= count
            if size >= extent:
                break
        own = [one for one in loops if one.axis == axis]
        if own:
            last = max(own, key=lambda one: (one.size, one.count))
            loops[loops.index(last)] = TileLoop(axis, -(-extent // last.size), last.size)
    order = draw(st.permutations(loops))
    chosen = draw(st.integers(0, len(order) - 1)) if parallel and order and draw(st.booleans()) else -1
    return TiledNest(
        expression, tuple(TileLoop(one.axis, one.count, one.size, i == chosen) for i, one in enumerate(order))
    )
