# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function to compile: chosen, and left in its module with the functions and globals that it names.

What it may hold is for `rtile-normalize` to say, which inlines what it calls.
"""

from typing import Any

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import operations_inside


def isolate_entry(module: ir.Module, name: str | None) -> str:
    """Find the function to compile, make it the only public one, and erase what it does not need.

    Args:
        module: Changed in place.
        name: The function; None takes the only public one with a body, or the only one of all.

    Returns:
        Its name.

    Raises:
        DiagnosedError: There is none, or more than one, or it returns nothing, or tensors have an encoding.
    """
    functions = [op.operation for op in compiled_functions(module)]
    names = [ir.StringAttr(op.attributes["sym_name"]).value for op in functions]
    public = [n for op, n in zip(functions, names, strict=True) if not _is_private(op)]
    public = public or (names if len(names) == 1 else [])
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
    for number, one in enumerate(kind.inputs):
        if isinstance(one, ir.MemRefType | ir.UnrankedMemRefType):
            fail(
                entry,
                f"argument {number} of '{chosen}' is a buffer ({one}); linalg on tensors can be compiled, before "
                "bufferization: take tensors and return the results",
            )
    if not kind.results:
        fail(entry, f"function '{chosen}' returns nothing; it must return at least 1 tensor")
    for role, types in (("argument", kind.inputs), ("result", kind.results)):
        for number, one in enumerate(types):
            if isinstance(one, ir.RankedTensorType) and one.encoding is not None:
                fail(entry, f"{role} {number} of '{chosen}' has type {one}; tensors with an encoding are not supported")
    _erase_others(module, entry)
    return chosen


def _erase_others(module: ir.Module, entry: ir.Operation) -> None:
    """Erase the symbols that an operation does not name, nor any that it names, and make the others private."""
    symbols = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if "sym_name" in op.operation.attributes
    }
    needed: list[ir.Operation] = [entry]
    for operation in needed:
        needed += [symbols[n] for n in _named_by(operation) if n in symbols and symbols[n] not in needed]
    for op in list(module.body.operations):
        if op.operation not in needed:
            op.operation.erase()
        elif op.operation.name == "func.func":
            visibility = "public" if op.operation == entry else "private"
            op.operation.attributes["sym_visibility"] = ir.StringAttr.get(visibility, module.context)
    if "sym_visibility" in entry.attributes:
        del entry.attributes["sym_visibility"]


def _named_by(operation: ir.Operation) -> list[str]:
    """Return the symbols that the operations inside of an operation name, each once."""
    found: dict[str, None] = {}
    for op in operations_inside(operation):
        for name in op.attributes:
            value = op.attributes[name]
            if isinstance(value, ir.FlatSymbolRefAttr):
                found[value.value] = None
    return list(found)


def _is_private(op: ir.Operation) -> bool:
    attributes: Any = op.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value != "public"
