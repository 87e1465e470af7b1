# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-sink-waits`: tasks may access what no task writes before their waits are over: weights travel meanwhile.

Precondition: `rammer.program` (`rammer-form-graph`). Postcondition: an operator names its operands that no task of any
program writes, in all of its applications, as `early`: waits protect the others, and stand in front of the first access
to one of those. Applications say how much of a task's predicted time may pass before.

    "rammer.operator"() ({ ... }) {sym_name = "matmul_0"} : () -> ()
    "rammer.apply"(%h, %w, %y) {callee = @matmul_0, seconds = 1.2E-6} : (...) -> ()     // nothing is stored to %w
    // becomes
    "rammer.operator"() ({ ... }) {early = array<i64: 1>, sym_name = "matmul_0"} : () -> ()
    "rammer.apply"(%h, %w, %y) {callee = @matmul_0, early_seconds = 7.0E-7, seconds = 1.2E-6} : (...) -> ()

`sink-waits=false` leaves the waits in front of the tasks, to compare with.
Refused: nothing.
Paper: RAMMER's tasks wait before they do anything (section 3.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from roller_mlir.dialects import rammer, rtile
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.codegen.early.operands import ProgramUses, early_operands
from roller_mlir.lowering.codegen.graph.schedules import graphs_of
from roller_mlir.lowering.loops.attributes import EXPRESSION
from roller_mlir.lowering.loops.early_loads import early_loads
from roller_mlir.model.cost.early import EarlyBytes, early_share
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.model.options import DeviceOptions
from roller_mlir.plan import TensorExpression
from roller_mlir.rammer.options import SinkOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RammerSinkWaits(SinkOptions, DeviceOptions, Pass):
    """Says which operands waits do not protect."""

    name: ClassVar[str] = "rammer-sink-waits"
    summary: ClassVar[str] = "let tasks load what no task writes before they wait for others"
    requires: ClassVar[frozenset[str]] = frozenset({"graph"})

    def run(self, module: ir.Module) -> None:
        """Give each operator its early operands."""
        if not self.sink_waits:
            return
        applied: dict[str, list[rammer.ApplyOp]] = {}
        for graph in graphs_of(module):
            for application in graph.applications:
                applied.setdefault(application.attributes["callee"].value, []).append(application)
        uses = [ProgramUses.of(found[0].callee.programs, [one.operands for one in found]) for found in applied.values()]
        for found, early in zip(applied.values(), early_operands(uses), strict=True):
            if early:
                found[0].callee.attributes["early"] = ir.DenseI64ArrayAttr.get(early)
                _predict(found, early, find_device(self.device))


def _predict(applications: list[rammer.ApplyOp], early: Sequence[int], device: Device) -> None:
    """Say of applications of one operator what of a task's time may pass before its waits are over."""
    shares: dict[tuple[int, int | None], float] = {}
    for application in applications:
        seconds, key = application.seconds, (application.kernel, application.units)
        if seconds is None:
            continue
        if key not in shares:
            shares[key] = _early_share(application.program, early, machine_of(device, application.units))
        number = ir.FloatAttr.get(ir.F64Type.get(), shares[key] * seconds)
        application.attributes["early_seconds"] = number


def _early_share(program: rtile.ProgramOp, early: Sequence[int], machine: Machine) -> float:
    """Return what share of a task's predicted time may pass before its waits are over."""
    expression = planned_expression(program)
    if expression is None:
        return 0.0
    assert program.plan is not None, "it was planned for that"
    loads = [early_bytes(program, one.operand, one.tile_bytes, one.words) for one in early_loads(program, early)]
    return early_share(expression, program.plan.read(), machine, loads)


def planned_expression(program: rtile.ProgramOp) -> TensorExpression | None:
    """Return what a program was planned for; None where it does not say."""
    if program.plan is None or EXPRESSION not in program.attributes:
        return None
    return read_record(TensorExpression, program.attributes[EXPRESSION], EXPRESSION)


def early_bytes(program: rtile.ProgramOp, operand: int, task_bytes: int, words: int) -> EarlyBytes:
    """Return what tasks of a program bring early of an operand: so many bytes each, in so many registers."""
    kind = ir.MemRefType(program.entry.arguments[operand].type)
    tensor_bytes = prod(kind.shape) * element_bytes(kind.element_type)
    return EarlyBytes(task_bytes=task_bytes, tensor_bytes=tensor_bytes, words=words)
