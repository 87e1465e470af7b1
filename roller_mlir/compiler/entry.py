# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function to compile: chosen, checked, and left alone in its module."""

from typing import Any

from roller_mlir.plan.manifest import element_types
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def isolate_entry(module: ir.Module, name: str | None) -> str:
    """Find the function to compile, check its signature, and erase all others.

    Args:
        module: Changed in place.
        name: The function; None takes the only public one with a body.

    Returns:
        Its name.

    Raises:
        DiagnosedError: There is none, or more than one, or its types cannot be compiled.
    """
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    functions = [op for op in functions if len(op.regions[0].blocks)]
    names = [ir.StringAttr(op.attributes["sym_name"]).value for op in functions]
    public = [n for op, n in zip(functions, names, strict=True) if not _is_private(op)]
    if not functions:
        fail(
            module.operation, "the module has no function to compile; it must hold a func.func of linalg ops on tensors"
        )
    if name is None and len(public) != 1:
        shown = ", ".join(f"'{n}'" for n in public)
        found = f"{len(public)} public functions ({shown})" if public else "no public function"
        fail(functions[-1], f"the module has {found}; name the one to compile with --entry")
    chosen = public[0] if name is None else name
    if chosen not in names:
        shown = ", ".join(f"'{n}'" for n in names)
        fail(module.operation, f"the module has no function '{chosen}'; it has {shown}")
    entry = functions[names.index(chosen)]
    _check_signature(entry, chosen)
    for op in list(module.body.operations):
        if op.operation != entry:
            op.operation.erase()
    return chosen


def _is_private(op: ir.Operation) -> bool:
    attributes: Any = op.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value != "public"


def _check_signature(function: ir.Operation, name: str) -> None:
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        fail(function, f"function '{name}' has {len(blocks)} blocks; it must be straight-line code")
    terminator = blocks[0].operations[len(blocks[0].operations) - 1].operation
    if not len(terminator.operands):
        fail(function, f"function '{name}' returns nothing; it must return at least 1 tensor")
    for number, argument in enumerate(blocks[0].arguments):
        _check_type(argument, f"argument {number} of '{name}'", argument.type)
    for number, value in enumerate(terminator.operands):
        _check_type(terminator, f"result {number} of '{name}'", value.type)


def _check_type(where: Any, subject: str, value_type: Any) -> None:
    if not isinstance(value_type, ir.RankedTensorType):
        fail(where, f"{subject} has type {value_type}; it must be a ranked tensor")
    if not value_type.has_static_shape:
        fail(where, f"{subject} has type {value_type}; shapes must be static")
    if 0 in value_type.shape:
        fail(where, f"{subject} has type {value_type}; every extent must be at least 1")
    if value_type.encoding is not None:
        fail(where, f"{subject} has type {value_type}; tensors with an encoding are not supported")
    if str(value_type.element_type) not in element_types():
        known = ", ".join(element_types())
        fail(where, f"{subject} has element type {value_type.element_type}; it must be one of {known}")
