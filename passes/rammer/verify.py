# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-verify`: proves that a schedule neither hangs nor races, whatever the speed of the blocks.

Precondition: a `rammer.program` with a schedule (`rammer-schedule`). Postcondition: the same IR, and these hold: each
task runs once; blocks and waits have no cycle; of each pair of tasks that touches common bytes, one of them writing,
the first in the order of the applications is done before the other starts; all blocks are resident at once; a task that
finds a slice of an operand in workgroup memory finds its own.

    "rammer.program"() ({...}) {schedule = #rammer.schedule<{..., waits = dense<> : tensor<0xi32>}>}
    // error: task 0 of 'matmul_1 (1)' (vEU 0, position 1) may start before task 3 of 'matmul_0 (0)' (vEU 3, position 0)
    //        is done, and both touch the same bytes: it does not wait for it

Refused: every schedule for which one of these does not hold, with the tasks that show it.
Paper: RAMMER, section 3.3 (the schedule is made, and so can be proven, at compile time).
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.dialects import rammer
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of
from roller_mlir.lowering.codegen.graph.task_graph import ApplicationGraph, read_graph
from roller_mlir.lowering.codegen.graph.virtual_device import check_block, slot_room
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.options import DeviceOptions
from roller_mlir.rammer.proof import ScheduleFault, find_faults
from roller_mlir.rammer.schedule import VirtualDevice
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RammerVerify(DeviceOptions, Pass):
    """Refuses schedules that could hang or race."""

    name: ClassVar[str] = "rammer-verify"
    summary: ClassVar[str] = "prove that a schedule neither hangs nor races"
    requires: ClassVar[frozenset[str]] = frozenset({"schedule"})

    def run(self, module: ir.Module) -> None:
        """Prove every program of the module."""
        device = find_device(self.device)
        for program in graphs_of(module):
            virtual, schedule = schedule_of(program)
            _check_residency(program, virtual, device)
            graph = read_graph(program, device)
            faults = find_faults(graph.tasks, schedule, slot_room(program, virtual, device))
            if faults:
                more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
                fail(
                    _where(program, graph, faults[0]),
                    f"'rammer.program' '{program.program_name}': {faults[0].text}{more}",
                )


def _check_residency(program: rammer.GraphOp, virtual: VirtualDevice, device: Device) -> None:
    """Refuse blocks that are not all resident: one that has not started would be waited for for ever."""
    check_block(program, virtual, device)
    held = tasks_per_unit(device, virtual.threads, virtual.registers, virtual.workgroup_bytes)
    if virtual.units > device.units or virtual.per_unit > held:
        fail(
            program,
            f"'rammer.program' '{program.program_name}' has {virtual.per_unit} blocks on each of {virtual.units} "
            f"units, {device.name} holds {held} of them on each of {device.units} at a time; lower units or per_unit",
        )


def _where(program: rammer.GraphOp, graph: ApplicationGraph, fault: ScheduleFault) -> ir.OpView:
    """Return the application of the last task of a fault."""
    if not fault.tasks:
        return program
    return graph.applications[int(graph.tasks.operator_of[fault.tasks[-1]])]
