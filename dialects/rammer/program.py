# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer.program`: applications whose tasks one persistent kernel runs; `rammer.event`: what tasks signal.

The applications stand in an order in which they may run one after the other, behind the events, which are numbered in
their order. `device` says how many blocks there are and what each may use, `schedule` which task each runs when.

    "rammer.program"() ({
      "rammer.event"() {count = 128 : i64} : () -> ()
      "rammer.apply"(%x, %w1, %h) {callee = @matmul_0} : (...) -> ()
      "rammer.apply"(%h, %w2, %y) {callee = @matmul_1} : (...) -> ()
    }) {sym_name = "mlp", device = #rammer.device<{...}>, schedule = #rammer.schedule<{...}>} : () -> ()

Paper: RAMMER, sections 3.2 and 3.3 (vDevice, rProgram).
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rammer.apply import ApplyOp
from roller_mlir.dialects.rammer.attributes import DeviceAttr, ScheduleAttr
from roller_mlir.dialects.rammer.dialect import Rammer
from roller_mlir.dialects.rtile_checks import (
    hook,
    hook_inside,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
)
from roller_mlir.dialects.rtile_program import ProgramOp
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.support.bindings import ext, ir


class EventOp(Rammer.Operation, name="event", traits=[]):
    """A counter that `count` tasks signal. See the module's description."""

    count: ir.IntegerAttr

    @property
    def signals(self) -> int:
        """How many signals it waits for."""
        return self.attributes["count"].value

    @hook_inside
    def verify_invariants(self) -> None:
        """Check the count."""
        known_attributes(self, ("count",))
        count = required_attribute(self, "count", ir.IntegerAttr, "an integer")
        require(count.value >= 1, f"count must be at least 1, but is {count.value}")


class GraphOp(Rammer.Operation, name="program", traits=[ir.NoTerminatorTrait]):
    """Applications of operators, and their schedule. See the module's description."""

    sym_name: ir.StringAttr
    body: ext.Region

    @property
    def program_name(self) -> str:
        """The name of the program, which the kernel will have."""
        return self.attributes["sym_name"].value

    @property
    def entry(self) -> Any:
        """The block of the region."""
        return self.regions[0].blocks[0]

    @property
    def applications(self) -> list[ApplyOp]:
        """The applications, in an order in which they may run."""
        return [op for op in self.entry.operations if isinstance(op, ApplyOp)]

    @property
    def programs(self) -> list[ProgramOp]:
        """The programs that compute its applications, each once, in the order of their first ones."""
        return programs_of(self.applications)

    @property
    def events(self) -> list[EventOp]:
        """The events."""
        return [op for op in self.entry.operations if isinstance(op, EventOp)]

    @property
    def device(self) -> DeviceAttr | None:
        """What its blocks may use; None before it is scheduled."""
        return self.attributes.get("device")

    def read_schedule(self) -> Schedule | None:
        """Return the schedule, None where there is none.

        Raises:
            InvalidOpError: Its arrays do not fit together.
        """
        if "schedule" not in self.attributes:
            return None
        return self.attributes["schedule"].read([event.signals for event in self.events])

    @hook
    def verify_invariants(self) -> None:
        """Check the attributes."""
        name = required_attribute(self, "sym_name", ir.StringAttr, "a string")
        require(name.value != "", "requires a name, but sym_name is empty")
        known_attributes(self, ("sym_name", "device", "schedule"))
        device = optional_attribute(self, "device", DeviceAttr, "#rammer.device<{...}>")
        schedule = optional_attribute(self, "schedule", ScheduleAttr, "#rammer.schedule<{...}>")
        both = (device is None) == (schedule is None)
        require(both, "needs attributes 'device' and 'schedule' both, or none of them")

    @hook
    def verify_region_invariants(self) -> None:
        """Check what stands in the region, and that the schedule fits the device."""
        block = single_block(self)
        names = [op.operation.name for op in block.operations]
        for name in dict.fromkeys(names):
            known = name in ("rammer.event", "rammer.apply")
            require(known, f"holds '{name}'; only 'rammer.event' and 'rammer.apply' may stand")
        require("rammer.apply" in names, "needs at least 1 'rammer.apply'")
        first = names.index("rammer.apply")
        require("rammer.event" not in names[first:], "needs its events before its applications")
        if self.device is not None:
            units, count = self.device.read().execution_units, self.attributes["schedule"].check()
            require(count == units, f"schedule is of {count} vEUs, but the device has {units}")


def programs_of(applications: Sequence[ApplyOp]) -> list[ProgramOp]:
    """Return the programs that compute applications, each once, in the order of their first ones."""
    first: dict[tuple[str, int], ApplyOp] = {}
    for application in applications:
        first.setdefault((application.attributes["callee"].value, application.kernel), application)
    return [application.program for application in first.values()]


def event(count: int, *, loc: Any = None, ip: Any = None) -> EventOp:
    """Build a `rammer.event` that so many tasks signal."""
    attributes: dict[str, Any] = {"count": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), count)}
    return ir.Operation.create("rammer.event", attributes=attributes, loc=loc, ip=ip).opview


def program(name: str, *, loc: Any = None, ip: Any = None) -> GraphOp:
    """Build a `rammer.program` without a schedule, with an empty `entry` block for its applications."""
    attributes: dict[str, Any] = {"sym_name": ir.StringAttr.get(name)}
    op = ir.Operation.create("rammer.program", attributes=attributes, regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append()
    return op.opview
