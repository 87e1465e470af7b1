# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of functions of the module become what they compute: upstream's inliner, and errors for what it leaves.

    func.func private @g(...) { ... }        gone, unless public
    %r = call @g(%a)                         the body of @g

Refused: calls of functions without a body, functions that call themselves, indirect calls.
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.upstream import run_upstream

CALL = "func.call"
_INLINE = "builtin.module(inline{default-pipeline=})"


def inline_calls(module: ir.Module) -> None:
    """Replace each call by the body of its function."""
    if not _calls(module):
        return
    functions = {
        op.operation.attributes["sym_name"].value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    for call in _calls(module):
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        if callee not in functions:
            fail(call, f"'{CALL}' calls '{callee}', which the module does not have")
        if not len(functions[callee].regions[0].blocks):
            fail(
                call,
                f"'{CALL}' calls '{callee}', which has no body in the module; add its definition",
                [(functions[callee], f"'{callee}' is declared here")],
            )
    run_upstream(_INLINE, module)
    for call in _calls(module):
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        fail(call, f"'{CALL}' of '{callee}' cannot be inlined, as in a function that calls itself; write it without")


def _calls(module: ir.Module) -> list[Any]:
    return [op for op in operations_of(module) if op.name == CALL]
