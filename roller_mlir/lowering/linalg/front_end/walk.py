# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of a module that a rewrite goes through, which may erase and insert on the way."""

from collections.abc import Callable, Iterator
from typing import Any

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import operations_inside, replace_op


def operations_of(module: ir.Module) -> list[Any]:
    """Return every operation of a module below the module itself, outer ones first."""
    return [op for op in operations_inside(module.operation) if op.name != "builtin.module"]


def entry_operations(module: ir.Module) -> Iterator[Any]:
    """Yield the operations of the functions of a module, those of their first blocks alone."""
    for function in compiled_functions(module):
        yield from [op.operation for op in function.entry_block.operations]


def rebuild(operation: Any, build: Callable[[Any], Any]) -> None:
    """Replace an operation of one result by the value that is built of it, unless that is None."""
    with ir.InsertionPoint(operation), operation.location:
        value = build(operation)
    if value is not None:
        replace_op(operation, value)
