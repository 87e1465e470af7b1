# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule of a `rammer.program`, read from its IR and written to it."""

from collections.abc import Iterator

from roller_mlir.dialects import rammer
from roller_mlir.dialects.rtile.checks import InvalidOpError
from roller_mlir.rammer.schedule import Schedule, VirtualDevice
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail


def graphs_of(module: ir.Module) -> Iterator[rammer.GraphOp]:
    """Yield the `rammer.program` ops of a module's functions."""
    for function in module.body.operations:
        if isinstance(function, func.FuncOp) and not function.is_external:
            yield from (op for op in function.regions[0].blocks[0].operations if isinstance(op, rammer.GraphOp))


def schedule_of(program: rammer.GraphOp) -> tuple[VirtualDevice, Schedule]:
    """Return the device and the schedule of a program; refuse one that has none."""
    if program.device is None:
        fail(program, f"'rammer.program' '{program.program_name}' has no schedule; run rammer-schedule first")
    try:
        schedule = program.read_schedule()
        assert schedule is not None
        return program.device.read(), schedule
    except InvalidOpError as error:
        fail(program, f"'rammer.program' '{program.program_name}': {error}")


def set_schedule(program: rammer.GraphOp, device: VirtualDevice, schedule: Schedule) -> None:
    """Give a program a device and a schedule, in place of those that it has."""
    with program.location:
        program.operation.attributes["device"] = rammer.DeviceAttr.of(device)
        program.operation.attributes["schedule"] = rammer.ScheduleAttr.of(schedule)
