# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What applications may work on: arguments of the function, constants, and views of its one workspace."""

from roller_mlir.codegen.buffer_order import ROLE, buffer_of, span_of
from roller_mlir.dialects import rammer
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of, defining_op


def check_operands(program: rammer.GraphOp) -> None:
    """Refuse applications whose operands no persistent kernel finds: what is where must be known now.

    Raises:
        DiagnosedError: There is one.
    """
    function = program.operation.parent.opview
    assert isinstance(function, func.FuncOp)
    given = function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else [{}] * len(function.arguments)
    roles = [ir.StringAttr(each[ROLE]).value if ROLE in each else "" for each in given]
    if roles.count("workspace") > 1:
        fail(function, f"function '{function.name.value}' has {roles.count('workspace')} workspaces; it can have one")
    right: set[ir.Value] = set()  # a result is an operand of several
    for application in program.applications:
        for number, value in enumerate(application.operands):
            if value in right:
                continue
            problem = _problem(value, roles)
            right.add(value)
            if problem:
                name = application.attributes["callee"].value
                fail(application, f"operand {number} of '{name}' {problem}; run rtile-assign-buffers")


def _problem(value: ir.Value, roles: list[str]) -> str:
    buffer = buffer_of(value)
    if isinstance(buffer, ir.BlockArgument):
        return ""
    view = defining_op(buffer, "memref.view")
    if view is None:
        constant = defining_op(buffer, "memref.get_global") is not None
        name = buffer.owner.operation.name
        return "" if constant else f"is a '{name}', no argument, constant or view of the workspace"
    source, start = view.operands
    role = roles[ir.BlockArgument(source).arg_number] if isinstance(source.owner, ir.Block) else ""
    if role != "workspace":
        return "is a view of something that is not the workspace"
    if constant_of(start) is None:
        return "is a view of the workspace that starts at no constant byte"
    span, size = span_of(buffer), ir.MemRefType(source.type).shape[0]
    assert span is not None
    outside = span[0] < 0 or span[1] > size
    return f"lies at bytes {span[0]} to {span[1]} of the workspace, which has {size}" if outside else ""
