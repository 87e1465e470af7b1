# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies of a persistent kernel: one for each program and each choice of arguments that its operands lie in.

Operands in the workspace start where the task's record says, and it holds the starts of the application, so that equal
operators on other parts of the workspace, or on other slices of an argument, share a body.
"""

from dataclasses import dataclass, replace
from math import gcd

from roller_mlir.codegen.buffer_order import ROLE, place_of
from roller_mlir.codegen.graph.tables import PIECE_BYTES
from roller_mlir.dialects import rammer, rtile
from roller_mlir.mapping.index import UNLIMITED
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


@dataclass(frozen=True, eq=False)
class TaskBody:
    """A program on arguments of the kernel.

    Attributes:
        program: The program.
        operands: For each operand, the value in the function that it is, or None for one in the workspace.
        ranges: For each start of its applications, the least, the largest, and what divides all.
    """

    program: rtile.ProgramOp
    operands: tuple[ir.Value | None, ...]
    ranges: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Bodies:
    """The bodies of a `rammer.program`.

    Attributes:
        bodies: The bodies.
        of: The body of each application.
        starts: Of each application, where its operands in the workspace start, in pieces of 16 bytes, in their order,
            and then its own starts, in elements.
        roots: What the kernel takes: arguments of the function, and constants.
        written: Those of them that tasks write, or may.
        workspace: That of them which operands without a value lie in; None if there is none.
    """

    bodies: tuple[TaskBody, ...]
    of: tuple[int, ...]
    starts: tuple[tuple[int, ...], ...]
    roots: tuple[ir.Value, ...]
    written: tuple[ir.Value, ...]
    workspace: ir.Value | None


def bodies_of(function: func.FuncOp, program: rammer.GraphOp) -> Bodies:
    """Return the bodies that the applications of a program need."""
    roles = [ir.StringAttr(each[ROLE]).value if ROLE in each else "" for each in function.arg_attrs]
    bodies: dict[tuple[object, ...], TaskBody] = {}
    of: list[int] = []
    starts: list[tuple[int, ...]] = []
    roots: dict[ir.Value | str, ir.Value] = {}
    for application in program.applications:
        key: list[object] = [application.attributes["callee"].value, application.kernel]
        operands: list[ir.Value | None] = []
        own: list[int] = []
        for value in application.operands:
            root, start = place_of(value)
            argument = None if isinstance(root, str) else ir.BlockArgument(root)
            shared = argument is not None and roles[argument.arg_number] == "workspace"
            roots.setdefault(root, root_of(value))
            operands.append(None if shared else value)
            key.append("workspace" if shared else (root, str(value.type)))
            if shared:
                if start % PIECE_BYTES:
                    fail(
                        application, f"operands in the workspace start at multiples of {PIECE_BYTES} B, one at {start}"
                    )
                own.append(start // PIECE_BYTES)
        body = bodies.setdefault(tuple(key), TaskBody(application.program, tuple(operands)))
        of.append(list(bodies.values()).index(body))
        starts.append((*own, *application.starts))
    found: list[TaskBody] = []
    for number, body in enumerate(bodies.values()):
        given = [one.starts for one, which in zip(program.applications, of, strict=True) if which == number]
        ranges = tuple((min(each), max(each), gcd(*each) or UNLIMITED) for each in zip(*given, strict=True))
        found.append(replace(body, ranges=ranges))
    arguments = {root: roles[ir.BlockArgument(root).arg_number] for root in roots if not isinstance(root, str)}
    return Bodies(
        tuple(found),
        tuple(of),
        tuple(starts),
        tuple(roots.values()),
        tuple(root for root, role in arguments.items() if role != "input"),
        next((root for root, role in arguments.items() if role == "workspace"), None),
    )


def root_of(value: ir.Value) -> ir.Value:
    """Return the argument or constant that a memref of a function lies in, through reshapes and views."""
    while (op := defining_op(value)) is not None and op.name != "memref.get_global":
        value = op.operands[0]
    return value


def id_of(root: ir.Value) -> object:
    """Return what tells a root from others."""
    return place_of(root)[0]
