# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winograd transforms as two contractions with upstream's constant matrices, over all images, channels and tiles.

    input    [n, h, w, c]            t[a, i, w, n, c] = sum over k of B^T[a, k] * x[n, m * i + k, w, c]
                                     r[a, b, i, j, n, c] = sum over k of t[a, i, m * j + k, n, c] * B[k, b]
    filter   [f, h, w, c]            t[a, w, c, f] = sum over k of G[a, k] * x[f, k, w, c];  r[a, b, c, f] likewise
    output   [a, b, i, j, n, f]      t[y, b, i, j, n, f] = sum over k of A^T[y, k] * x[k, b, i, j, n, f], then along b

What the last one gives is scaled and added to the op's output at [n, m * i + y, m * j + z, f], as upstream does; a
tensor.empty as output counts as zeros. A dimension of extent 1, which has no matrix, goes through as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import entry_operations, rebuild
from roller_mlir.lowering.linalg.generic import empty_like, filled, generic
from roller_mlir.support.bindings import arith, ir, tensor
from roller_mlir.support.values import defining_op, operations_inside
from roller_mlir.support.winograd import FILTER, INPUT, TRANSFORMS, decomposed


def contract_transforms(module: ir.Module) -> None:
    """Replace the winograd transforms of a module's functions."""
    for operation in entry_operations(module):
        if operation.name not in TRANSFORMS or not operation.results:
            continue
        if not all(ir.RankedTensorType(value.type).has_static_shape for value in operation.operands):
            continue
        rebuild(operation, _transformed)


@dataclass(frozen=True)
class _Matrices:
    """The constants of a transform, None where it has none.

    Attributes:
        left: Applied to the height.
        right: Applied to the width, its rows summed over.
        scale: What an output transform multiplies with.
    """

    left: Any
    right: Any
    scale: Any


def _matrices(operation: ir.Operation) -> _Matrices:
    """Read them from what upstream makes of the op."""
    left: Any = None
    right: Any = None
    scale: Any = None
    module = decomposed(operation)
    for op in operations_inside(module.body.operations[0].operation):
        constants = [defining_op(value, "arith.constant") for value in op.operands]
        if op.name == "linalg.matmul":
            left = left if constants[0] is None else constants[0].attributes["value"]
            right = right if constants[1] is None else constants[1].attributes["value"]
        elif op.name == "linalg.generic":
            found = [one for one in constants if one is not None]
            scale = found[0].attributes["value"] if found else scale
    return _Matrices(left, right, scale)


def _transformed(operation: ir.Operation) -> Any:
    constants = _matrices(operation)
    if operation.name == INPUT:
        return _input(operation, constants)
    return _filter(operation, constants) if operation.name == FILTER else _output(operation, constants)


def _input(operation: ir.Operation, constants: _Matrices) -> Any:
    source: Any = operation.operands[0]
    kind = ir.RankedTensorType(operation.results[0].type)
    images, _, width, channels = ir.RankedTensorType(source.type).shape
    alpha, beta, rows, columns = kind.shape[:4]
    d = ir.AffineDimExpr.get
    if constants.left is not None:
        step = _tile_step(ir.RankedTensorType(source.type).shape[1], alpha, rows)
        at = [d(3), d(1) * step + d(5), d(2), d(4)]  # loops a, i, w, n, c, k
        source = _contraction(constants.left, source, [d(0), d(5)], at, [alpha, rows, width, images, channels])
        place: list[Any] = [d(0), d(2), None, d(4), d(5)]
    else:
        zero = ir.AffineConstantExpr.get(0)
        place = [d(4), zero, None, d(5)]
    if constants.right is None:
        return tensor.expand_shape(kind, source, [[0, 1], [2], [3], [4], [5]], [], list(kind.shape))
    step = _tile_step(width, beta, columns)
    at = [d(3) * step + d(6) if one is None else one for one in place]  # loops a, b, i, j, n, c, k
    return _contraction(constants.right, source, [d(6), d(1)], at, list(kind.shape))


def _filter(operation: ir.Operation, constants: _Matrices) -> Any:
    source: Any = operation.operands[0]
    kind = ir.RankedTensorType(operation.results[0].type)
    filters, _, width, channels = ir.RankedTensorType(source.type).shape
    d = ir.AffineDimExpr.get
    place: list[Any] = [d(3), ir.AffineConstantExpr.get(0), d(4), d(2)]  # loops a, b, c, f, k
    if constants.left is not None:
        at = [d(3), d(4), d(1), d(2)]  # loops a, w, c, f, k
        source = _contraction(constants.left, source, [d(0), d(4)], at, [kind.shape[0], width, channels, filters])
        place = [d(0), d(4), d(2), d(3)]
    return source if constants.right is None else _contraction(constants.right, source, [d(4), d(1)], place, kind.shape)


def _output(operation: ir.Operation, constants: _Matrices) -> Any:
    source, start = operation.operands
    kind = ir.RankedTensorType(operation.results[0].type)
    _, beta, rows, columns, images, filters = ir.RankedTensorType(source.type).shape
    high, wide = kind.shape[1] // rows, kind.shape[2] // columns
    d, zero = ir.AffineDimExpr.get, ir.AffineConstantExpr.get(0)
    if constants.left is not None:
        at = [d(6), d(1), d(2), d(3), d(4), d(5)]  # loops y, b, i, j, n, f, k
        source = _contraction(constants.left, source, [d(0), d(6)], at, [high, beta, rows, columns, images, filters])
    shape = [images, rows, high, columns, wide, filters]  # loops n, i, y, j, z, f, k
    at = [d(2) if high > 1 else zero, d(6) if constants.right is not None else zero, d(1), d(3), d(0), d(5)]
    element = kind.element_type
    if constants.right is not None:
        source = _contraction(constants.right, source, [d(6), d(4)], at, shape)
        at = [d(i) for i in range(6)]
    spread = ir.RankedTensorType.get(shape, element)
    groups = [[0], [1, 2], [3, 4], [5]]
    starts = [] if defining_op(start, "tensor.empty") is not None else [start]
    starts = [tensor.expand_shape(spread, one, groups, [], shape) for one in starts]

    def body(x: Any, *old: Any) -> Any:
        if constants.scale is not None:
            x = arith.mulf(arith.constant(element, constants.scale), x)
        return arith.addf(x, old[0]) if starts else x

    made = generic([source, *starts], empty_like(spread), [at, *[None] * (len(starts) + 1)], body, loops=6)
    return tensor.collapse_shape(kind, made, groups)


def _tile_step(extent: int, tile: int, count: int) -> int:
    """Return how far the tiles of a padded dimension lie apart."""
    return (extent - tile) // (count - 1) if count > 1 else 1


def _contraction(
    matrix: Any, source: Any, matrix_at: Sequence[Any], source_at: Sequence[Any], shape: Sequence[int]
) -> Any:
    """Build a sum over one loop, the last one, of a constant matrix times a tensor."""
    element = ir.RankedTensorType(source.type).element_type
    kind = ir.RankedTensorType.get(list(shape), element)
    constant = arith.constant(matrix.type, matrix)
    start = filled(kind, ir.FloatAttr.get(element, 0.0))

    def body(x: Any, y: Any, total: Any) -> Any:
        return arith.addf(total, arith.mulf(x, y))

    return generic([constant, source], start, [matrix_at, source_at, range(len(shape))], body, loops=len(shape) + 1)
