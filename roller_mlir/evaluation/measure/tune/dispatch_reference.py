# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a dispatch of tuning computes, in the runner's words, where they have words for it: products and reductions.

A kernel that is measured elsewhere is checked there against another library, which knows operators by their index
functions: `ac cb -> ab` of a `linalg.matmul`, or of any `linalg.generic` that says the same.
"""

import string
from collections.abc import Sequence
from math import prod

from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.plan import LinearIndex, TensorExpression
from roller_mlir.plan.accuracy.accumulation import SUMS
from roller_mlir.plan.indices import parse_indices
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps

_MATMUL = "ac cb -> ab"
_COMBINERS = {
    "arith.addf": "sum",
    "arith.addi": "sum",
    "arith.maximumf": "max",
    "arith.maxnumf": "max",
    "arith.maxsi": "max",
    "arith.minimumf": "min",
    "arith.minnumf": "min",
    "arith.minsi": "min",
}


def reference_of_op(operation: ir.Operation, arguments: Sequence[ir.Value]) -> Reference:
    """Return what a linalg op computes of a function's arguments.

    Args:
        operation: A structured op.
        arguments: All arguments of its function, in order.

    Returns:
        A reference of the class "generic"; one without a class where the op is no plain product of two arguments and no
        reduction of one, reads around its tensors, or stores another type than that of its sums.
    """
    expression = read_structured(operation).expression
    inputs = len(arguments)
    if list(operation.operands)[:inputs] != list(arguments) or len(operation.operands) != inputs + 1:
        return Reference()
    combiner = _combiner(expression, inputs)
    kinds = {access.element_type for access in expression.inputs}
    kind = kinds.pop()
    if not combiner or kinds or expression.output.element_type != SUMS.get(kind, kind):
        return Reference()
    maps = indexing_maps(operation)
    tensors = [map_indices(one) for one in maps]
    text = _spelled(tensors)
    sizes = _extents(operation, tensors)
    if not text or sizes is None or len(sizes) != maps[0].n_dims:
        return Reference()
    found = parse_indices(text)
    shapes = [tuple(dimension.size(sizes) for dimension in one) for one in found.inputs]
    if shapes != [tuple(ir.RankedTensorType(one.type).shape) for one in arguments]:
        return Reference()
    if text == _MATMUL:
        return Reference(kind="matmul", dtype=kind, sizes={"M": sizes["a"], "N": sizes["b"], "K": sizes["c"]})
    return Reference(kind="generic", dtype=kind, sizes=sizes, indices=text, combiner=combiner)


def _combiner(expression: TensorExpression, inputs: int) -> str:
    """Return how points are joined, where that and a product of the inputs is all that is computed; else nothing."""
    combiner = _COMBINERS.get(expression.combiner or "", "")
    if expression.accumulates or expression.more_outputs or len(expression.inputs) != inputs:
        return ""
    if inputs == 2:
        return combiner if expression.fused_multiply_add and expression.widens_only and combiner == "sum" else ""
    return combiner if inputs == 1 and expression.flops_per_point == 1 else ""


def _spelled(tensors: Sequence[Sequence[LinearIndex]]) -> str:
    """Return index functions as `plan.indices` reads them, nothing where it has no spelling."""
    words: list[str] = []
    for tensor in tensors:
        word = ""
        for index in tensor:
            terms = index.terms()
            if any(loop >= len(string.ascii_lowercase) or factor < 1 for loop, factor in terms.items()):
                return ""
            if index.constant < 0 or max((index.constant, *terms.values())) > 9999:
                return ""
            parts = [f"{factor if factor > 1 else ''}{string.ascii_lowercase[loop]}" for loop, factor in terms.items()]
            parts += [str(index.constant)] if index.constant or not terms else []
            plain = len(parts) == 1 and len(parts[0]) == 1 and parts[0].isalpha()
            word += parts[0] if plain else f"({'+'.join(parts)})"
        words.append(word)
    *inputs, output = words
    letters = output.isalpha() and len(set(output)) == len(output)
    return f"{' '.join(inputs)} -> {output}".strip() if all(inputs) and (letters or not output) else ""


def _extents(operation: ir.Operation, tensors: Sequence[Sequence[LinearIndex]]) -> dict[str, int] | None:
    """Return the extent of each loop, None where a loop is no dimension by itself."""
    found: dict[str, int] = {}
    alone: dict[int, int] = {}
    for tensor, operand in zip(tensors, operation.operands, strict=True):
        for index, extent in zip(tensor, ir.RankedTensorType(operand.type).shape, strict=True):
            if index.constant == 0 and list(index.terms().values()) == [1]:
                (loop,) = index.terms()
                alone[loop] = extent
    for loop in {loop for tensor in tensors for index in tensor for loop in index.terms()}:
        if loop not in alone:
            return None
        found[string.ascii_lowercase[loop]] = alone[loop]
    return dict(sorted(found.items())) if prod(found.values()) else None
