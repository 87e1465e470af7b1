# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of modules that hold many equal programs, as an unrolled network does.

The checks of our dialects, which are in Python, look at one of the programs that are equal but for their names, and at
one of the applications that are equal but for their buffers; those of MLIR look at all of them.
"""

from collections.abc import Hashable
from typing import Any

from roller_mlir.dialects import rammer, rtile
from roller_mlir.dialects.rtile_checks import checked
from roller_mlir.linalg.rewrite.equal_programs import said_by
from roller_mlir.support.bindings import ir

_KINDS = (rtile.ProgramOp, rammer.ApplyOp, rammer.EventOp)
"""What stands in a module so often that equal ones are checked once."""


def verify_module(module: ir.Module) -> None:
    """Verify a module.

    Raises:
        MLIRError: It is not valid.
    """
    found = _alone(module.operation, [])
    distinct = {_said_by(op): op for op in reversed(found)}
    if len(distinct) == len(found):
        module.operation.verify()
        return
    for op in distinct.values():
        op.operation.verify()
    with checked(module.context):
        module.operation.verify()


def _alone(operation: ir.Operation, found: list[Any]) -> list[Any]:
    """Append the programs, applications and events in an operation to those found so far, and return these."""
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                if isinstance(op, _KINDS):
                    found.append(op)
                elif len(op.operation.regions):
                    _alone(op.operation, found)
    return found


def _said_by(op: Any) -> Hashable:
    """Return what an op says but for its name and for its operands, of which the types count."""
    if isinstance(op, rtile.ProgramOp):
        return said_by(op)
    if isinstance(op, rammer.EventOp):
        return tuple(op.attributes.items())
    return tuple(op.attributes.items()), tuple([operand.type for operand in op.operands])
