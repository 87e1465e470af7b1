# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function to compile: chosen, and left alone in its module. What it may hold is for `rtile-normalize` to say."""

from typing import Any

from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def isolate_entry(module: ir.Module, name: str | None) -> str:
    """Find the function to compile, and erase all others.

    Args:
        module: Changed in place.
        name: The function; None takes the only public one with a body.

    Returns:
        Its name.

    Raises:
        DiagnosedError: There is none, or more than one, or it returns nothing, or tensors have an encoding.
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
    attribute: Any = entry.attributes["function_type"]
    kind = ir.FunctionType(attribute.value)
    if not kind.results:
        fail(entry, f"function '{chosen}' returns nothing; it must return at least 1 tensor")
    for role, types in (("argument", kind.inputs), ("result", kind.results)):
        for number, one in enumerate(types):
            if isinstance(one, ir.RankedTensorType) and one.encoding is not None:
                fail(entry, f"{role} {number} of '{chosen}' has type {one}; tensors with an encoding are not supported")
    for op in list(module.body.operations):
        if op.operation != entry:
            op.operation.erase()
    return chosen


def _is_private(op: ir.Operation) -> bool:
    attributes: Any = op.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value != "public"
