# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`linalg.pack` and `linalg.unpack` in numpy, by their definition: pad, part, transpose."""

from collections.abc import Sequence

import numpy as np

from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.bindings import ir


def packed(op: ir.Operation, source: Array, padding: Array | None) -> Array:
    """Return what a `linalg.pack` gives.

    Args:
        op: The op, of static shapes.
        source: The plain array.
        padding: What fills the last tiles, 0-dimensional; None where the source fills them.
    """
    where, tiles, outer = _order(op, source.ndim)
    shape = ir.RankedTensorType(op.results[0].type).shape
    counts = [shape[outer.index(d)] for d in range(source.ndim)]
    sizes = dict(zip(where, tiles, strict=True))
    missing = [(0, counts[d] * sizes.get(d, 1) - n) for d, n in enumerate(source.shape)]
    if any(high for _, high in missing):
        source = np.pad(source, missing, constant_values=np.asarray(padding))
    parts = source.reshape([n for d, count in enumerate(counts) for n in (count, sizes.get(d, 1))])
    parts = parts.transpose([*(2 * d for d in outer), *(2 * d + 1 for d in where), *_rest(where, len(counts))])
    return parts.reshape(shape)


def unpacked(op: ir.Operation, source: Array) -> Array:
    """Return what a `linalg.unpack` gives.

    Args:
        op: The op, of static shapes.
        source: The packed array.
    """
    shape = ir.RankedTensorType(op.results[0].type).shape
    where, _, outer = _order(op, len(shape))
    axes: list[int] = []
    extents: list[int] = []
    for d in range(len(shape)):
        axes.append(outer.index(d))
        extents.append(source.shape[outer.index(d)])
        if d in where:
            axes.append(len(shape) + where.index(d))
            extents[-1] *= source.shape[axes[-1]]
    return source.transpose(axes).reshape(extents)[tuple(slice(0, n) for n in shape)]


def _rest(where: Sequence[int], rank: int) -> list[int]:
    return [2 * d + 1 for d in range(rank) if d not in where]


def _order(op: ir.Operation, rank: int) -> tuple[list[int], list[int], list[int]]:
    """Return the tiled dimensions, their tiles and the order of the outer dimensions."""
    where = [int(d) for d in ir.DenseI64ArrayAttr(op.attributes["inner_dims_pos"])]
    tiles = [int(n) for n in ir.DenseI64ArrayAttr(op.attributes["static_inner_tiles"])]
    outer: list[int] = []
    if "outer_dims_perm" in op.attributes:
        outer = [int(d) for d in ir.DenseI64ArrayAttr(op.attributes["outer_dims_perm"])]
    return where, tiles, outer or list(range(rank))
