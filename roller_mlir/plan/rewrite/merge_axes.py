# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion on expressions: loops that every tensor runs through contiguously become one.

Paper: ROLLER section 3.2 (axis fusion). Code generation fuses the axes of linalg ops; this is the same on what planning
knows of them, so that a group can be weighed before its ops are rewritten.
"""

from dataclasses import replace
from itertools import permutations

from roller_mlir.plan.expression import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.extent import Extent


def merge_axes(expression: TensorExpression) -> TensorExpression:
    """Return the expression with every pair of loops merged that can be.

    >>> i, j = LinearIndex((1, 0)), LinearIndex((0, 1))
    >>> x, y = Access("x", (8, 4), "f32", (i, j)), Access("y", (8, 4), "f32", (i, j))
    >>> merge_axes(TensorExpression((Loop(8), Loop(4)), (x,), y, None, 1, (None,))).loops
    (Loop(extent=32, reduction=False),)
    """
    while True:
        pairs = permutations(range(len(expression.loops)), 2)
        pair = next((pair for pair in pairs if _mergeable(expression, *pair)), None)
        if pair is None:
            return expression
        expression = _merged(expression, *pair)


def _accesses(expression: TensorExpression) -> tuple[Access, ...]:
    return (*expression.inputs, *expression.outputs, *expression.epilogue, *expression.starts)


def _mergeable(expression: TensorExpression, a: int, b: int) -> bool:
    loops, whole = expression.loops, expression.whole
    if loops[a].reduction != loops[b].reduction or (a in whole) != (b in whole):
        return False
    return all(_follows(expression, access, a, b) for access in _accesses(expression))


def _follows(expression: TensorExpression, access: Access, a: int, b: int) -> bool:
    """Return whether b indexes the dimension behind a's, all of it, or neither occurs."""
    used = access.loops()
    if a not in used and b not in used:
        return True
    for dimension, index in enumerate(access.indices[:-1]):
        behind = access.indices[dimension + 1]
        if (
            _is_loop(index, a)
            and _is_loop(behind, b)
            and access.shape[dimension + 1] == expression.loops[b].extent
            and sum(a in one.terms() or b in one.terms() for one in access.indices) == 2
        ):
            return True
    return False


def _is_loop(index: LinearIndex, loop: int) -> bool:
    return index.constant == 0 and dict(index.terms()) == {loop: 1}


def _merged(expression: TensorExpression, a: int, b: int) -> TensorExpression:
    """Merge loop b into loop a, which it follows."""
    loops = list(expression.loops)
    loops[a] = Loop(loops[a].extent * loops[b].extent, loops[a].reduction)
    del loops[b]

    def moved(access: Access) -> Access:
        shape: list[Extent] = []
        indices: list[LinearIndex] = []
        for extent, index in zip(access.shape, access.indices, strict=True):
            if _is_loop(index, b):
                shape[-1] *= extent
                continue
            shape.append(extent)
            coefficients = list(index.coefficients)
            del coefficients[b]
            indices.append(LinearIndex(tuple(coefficients), index.constant))
        return replace(access, shape=tuple(shape), indices=tuple(indices))

    whole = tuple(sorted(loop - (loop > b) for loop in expression.whole if loop != b))
    return replace(expression.with_accesses(moved), loops=tuple(loops), whole=whole)
