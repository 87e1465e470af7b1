# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a group computes at each point of its output once its reductions are done, in operations and in cycles."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class EpilogueOperations:
    """The operations of some ops at one point.

    Attributes:
        flops: How many.
        cycles: See `TensorExpression.epilogue_cycles`.
        chain: See `TensorExpression.epilogue_chain`.
    """

    flops: int
    cycles: int
    chain: int


def epilogue_operations(
    roots: Sequence[StructuredOp], numbers: Collection[int], made: Mapping[ir.Value, int]
) -> EpilogueOperations:
    """Return what some ops of a group compute at a point.

    Args:
        roots: The ops of the group in order.
        numbers: Those that count. What the others make is there at the beginning, as tensors from memory are.
        made: Which op makes a tensor.
    """
    at = dict.fromkeys(made, 0)
    for number in sorted(numbers):
        root = roots[number]
        arguments = [0] * len(root.body.types)
        for argument, source in zip(root.inputs, root.sources, strict=True):
            arguments[argument] = at.get(source, 0)
        for argument in root.accumulated:
            arguments[argument] = at.get(root.operation.operands[argument], 0)
        at.update(zip(root.operation.results, root.body.ready(arguments), strict=True))
    counted = [roots[number].expression for number in numbers]
    return EpilogueOperations(
        sum(one.flops_per_point for one in counted),
        sum(one.point_cycles for one in counted),
        max(at.values(), default=0),
    )
