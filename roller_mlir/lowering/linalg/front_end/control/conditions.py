# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions in bodies: those whose answer is known are answered, the others choose between two values.

    %c = arith.cmpi ult, %i, %c0            false: no number without a sign is less than 0; nor is the position of a
                                            loop of 4 steps more than 3

    %r = scf.if %c -> (f32) {               %x = tensor.extract %t[%i]   %q = tensor.extract %u[%j]
      %x = tensor.extract %t[%i]            %r = arith.select %c, %x, %q
      scf.yield %x
    } else {
      %q = tensor.extract %u[%j]
      scf.yield %q
    }

So it is in the bodies of `tensor.generate` and `tensor.pad`. Both sides are computed at each point. That is safe:
positions are clamped into their tensors, and where a side is not taken, its divisions are by 1. Refused: a side that
does anything but compute a number.
"""

from collections.abc import Callable
from typing import Any, cast

from roller_mlir.lowering.linalg.accepted_input import BODY_DIALECTS, BODY_OPS
from roller_mlir.lowering.linalg.body_operations import DIVISIONS
from roller_mlir.lowering.linalg.front_end.indexed.gather import EXTRACT
from roller_mlir.lowering.linalg.front_end.indexed.positions import Positions, Range, loop_extents
from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of, defining_op, erase_unread, indexing_maps, replace_op

GENERATE = "tensor.generate"
IF, COMPARE, SELECT = "scf.if", "arith.cmpi", "arith.select"


def decide_conditions(module: ir.Module) -> None:
    """Answer the comparisons of positions in the bodies of a module, and let each `scf.if` there choose a value."""
    for operation in [op for op in operations_of(module) if _has_body(op)]:
        block = operation.regions[0].blocks[0]
        if any(op.operation.name in (IF, COMPARE, SELECT) for op in block.operations):
            maps = indexing_maps(operation) if operation.name.startswith("linalg.") else []
            _LinalgBody(operation, Positions(loop_extents(maps, operation))).decide(block)
            # A tensor that only a number reads which nothing needs is read no more.
            erase_unread(block, _computes)


def _has_body(operation: Any) -> bool:
    computes = operation.name.startswith("linalg.") or operation.name in (GENERATE, PAD)
    return computes and len(operation.regions) == 1 and len(operation.regions[0].blocks) == 1


class _LinalgBody:
    """The body of a linalg op."""

    def __init__(self, operation: ir.Operation, positions: Positions) -> None:
        self._op = operation
        self._positions = positions

    def decide(self, block: Any) -> None:
        """Decide the conditions of a block, and of those inside of its own as far as they stay."""
        for op in list(block.operations):
            operation = op.operation
            if operation.name == COMPARE:
                self._answer(operation)
            elif operation.name == SELECT and (answer := _known(operation.operands[0])) is not None:
                replace_op(operation, operation.operands[1 if answer else 2])
            elif operation.name == IF:
                self._choose(operation)

    def _answer(self, compare: ir.Operation) -> None:
        bit = compare.results[0].type
        ranges = [self._positions.range(operand) for operand in compare.operands]
        answer = _answer_of(ir.IntegerAttr(compare.attributes["predicate"]).value, *ranges)
        if answer is not None and isinstance(bit, ir.IntegerType):
            with ir.InsertionPoint(compare), compare.location:
                constant: Any = arith.constant(bit, answer)
            replace_op(compare, constant)

    def _choose(self, operation: ir.Operation) -> None:
        """Put what one side computes in the place of an `scf.if`, or what both do and a choice between them."""
        condition, answer = operation.operands[0], _known(operation.operands[0])
        sides = [list(region.blocks) for region in operation.regions]
        if answer is not None:
            taken = sides[0 if answer else 1]
            replace_op(operation, *(self._taken_out(operation, taken[0]) if taken else []))
            return
        yielded: list[list[Any]] = []
        for is_then, blocks in zip((True, False), sides, strict=True):
            for block in blocks:
                yielded.append(self._taken_out(operation, block, lambda op, t=is_then: _keep_whole(op, condition, t)))
        chosen: list[Any] = []
        if len(operation.results):
            with ir.InsertionPoint(operation), operation.location:
                chosen = [arith.select(condition, *both) for both in zip(*yielded, strict=True)]
        replace_op(operation, *chosen)

    def _taken_out(
        self, operation: ir.Operation, block: Any, guard: Callable[[ir.Operation], None] = lambda op: None
    ) -> list[Any]:
        """Move the operations of a side before its `scf.if` and return what the side yields."""
        self.decide(block)
        *inner, terminator = [op.operation for op in block.operations]
        for op in inner:
            if op.name.split(".")[0] not in BODY_DIALECTS and op.name not in (EXTRACT, *BODY_OPS):
                fail(
                    op,
                    f"'{op.name}' in an '{IF}' in the body of '{self._op.name}' cannot be compiled; "
                    f"a side may hold arith and math operations, 'linalg.index' and '{EXTRACT}'",
                )
            op.move_before(operation)
            guard(op)
        return list(terminator.operands)


def _keep_whole(op: ir.Operation, condition: Any, is_then: bool) -> None:
    """Let a division be by 1 where its side is not taken; constants but 0 and -1 divide every number."""
    if op.name not in DIVISIONS:
        return
    divisor: Any = op.operands[1]
    constant = defining_op(divisor, "arith.constant")
    if constant is not None and ir.IntegerAttr(constant.attributes["value"]).value not in (0, -1):
        return
    with ir.InsertionPoint(op), op.location:
        one = arith.constant(divisor.type, 1)
        op.operands[1] = cast(Any, arith.select(condition, *((divisor, one) if is_then else (one, divisor))))


def _computes(operation: ir.Operation) -> bool:
    """Return whether an operation of a body computes a number, and is not its end."""
    known = operation.name.split(".")[0] in BODY_DIALECTS or operation.name in (EXTRACT, *BODY_OPS)
    return known and len(operation.results) > 0


def _known(condition: Any) -> bool | None:
    number = constant_of(condition)
    return None if number is None else bool(number)


def _answer_of(predicate: int, left: Range | None, right: Range | None) -> bool | None:
    """Return the answer of arith.cmpi between numbers of two ranges, None where it depends on the numbers.

    >>> ult, slt = 6, 2
    >>> _answer_of(ult, None, (0, 0)), _answer_of(slt, (0, 3), (4, 4)), _answer_of(slt, (0, 3), (3, 3))
    (False, True, None)
    """
    name = _PREDICATES[predicate]
    if name in ("ugt", "ule", "sgt", "sle"):  # a > b is b < a, and a <= b is not b < a
        left, right = right, left
    if name.startswith("u"):
        if right == (0, 0):
            less: bool | None = False
        elif left is None or right is None or left[0] < 0 or right[0] < 0:
            return None
        else:
            less = _is_less(left, right)
        return less if less is None or name in ("ult", "ugt") else not less
    if left is None or right is None:
        return None
    if name in ("eq", "ne"):
        apart = left[1] < right[0] or right[1] < left[0]
        equal = False if apart else (True if left[0] == left[1] == right[0] == right[1] else None)
        return equal if equal is None or name == "eq" else not equal
    less = _is_less(left, right)
    return less if less is None or name in ("slt", "sgt") else not less


def _is_less(left: Range, right: Range) -> bool | None:
    if left[1] < right[0]:
        return True
    return False if left[0] >= right[1] else None


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
