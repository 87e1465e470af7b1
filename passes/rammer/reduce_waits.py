# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-reduce-waits`: drops the waits of a schedule that its other waits and the order of its blocks imply.

Precondition: a `rammer.program` with a schedule (`rammer-schedule`). Postcondition: what is before what is as it was,
by as few waits as that needs. A remark says how many there were and are.

    "rammer.program"() ({...}) {schedule = #rammer.schedule<{..., waits = dense<[0, 0, 1, 1]> : tensor<4xi32>}>}
    // becomes, where whoever signals event 1 has waited for event 0
    "rammer.program"() ({...}) {schedule = #rammer.schedule<{..., waits = dense<[0, 1]> : tensor<2xi32>}>}

Refused: schedules in which tasks wait for ever (rammer-verify shows them).
Paper: RAMMER, section 3.3, drops waits for all but the last of consecutive tasks of one vEU.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of, set_schedule
from roller_mlir.rammer.events import reduce_waits
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import remark
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RammerReduceWaits(Pass):
    """Gives each program the fewest waits that keep its order."""

    name: ClassVar[str] = "rammer-reduce-waits"
    summary: ClassVar[str] = "drop the waits of a schedule that others imply"
    requires: ClassVar[frozenset[str]] = frozenset({"schedule"})

    def run(self, module: ir.Module) -> None:
        """Reduce the waits of every program of the module."""
        for program in graphs_of(module):
            device, schedule = schedule_of(program)
            reduced = reduce_waits(schedule)
            set_schedule(program, device, reduced)
            tasks, before, after = len(schedule.signals), schedule.wait_count, reduced.wait_count
            text = f"{tasks} tasks on {len(schedule.programs)} vEUs: {after} waits of {before}"
            remark(program, f"'rammer.program' '{program.program_name}': {text}")
