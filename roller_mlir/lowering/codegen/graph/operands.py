# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What applications may work on: arguments of the function, constants, and views of its one workspace."""

from collections.abc import Sequence

from roller_mlir.dialects import rammer
from roller_mlir.lowering.codegen.buffers.order import ROLE, buffer_of, size_of
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of


def places_of(
    program: rammer.GraphOp, applications: Sequence[rammer.ApplyOp], operands: Sequence[Sequence[ir.Value]]
) -> dict[ir.Value, tuple[ir.Value | str, int]]:
    """Return where the operands of applications lie: in an argument, or a constant by its name; and at which byte.

    Args:
        program: The program.
        applications: Those of it.
        operands: Theirs.

    Raises:
        DiagnosedError: No persistent kernel finds one of them: what is where must be known now.
    """
    function = program.operation.parent.opview
    assert isinstance(function, func.FuncOp)
    given = function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else [{}] * len(function.arguments)
    roles = [ir.StringAttr(each[ROLE]).value if ROLE in each else "" for each in given]
    if roles.count("workspace") > 1:
        fail(function, f"function '{function.name.value}' has {roles.count('workspace')} workspaces; it can have one")
    found: dict[ir.Value, tuple[ir.Value | str, int]] = {}  # a result is an operand of several
    sizes: dict[ir.Type, int] = {}
    roots: dict[ir.Value, ir.BlockArgument | None] = {}
    for application, values in zip(applications, operands, strict=True):
        for number, value in enumerate(values):
            if value in found:
                continue
            place = _place_or_problem(value, roles, sizes, roots)
            if isinstance(place, str):
                name = application.attributes["callee"].value
                fail(application, f"operand {number} of '{name}' {place}; run rtile-assign-buffers")
            found[value] = place
    return found


def _place_or_problem(
    value: ir.Value, roles: list[str], sizes: dict[ir.Type, int], roots: dict[ir.Value, ir.BlockArgument | None]
) -> tuple[ir.Value | str, int] | str:
    buffer = buffer_of(value)
    if isinstance(buffer, ir.BlockArgument):
        return buffer, 0
    maker = buffer.owner.operation
    if maker.name == "memref.get_global":
        return ir.FlatSymbolRefAttr(maker.attributes["name"]).value, 0
    if maker.name != "memref.view":
        return f"is a '{maker.name}', no argument, constant or view of the workspace"
    source, start = maker.operands
    if source not in roots:
        roots[source] = ir.BlockArgument(source) if isinstance(source.owner, ir.Block) else None
    root = roots[source]
    if root is None or roles[root.arg_number] != "workspace":
        return "is a view of something that is not the workspace"
    if (first := constant_of(start)) is None:
        return "is a view of the workspace that starts at no constant byte"
    end, size = first + size_of(buffer.type, sizes), size_of(source.type, sizes)
    if first < 0 or end > size:
        return f"lies at bytes {first} to {end} of the workspace, which has {size}"
    return root, first
