# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of a module as a list, so that a rewrite may erase and insert while it goes through them."""

from typing import Any

from roller_mlir.support.bindings import ir


def operations_of(module: ir.Module) -> list[Any]:
    """Return every operation of a module below the module itself, outer ones first."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name != "builtin.module":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
