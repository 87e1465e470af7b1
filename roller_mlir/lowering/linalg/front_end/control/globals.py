# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Globals of `ml_program` that nothing changes are constants.

    ml_program.global private @w(dense<1.0> : tensor<8xf32>) : tensor<8xf32>       gone
    %w = ml_program.global_load_const @w : tensor<8xf32>                           arith.constant dense<1.0>

A global that is declared mutable and never stored to is a constant too (torch declares its random seed so).
Refused: globals that the program stores to, and those whose value is not in the module.
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import replace_op

GLOBAL = "ml_program.global"
LOADS = ("ml_program.global_load", "ml_program.global_load_const")
STORE = "ml_program.global_store"


def fold_globals(module: ir.Module) -> None:
    """Replace what loads globals by constants, and erase the globals."""
    operations = operations_of(module)
    globals_ = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in operations if op.name == GLOBAL}
    for operation in operations:
        if operation.name == STORE:
            name = _global_of(operation)
            fail(operation, f"'{STORE}' changes '{name}'; a kernel keeps nothing between calls: pass it and return it")
    for operation in operations:
        if operation.name in LOADS:
            with ir.InsertionPoint(operation), operation.location:
                value = _value(operation, globals_)
                kind = operation.results[0].type
                constant = ir.Operation.create("arith.constant", results=[kind], attributes={"value": value})
            replace_op(operation, constant.results[0])
    for operation in globals_.values():
        operation.erase()


def _value(load: Any, globals_: dict[str, Any]) -> Any:
    """Return the value of the global that an operation loads."""
    name = _global_of(load)
    if name not in globals_:
        fail(load, f"'{load.name}' loads '{name}', which the module does not have")
    value = globals_[name].attributes.get("value")
    if value is None or str(value).startswith("#ml_program") or value.type != load.results[0].type:
        fail(load, f"'{load.name}' loads '{name}', whose value is not in the module; pass it as an argument")
    return value


def _global_of(operation: Any) -> str:
    return str(operation.attributes["global"]).removeprefix("@")
