# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine maps as linear coefficients, and their application to linear expressions."""

from collections.abc import Mapping, Sequence
from typing import Any

from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


class NotLinearError(ValueError):
    """An index expression that is not a sum of constant multiples of dimensions."""


def linear_index(expression: ir.AffineExpr, dims: int) -> LinearIndex:
    """Return an affine expression as coefficients and a constant.

    Raises:
        NotLinearError: The expression has symbols, mod or division.
    """
    coefficients, constant = _terms(expression)
    return LinearIndex(tuple(coefficients.get(d, 0) for d in range(dims)), constant)


def map_indices(affine_map: ir.AffineMap) -> tuple[LinearIndex, ...]:
    """Return the results of an affine map as linear indices.

    Raises:
        NotLinearError: See `linear_index`.
    """
    if affine_map.n_symbols:
        raise NotLinearError(f"an index map must have no symbols, but got {affine_map}")
    return tuple(linear_index(result, affine_map.n_dims) for result in affine_map.results)


def affine_map(indices: Sequence[LinearIndex]) -> ir.AffineMap:
    """Return linear indices of the same loops as an affine map: the inverse of `map_indices`."""
    loops = max((len(index.coefficients) for index in indices), default=0)
    return ir.AffineMap.get(loops, 0, [affine_sum(index.terms(), index.constant) for index in indices])


def apply_indices(indices: Sequence[LinearIndex], operands: Sequence[Linear]) -> list[Linear]:
    """Return each linear index with its loops replaced by linear expressions."""
    results: list[Linear] = []
    for index in indices:
        value = Linear(None, index.constant)
        for operand, k in zip(operands, index.coefficients, strict=True):
            if k:
                value = value + operand * k
        results.append(value)
    return results


def affine_sum(terms: Mapping[int, int], constant: int) -> ir.AffineExpr:
    """Return the sum of dimensions, by their numbers, times factors, and of a constant."""
    value: ir.AffineExpr = ir.AffineConstantExpr.get(constant)
    for dim, factor in sorted(terms.items(), reverse=True):
        if factor:
            value = ir.AffineDimExpr.get(dim) * factor + value
    return value


def _terms(expression: ir.AffineExpr) -> tuple[dict[int, int], int]:
    if isinstance(expression, ir.AffineDimExpr):
        return {ir.AffineDimExpr(expression).position: 1}, 0
    if isinstance(expression, ir.AffineConstantExpr):
        return {}, ir.AffineConstantExpr(expression).value
    if isinstance(expression, ir.AffineAddExpr):
        binary = ir.AffineAddExpr(expression)
        left, left_constant = _terms(binary.lhs)
        right, right_constant = _terms(binary.rhs)
        return {d: left.get(d, 0) + right.get(d, 0) for d in {**left, **right}}, left_constant + right_constant
    if isinstance(expression, ir.AffineMulExpr):
        binary = ir.AffineMulExpr(expression)
        left, left_constant = _terms(binary.lhs)
        right, right_constant = _terms(binary.rhs)
        if left:
            left, left_constant, right, right_constant = right, right_constant, left, left_constant
        if not left:
            return {d: k * left_constant for d, k in right.items()}, right_constant * left_constant
    raise NotLinearError(f"an index must be a sum of constant multiples of loops, but got {expression}")


def loops_in(expression: Any) -> list[int]:
    """Return the loops that occur in an index expression, each as often as it does."""
    if isinstance(expression, ir.AffineDimExpr):
        return [expression.position]
    if isinstance(expression, ir.AffineBinaryExpr):
        return [*loops_in(expression.lhs), *loops_in(expression.rhs)]
    return []
