# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer.program`: applications whose tasks one persistent kernel runs.

The applications stand in an order in which they may run one after the other. `device` says how many blocks there are
and what each may use, `schedule` which task each runs when, and which events it waits for and signals.

    "rammer.program"() ({
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
from roller_mlir.dialects.rtile.checks import (
    hook,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
)
from roller_mlir.dialects.rtile.program import ProgramOp
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.support.bindings import ext, ir


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
        return self.attributes["schedule"].read()

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
        names = {op.operation.name for op in block.operations}
        for name in sorted(names - {"rammer.apply"}):
            require(False, f"holds '{name}'; only 'rammer.apply' may stand")
        require(bool(names), "needs at least 1 'rammer.apply'")
        if (schedule := self.read_schedule()) is not None:
            assert self.device is not None, "there are both"
            units, count = self.device.read().execution_units, len(schedule.programs)
            require(count == units, f"schedule is of {count} vEUs, but the device has {units}")


def programs_of(applications: Sequence[ApplyOp]) -> list[ProgramOp]:
    """Return the programs that compute applications, each once, in the order of their first ones."""
    first: dict[tuple[str, int], ApplyOp] = {}
    for application in applications:
        first.setdefault((application.attributes["callee"].value, application.kernel), application)
    return [application.program for application in first.values()]


def program(name: str, *, loc: Any = None, ip: Any = None) -> GraphOp:
    """Build a `rammer.program` without a schedule, with an empty `entry` block for its applications."""
    attributes: dict[str, Any] = {"sym_name": ir.StringAttr.get(name)}
    op = ir.Operation.create("rammer.program", attributes=attributes, regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append()
    return op.opview
