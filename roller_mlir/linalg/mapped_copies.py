# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of operations on other values than the ones that they were written on."""

from roller_mlir.support.bindings import ir


def copy_mapped(operation: ir.Operation, mapped: dict[ir.Value, ir.Value]) -> ir.Operation:
    """Copy an operation to the insertion point, with what its regions hold, and return the copy.

    Args:
        operation: What to copy.
        mapped: What the copy reads in the place of values; others stay. The results are added.
    """
    copy = operation.clone().operation
    _remap(copy, mapped)
    mapped.update(zip(operation.results, copy.results, strict=True))
    return copy


def _remap(operation: ir.Operation, mapped: dict[ir.Value, ir.Value]) -> None:
    for number, value in enumerate(operation.operands):
        if value in mapped:
            operation.operands[number] = mapped[value]
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                _remap(op.operation, mapped)
