# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The region of an operation of `tm_tensor`, inlined into the body of a linalg op."""

from collections.abc import Sequence
from typing import Any

from roller_mlir.support.bindings import arith, ir, linalg


def inlined(block: ir.Block, values: Sequence[Any]) -> list[Any]:
    """Copy the operations of a block to the insertion point.

    Args:
        block: It ends with a yield.
        values: What its arguments are there.

    Returns:
        What it yields.
    """
    known: dict[Any, Any] = dict(zip(block.arguments, values, strict=True))
    *operations, end = [one.operation for one in block.operations]
    for operation in operations:
        copy: Any = operation.clone()
        for number, operand in enumerate(operation.operands):
            copy.operation.operands[number] = known.get(operand, operand)
        known.update(zip(operation.results, copy.operation.results, strict=True))
    return [known.get(value, value) for value in end.operands]


def only_operation(block: ir.Block) -> ir.Operation | None:
    """Return the operation of a block that has one of its two arguments alone, and yields what it gives."""
    operations = [one.operation for one in block.operations]
    if len(operations) != 2 or list(operations[1].operands) != list(operations[0].results):
        return None
    return operations[0] if set(operations[0].operands) == set(list(block.arguments)[:2]) else None


def joined(name: str, first: Any, second: Any) -> Any:
    """Build an operation of two operands at the insertion point."""
    return ir.Operation.create(name, [first.type], [first, second]).result


def place(loop: int) -> Any:
    """Build the position of a loop as a 32-bit integer, in the body of a linalg op."""
    return arith.index_cast(ir.IntegerType.get_signless(32), linalg.IndexOp(loop).result)
