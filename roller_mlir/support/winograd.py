# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winograd transforms as upstream decomposes them, whose matrices and scaling are upstream's convention.

A transform becomes loops over images, channels and tiles, with two products by constant matrices inside.
"""

from typing import Any

from roller_mlir.support.bindings import ir, passmanager
from roller_mlir.support.diagnostics import fail

INPUT, FILTER, OUTPUT = (f"linalg.winograd_{name}_transform" for name in ("input", "filter", "output"))
TRANSFORMS = (INPUT, FILTER, OUTPUT)

_SEQUENCE = """
module attributes {{transform.with_named_sequence}} {{
  func.func @f({arguments}) -> {result} {{ return %a{last} : {result} }}
  transform.named_sequence @__transform_main(%m: !transform.any_op {{transform.readonly}}) {{
    %0 = transform.structured.match ops{{["{name}"]}} in %m : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.decompose_winograd_op %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}
"""


def decomposed(operation: ir.Operation) -> Any:
    """Return a module whose first function `f` computes what an operation of `TRANSFORMS` computes of its operands.

    Raises:
        DiagnosedError: It is one of integers.
    """
    for value in operation.operands:
        element = ir.RankedTensorType(value.type).element_type
        if isinstance(element, ir.IntegerType):
            fail(operation, f"'{operation.name}' transforms {element}, but its matrices hold fractions; use floats")
    kinds = [str(value.type) for value in operation.operands]
    text = _SEQUENCE.format(
        arguments=", ".join(f"%a{number}: {kind}" for number, kind in enumerate(kinds)),
        result=kinds[-1],
        last=len(kinds) - 1,
        name=operation.name,
    )
    with operation.context:
        module = ir.Module.parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        terminator = block.operations[0].operation
        copy = operation.clone(ip=ir.InsertionPoint(terminator)).operation
        for number, argument in enumerate(block.arguments):
            copy.operands[number] = argument
        terminator.operands[0] = copy.results[0]
        passmanager.PassManager.parse("builtin.module(transform-interpreter)").run(module.operation)
    return module
