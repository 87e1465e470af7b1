# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-assign-buffers`: results of a scheduled graph share bytes of the workspace where its order proves it safe.

Precondition: a `rammer.program` with a schedule (`rammer-schedule`), whose results between programs have bytes of their
own (`rtile-assign-buffers{reuse=false}`). Postcondition: the same schedule; two results share bytes only where every
task that touches the one is done before any task writes the other, so that no wait is added for it.

    %a = memref.view %w[%c0][] : memref<1024xi8> to memref<64xf32>
    %b = memref.view %w[%c256][] : memref<1024xi8> to memref<64xf32>
    // becomes, where all tasks that read %a are done before %b is written
    %a = memref.view %w[%c0][] : memref<256xi8> to memref<64xf32>
    %b = memref.view %w[%c0][] : memref<256xi8> to memref<64xf32>

Refused: graphs without a schedule, and those that read what nobody has written for them.
Paper: RAMMER, section 3.3, for the order; it shares no memory.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.hal import find_device
from roller_mlir.lowering.codegen.buffers.order import order_fault
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.lowering.codegen.graph.workspace import share_workspace
from roller_mlir.model.options import DeviceOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RammerAssignBuffers(DeviceOptions, Pass):
    """Lets results share bytes where the schedule keeps them apart in time."""

    name: ClassVar[str] = "rammer-assign-buffers"
    summary: ClassVar[str] = "let results share workspace where the schedule proves it safe"
    requires: ClassVar[frozenset[str]] = frozenset({"schedule"})

    def run(self, module: ir.Module) -> None:
        """Lay out the workspace of every program of the module anew."""
        device = find_device(self.device)
        graphs = [(program, read_graph(program, device, ordered=False)) for program in graphs_of(module)]
        if (fault := order_fault(module)) is not None:
            fail(*fault)
        for program, graph in graphs:
            share_workspace(program, graph, schedule_of(program)[1])

    def find_fault(self, module: ir.Module) -> tuple[ir.Operation, str] | None:
        """Return an application that reads what another one has overwritten: bytes shared too early."""
        return order_fault(module)
