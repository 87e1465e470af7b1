# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other compilers leave in a program: their attributes are dropped, their operations are refused by name.

linalg.exp {lowering_config = #iree_gpu.lowering_config<...>} ...      linalg.exp ...
"foo.bar"(%x)                                                          one located error
arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>              one located error
"""

from typing import Any

from roller_mlir.lowering.linalg.accepted_input import ELEMENT_TYPES, check_name
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail, parse_module
from roller_mlir.support.values import operations_inside

_TYPES = f"supported: {', '.join(ELEMENT_TYPES)}"
_OF_ARGUMENTS = ("arg_attrs", "res_attrs")


def parse_with_unknown_dialects(text: str, context: ir.Context) -> ir.Module:
    """Parse a module and drop the attributes of dialects that are not registered.

    Raises:
        DiagnosedError: The text is no MLIR, or holds an operation of a dialect that is not registered.
    """
    allowed = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = True
    try:
        module = parse_module(text, context)
    finally:
        context.allow_unregistered_dialects = allowed
    for operation in operations_inside(module.operation):
        if not context.is_registered_operation(operation.name):
            dialect = operation.name.split(".")[0]
            fail(
                operation,
                f"'{operation.name}' is not known: no dialect '{dialect}' here has it; lower to linalg on tensors with "
                "the tools that do",
            )
        check_name(operation)
        _forget(operation)
    return module


def _forget(operation: Any) -> None:
    attributes = operation.attributes
    for name in list(attributes):
        try:
            value = attributes[name]
        except TypeError:  # the bindings cannot give elements of other types than these
            fail(
                operation, f"{name!r} of '{operation.name}' holds elements of a type that cannot be compiled; {_TYPES}"
            )
        if name in _OF_ARGUMENTS:
            with operation.context:
                attributes[name] = ir.ArrayAttr.get([_known(one) for one in ir.ArrayAttr(value)])
        elif _is_unknown(value):
            del attributes[name]


def _known(arguments: Any) -> ir.DictAttr:
    given = ir.DictAttr(arguments)
    return ir.DictAttr.get({one.name: one.attr for one in given if not _is_unknown(one.attr)})


def _is_unknown(value: Any) -> bool:
    if isinstance(value, ir.OpaqueAttr):
        return True
    if isinstance(value, ir.ArrayAttr):
        return any(map(_is_unknown, value))
    return isinstance(value, ir.DictAttr) and any(_is_unknown(one.attr) for one in value)
