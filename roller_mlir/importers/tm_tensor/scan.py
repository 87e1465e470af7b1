# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tm_tensor.scan`: element i of a row is what its elements up to i are together.

    %y, %all = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x7xf32>) outs(%zeros, %zero) { arith.addf }
    // becomes
    %y = linalg.generic  r < 3, i < 7 parallel, j < 7 reduction  ins(%x at (r, j)) outs(%zeros at (r, i)) {
      arith.addf %out, (arith.select (j <= i), %in, 0) }

Rows of more than `LONGEST` elements are divided into blocks of about the square root of their length: each block is
scanned, what is in front of it is a scan of the blocks' sums, and both are joined.
"""

from math import isqrt
from typing import Any

from roller_mlir.importers.tm_tensor.region import joined, only_operation
from roller_mlir.lowering.linalg.generic import constant_like, filled, generic
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.views import Slice, extract_slice, padded_behind
from roller_mlir.plan.expression import neutral_of
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.values import number_attribute

LONGEST = 256
"""Elements of a row that ask all of it."""


def scanned(operation: ir.Operation) -> bool:
    """Replace the results of a scan that starts from what leaves others as they are; return whether it is one."""
    source, *starts = list[Any](operation.operands)
    kind = ir.RankedTensorType(source.type)
    joins = only_operation(operation.regions[0].blocks[0])
    neutral = None if joins is None else neutral_of(joins.name, str(kind.element_type))
    if joins is None or neutral is None:
        return False
    if any(fill_constant(start) != number_attribute(kind.element_type, neutral) for start in starts):
        return False
    scan = _Scan(joins.name, neutral)
    axis = ir.IntegerAttr(operation.attributes["dimension"]).value
    elements, last = operation.results
    elements.replace_all_uses_with(
        scan.along(source, axis, inclusive=ir.BoolAttr(operation.attributes["inclusive"]).value)
    )
    if any(True for _ in last.uses):
        last.replace_all_uses_with(scan.whole(source, axis))
    return True


class _Scan:
    """Scans by one operation, built at the insertion point.

    Args:
        joins: What joins two elements, an operation of arith.
        neutral: What leaves its other operand as it is.
    """

    def __init__(self, joins: str, neutral: float) -> None:
        self._joins = joins
        self._neutral = neutral

    def along(self, source: Any, axis: int, *, inclusive: bool) -> Any:
        """Return the scan of a tensor along a dimension, of equal shape."""
        kind = ir.RankedTensorType(source.type)
        length = kind.shape[axis]
        if length <= LONGEST:
            return self._of_short_rows(source, axis, inclusive=inclusive)
        size = isqrt(length - 1) + 1
        count = -(-length // size)
        blocks = self._divided(source, axis, count, size)
        inside = self._of_short_rows(blocks, axis + 1, inclusive=inclusive)
        before = self.along(self.whole(blocks, axis + 1), axis, inclusive=False)
        rank = kind.rank + 1
        own = [loop for loop in range(rank) if loop != axis + 1]
        whole = generic(
            [inside, before], inside, [None, own, None], lambda a, b, _: joined(self._joins, b, a), loops=rank
        )
        groups = [[d + (d > axis)] if d != axis else [axis, axis + 1] for d in range(kind.rank)]
        wide = list(kind.shape)
        wide[axis] = count * size
        flat = tensor.collapse_shape(ir.RankedTensorType.get(wide, kind.element_type), whole, groups)
        return extract_slice(flat, Slice((0,) * kind.rank, tuple(kind.shape), (1,) * kind.rank))

    def whole(self, source: Any, axis: int) -> Any:
        """Return what all elements along a dimension are together, without that dimension."""
        kind = ir.RankedTensorType(source.type)
        others = [loop for loop in range(kind.rank) if loop != axis]
        result = ir.RankedTensorType.get([kind.shape[d] for d in others], kind.element_type)
        start = filled(result, number_attribute(kind.element_type, self._neutral))
        return generic([source], start, [None, others], lambda x, y: joined(self._joins, y, x), loops=kind.rank)

    def _of_short_rows(self, source: Any, axis: int, *, inclusive: bool) -> Any:
        kind = ir.RankedTensorType(source.type)
        rank = kind.rank
        read = [rank if d == axis else d for d in range(rank)]
        upto = arith.CmpIPredicate.sle if inclusive else arith.CmpIPredicate.slt

        def step(element: Any, found: Any) -> Any:
            is_meant = arith.cmpi(upto, linalg.IndexOp(rank).result, linalg.IndexOp(axis).result)
            return joined(
                self._joins, found, arith.select(is_meant, element, constant_like(element.type, self._neutral))
            )

        start = filled(kind, number_attribute(kind.element_type, self._neutral))
        return generic([source], start, [read, list(range(rank))], step, loops=rank + 1)

    def _divided(self, source: Any, axis: int, count: int, size: int) -> Any:
        """Return a tensor whose dimension is divided into blocks, filled up at the end."""
        kind = ir.RankedTensorType(source.type)
        missing = [count * size - length if d == axis else 0 for d, length in enumerate(kind.shape)]
        if any(missing):
            source = padded_behind(source, missing, number_attribute(kind.element_type, self._neutral))
        shape = [*kind.shape[:axis], count, size, *kind.shape[axis + 1 :]]
        groups = [[d + (d > axis)] if d != axis else [axis, axis + 1] for d in range(kind.rank)]
        return tensor.expand_shape(ir.RankedTensorType.get(shape, kind.element_type), source, groups, [], shape)
