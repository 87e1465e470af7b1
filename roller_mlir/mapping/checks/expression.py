# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the parts of a tensor expression fit together: one that was read, and not made, may say anything."""

from roller_mlir.plan import Access, TensorExpression
from roller_mlir.plan.expression import ELEMENT_BYTES


def expression_problem(expression: TensorExpression) -> str:
    """Return how the parts of an expression do not fit together, or an empty string.

    >>> from roller_mlir.plan import Loop
    >>> expression_problem(TensorExpression((Loop(8),), (), Access("y", (8,), "f32", ()), None, 1, ()))
    "tensor 'y' has 1 dimensions, but 0 indices"
    """
    loops, inputs = len(expression.loops), len(expression.inputs)
    empty = next((number for number, loop in enumerate(expression.loops) if loop.extent <= 0), None)
    if empty is not None:
        return f"loop {empty} must have an extent of at least 1, but has {expression.loops[empty].extent}"
    if any(not 0 <= loop < loops for loop in expression.whole):
        return f"'whole' must hold some of {loops} loops, but is {list(expression.whole)}"
    if len(expression.pad_values) != inputs or len(expression.prologue_flops) not in (0, inputs):
        return f"'pad_values' and 'prologue_flops' must say something of each of {inputs} inputs"
    if len(expression.prologue_cycles) not in (0, inputs):
        return f"'prologue_cycles' must say something of each of {inputs} inputs"
    if expression.accumulator_type and expression.accumulator_type not in ELEMENT_BYTES:
        return f"'accumulator_type' must be one of {', '.join(ELEMENT_BYTES)}, but is {expression.accumulator_type!r}"
    found = (_access_problem(one, loops) for one in (*expression.inputs, *expression.beside, *expression.outputs))
    return next((problem for problem in found if problem), "")


def _access_problem(access: Access, loops: int) -> str:
    what = f"tensor '{access.name}' has"
    if access.element_type not in ELEMENT_BYTES:
        return f"{what} elements of {access.element_type!r}, which must be one of {', '.join(ELEMENT_BYTES)}"
    if any(extent <= 0 for extent in access.shape):
        return f"{what} the shape {list(access.shape)}, whose extents must be at least 1"
    if len(access.indices) != len(access.shape):
        return f"{what} {len(access.shape)} dimensions, but {len(access.indices)} indices"
    wrong = next((one for one in access.indices if len(one.coefficients) != loops), None)
    return "" if wrong is None else f"{what} an index of {len(wrong.coefficients)} coefficients for {loops} loops"
