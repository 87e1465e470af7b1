# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bodies of a persistent kernel: one for each program, whatever its applications work on.

Where the applications of a program have different arguments for an operand, or it lies in the workspace, the task's
record says where: a word below the number of those arguments is one of them, and others are places in the workspace,
in pieces of 16 bytes. The record holds the starts of the application, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import gcd
from typing import Any

from roller_mlir.dialects import rammer, rtile
from roller_mlir.lowering.codegen.buffers.order import argument_roles, place_of
from roller_mlir.lowering.codegen.graph.tables import PIECE_BYTES
from roller_mlir.mapping.index import UNLIMITED
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

Place = Callable[[ir.Value], tuple[Any, int]]
"""Where a value lies, as `place_of` says."""


@dataclass(frozen=True, eq=False)
class BodyOperand:
    """What an operand of a body may be.

    Attributes:
        arguments: The values in the function outside of the workspace that it is in some application, one a root.
        in_workspace: Whether it lies in the workspace in others.
    """

    arguments: tuple[ir.Value, ...]
    in_workspace: bool

    @property
    def recorded(self) -> bool:
        """Whether a word of the record says which of them it is."""
        return self.in_workspace or len(self.arguments) > 1

    def word(self, value: ir.Value, place: Place = place_of) -> int:
        """Return what the record says of it, given the value that it is, and who knows where values lie."""
        root, start = place(value)
        number = self._numbers.get(root)
        return len(self.arguments) + start // PIECE_BYTES if number is None else number

    @cached_property
    def _numbers(self) -> dict[ir.Value | str, int]:
        """The arguments' numbers, by what they lie in."""
        return {place_of(one)[0]: number for number, one in enumerate(self.arguments)}


@dataclass(frozen=True, eq=False)
class TaskBody:
    """A program on arguments of the kernel.

    Attributes:
        program: The program.
        operands: What each operand may be.
        ranges: For each start of its applications, the least, the largest, and what divides all.
        early: The operands that it may access before its task's waits are over, which then stand in it.
        resident: Those of them whose slices stay in workgroup memory.
    """

    program: rtile.ProgramOp
    operands: tuple[BodyOperand, ...]
    ranges: tuple[tuple[int, int, int], ...]
    early: tuple[int, ...]
    resident: tuple[int, ...] = ()

    @property
    def sinks(self) -> bool:
        """Whether the waits of its tasks stand in it."""
        return bool(self.early)

    def word_number(self, operand: int) -> int | None:
        """Return which word of those that the record has for operands is that of one; None where it has none."""
        before = sum(one.recorded for one in self.operands[:operand])
        return before if self.operands[operand].recorded else None


@dataclass(frozen=True, eq=False)
class Bodies:
    """The bodies of a `rammer.program`.

    Attributes:
        bodies: The bodies.
        of: The body of each application.
        starts: Of each application, the words of its operands that the record tells apart, in their order, and then
            its own starts, in elements.
        roots: What the kernel takes: arguments of the function, and constants.
        written: Those of them that tasks write, or may.
        workspace: That of them which operands may lie in; None if there is none.
    """

    bodies: tuple[TaskBody, ...]
    of: tuple[int, ...]
    starts: tuple[tuple[int, ...], ...]
    roots: tuple[ir.Value, ...]
    written: tuple[ir.Value, ...]
    workspace: ir.Value | None


def bodies_of(function: func.FuncOp, program: rammer.GraphOp) -> Bodies:
    """Return the bodies that the applications of a program need."""
    roles = argument_roles(function)
    applications: dict[tuple[str, int], list[rammer.ApplyOp]] = {}
    roots: dict[ir.Value | str, ir.Value] = {}
    place = cache(place_of)  # a result is an operand of several
    for application in program.applications:
        applications.setdefault((application.attributes["callee"].value, application.kernel), []).append(application)
        for value in application.operands:
            if (root := place(value)[0]) not in roots:
                roots[root] = root_of(value)
    arguments = {root: roles[ir.BlockArgument(root).arg_number] for root in roots if not isinstance(root, str)}
    workspace = frozenset(root for root, role in arguments.items() if role == "workspace")
    bodies = {key: _body(found, workspace, place) for key, found in applications.items()}
    numbers = {key: number for number, key in enumerate(bodies)}
    of: list[int] = []
    starts: list[tuple[int, ...]] = []
    for application in program.applications:
        key = (application.attributes["callee"].value, application.kernel)
        pairs = zip(bodies[key].operands, application.operands, strict=True)
        of.append(numbers[key])
        starts.append((*(one.word(value, place) for one, value in pairs if one.recorded), *application.starts))
    return Bodies(
        tuple(bodies.values()),
        tuple(of),
        tuple(starts),
        tuple(roots.values()),
        tuple(root for root, role in arguments.items() if role != "input"),
        next(iter(workspace), None),
    )


def _body(applications: list[rammer.ApplyOp], workspace: frozenset[ir.Value], place: Place) -> TaskBody:
    """Return the body of applications of one program."""
    operands: list[BodyOperand] = []
    for values in zip(*(one.operands for one in applications), strict=True):
        arguments: dict[ir.Value | str, ir.Value] = {}
        for application, value in zip(applications, values, strict=True):
            root, start = place(value)
            if root not in workspace:
                arguments.setdefault(root, value)
            elif start % PIECE_BYTES:
                fail(application, f"operands in the workspace start at multiples of {PIECE_BYTES} B, one at {start}")
        operands.append(BodyOperand(tuple(arguments.values()), any(place(one)[0] in workspace for one in values)))
    ranges = (
        (min(each), max(each), gcd(*each) or UNLIMITED)
        for each in zip(*(one.starts for one in applications), strict=True)
    )
    first = applications[0]
    return TaskBody(first.program, tuple(operands), tuple(ranges), first.callee.early, first.callee.resident)


def root_of(value: ir.Value) -> ir.Value:
    """Return the argument or constant that a memref of a function lies in, through reshapes and views."""
    while (op := defining_op(value)) is not None and op.name != "memref.get_global":
        value = op.operands[0]
    return value


def id_of(root: ir.Value) -> object:
    """Return what tells a root from others."""
    return place_of(root)[0]
