# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether programs on buffers read what was written for them: what no verifier of an op can see.

The programs of a function run in order. Each reads only arguments that are inputs, constants, and buffers that a
program before it has written and none has overwritten since, also in part: buffers share the bytes of one workspace.
State holds what the run before left, and may be written.
A tile of sums that a step goes on with is what the step before has stored, of the same program.
None writes into what it reads, and each output is written.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.dialects import rammer, rtile
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.loops.program import resumes
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.values import defining_op

ROLE = "rtile.role"
_RESHAPES = ("memref.expand_shape", "memref.collapse_shape")


def order_fault(module: ir.Module) -> tuple[ir.Operation, str] | None:
    """Return a program, or an application of one, that reads what is not there, or writes what it must not, and what.

    Args:
        module: Arguments of its functions have roles, and their programs work on memrefs.
    """
    functions = [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]
    return next((fault for one in functions if (fault := _Order(one).fault()) is not None), None)


def argument_roles(function: Any) -> list[str | None]:
    """Return what each argument of a function is for; None where it does not say so."""
    arguments = function.regions[0].blocks[0].arguments
    given = function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else [{}] * len(arguments)
    return [ir.StringAttr(each[ROLE]).value if ROLE in each else None for each in given]


def add_buffer(function: Any, kind: ir.Type, role: str) -> ir.Value:
    """Give a function one more argument of a role, and return it."""
    view = function.opview
    assert isinstance(view, func.FuncOp)
    argument = view.regions[0].blocks[0].add_argument(kind, view.location)
    inputs: Sequence[ir.Type] = [*view.type.inputs, kind]
    given = list(view.arg_attrs) if "arg_attrs" in view.attributes else [ir.DictAttr.get({})] * len(view.type.inputs)
    attributes = [*given, ir.DictAttr.get({ROLE: ir.StringAttr.get(role)})]
    view.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
    view.arg_attrs = attributes
    return argument


@dataclass(frozen=True)
class _Accesses:
    """Which operands a program reads, and which it writes."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]

    @classmethod
    def of(cls, program: rtile.ProgramOp) -> "_Accesses":
        stores = [
            [use.owner.operation.name == "rtile.store" and use.operand_number == 1 for use in inside.uses]
            for inside in program.entry.arguments
        ]
        writes = tuple(number for number, uses in enumerate(stores) if any(uses))
        own = [sum(resumes(use.owner.operation) for use in inside.uses) for inside in program.entry.arguments]
        reads = tuple(
            number
            for number, uses in enumerate(stores)
            if not all(uses) and not (number in writes and uses.count(False) == own[number])
        )
        return cls(reads, writes)


@dataclass(frozen=True)
class _Buffer:
    """What an operand is a view of: an argument, a constant, or so many bytes of the workspace."""

    value: ir.Value
    span: tuple[int, int] | None
    role: str | None

    def overlaps(self, other: "_Buffer") -> bool:
        if self.span is None or other.span is None:
            return self.value == other.value
        return self.span[0] < other.span[1] and other.span[0] < self.span[1]


class _Order:
    """One function, and what its buffers hold after the programs so far."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._block = function.regions[0].blocks[0]
        self._roles = argument_roles(function)
        self._written: set[ir.Value] = set()
        self._starts: list[int] = []  # of the spans of the workspace that hold a buffer, which are disjoint
        self._held: dict[int, tuple[int, ir.Value]] = {}  # by the start: the end, and the buffer
        self._known: dict[ir.Value, _Buffer] = {}  # by operand: programs hand one result to several others
        self._sizes: dict[ir.Type, int] = {}

    def fault(self) -> tuple[ir.Operation, str] | None:
        for op in self._block.operations:
            if isinstance(op, rtile.ProgramOp):
                if problem := self._run(_Accesses.of(op), op.operands):
                    return op.operation, f"program '{op.program_name}' {problem}"
            elif isinstance(op, rammer.GraphOp):
                known: dict[tuple[str, int], _Accesses] = {}  # of the programs, of which each has many applications
                for step in op.applications:
                    key = (step.attributes["callee"].value, step.kernel)
                    if key not in known:
                        known[key] = _Accesses.of(step.program)
                    if problem := self._run(known[key], step.operands):
                        return step.operation, f"program '{step.program.program_name}' {problem}"
        for number, role in enumerate(self._roles):
            if role == "output" and self._block.arguments[number] not in self._written:
                return self._function.operation, f"no program writes argument {number}, which is an output"
        return None

    def _run(self, accesses: "_Accesses", operands: Iterable[ir.Value]) -> str:
        known = self._known
        buffers = [known.get(operand) or self._buffer(operand) for operand in operands]
        writes = [buffers[number] for number in accesses.writes]
        for number in accesses.reads:
            buffer = buffers[number]
            if not self._is_there(buffer):
                return f"reads operand {number}, which no program before it has written, or one has overwritten"
            for other in writes:
                if buffer.overlaps(other):
                    return f"reads operand {number}, into which it writes"
        for number, buffer in zip(accesses.writes, writes, strict=True):
            if buffer.role not in ("output", "workspace", "state"):
                return f"writes operand {number}, which is {'an input' if buffer.role == 'input' else 'a constant'}"
            self._write(buffer)
        return ""

    def _buffer(self, operand: ir.Value) -> "_Buffer":
        value = buffer_of(operand)
        span = span_of(value, self._sizes)
        if isinstance(value, ir.BlockArgument):
            role = self._roles[value.arg_number]
        else:
            role = "workspace" if span is not None else "constant"
        self._known[operand] = _Buffer(value, span, role)
        return self._known[operand]

    def _is_there(self, buffer: "_Buffer") -> bool:
        if buffer.span is not None:
            return self._held.get(buffer.span[0]) == (buffer.span[1], buffer.value)
        return buffer.role != "output" or buffer.value in self._written

    def _write(self, buffer: "_Buffer") -> None:
        if buffer.span is None:
            self._written.add(buffer.value)
            return
        start, end = buffer.span
        at = bisect_left(self._starts, start)
        if at and self._held[self._starts[at - 1]][0] > start:
            at -= 1
        while at < len(self._starts) and self._starts[at] < end:
            del self._held[self._starts.pop(at)]
        insort(self._starts, start)
        self._held[start] = (end, buffer.value)


def place_of(value: Any) -> tuple[Any, int]:
    """Return which memory a memref of a function is in, and at which byte it starts.

    Args:
        value: An argument, a constant, a view of the workspace, or a reshape of any of them.

    Returns:
        The argument, or a constant's name; and the byte.
    """
    buffer = buffer_of(value)
    if (constant := defining_op(buffer, "memref.get_global")) is not None:
        return ir.FlatSymbolRefAttr(constant.attributes["name"]).value, 0
    span = span_of(buffer)
    return (buffer, 0) if span is None else (ir.BlockArgument(buffer.owner.operands[0]), span[0])


def buffer_of(value: Any) -> Any:
    """Return the argument, constant or view of the workspace that a memref is, through reshapes."""
    while not isinstance(owner := value.owner, ir.Block):
        if owner.operation.name not in _RESHAPES:
            return value
        value = owner.operation.operands[0]
    return ir.BlockArgument(value)


def span_of(buffer: ir.Value, sizes: dict[ir.Type, int] | None = None) -> tuple[int, int] | None:
    """Return the bytes of the workspace that a buffer takes, None of others.

    Args:
        buffer: An argument, a constant or a view.
        sizes: The bytes of memrefs that are known already, by their types; who asks for many hands it over each time.
    """
    view = defining_op(buffer, "memref.view")
    if view is None:
        return None
    start = view.operands[1].owner.attributes["value"].value
    return start, start + size_of(buffer.type, {} if sizes is None else sizes)


def size_of(kind: ir.Type, sizes: dict[ir.Type, int]) -> int:
    """Return the bytes of a memref.

    Args:
        kind: Its type.
        sizes: Those that are known already, by types.
    """
    size = sizes.get(kind)
    if size is None:
        memref = ir.MemRefType(kind)
        size = sizes[kind] = element_bytes(memref.element_type) * prod(memref.shape)
    return size
