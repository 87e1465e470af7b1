# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tm_tensor.scatter`: each element of the result asks each position whether it is meant.

    %r = tm_tensor.scatter {dimension_map = [0]} ins(%s, %p : tensor<5x1x8xf32>, tensor<5x1xi64>)
      outs(%t : tensor<9x8xf32>) { arith.addf }
    // becomes, a position outside of %t being none
    %r = linalg.generic  i < 9, j < 8 parallel, n < 5 reduction  ins(%s at (n, 0, j), %p at (n, 0)) outs(%t at (i, j)) {
      arith.addf %out, (arith.select (%p is i), %in, 0) }

Where the region joins what is there and what comes by an operation whose neutral element is known, threads can share
the positions; else they come in order, so that the last one stays.
"""

from math import prod
from typing import Any

from roller_mlir.importers.tm_tensor.region import inlined, joined, only_operation
from roller_mlir.lowering.linalg.front_end.indexed.gather_and_scatter import MOST_QUESTIONS
from roller_mlir.lowering.linalg.generic import constant_like, generic
from roller_mlir.plan.expression import neutral_of
from roller_mlir.support.bindings import arith, ir, linalg
from roller_mlir.support.diagnostics import fail


def scattered(operation: ir.Operation) -> bool:
    """Replace the result of a scatter of whole windows; return whether it is one."""
    source, positions, target = list[Any](operation.operands)
    kind, given = ir.RankedTensorType(target.type), ir.RankedTensorType(source.type)
    written = [int(one) for one in ir.DenseI64ArrayAttr(operation.attributes["dimension_map"])]
    count = ir.RankedTensorType(positions.type).shape[0]
    rank, first = kind.rank, kind.rank - (given.rank - 1)
    wanted = [1 if d in written else kind.shape[d] for d in range(first, rank)]
    if list(given.shape)[1:] != wanted or any(d not in written for d in range(first)):
        return False
    questions = prod(kind.shape) * count
    if questions > MOST_QUESTIONS:
        fail(
            operation,
            f"{count} positions that are written of {prod(kind.shape)} elements ask {questions} times whether a "
            f"position is an element's, of at most {MOST_QUESTIONS}; write fewer at once",
        )
    block = operation.regions[0].blocks[0]
    joins = only_operation(block)
    neutral = None if joins is None else neutral_of(joins.name, str(kind.element_type))

    def step(element: Any, *others: Any) -> Any:
        *indices, found = others
        is_meant: Any = None
        for dimension, index in zip(written, indices, strict=True):
            at = index if isinstance(index.type, ir.IndexType) else arith.index_cast(ir.IndexType.get(), index)
            own = arith.cmpi(arith.CmpIPredicate.eq, at, linalg.IndexOp(dimension).result)
            is_meant = own if is_meant is None else arith.andi(is_meant, own)
        if joins is not None and neutral is not None:
            return joined(joins.name, found, arith.select(is_meant, element, constant_like(element.type, neutral)))
        return arith.select(is_meant, inlined(block, [element, found])[0], found)

    def constant(number: int) -> Any:
        return ir.AffineConstantExpr.get(number)

    window = [constant(0) if d in written else d for d in range(first, rank)]
    maps: list[Any] = [[rank, *window]]
    maps += [[rank, constant(k)] for k in range(len(written))]
    result = generic([source, *[positions] * len(written)], target, [*maps, list(range(rank))], step, loops=rank + 1)
    operation.results[0].replace_all_uses_with(result)
    return True
