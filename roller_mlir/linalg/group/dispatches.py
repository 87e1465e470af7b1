# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Units: what gets one plan each, a linalg op that stands alone or a program of several; and what they are called."""

from typing import Any

from roller_mlir.linalg.group.group import Group, GroupError, members_of, read_group, starts_others_only
from roller_mlir.linalg.reader import is_structured
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail


def planned_blocks(module: ir.Module) -> list[Any]:
    """Return the blocks of a module's functions, in order: where `named_dispatches` looks."""
    functions = [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]
    return [block for function in functions for block in function.regions[0].blocks]


def named_dispatches(blocks: list[Any]) -> dict[str, ir.Operation]:
    """Return what gets a plan, by the programs' names, in order: loose linalg ops, and programs without a plan."""
    operations = [inner.operation for block in blocks for inner in block.operations]
    dispatches = [
        one
        for one in operations
        if (is_structured(one) and not starts_others_only(one)) or (one.name == "rtile.program" and is_unplanned(one))
    ]
    return {f"{_root_name(dispatch)}_{number}": dispatch for number, dispatch in enumerate(dispatches)}


def is_unplanned(operation: ir.Operation) -> bool:
    """Return whether a program holds linalg ops that have no plan yet."""
    program: Any = operation.opview
    return program.plan is None and bool(members_of(program.entry))


def _root_name(dispatch: ir.Operation) -> str:
    """Return what a program is called after: its op, of several the heavy one, else the last."""
    name = dispatch.name
    if name == "rtile.program":
        group = _group_of(dispatch.opview)
        name = group.members[-1 if group.reduction_root is None else group.reduction_root].root.operation.name
    return name.split(".")[-1]


def group_of(dispatch: ir.Operation) -> Group:
    """Return what gets one plan, a linalg op or a program of several, as a group."""
    if dispatch.name != "rtile.program":
        return read_group([dispatch], list(dispatch.results))
    return _group_of(dispatch.opview)


def _group_of(program: Any) -> Group:
    block = program.entry
    results = list(block.operations[len(block.operations) - 1].operation.operands)
    try:
        return read_group(members_of(block), results)
    except GroupError as error:
        fail(program, f"'rtile.program' cannot be one kernel: {error}")
