# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of linalg ops: evaluated on whole arrays, and looked at for the form combiner(accumulator, contribution)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.bounds.body import apply_bounded, apply_extended, compute
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.integers import COMPARE_INTEGERS, EXTENDED
from roller_mlir.evaluation.reference.loops import AFFINE, affine_value
from roller_mlir.evaluation.reference.scalars import (
    BITCAST_TENSOR,
    BITCASTS,
    CASTS,
    COMPARE_FLOATS,
    OPERATIONS,
    REDUCERS,
    SCALARS,
)
from roller_mlir.evaluation.reference.undefined import element_of, note_clamped, note_undefined, noting_undefined_where
from roller_mlir.evaluation.reference.values import SMALLEST_NORMAL, Array, bits_of, of_bits, round_to
from roller_mlir.plan.accuracy.rounding import DIGITS
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import values_used

IS_NORMAL = "math.isnormal"
IF, SELECT = "scf.if", "arith.select"


@dataclass(frozen=True)
class Contribution:
    """What a point adds to an accumulator: the yielded value is combiner(accumulator, value)."""

    combiner: str
    value: Any


def is_scalar_operation(op: ir.Operation) -> bool:
    """Return whether the reference knows an operation as one of arith or math."""
    return op.name in OPERATIONS or op.name in (IS_NORMAL, BITCAST_TENSOR)


def apply_scalar_operation(op: ir.Operation, element_type: str, operands: Sequence[Array]) -> Array:
    """Apply a scalar operation to arrays, element by element.

    Args:
        op: One for which `is_scalar_operation` holds.
        element_type: Of its result.
        operands: One array an operand.
    """
    note_undefined(op, operands, element_type)
    with np.errstate(all="ignore"):
        if op.name in SCALARS:
            return SCALARS[op.name](*operands)
        if op.name in CASTS:
            return round_to(CASTS[op.name](operands[0]), element_type)
        if op.name == IS_NORMAL:
            smallest = SMALLEST_NORMAL[element_of(op.operands[0].type)]
            return np.isfinite(operands[0]) & (np.abs(operands[0]) >= smallest)
        if op.name in BITCASTS:
            return of_bits(bits_of(operands[0], element_of(op.operands[0].type)), element_type)
        table = COMPARE_FLOATS if op.name == "arith.cmpf" else COMPARE_INTEGERS
        return table[ir.IntegerAttr(op.attributes["predicate"]).value](*operands)


def element_at(table: Bounded, places: Sequence[Bounded]) -> Bounded:
    """Return the elements of a tensor at positions; one outside of the tensor is the nearest that is inside.

    Where a right program may be at another position, it may have anything.

    >>> table = Bounded(np.array([5, 6, 7]))
    >>> [int(element_at(table, [Bounded(np.array(at))]).data) for at in (-2, 1, 3)]
    [5, 6, 7]
    """
    at = tuple(np.clip(place.data, 0, n - 1) for place, n in zip(places, table.data.shape, strict=True))
    if any(bool(np.any(inside != place.data)) for inside, place in zip(at, places, strict=True)):
        note_clamped()
    return _unless_unsure(table.map(lambda array: np.asarray(array[at])), places)


def _unless_unsure(found: Bounded, places: Sequence[Bounded]) -> Bounded:
    """Return a value which is anything where a position that it depends on may be another one."""
    if all(place.error is None for place in places):
        return found
    sure = np.zeros(found.data.shape, np.bool_)
    unsure = np.any(np.broadcast_arrays(sure, *(place.errors() > 0 for place in places)), axis=0)
    return Bounded(found.data, np.where(unsure, np.inf, found.errors()))


class BodyEvaluator:
    """Evaluates values of a body lazily, each once, on arrays with one axis per loop, with their bounds."""

    def __init__(
        self,
        op: ir.Operation,
        block: Any,
        arguments: Sequence[Bounded],
        ranges: tuple[range, ...],
        outer: Mapping[Any, Bounded],
    ) -> None:
        """Bind the block's first arguments to arrays, the loops to ranges, and what is from outside to its values."""
        self._op = op
        self._ranges = ranges
        self._known: dict[Any, Bounded] = {**outer, **dict(zip(list(block.arguments), arguments, strict=False))}
        self._reached: Array | None = None

    def value(self, value: Any) -> Bounded:
        """Return a value of the body; an unknown operation is a located error."""
        if value not in self._known:
            self._known[value] = self._evaluate(value)
        return self._known[value]

    def _evaluate(self, value: Any) -> Bounded:
        owner = value.owner
        if isinstance(owner, ir.Block):
            fail(self._op, f"numpy reference: the body of '{self._op.name}' uses an argument of another block")
        op = owner.operation
        kind = str(value.type)
        if op.name == "arith.constant":
            return Bounded(round_to(np.asarray(op.attributes["value"].value), kind))
        if op.name == "linalg.index":
            loop = ir.IntegerAttr(op.attributes["dim"]).value
            shape = [-1 if i == loop else 1 for i in range(len(self._ranges))]
            return Bounded(np.arange(self._ranges[loop].start, self._ranges[loop].stop).reshape(shape))
        if op.name in EXTENDED:
            operands = [self.value(operand) for operand in op.operands]
            return apply_extended(EXTENDED[op.name], operands)[ir.OpResult(value).result_number]
        if op.name in AFFINE:
            given = [self.value(operand) for operand in op.operands]
            return _unless_unsure(Bounded(affine_value(op, [one.data for one in given])), given)
        if op.name == "tensor.extract":
            table, *places = [self.value(operand) for operand in op.operands]
            return element_at(table, places)
        if op.name == IF:
            self._known.update(zip(op.results, self._choose(op), strict=True))
            return self._known[value]
        if not is_scalar_operation(op):
            fail(op, f"numpy reference: '{op.name}' is not supported in a body")
        operands = [self.value(operand) for operand in op.operands]
        with noting_undefined_where(self._reached):
            return apply_bounded(apply_scalar_operation, op, kind, operands)

    def _choose(self, op: ir.Operation) -> list[Bounded]:
        """Evaluate an `scf.if`: one side where every point takes it, else both and a choice."""
        condition = self.value(op.operands[0])
        for value in values_used(op):
            self.value(value)  # what the body computes anyhow is not of one side
        true = condition.data.astype(np.bool_)
        unsure = condition.errors() > 0
        sides: list[list[Bounded]] = []
        for region, taken in zip(op.regions, (true | unsure, ~true | unsure), strict=True):
            if np.any(taken):
                sides.append(self._side(region.blocks[0], taken) if len(region.blocks) else [])
        if len(sides) == 1:
            return sides[0]
        select = SCALARS[SELECT]
        kinds = [str(result.type) for result in op.results]
        return [compute(SELECT, select, kind, [condition, *both]) for kind, *both in zip(kinds, *sides, strict=True)]

    def _side(self, block: Any, taken: Array) -> list[Bounded]:
        """Evaluate a side of an `scf.if`, which some points take."""
        before = self._reached
        self._reached = taken if before is None else before & taken
        for inner in block.operations:
            for result in inner.operation.results:
                self.value(result)
        self._reached = before
        return [self.value(value) for value in list(block.operations)[-1].operation.operands]


def find_contribution(block: Any, yielded: Any, accumulator: int, inputs: int) -> Contribution | None:
    """Return the contribution to an accumulator, None if the body has not that form.

    Args:
        block: The body.
        yielded: The value that it yields for the accumulator.
        accumulator: Number of the accumulator among the block's arguments.
        inputs: How many of the block's arguments are inputs; a contribution depends on no accumulator.
    """
    argument = block.arguments[accumulator]
    if isinstance(yielded.owner, ir.Block):
        return None
    op = yielded.owner.operation
    operands = list(op.operands)
    if op.name not in REDUCERS or operands.count(argument) != 1:
        return None
    value = next(operand for operand in operands if operand != argument)
    if any(used in list(block.arguments)[inputs:] for used in _arguments(value)):
        return None
    return Contribution(op.name, value)


def _arguments(value: Any) -> list[Any]:
    """Return the block arguments that a value depends on."""
    found: list[Any] = []
    seen: set[Any] = set()
    pending = [value]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current.owner, ir.Block):
            found.append(current)
        else:
            pending += values_used(current.owner.operation)
    return found


def find_product(block: Any, inputs: int) -> tuple[list[int], str] | None:
    """Return the inputs whose product is summed, and the type of the product.

    A cast to a wider float keeps the value, so it is looked through. None if the body is not accumulator + product of
    inputs.
    """
    terminator = list(block.operations)[-1].operation
    if len(terminator.operands) != 1:
        return None
    contribution = find_contribution(block, terminator.operands[0], inputs, inputs)
    if contribution is None or contribution.combiner != "arith.addf":
        return None
    numbers = {argument: i for i, argument in enumerate(list(block.arguments)[:inputs])}
    factors: list[int] = []
    kind = str(contribution.value.type)
    pending = [contribution.value]
    while pending:
        value = pending.pop()
        if value in numbers:
            factors.append(numbers[value])
            continue
        if isinstance(value.owner, ir.Block) or value.owner.name not in ("arith.mulf", "arith.extf"):
            return None
        if value.owner.name == "arith.mulf":
            kind = min(kind, str(value.type), key=DIGITS.__getitem__)
        pending += list(value.owner.operands)
    return sorted(factors), kind
