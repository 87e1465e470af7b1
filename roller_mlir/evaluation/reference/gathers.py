# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensor.gather` and `tensor.scatter` on numpy arrays."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from roller_mlir.evaluation.reference.body import element_at
from roller_mlir.evaluation.reference.bounds.nests import Bounded, Written
from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.bindings import ir


def gathered(op: ir.Operation, source: Bounded, positions: Bounded, shape: tuple[int, ...]) -> Bounded:
    """Return what a `tensor.gather` reads: a position outside of a dimension is the one that is nearest.

    Args:
        op: The op.
        source: What it reads of.
        positions: Where, the coordinates last.
        shape: Of its result.
    """
    dims = [int(one) for one in ir.DenseI64ArrayAttr(op.attributes["gather_dims"])]
    others = [dim for dim in range(source.data.ndim) if dim not in dims]

    def coordinates(array: Array, number: int) -> Array:
        return array[..., number].reshape(*array.shape[:-1], *(1 for _ in others))

    places: list[Bounded] = []
    for dim, extent in enumerate(source.data.shape):
        if dim in dims:
            places.append(positions.map(partial(coordinates, number=dims.index(dim))))
        else:
            places.append(Bounded(np.arange(extent).reshape([extent if dim == one else 1 for one in others])))
    return element_at(source, places).map(lambda array: array.reshape(shape))


def scattered(op: ir.Operation, source: Bounded, target: Bounded, positions: Array) -> Bounded:
    """Return what a `tensor.scatter` writes: nothing at a position outside of the target.

    Args:
        op: The op.
        source: What it writes.
        target: What it writes into.
        positions: Where, the coordinates last.
    """
    dims = [int(one) for one in ir.DenseI64ArrayAttr(op.attributes["scatter_dims"])]
    result = Written(target)

    def write(whole: Array, part: Array) -> None:
        for at, window in _windows(dims, positions, whole.ndim):
            if all(0 <= window[dim].start < whole.shape[dim] for dim in dims):
                whole[window] = part[at].reshape(whole[window].shape)

    result.put(source, write)
    return result.value()


def _windows(dims: list[int], positions: Array, rank: int) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield each position's place, and the window that it means."""
    for at in np.ndindex(positions.shape[:-1]):
        starts = dict(zip(dims, (int(one) for one in positions[at]), strict=True))
        yield at, tuple(slice(starts[d], starts[d] + 1) if d in starts else slice(None) for d in range(rank))
