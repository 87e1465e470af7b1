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

    Loops of one iteration hinder nothing. They vanish where others are merged, or where a window of one point slides
    along another loop: such a window moves nothing.

    >>> i, j = LinearIndex((1, 0)), LinearIndex((0, 1))
    >>> x, y = Access("x", (8, 4), "f32", (i, j)), Access("y", (8, 4), "f32", (i, j))
    >>> merge_axes(TensorExpression((Loop(8), Loop(4)), (x,), y, None, 1, (None,))).loops
    (Loop(extent=32, reduction=False),)
    """
    left = _without_vanishing(expression)
    merged = _merged_pairs(left)
    if left is not expression and not _slides(expression) and len(merged.loops) == len(left.loops):
        return expression
    return merged


def _merged_pairs(expression: TensorExpression) -> TensorExpression:
    while True:
        pairs = permutations(range(len(expression.loops)), 2)
        pair = next((pair for pair in pairs if _mergeable(expression, *pair)), None)
        if pair is None:
            return expression
        expression = _merged(expression, *pair)


def _vanishing(expression: TensorExpression) -> list[int]:
    """Return the loops of one iteration that others can do without: what reduces has to walk one."""
    single = [number for number, loop in enumerate(expression.loops) if loop.extent == 1]
    if expression.whole or expression.ordered or set(expression.reductions()) <= set(single):
        single = [number for number in single if not expression.loops[number].reduction]
    return [number for number in single if number not in expression.whole]


def _slides(expression: TensorExpression) -> bool:
    """Return whether a loop that may vanish is added to another one."""
    vanishing = set(_vanishing(expression))
    indices = [index.terms() for access in _accesses(expression) for index in access.indices]
    return any(len(terms) > 1 and vanishing & terms.keys() for terms in indices)


def _without_vanishing(expression: TensorExpression) -> TensorExpression:
    vanishing = _vanishing(expression)
    if not vanishing or len(vanishing) == len(expression.loops):
        return expression

    def moved(access: Access) -> Access:
        shape: list[Extent] = []
        indices: list[LinearIndex] = []
        for extent, index in zip(access.shape, access.indices, strict=True):
            kept = [one for loop, one in enumerate(index.coefficients) if loop not in vanishing]
            if access.gathered or extent != 1 or any(kept) or index.constant:
                shape.append(extent)
                indices.append(LinearIndex(tuple(kept), index.constant))
        return replace(access, shape=tuple(shape), indices=tuple(indices))

    loops = tuple(loop for number, loop in enumerate(expression.loops) if number not in vanishing)
    whole = tuple(loop - sum(one < loop for one in vanishing) for loop in expression.whole)
    return replace(expression.with_accesses(moved), loops=loops, whole=whole)


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
