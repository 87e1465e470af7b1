# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A part of IREE's program that we compile: linalg out of it, and dispatches of our kernels into it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.downstream.iree.calls import Calls, calls_of
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import DiagnosedError, place_of
from roller_mlir.support.values import operations_inside

BARRIERS = ("iree_tensor_ext.compute_barrier.start", "iree_tensor_ext.compute_barrier.end")
"""What IREE marks the edges of a program's arithmetic with; in loops that we take whole it marks nothing."""


class PartError(Exception):
    """We cannot compile a part; the message says why.

    Attributes:
        operation: The number of the operation that is refused, as its location tells; None: the part as a whole.
    """

    def __init__(self, message: str, operation: int | None = None) -> None:
        super().__init__(message)
        self.operation = operation


@dataclass(frozen=True)
class Part:
    """A part, compiled.

    Attributes:
        name: Of the artifact and its executables, unique in the program.
        artifact: What it became.
        calls: The same as operations of IREE.
        times: How often the program calls it.
    """

    name: str
    artifact: Artifact
    calls: Calls
    times: int = 1


@dataclass
class PartCompiler:
    """Compiles parts for one device.

    Attributes:
        target: The device.
        options: How to compile.
        image: Kind of binaries.
        model: The file that places without one are in.
        assume_resident: Whether kernels whose blocks wait for each other are launched as others are; see
            `roller_mlir.downstream.iree.program.iree_program`.
    """

    target: str
    options: CompileOptions
    image: str
    model: str
    assume_resident: bool = False
    _taken: set[str] = field(default_factory=set[str])

    def compile(self, text: str, name: str, operands: Sequence[str] = (), lines: Sequence[str] = ()) -> Part:
        """Compile a part.

        Args:
            text: A module with one function of linalg on tensors. The locations of its operations are numbers.
            name: The part's, which no part has.
            operands: The values that it takes; by default what its calls take, in order: %in0, %in1 and so on.
            lines: Operations that make them of what its calls take.

        Raises:
            PartError: It cannot be planned or compiled, or IREE cannot run it.
        """
        try:
            artifact = compile_source(Source("-", text, given=""), self.target, self.options)
            operands = operands or [f"%in{number}" for number in range(len(artifact.manifest.inputs))]
            calls = calls_of(artifact, self.image, operands, f"{name}_", assume_resident=self.assume_resident)
        except DiagnosedError as error:
            first = next((one for one in error.diagnostics if one.severity == "error"), error.diagnostics[0])
            number = first.place.name if first.place else ""
            raise PartError(first.message, int(number) if number.isdigit() else None) from None
        except IreeError as error:
            raise PartError(str(error)) from None
        self._taken.add(name)
        return Part(name, artifact, replace(calls, lines=(*lines, *calls.lines)))

    def place(self, operation: ir.Operation) -> str:
        """Return where in the model an operation comes from, "" where its location does not tell."""
        place = place_of(operation.location)
        if place is None or place.name:
            return "" if place is None else place.name
        return str(replace(place, file=self.model) if place.file == "-" else place)

    def name(self, function: str) -> str:
        """Return a name for the next part of a function: one that no part has, and that needs no quotes in MLIR."""
        function = re.sub(r"[^\w.$]", "_", function, flags=re.ASCII)
        return next(name for number in count() if (name := f"{function}_{number}") not in self._taken)


def values_taken(operation: ir.Operation) -> list[ir.Value]:
    """Return the values from outside that an operation takes, also inside of its regions; each once."""
    found = dict.fromkeys(operation.operands)
    inside: set[ir.Value] = set()
    for inner in operations_inside(operation):
        inside.update(argument for region in inner.regions for block in region.blocks for argument in block.arguments)
        if inner != operation:
            inside.update(inner.results)
            found.update(dict.fromkeys(inner.operands))
    return [value for value in found if value not in inside]


def function_text(
    name: str, operations: Sequence[tuple[int, ir.Operation]], inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]
) -> str:
    """Return a module with a function of some operations, as text with their numbers as locations.

    Args:
        name: The function's.
        operations: In order, each with its number.
        inputs: What they take of others.
        outputs: Which of their results it returns.
    """
    module = ir.Module.create()
    kind = ir.FunctionType.get([one.type for one in inputs], [one.type for one in outputs])
    with ir.InsertionPoint(module.body):
        block = func.FuncOp(name, kind).add_entry_block()
    values: dict[ir.Value, ir.Value] = dict(zip(inputs, block.arguments, strict=True))
    point = ir.InsertionPoint(block)
    for number, operation in operations:
        with point:
            copy = copy_mapped(operation, values)
        for inner in operations_inside(copy):
            inner.location = ir.Location.name(str(number))
            if inner.name in BARRIERS:
                inner.results[0].replace_all_uses_with(inner.operands[0])
                inner.erase()
    ir.Operation.create("func.return", operands=[values[one] for one in outputs], ip=point)
    return module.operation.get_asm(enable_debug_info=True)


def insert_calls(part: Part, operands: Sequence[ir.Value], before: ir.Operation) -> list[ir.Value]:
    """Insert the dispatches of a part before an operation; return the values that are its outputs."""
    signature = ", ".join(f"%in{number}: {value.type}" for number, value in enumerate(operands))
    kinds = ", ".join(part.calls.kinds)
    fragment = ir.Module.parse(
        "\n".join(
            (
                f"func.func private @calls({signature}) -> ({kinds}) {{",
                *part.calls.lines,
                f"return {', '.join(part.calls.results)} : {kinds}",
                "}",
            )
        )
    )
    block = fragment.body.operations[0].regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, operands, strict=True))
    *body, end = (op.operation for op in block.operations)
    with ir.InsertionPoint(before):
        for op in body:
            copy_mapped(op, values)
    return [values[one] for one in end.operands]
