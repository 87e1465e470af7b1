# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building `linalg.generic` ops from maps and a body that is a function."""

from collections.abc import Callable, Sequence
from typing import Any

from roller_mlir.support.bindings import ir, linalg, tensor


def generic(
    inputs: Sequence[Any],
    output: Any,
    maps: Sequence[Sequence[int] | None],
    body: Callable[..., Any],
    *,
    loops: int,
) -> Any:
    """Build a `linalg.generic` of one result at the insertion point; loops that the output lacks are reductions.

    Args:
        inputs: Tensors.
        output: The tensor that the result starts from.
        maps: Per input, then for the output, the loops that index its dimensions; None for all.
        body: From the elements of the inputs and of the output, all values, to what is yielded.
        loops: How many there are.
    """
    given = [range(loops) if each is None else each for each in maps]
    kinds = ["parallel" if loop in given[-1] else "reduction" for loop in range(loops)]
    operation = ir.Operation.create(
        "linalg.generic",
        results=[output.type],
        operands=[*inputs, output],
        attributes={
            "indexing_maps": ir.ArrayAttr.get(
                [
                    ir.AffineMapAttr.get(ir.AffineMap.get(loops, 0, [ir.AffineDimExpr.get(i) for i in each]))
                    for each in given
                ]
            ),
            "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{k}>") for k in kinds]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        },
        regions=1,
    )
    elements = [ir.RankedTensorType(value.type).element_type for value in (*inputs, output)]
    block = operation.regions[0].blocks.append(*elements, arg_locs=[operation.location] * len(elements))
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return operation.results[0]


def empty_like(kind: Any) -> Any:
    """Build a tensor of a type and unspecified content at the insertion point."""
    ranked = ir.RankedTensorType(kind)
    return tensor.empty(list(ranked.shape), ranked.element_type)
