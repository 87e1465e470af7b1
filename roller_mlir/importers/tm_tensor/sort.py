# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tm_tensor.sort` and `tm_tensor.topk`: the place of an element is how many others of its row stand before it.

    %v, %p = tm_tensor.sort dimension(1) outs(%x, %numbers : tensor<3x7xf32>, tensor<3x7xi64>) { arith.cmpf ole }
    // becomes
    %rank  = linalg.generic  r < 3, i < 7 parallel, j < 7 reduction  { %out + (x[r, j] stands before x[r, i] ? 1 : 0) }
    %place = linalg.generic  r < 3, p < 7 parallel, i < 7 reduction  { %out + (%rank[r, i] is p ? i : 0) }
    %v = linalg.generic { x[r, %place[r, p]] }     %p = linalg.generic { %numbers[r, %place[r, p]] }

Of elements that are equal the first stands before the others, whether the comparison is strict or not. A NaN is greater
than any number, as PyTorch has it. Where only the first of a row are read, places and elements are those.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from roller_mlir.importers.tm_tensor.region import inlined, only_operation, place
from roller_mlir.lowering.linalg.front_end.indexed.gather_and_scatter import MOST_QUESTIONS
from roller_mlir.lowering.linalg.generic import empty_like, filled, generic
from roller_mlir.lowering.linalg.views import SLICE, read_slice
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import number_attribute

_RISING = ("olt", "ole", "ult", "ule")
"""Comparisons by which a NaN, which is greater than any number, stands behind."""


def in_order(operation: ir.Operation) -> bool:
    """Replace the results of a sort."""
    axis = ir.IntegerAttr(operation.attributes["dimension"]).value
    values = list[Any](operation.operands)
    block = operation.regions[0].blocks[0]
    length = ir.RankedTensorType(values[0].type).shape[axis]
    firsts = max((_read_of(result, axis, length) for result in operation.results), default=length)
    places = _places(values, block, axis, firsts)
    for value, result in zip(values, operation.results, strict=True):
        if any(True for _ in result.uses):
            _read_instead(result, _at_places(value, places, axis))
    return True


def best(operation: ir.Operation) -> bool:
    """Replace the results of a choice of the best elements of each row, and of their places in it."""
    if len(operation.operands) != 3:  # the places are given
        return False
    axis = ir.IntegerAttr(operation.attributes["dimension"]).value
    source = operation.operands[0]
    elements, numbers = operation.results
    count = ir.RankedTensorType(elements.type).shape[axis]
    places = _places([source], operation.regions[0].blocks[0], axis, count)
    elements.replace_all_uses_with(_at_places(source, places, axis))
    numbers.replace_all_uses_with(places)
    return True


def _read_of(result: Any, axis: int, length: int) -> int:
    """Return how many elements of each row, from the first, are read."""
    users = [use.owner.operation for use in result.uses]
    if any(user.name != SLICE for user in users):
        return length
    cuts = [read_slice(user) for user in users]
    return max((cut.offsets[axis] + (cut.sizes[axis] - 1) * cut.strides[axis] + 1 for cut in cuts), default=1)


def _read_instead(result: Any, value: Any) -> None:
    """Let what reads a result read a value, which has the first elements of its rows, where that may be fewer."""
    if value.type == result.type:
        result.replace_all_uses_with(value)
        return
    for user in [use.owner.operation for use in result.uses]:
        user.operands[0] = value


def _places(values: Sequence[Any], block: ir.Block, axis: int, firsts: int) -> Any:
    """Return where in each row the first elements of the order stand, 32-bit integers."""
    kind = ir.RankedTensorType(values[0].type)
    rank, i32 = kind.rank, ir.IntegerType.get_signless(32)
    compared = [
        n for n in range(len(values)) if any(any(True for _ in block.arguments[2 * n + k].uses) for k in (0, 1))
    ]
    other = [rank if d == axis else d for d in range(rank)]
    zero = number_attribute(i32, 0)
    questions = prod(kind.shape) * kind.shape[axis]
    if questions > MOST_QUESTIONS:
        fail(
            block.owner,
            f"sorting {prod(kind.shape)} elements in rows of {kind.shape[axis]} takes {questions} comparisons, of at "
            f"most {MOST_QUESTIONS}; sort shorter rows",
        )

    def stands_before(*elements: Any) -> Any:
        own, others, found = elements[: len(compared)], elements[len(compared) : -1], elements[-1]
        pairs: list[Any] = [None] * (2 * len(values))
        for number, one, two in zip(compared, others, own, strict=True):
            pairs[2 * number], pairs[2 * number + 1] = one, two
        earlier = arith.cmpi(arith.CmpIPredicate.slt, linalg.IndexOp(rank).result, linalg.IndexOp(axis).result)
        is_before = _is_before(block, pairs, earlier)
        return arith.addi(found, arith.extui(i32, is_before))

    ranks = generic(
        [*(values[n] for n in compared), *(values[n] for n in compared)],
        filled(ir.RankedTensorType.get(list(kind.shape), i32), zero),
        [list(range(rank))] * len(compared) + [other] * len(compared) + [list(range(rank))],
        stands_before,
        loops=rank + 1,
    )
    shape = list(kind.shape)
    shape[axis] = firsts

    def is_there(one: Any, found: Any) -> Any:
        is_meant = arith.cmpi(arith.CmpIPredicate.eq, one, place(axis))
        return arith.addi(found, arith.select(is_meant, place(rank), arith.constant(i32, 0)))

    start = filled(ir.RankedTensorType.get(shape, i32), zero)
    return generic([ranks], start, [other, list(range(rank))], is_there, loops=rank + 1)


def _is_before(block: ir.Block, pairs: Sequence[Any], is_earlier: Any) -> Any:
    """Build whether the first of each pair stands before the second.

    Args:
        block: The comparison, strict or not.
        pairs: Its arguments; None of those that it does not read.
        is_earlier: Whether the first had the lower place before.
    """
    turned = [pairs[n ^ 1] for n in range(len(pairs))]
    (one,), (other,) = inlined(block, pairs), inlined(block, turned)
    is_equal = arith.cmpi(arith.CmpIPredicate.eq, one, other)
    is_before = arith.select(is_equal, is_earlier, one)
    comparison = only_operation(block)
    if comparison is None or comparison.name != "arith.cmpf":
        return is_before
    name = arith.CmpFPredicate(ir.IntegerAttr(comparison.attributes["predicate"]).value).name.lower()
    first, second = (arith.cmpf(arith.CmpFPredicate.UNO, each, each) for each in pairs[:2])
    goes_first = second if name in _RISING else first  # of a number and a NaN
    beside = arith.select(arith.andi(first, second), is_earlier, goes_first)
    return arith.select(arith.ori(first, second), beside, is_before)


def _at_places(value: Any, places: Any, axis: int) -> Any:
    """Return the elements of each row at places in it."""
    kind, shape = ir.RankedTensorType(value.type), ir.RankedTensorType(places.type)
    rank = kind.rank

    def element(at: Any, _: Any) -> Any:
        index = arith.index_cast(ir.IndexType.get(), at)
        return tensor.extract(value, [index if d == axis else linalg.IndexOp(d).result for d in range(rank)])

    result = empty_like(ir.RankedTensorType.get(list(shape.shape), kind.element_type))
    return generic([places], result, [None, None], element, loops=rank)
