# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assertions are left out: a kernel has nobody to tell.

    cf.assert %c, "message"     nothing, and a remark that says so

What only the condition needed goes with the clean-up that follows.
"""

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import remark

ASSERT = "cf.assert"


def strip_asserts(module: ir.Module) -> None:
    """Erase the assertions of a module, in bodies too."""
    for operation in operations_of(module):
        if operation.name == ASSERT:
            text = ir.StringAttr(operation.attributes["msg"]).value
            remark(operation, f"'{ASSERT}' is left out, kernels do not check it: {text}")
            operation.erase()
