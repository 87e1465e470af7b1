# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the steps of a loop take from memory, so that all of them are launches of the same kernels.

    %x = tensor.extract_slice %t[%i, 0] [1, 8] [1, 1]
    // becomes, before the steps are made, with %q an element of a table that each step has (`step_tables`)
    %x = tensor.extract_slice %t[%q, 0] [1, 8] [1, 1]

Data become: where slices begin, positions of elements, and what bodies and fills take. All else that is computed from
the step stays constant: sizes, the bounds of loops, conditions. Steps that differ in those have kernels of their own.
A scalar that a step hands to the next one is a number, where it is known, or a tensor of rank 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from roller_mlir.lowering.linalg.accepted_input import BODY_DIALECTS
from roller_mlir.lowering.linalg.front_end.control.known_numbers import number_of
from roller_mlir.lowering.linalg.front_end.control.step_tables import CAST, take_element
from roller_mlir.lowering.linalg.front_end.indexed.gather import EXTRACT
from roller_mlir.lowering.linalg.views import INSERT, SLICE
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op, operations_inside

_LOOPS = ("scf.for", "scf.forall")
_IN_PARALLEL = "scf.forall.in_parallel"
_OFFSETS = {SLICE: 1, INSERT: 2, "tensor.parallel_insert_slice": 2}
"""The operations that begin at offsets, and which segment of their operands these are."""


@dataclass
class SharedSteps:
    """A loop whose steps share what is data.

    Attributes:
        loop: The op.
        body: The number of its body.
        elements: How many elements its body takes.
        limit: How many steps may have kernels of their own.
        shapes: What depends on the step and is no data: values of its body that shapes and conditions are made of.
        found: What they are in the steps so far; None where it is not known yet.
    """

    loop: ir.Operation
    body: int
    elements: int
    limit: int
    shapes: list[ir.Value] = field(default_factory=list[ir.Value])
    found: set[tuple[int | None, ...]] = field(default_factory=set[tuple[int | None, ...]])

    def note(self, mapped: Mapping[ir.Value, ir.Value]) -> None:
        """Note the shapes of a step, given what the values of the body are in it."""
        self.found.add(tuple(number_of(mapped[value]) for value in self.shapes if value in mapped))

    def check(self) -> None:
        """Fail where more steps have kernels of their own than may have."""
        if len(self.found) > self.limit:
            fail(
                self.loop,
                f"'{self.loop.name}' has steps of {len(self.found)} different shapes or conditions, each of which "
                f"becomes kernels of its own, at most {self.limit}; let steps have the same shapes, or raise "
                "unroll-limit",
            )

    def carry(self, value: ir.Value, number: int, step: int) -> Any:
        """Return what the next step reads for a value that one hands to it.

        Args:
            value: What the step yields.
            number: Which of the values that the loop carries.
            step: Which step.
        """
        if not _is_scalar(value) or defining_op(value, "arith.constant") is not None:
            return value
        known = number_of(value)
        if known is not None:
            return arith.constant(value.type, known)
        return take_element(value, self.body, self.elements + number, step, is_carried=True)


@dataclass
class StepData:
    """What the loops of a module that are launched in turn take from memory.

    Attributes:
        elements: How many elements the body of each loop takes so far.
        bodies: The number of each body, by its loop.
    """

    elements: list[int] = field(default_factory=list[int])
    bodies: dict[ir.Operation, int] = field(default_factory=dict[ir.Operation, int])

    def share(self, loop: ir.Operation, limit: int) -> SharedSteps:
        """Let the body of a loop take from memory what depends on the step and can be data.

        Args:
            loop: Those around it that are launched in turn have been shared.
            limit: How many steps may have kernels of their own.
        """
        block = loop.regions[0].blocks[0]
        body = _LaunchedBody(self, {one for one in block.arguments if _is_scalar(one)})
        body.visit(block, loop)
        number = self.number(loop)
        return SharedSteps(loop, number, self.elements[number], limit, body.shapes)

    def number(self, loop: ir.Operation) -> int:
        """Return the number of a loop's body."""
        if loop not in self.bodies:
            self.bodies[loop] = len(self.elements)
            self.elements.append(0)
        return self.bodies[loop]

    def take(self, value: ir.Value, loop: ir.Operation) -> Any:
        """Build at the insertion point, in the body of a loop, the element that a scalar is."""
        body = self.number(loop)
        self.elements[body] += 1
        return take_element(value, body, self.elements[body] - 1)


@dataclass
class _LaunchedBody:
    """The body of a loop that is launched in turn.

    Attributes:
        data: What takes elements.
        dependent: The scalars that depend on the step and are constant in it.
        shapes: Those of them that cannot be data where they are used.
    """

    data: StepData
    dependent: set[ir.Value]
    shapes: list[ir.Value] = field(default_factory=list[ir.Value])

    def visit(self, block: Any, loop: ir.Operation, joining: ir.Operation | None = None) -> None:
        """Let the operations of a block take data.

        Args:
            block: Of the loop, or of control flow inside of it.
            loop: The innermost one around the block.
            joining: The `scf.forall.in_parallel` whose block it is; elements are taken before it.
        """
        for operation in [op.operation for op in block.operations]:
            given: list[ir.Value] = list(operation.operands)
            uses = [number for number, value in enumerate(given) if value in self.dependent]
            if _is_folded(operation):
                self.dependent |= set(operation.results) if uses else set()
                continue
            with ir.InsertionPoint(joining or operation), operation.location:
                for number in uses:
                    if self._can_be_data(operation, number):
                        operation.operands[number] = self.data.take(given[number], loop)
                    elif operation.name not in ("scf.yield", CAST):
                        self.shapes.append(given[number])
            is_control = operation.name.startswith("scf.")
            if not is_control:
                self._take_captured(operation, loop)
            for inner in [one for region in operation.regions for one in region.blocks] if is_control else ():
                self.dependent |= {one for one in inner.arguments if _is_scalar(one) and (uses or one.arg_number)}
                nearest = operation if operation.name in _LOOPS else loop
                self.visit(inner, nearest, operation if operation.name == _IN_PARALLEL else None)
            if is_control:
                self.dependent |= {result for result in operation.results if _is_scalar(result)}

    def _take_captured(self, operation: ir.Operation, loop: ir.Operation) -> None:
        """Let what the body of a linalg op, of a padding or the like takes from outside be data."""
        for op in operations_inside(operation)[1:]:
            for number, value in enumerate(op.operands):
                if value in self.dependent:
                    with ir.InsertionPoint(operation), operation.location:
                        op.operands[number] = self.data.take(value, loop)

    def _can_be_data(self, operation: ir.Operation, number: int) -> bool:
        """Return whether kernels can take an operand from memory."""
        name = operation.name
        if name in _OFFSETS:
            sizes = [int(size) for size in ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"])]
            ends = list(accumulate(sizes))
            return ends[_OFFSETS[name] - 1] <= number < ends[_OFFSETS[name]]
        if name == "tensor.from_elements":  # of known elements it is a constant tensor, which is data itself
            return not all(one in self.dependent or defining_op(one, "arith.constant") for one in operation.operands)
        return name.startswith("linalg.") or name in ("tensor.splat", "tensor.insert", EXTRACT)


def _is_folded(operation: ir.Operation) -> bool:
    """Return whether the results of an operation are known where its scalars are."""
    if operation.name == EXTRACT:
        return defining_op(operation.operands[0], "arith.constant") is not None
    return operation.name.split(".")[0] in BODY_DIALECTS and all(map(_is_scalar, operation.results))


def _is_scalar(value: ir.Value) -> bool:
    return not isinstance(value.type, ir.ShapedType)
