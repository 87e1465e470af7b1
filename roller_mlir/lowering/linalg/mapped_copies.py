# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of operations on other values than the ones that they were written on."""

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import operations_inside


def copy_mapped(operation: ir.Operation, mapped: dict[ir.Value, ir.Value]) -> ir.Operation:
    """Copy an operation to the insertion point, with what its regions hold, and return the copy.

    Args:
        operation: What to copy.
        mapped: What the copy reads in the place of values; others stay. The results are added.
    """
    copy = operation.clone().operation
    for one in operations_inside(copy):
        for number, value in enumerate(one.operands):
            if value in mapped:
                one.operands[number] = mapped[value]
    mapped.update(zip(operation.results, copy.results, strict=True))
    return copy
