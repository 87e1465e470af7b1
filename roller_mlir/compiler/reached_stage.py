# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a module stands on the way from linalg to kernels, so that IR of every stage can be compiled, edited or not.

Linalg ops on tensors have reached no stage, `rtile.program`s without plans "fused", with plans "plan", loops on tensors
"loops", loops on memrefs "buffers", kernels with their launches "gpu".
Refused beyond linalg: choices of planning, which is over; plans for another device; programs at different stages.
"""

from collections.abc import Iterator

from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.buffers.order import argument_roles
from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.stage import BUFFERS, FUSED, KERNELS, LOOPS, PLANNED, Stage
from roller_mlir.model.options import LaunchOptions, MapOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import operations_inside

_ROLES = ("input", "output", "workspace", "state")
_LOOP_OPS = ("rtile.load", "rtile.map_load", "rtile.compute", "rtile.store")


def reached_stage(module: ir.Module) -> Stage | None:
    """Return the last stage that a module has reached; None for linalg ops, which may be normalised or not.

    Raises:
        DiagnosedError: Its programs are at different stages.
    """
    if any(op.name == "gpu.launch_func" for op in _operations(module.operation)):
        return KERNELS
    found = [(program, _stage_of(program.operation)) for program in programs_of(module)]
    if not found:
        return None
    first = found[0][1]
    for program, stage in found:
        if stage != first:
            fail(
                program,
                f"'rtile.program' is at stage '{stage.name}', the first one at '{first.name}'; bring all to one stage",
            )
    return first


def open_entry(module: ir.Module, reached: Stage | None, device: Device, options: CompileOptions) -> None:
    """Leave the function to compile alone in its module, with what it needs.

    Args:
        module: Changed in place.
        reached: From `reached_stage`.
        device: What to compile for.
        options: Its entry is taken; beyond linalg the choices of planning are refused.

    Raises:
        DiagnosedError: The function is not found, or does not go with device and options.
    """
    if reached not in (None, FUSED) and options.pipeline_options():
        forced = ", ".join(options.pipeline_options())
        fail(module.operation, f"{forced}: the module is planned already; edit it, or begin with linalg ops")
    if reached is KERNELS and (given := options.pipeline_options(MapOptions) | options.pipeline_options(LaunchOptions)):
        fail(module.operation, f"{', '.join(given)}: the module has its kernels already; edit them")
    check_given(module, reached, device, options.entry)


def check_given(module: ir.Module, reached: Stage | None, device: Device, entry: str | None) -> None:
    """Leave the function to compile alone, and check what passes rely on where they did not make it themselves.

    Raises:
        DiagnosedError: The function is not found, or does not go with the device.
    """
    if reached in (BUFFERS, KERNELS):
        _check_host(module, entry)
    else:
        isolate_entry(module, entry)
    if reached in (PLANNED, LOOPS, BUFFERS):
        _check_plans(module, device)


def _operations(operation: ir.Operation) -> Iterator[ir.Operation]:
    """Yield the operations of functions, not those inside of them."""
    for function in operation.regions[0].blocks[0].operations:
        if function.operation.name == "func.func":
            for block in function.operation.regions[0].blocks:
                yield from (op.operation for op in block.operations)


def _stage_of(program: ir.Operation) -> Stage:
    arguments = program.regions[0].blocks[0].arguments
    if any(isinstance(argument.type, ir.MemRefType) for argument in arguments):
        return BUFFERS
    if any(op.name in _LOOP_OPS for op in operations_inside(program)):
        return LOOPS
    return PLANNED if "plan" in program.attributes else FUSED


def _check_host(module: ir.Module, entry: str | None) -> None:
    """Refuse all but one function, each of whose arguments says what it is for."""
    functions = compiled_functions(module)
    names = [function.name.value for function in functions]
    if len(names) != 1 or entry not in (None, names[0]):
        wanted = f" '{entry}'" if entry else ""
        fail(module.operation, f"a module on buffers must have 1 function{wanted}, but this one has {', '.join(names)}")
    for number, role in enumerate(argument_roles(functions[0])):
        if role not in _ROLES:
            says = "no rtile.role" if role is None else f"rtile.role '{role}'"
            fail(functions[0], f"argument {number} of '{names[0]}' has {says}; it must be one of {', '.join(_ROLES)}")


def _check_plans(module: ir.Module, device: Device) -> None:
    for program in programs_of(module):
        if program.plan is None:
            continue  # of linalg ops, rtile-expand says so
        plan = program.plan.read()
        if plan.device != device.name:
            fail(program, f"'rtile.program' is planned for {plan.device}, but the target is {device.name}")
