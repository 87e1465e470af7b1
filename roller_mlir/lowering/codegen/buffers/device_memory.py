# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the buffers of a function lie in a device's memory all at once."""

from math import prod

from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail


def check_device_memory(module: ir.Module, device: Device) -> None:
    """Refuse functions on memrefs whose arguments, results and workspace take more bytes than a device has.

    Raises:
        DiagnosedError: There is one.
    """
    capacity = device.layer("global").total_capacity_bytes
    for function in module.body.operations:
        if not isinstance(function, func.FuncOp):
            continue
        kinds = [ir.MemRefType(kind) for kind in function.type.inputs if isinstance(kind, ir.MemRefType)]
        needed = sum(prod(kind.shape) * element_bytes(kind.element_type) for kind in kinds)
        if needed > capacity:
            fail(
                function,
                f"function '{function.name.value}' needs {needed} B of global memory for its arguments, results and "
                f"workspace, {device.name} has {capacity} B; split it",
            )
