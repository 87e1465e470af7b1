# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops whose operands (and results) may each have a type of their own.

IRDL binds a variadic group to one type, so that `(tensor<128x8xf32>, tensor<8x128xf32>)` cannot be one group. These
ops are therefore declared with SLOTS groups, and a verifier hook gives each operand its group by setting
`operandSegmentSizes` before IRDL's own check, and takes the attribute away after it (`occupy` and `vacate`). The IR
never shows it, unless a nested op was found invalid in between; then the next verification sets it right.
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rtile.checks import InvalidOpError
from roller_mlir.dialects.rtile.dialect import RTile
from roller_mlir.support.bindings import ext, ir

SLOTS = 64
OPERAND_SIZES = "operandSegmentSizes"
RESULT_SIZES = "resultSegmentSizes"


def slots(*, results: bool) -> dict[str, Any]:
    """Return the declaration of ops whose operands (and results) may each have a type of their own."""
    fields: dict[str, Any] = {f"operand_slot_{slot}": Sequence[ext.Operand[Any]] for slot in range(SLOTS)}
    if results:
        kind: Any = ext.Result
        fields |= {f"result_slot_{slot}": Sequence[kind[Any]] for slot in range(SLOTS)}
    return fields


class FreeOperands(RTile.Operation):
    """Base of ops whose operands may each have a type of their own."""

    __annotations__ = slots(results=False)


class FreeOperandsAndResults(RTile.Operation):
    """Base of ops whose operands and results may each have a type of their own."""

    __annotations__ = slots(results=True)


def _sizes(count: int, what: str) -> Any:
    if count > SLOTS:
        raise InvalidOpError(f"has {count} {what}, but at most {SLOTS} are possible; split the group")
    return ir.DenseI32ArrayAttr.get([1] * count + [0] * (SLOTS - count))


def occupy(op: Any, *, results: bool) -> None:
    """Give each operand (and result) its group; the last thing that `verify_invariants` does."""
    op.attributes[OPERAND_SIZES] = _sizes(len(op.operands), "operands")
    if results:
        op.attributes[RESULT_SIZES] = _sizes(len(op.results), "results")


def vacate(op: Any, *, results: bool) -> None:
    """Undo `occupy`; the first thing that `verify_region_invariants` does."""
    for name in (OPERAND_SIZES, RESULT_SIZES) if results else (OPERAND_SIZES,):
        if name in op.attributes:
            del op.attributes[name]


def is_occupied(op: Any) -> bool:
    """Return whether `operandSegmentSizes` stems from `occupy`."""
    sizes = op.attributes.get(OPERAND_SIZES)
    return isinstance(sizes, ir.DenseI32ArrayAttr) and len(sizes) == SLOTS
