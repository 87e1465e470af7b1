# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products in float64: an evaluation strategy for bodies that say acc + a * b * ..., of any rank."""

from collections.abc import Sequence
from math import prod

import numpy as np

from roller_mlir.evaluation.reference.values import Array


def sum_of_products(factors: Sequence[Array], loops: Sequence[Sequence[int]], output: Sequence[int]) -> Array:
    """Sum the product of the factors over all loops that the output does not have.

    Args:
        factors: Arrays.
        loops: Per factor, the loop of each axis.
        output: The loop of each axis of the result.

    Returns:
        The sum, in the factors' type.

    >>> a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    >>> sum_of_products([a, b], [(0, 1), (1,)], (0,)).tolist()
    [5.0, 14.0]
    """
    # Summing a factor by itself first changes what infinities and NaNs give: 0 * inf at one point is NaN.
    if not all(bool(np.isfinite(factor).all()) for factor in factors):
        return _point_by_point(factors, loops, output)
    if len(factors) == 2:
        return _product_of_two(factors, loops, output)
    arguments: list[Array | list[int]] = []
    for factor, axes in zip(factors, loops, strict=True):
        arguments += [factor, list(axes)]
    return np.asarray(np.einsum(*arguments, list(output), optimize=len(factors) > 2))


def _point_by_point(factors: Sequence[Array], loops: Sequence[Sequence[int]], output: Sequence[int]) -> Array:
    """Multiply at every point of the loop nest, then sum."""
    nest = [*output, *sorted({loop for own in loops for loop in own} - set(output))]
    product = np.ones([1] * len(nest), factors[0].dtype)
    for factor, own in zip(factors, loops, strict=True):
        used = [loop for loop in nest if loop in own]
        values = np.einsum(factor, list(own), used)  # diagonals and order only
        extents = dict(zip(used, values.shape, strict=True))
        product = product * values.reshape([extents.get(loop, 1) for loop in nest])
    return np.asarray(product.sum(axis=tuple(range(len(output), len(nest)))))


def _product_of_two(factors: Sequence[Array], loops: Sequence[Sequence[int]], output: Sequence[int]) -> Array:
    """Bring two factors into the form batch x rows x depth times batch x depth x columns, and let BLAS multiply."""
    left, right = (
        _sum_private(factor, own, other, output)
        for factor, own, other in zip(factors, loops, reversed(loops), strict=True)
    )
    (a, a_loops), (b, b_loops) = left, right
    batch = [loop for loop in a_loops if loop in b_loops and loop in output]
    depth = [loop for loop in a_loops if loop in b_loops and loop not in output]
    rows = [loop for loop in a_loops if loop not in b_loops]
    columns = [loop for loop in b_loops if loop not in a_loops]
    extents = {**dict(zip(a_loops, a.shape, strict=True)), **dict(zip(b_loops, b.shape, strict=True))}

    def arrange(values: Array, axes: Sequence[int], groups: Sequence[Sequence[int]]) -> Array:
        order = [axes.index(loop) for group in groups for loop in group]
        return values.transpose(order).reshape([prod(extents[loop] for loop in group) for group in groups])

    product = arrange(a, a_loops, (batch, rows, depth)) @ arrange(b, b_loops, (batch, depth, columns))
    have = [*batch, *rows, *columns]
    return product.reshape([extents[loop] for loop in have]).transpose([have.index(loop) for loop in output])


def _sum_private(
    factor: Array, loops: Sequence[int], other: Sequence[int], output: Sequence[int]
) -> tuple[Array, list[int]]:
    """Sum over the loops that only this factor has."""
    private = tuple(i for i, loop in enumerate(loops) if loop not in other and loop not in output)
    return np.add.reduce(factor, axis=private), [loop for i, loop in enumerate(loops) if i not in private]
