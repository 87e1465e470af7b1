# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions, and the tiled nests around a micro kernel in which they are measured."""

import random
from dataclasses import dataclass
from math import prod

from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression


@dataclass(frozen=True)
class Problem:
    """An operator C += A B along three axes of the micro kernel, and further loops around them.

    Attributes:
        name: How the tables call it.
        expression: The operator.
        rows: Axis of the micro kernel's rows.
        columns: Axis of its columns, along which B and C are dense; a panel of B has no more.
        depth: Axis that it sums along.
    """

    name: str
    expression: TensorExpression
    rows: int
    columns: int
    depth: int


def product(m: int, n: int, k: int, panel: int) -> Problem:
    """Return C[m, n] += A[m, k] B[n / panel, k, panel]: B lies in panels of as many columns as the micro kernel has."""
    sizes = (m, n // panel, panel, k)
    a = _access("A", sizes, 0, 3)
    b = _access("B", sizes, 1, 3, 2)
    c = _access("C", sizes, 0, 1, 2)
    return Problem(f"{m}x{n}x{k}", _expression(sizes[:3], sizes[3:], (a, b), c), 0, 2, 3)


def convolution(channels: int, filters: int, size: int, window: int, stride: int, panel: int) -> Problem:
    """Return an NHWC convolution of one image, already padded, whose weights lie in panels of filters."""
    extent = (size - 1) * stride + window
    sizes = (size, size, filters // panel, panel, window, window, channels)
    rows = ((stride, 0, 0, 0, 1, 0, 0), (0, stride, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 0, 1))
    x = Access("X", (extent, extent, channels), "f32", tuple(LinearIndex(row) for row in rows))
    w = _access("W", sizes, 2, 4, 5, 6, 3)
    y = _access("Y", sizes, 0, 1, 2, 3)
    name = f"{channels}>{filters} {size} {window}x{window}" + (f" s{stride}" if stride > 1 else "")
    return Problem(name, _expression(sizes[:4], sizes[4:], (x, w), y), 1, 3, 6)


def variants(problem: Problem, rows: int, count: int, seed: int) -> list[TiledNest]:
    """Return different tiled nests: sizes that divide the axes, two levels of tiles, loops of a level in any order."""
    draw = random.Random(seed)
    extents = problem.expression.bounds
    found: dict[tuple[TileLoop, ...], None] = {}
    for _ in range(50 * count):
        outer: list[TileLoop] = []
        inner: list[TileLoop] = []
        for axis, extent in enumerate(extents):
            least = {problem.rows: rows, problem.columns: extent}.get(axis, 1)
            if axis == problem.depth:
                least = draw.choice([one for one in (16, 32, 64, 128, 256) if extent % one == 0] or [extent])
            middle = draw.choice([d for d in range(least, extent + 1, least) if extent % d == 0])
            outer.append(TileLoop(axis, extent // middle, middle))
            inner.append(TileLoop(axis, middle // least, least))
        draw.shuffle(outer)
        draw.shuffle(inner)
        loops = tuple(one for one in (*outer, *inner) if one.count > 1)
        found.setdefault(loops)
        if len(found) == count:
            break
    return [TiledNest(problem.expression, loops) for loops in found]


def strides(access: Access, axes: int) -> tuple[int, ...]:
    """Return the elements from one to the next along each axis."""
    shape = access.static_shape
    dense = [prod(shape[d + 1 :]) for d in range(len(shape))]
    return tuple(
        sum(index.coefficients[axis] * step for index, step in zip(access.indices, dense, strict=True))
        for axis in range(axes)
    )


def _access(name: str, sizes: tuple[int, ...], *axes: int) -> Access:
    """Return a dense access whose dimensions are axes."""
    rows = [LinearIndex(tuple(int(axis == own) for own in range(len(sizes)))) for axis in axes]
    return Access(name, tuple(sizes[axis] for axis in axes), "f32", tuple(rows))


def _expression(
    parallel: tuple[int, ...], reductions: tuple[int, ...], inputs: tuple[Access, Access], output: Access
) -> TensorExpression:
    loops = (*[Loop(n) for n in parallel], *[Loop(n, True) for n in reductions])
    return TensorExpression(loops, inputs, output, "arith.addf", 2, (0.0, 0.0), True, True)


PRODUCTS = ((512, 512, 512), (128, 2048, 1024), (320, 768, 1024), (2048, 1024, 32), (256, 256, 4096), (1024, 64, 2048))
"""PolyDL's Table 1, scaled to what a busy machine measures in milliseconds."""

LAYERS = (
    (64, 64, 56, 3, 1),
    (128, 128, 28, 3, 1),
    (256, 256, 14, 3, 1),
    (512, 512, 7, 3, 1),
    (256, 64, 56, 1, 1),
    (64, 256, 56, 1, 1),
    (512, 128, 28, 1, 1),
    (256, 512, 28, 1, 2),
    (1024, 256, 14, 1, 1),
    (512, 2048, 7, 1, 1),
    (256, 512, 14, 3, 1),
    (192, 384, 14, 3, 1),
)
"""Layers of ResNet-50, VGG and AlexNet."""


def problems(panel: int) -> tuple[Problem, ...]:
    """Return all problems, for a micro kernel of so many columns."""
    return (*[product(*one, panel) for one in PRODUCTS], *[convolution(*one, panel) for one in LAYERS])
