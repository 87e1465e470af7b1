# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as (integers of 8 bits - zero point) * scale, as importers write them: casts, a subtraction, a product.

    %f = linalg.generic ins(%q : tensor<8x64xi8>) outs(... tensor<8x64xf32>) {
      arith.extui i8 to i64, arith.subi 131, arith.sitofp, arith.mulf 0.02
    }
    // is %q, unsigned, of zero point 131 and scale 0.02

Zero points and scales are constants, for the tensor or for each channel, or single numbers that are known at run time
only. Ops that go on from each other, reshapes, transposes and paddings by 0 may stand between.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.body import (
    Body,
    BodyArgument,
    BodyConstant,
    Local,
    Reference,
    UnknownValueError,
    read_body,
)
from roller_mlir.lowering.linalg.moved_constants import MovedConstants, loops_read
from roller_mlir.lowering.linalg.pads import PAD, padding_of, static_sizes
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.read_through.moves import Move, move_by
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, indexing_maps


@dataclass(frozen=True)
class Known:
    """A zero point or a scale that is a constant.

    Attributes:
        array: It, of the tensor's rank, with one element along each dimension that it is the same for.
    """

    array: "np.ndarray[Any, Any]"


@dataclass(frozen=True)
class AtRunTime:
    """A zero point or a scale for the whole tensor that is known at run time only.

    Attributes:
        tensor: Holds it, of rank 0.
        unsigned: Whether its bits are a number without sign; None where they are what its type says.
    """

    tensor: ir.Value
    unsigned: bool | None = None


Parameter = Known | AtRunTime


@dataclass(frozen=True)
class Dequantized:
    """What a tensor is made of.

    Attributes:
        integers: A tensor of i8.
        moves: Behind it, the first one first.
        flipped: Whether -128 is added to its bits first, which is an exclusive or of their sign.
        unsigned: Whether they are numbers without sign then; None where nothing has said it yet.
        zero: What is subtracted of them, None for nothing.
        scale: What the difference is multiplied by, None for nothing.
    """

    integers: ir.Value
    moves: tuple[Move, ...] = ()
    flipped: bool = False
    unsigned: bool | None = None
    zero: Parameter | None = None
    scale: Parameter | None = None

    def through(self, move: Move) -> "Dequantized | None":
        """Return what a move makes of it, None where that is not said so."""
        if move.pads:
            sizes, padding = static_sizes(move.operation), padding_of(move.operation.results[0])
            arrays = [one.array for one in (self.zero, self.scale) if isinstance(one, Known)]
            around = [] if sizes is None else [n for n, both in enumerate(zip(*sizes, strict=True)) if any(both)]
            varies = any(array.shape[n] > 1 for array in arrays for n in around)
            if sizes is None or padding is None or padding.value != 0 or varies or isinstance(self.zero, AtRunTime):
                return None
            return replace(self, moves=(*self.moves, move))
        zero, scale = (Known(move.of_array(x.array)) if isinstance(x, Known) else x for x in (self.zero, self.scale))
        return replace(self, moves=(*self.moves, move), zero=zero, scale=scale)


def dequantized_factors(operation: ir.Operation, constants: MovedConstants) -> list[tuple[int, Dequantized]]:
    """Return what the two factors of a sum of products are made of, with their operands, in order; none of other ops.

    Args:
        operation: A structured op of one result.
        constants: Those of its block.
    """
    evaluation = _Tensors(constants).evaluation(operation)
    factors = None if evaluation is None else evaluation.body.product()
    if evaluation is None or factors is None:
        return []
    found = {evaluation.read_by(one): evaluation.of(one) for one in factors}
    made = [(number, one) for number, one in found.items() if number is not None and isinstance(one, Dequantized)]
    return sorted(made, key=lambda pair: pair[0])


class _Tensors:
    """Reads what tensors are made of, each once.

    Args:
        constants: Those of their block.
    """

    def __init__(self, constants: MovedConstants) -> None:
        self.constants = constants
        self._known: dict[ir.Value, Dequantized | None] = {}

    def of(self, value: ir.Value) -> Dequantized | None:
        """Return what a tensor is made of, None where it is no such product."""
        if value not in self._known:
            self._known[value] = self._read(value)
        return self._known[value]

    def evaluation(self, operation: ir.Operation) -> "_Evaluation | None":
        """Return how the body of a structured op of one result is read."""
        try:
            body = read_body(operation.regions[0].blocks[0], len(operation.operands) - 1)
        except UnknownValueError:
            return None
        return _Evaluation(operation, body, self)

    def _read(self, value: ir.Value) -> Dequantized | None:
        operation = defining_op(value)
        narrow = str(ir.RankedTensorType(value.type).element_type) == "i8"
        alone = Dequantized(value) if narrow else None
        if operation is None:
            return alone
        move = Move(operation) if operation.name == PAD and not narrow else move_by(operation)
        if move is not None:
            inside = self.of(operation.operands[0])
            return None if inside is None else inside.through(move)
        if not is_structured(operation) or len(operation.results) != 1:
            return alone
        evaluation = self.evaluation(operation)
        if evaluation is None or not evaluation.is_element_wise:
            return alone
        found = evaluation.of(evaluation.body.yielded[0])
        if not isinstance(found, Dequantized):
            return alone
        return found if narrow or found.unsigned is not None else None


class _Evaluation:
    """Reads the body of an op.

    Args:
        operation: A structured op of one result.
        body: Its body.
        tensors: Says what its operands are made of.
    """

    def __init__(self, operation: ir.Operation, body: Body, tensors: _Tensors) -> None:
        self.body = body
        self._operation, self._tensors, self._maps = operation, tensors, indexing_maps(operation)
        self._known: dict[Reference, Dequantized | Parameter | None] = {}

    @property
    def is_element_wise(self) -> bool:
        """Whether the op has no reduction and writes a permutation of its loops."""
        return self._maps[-1].is_permutation and not self.body.reads(self.body.inputs)

    def of(self, reference: Reference) -> Dequantized | Parameter | None:
        """Return what a value of the body is, None where it is neither."""
        if isinstance(reference, BodyConstant):
            return _number(reference.attribute, self._rank)
        if reference not in self._known:
            argument = isinstance(reference, BodyArgument)
            self._known[reference] = self._argument(reference.number) if argument else self._computed(reference)
        return self._known[reference]

    def read_by(self, reference: Reference) -> int | None:
        """Return the only operand that a value of the body is computed from, beside scalars; None of several."""
        if isinstance(reference, BodyArgument):
            tensor = isinstance(self._operation.operands[reference.number].type, ir.RankedTensorType)
            return reference.number if tensor else None
        if isinstance(reference, BodyConstant):
            return None
        read = {self.read_by(one) for one in self.body.ops[reference.operation].operands} - {None}
        return read.pop() if len(read) == 1 else None

    def _computed(self, reference: Local) -> Dequantized | Parameter | None:
        op = self.body.ops[reference.operation]
        made = _MAKERS.get(op.name)
        return None if made is None else made(*map(self.of, op.operands))

    @property
    def _rank(self) -> int:
        """Of a zero point or scale: the result's, and so that of an element-wise op's tensors."""
        return len(list(self._maps[-1].results))

    def _argument(self, number: int) -> Dequantized | Parameter | None:
        value, read = self._operation.operands[number], self._maps[number]
        if not isinstance(value.type, ir.RankedTensorType):
            constant = defining_op(value, "arith.constant")
            return None if constant is None else _number(constant.attributes["value"], self._rank)
        kind, known = ir.RankedTensorType(value.type), self._tensors.constants.knows(value)
        if kind.rank and not self.is_element_wise:
            return self._tensors.of(value)
        result = ir.RankedTensorType(self._operation.results[0].type)
        if prod(kind.shape) == prod(result.shape) and kind.rank and (str(kind.element_type) == "i8" or not known):
            found = self._tensors.of(value)
            if found is None or read == self._maps[-1]:
                return found
            once = len(set(loops_read(read))) == kind.rank
            return found.through(Move(self._operation, number)) if once else None
        if not known:
            return AtRunTime(value) if kind.rank == 0 else None
        if str(kind.element_type) == "bf16" or len(set(loops_read(read))) != kind.rank:
            return None
        return Known(Move(self._operation, number).of_array(self._tensors.constants.elements(value)))


def _number(attribute: Any, rank: int) -> Known | None:
    """Return a constant of a body as a zero point or scale."""
    numbers = isinstance(attribute, ir.FloatAttr | ir.IntegerAttr)
    return Known(np.full([1] * rank, attribute.value)) if numbers else None


def _widened(unsigned: bool, value: Dequantized | Parameter | None) -> Dequantized | Parameter | None:
    """Return what a cast to a wider type makes of a value."""
    if isinstance(value, Known):
        if value.array.dtype.kind != "i":
            return None
        bits = value.array.view(f"u{value.array.dtype.itemsize}") if unsigned else value.array
        return Known(bits.astype(np.int64))
    if isinstance(value, AtRunTime):  # what was widened has a sign of its own
        return value if value.unsigned is not None and not unsigned else replace(value, unsigned=unsigned)
    if value is None:
        return None
    if value.unsigned is None and value.flipped and not unsigned:  # of numbers without sign, 128 less
        last = value.moves[-1].operation.results[0] if value.moves else value.integers
        zero = Known(np.full([1] * ir.RankedTensorType(last.type).rank, 128))
        return replace(value, flipped=False, unsigned=True, zero=zero)
    if value.unsigned is None:
        return replace(value, unsigned=unsigned)
    # What was widened and moved by a zero point has a sign.
    return None if unsigned and (value.zero is not None or not value.unsigned) else value


def _flipped(value: Dequantized | Parameter | None, by: Dequantized | Parameter | None) -> Dequantized | None:
    """Return integers of 8 bits whose sign was changed."""
    if not isinstance(value, Dequantized) or value.unsigned is not None or not isinstance(by, Known):
        return None
    return replace(value, flipped=not value.flipped) if by.array.size == 1 and by.array.flat[0] == -128 else None


def _shifted(value: Dequantized | Parameter | None, zero: Dequantized | Parameter | None) -> Dequantized | None:
    """Return integers less their zero point."""
    if not isinstance(value, Dequantized) or value.unsigned is None or value.scale is not None:
        return None
    if isinstance(zero, Known) and not isinstance(value.zero, AtRunTime):
        less = zero.array.item() if zero.array.size == 1 else zero.array
        array = zero.array if value.zero is None else value.zero.array + less
        whole = (array == np.rint(array)).all() and (abs(array) < 1 << 15).all()
        return replace(value, zero=Known(array.astype(np.int64))) if whole else None
    if not isinstance(zero, AtRunTime) or value.zero is not None or zero.unsigned is None:
        return None
    return replace(value, zero=zero) if str(ir.RankedTensorType(zero.tensor.type).element_type) == "i8" else None


def _scaled(one: Dequantized | Parameter | None, other: Dequantized | Parameter | None) -> Dequantized | None:
    """Return a difference times its scale, in either order."""
    if not isinstance(one, Dequantized):
        one, other = other, one
    if not isinstance(one, Dequantized) or one.unsigned is None or one.scale or isinstance(other, Dequantized):
        return None
    if isinstance(other, Known):
        return replace(one, scale=other) if np.isfinite(other.array).all() else None
    alone = other is not None and str(ir.RankedTensorType(other.tensor.type).element_type) == "f32"
    return replace(one, scale=other) if alone else None


_MAKERS: dict[str, Callable[..., Dequantized | Parameter | None]] = {
    **dict.fromkeys(("arith.extsi", "arith.sitofp"), partial(_widened, False)),
    **dict.fromkeys(("arith.extui", "arith.uitofp"), partial(_widened, True)),
    **dict.fromkeys(("arith.addi", "arith.xori"), _flipped),
    **dict.fromkeys(("arith.subi", "arith.subf"), _shifted),
    "arith.mulf": _scaled,
}
"""What operations of a body make of what their operands are."""
