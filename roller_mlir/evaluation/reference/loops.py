# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`scf.if`, `scf.for` and `scf.forall` on numpy arrays, step by step, and affine operations that compute positions."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Any, TypeVar

import numpy as np

from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC

_Value = TypeVar("_Value")

AFFINE: dict[str, Callable[[Array, Array], Array]] = {
    "affine.apply": lambda first, _: first,
    "affine.min": np.minimum,
    "affine.max": np.maximum,
}
"""The operations that give the value of a map, or the least or the greatest of its values."""


def run_if(
    op: ir.Operation, condition: bool, run: Callable[[Any, Sequence[_Value]], Mapping[Any, _Value]]
) -> list[_Value]:
    """Return what a `scf.if` gives.

    Args:
        op: The op.
        condition: Which side is taken.
        run: As of `run_for`.
    """
    blocks = list(op.regions[0 if condition else 1].blocks)
    if not blocks:
        return []
    values = run(blocks[0], [])
    return [values[operand] for operand in blocks[0].operations[len(blocks[0].operations) - 1].operation.operands]


def run_for(
    op: ir.Operation,
    bounds: Sequence[int],
    carried: list[_Value],
    index: Callable[[int], _Value],
    run: Callable[[Any, Sequence[_Value]], Mapping[Any, _Value]],
) -> list[_Value]:
    """Return what a `scf.for` gives.

    Args:
        op: The loop.
        bounds: Its lower bound, its upper bound and its step, with a sign.
        carried: The values that it begins with.
        index: Makes a value of a position, in the type of the loop's variable.
        run: Runs a block but for its terminator on arguments; returns all values by then.
    """
    block = op.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1].operation
    low, high, step = bounds
    if "unsignedCmp" in op.attributes:
        kind = block.arguments[0].type
        low, high, step = (n % (1 << (kind.width if isinstance(kind, ir.IntegerType) else 64)) for n in bounds)
    if step < 1:
        fail(op, f"numpy reference: '{op.name}' has a step of {step}; steps must be at least 1")
    for position in range(low, high, step):
        values = run(block, [index(position), *carried])
        carried = [values[operand] for operand in terminator.operands]
    return carried


def run_forall(
    op: ir.Operation,
    operands: Sequence[_Value],
    number: Callable[[_Value], int],
    index: Callable[[int], _Value],
    run: Callable[[Any, Sequence[_Value]], Mapping[Any, _Value]],
    insert: Callable[[ir.Operation, Sequence[_Value]], _Value],
) -> list[_Value]:
    """Return what a `scf.forall` gives: each step reads the outputs as they were, and inserts into them.

    Args:
        op: The loop.
        operands: Its operands.
        number: Makes a position of a value.
        index: Makes a value of a position.
        run: As of `run_for`.
        insert: Evaluates the insertion of a slice, whose operands are source, target and positions.
    """
    block, given = op.regions[0].blocks[0], iter(operands)
    bounds = [
        [number(next(given)) if n == DYNAMIC else int(n) for n in ir.DenseI64ArrayAttr(op.attributes[name])]
        for name in ("staticLowerBound", "staticUpperBound", "staticStep")
    ]
    shared = list(given)
    ranges = [range(*each) for each in zip(*bounds, strict=True)]
    targets = list(block.arguments)[len(ranges) :]
    joining = block.operations[len(block.operations) - 1].operation.regions[0].blocks[0]
    made = list(shared)
    for positions in product(*ranges):
        values = run(block, [*map(index, positions), *shared])
        for one in (inner.operation for inner in joining.operations):
            if one.name != "tensor.parallel_insert_slice":
                fail(one, f"numpy reference: '{one.name}' is not supported in a '{op.name}'")
            source, target, *rest = one.operands
            place = targets.index(target)
            made[place] = insert(one, [values[source], made[place], *(values[value] for value in rest)])
    return made


def affine_value(op: ir.Operation, operands: Sequence[Array]) -> Array:
    """Return what an operation of `AFFINE` gives for positions, element by element."""
    affine_map: Any = ir.AffineMapAttr(op.attributes["map"]).value
    dims, symbols = operands[: affine_map.n_dims], operands[affine_map.n_dims :]
    values = [np.asarray(_at(op, each, dims, symbols), np.int64) for each in affine_map.results]
    return reduce(AFFINE[op.name], values)


def _at(op: ir.Operation, expression: Any, dims: Sequence[Array], symbols: Sequence[Array]) -> Any:
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value
    left, right = _at(op, expression.lhs, dims, symbols), _at(op, expression.rhs, dims, symbols)
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if isinstance(expression, ir.AffineMulExpr):
        return left * right
    if isinstance(expression, ir.AffineFloorDivExpr):
        return left // right
    if isinstance(expression, ir.AffineCeilDivExpr):
        return -(-left // right)
    return left % right
