# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-schedule`: places the tasks of a `rammer.program` on the blocks of a persistent kernel, with their waits.

Precondition: `rammer.program` (`rammer-form-graph`). Postcondition: it has a device and a schedule: each task stands on
one vEU, and waits for an event where another vEU runs what must come first. `policy` says who places:
"wavefront" (RAMMER, Algorithm 1), "list" (the most urgent task first, by the critical path), or "round-robin" (each on
the next vEU, to measure what a hand-over costs). `hand-over=barrier` puts a barrier of all vEUs between waves of
operators in the place of waits for single tasks, as a baseline.

    "rammer.program"() ({ "rammer.apply"(%x, %w, %h) {callee = @matmul_0} ... }) {sym_name = "mlp"}
    // becomes
    "rammer.program"() ({
      "rammer.apply"(%x, %w, %h) {callee = @matmul_0} ...
    }) {sym_name = "mlp", device = #rammer.device<{...}>, schedule = #rammer.schedule<{...}>}

There is a block for each unit, or as many as the widest wave of operators has tasks, where those are fewer; operators
of a wave need nothing of each other, and run side by side. There are more, up to what the device holds at a time, where
one operator alone has as many tasks: the predicted time of a task knows of that operator's others only. `blocks` asks
for another number. Tasks of operators with resident operands run where their slices are: those of an operator lie
side by side, where tasks of others are least in their way, and all are spread so that vEUs have as much to do.
Refused: resident slices that workgroup memory does not hold, tasks that no block of the device can run, operators whose
tasks write what others of them touch, applications on anything but arguments, constants and views of the one workspace
at constant bytes.
Paper: RAMMER, sections 3.2 and 3.3.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from roller_mlir.dialects import rammer
from roller_mlir.hal import find_device
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, set_schedule
from roller_mlir.lowering.codegen.graph.tables import PIECE_BYTES
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.lowering.codegen.graph.virtual_device import slot_room, virtual_device, with_most_slots
from roller_mlir.model.options import DeviceOptions
from roller_mlir.rammer.events import HAND_OVERS
from roller_mlir.rammer.options import ScheduleOptions
from roller_mlir.rammer.policy import POLICIES, usual_blocks
from roller_mlir.rammer.resident.homes import homes_of
from roller_mlir.rammer.resident.slots import Slices
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RammerSchedule(ScheduleOptions, DeviceOptions, Pass):
    """Gives each program a device and a schedule."""

    name: ClassVar[str] = "rammer-schedule"
    summary: ClassVar[str] = "place the tasks of a graph on the blocks of a persistent kernel"
    requires: ClassVar[frozenset[str]] = frozenset({"graph"})
    establishes: ClassVar[frozenset[str]] = frozenset({"schedule"})

    def run(self, module: ir.Module) -> None:
        """Schedule every program of the module."""
        device = find_device(self.device)
        for program in graphs_of(module):
            graph = read_graph(program, device).tasks
            virtual = virtual_device(program, device, self.blocks or usual_blocks(graph, device.units))
            homes = None
            if any(one.resident for one in graph.operators):
                most = with_most_slots(virtual, device)
                room, slices = slot_room(program, most, device), Slices.read(graph)
                homes = homes_of(graph, slices, most.execution_units, room, self.hand_over_s)
                if homes is None:
                    fail(program, _too_large(program, slices, room))
                spare = room.stop - homes.end_bytes
                virtual = replace(most, workgroup_bytes=most.workgroup_bytes - spare // PIECE_BYTES * PIECE_BYTES)
            placed = POLICIES[self.policy](graph, virtual.execution_units, self.hand_over_s, homes)
            schedule = HAND_OVERS[self.hand_over](graph, placed)
            set_schedule(program, virtual, schedule if homes is None else homes.scheduled(schedule))


def _too_large(program: rammer.GraphOp, slices: Slices, room: range) -> str:
    return (
        f"'rammer.program' '{program.program_name}' keeps {len(slices.bytes)} slices of {int(slices.bytes.sum())} B in "
        f"workgroup memory, which do not fit into {len(room)} B of each block; take operands out of resident"
    )
