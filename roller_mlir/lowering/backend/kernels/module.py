# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What both vendors' lowerings share: kernels and their launches, and what must hold around the upstream passes."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.checks.operands import check_operands
from roller_mlir.support.bindings import gpu, ir, passmanager
from roller_mlir.support.diagnostics import collecting, diagnosed, fail
from roller_mlir.support.values import constant_of, operations_inside, replace_op

WORKGROUP_ADDRESS_SPACE = 3
WORKGROUP_ALIGNMENT_BYTES = 16
"""Workgroup memory is aligned for the widest access of one thread."""

_LLVM_PREFIXES = ("llvm.", "nvvm.", "rocdl.")
_GPU_KERNEL = "gpu.kernel"
_MODULE_OPS = ("builtin.module", "gpu.module")
_AT_A_TIME = 16
"""Kernels that go through upstream's passes together."""


def gpu_modules(module: ir.Module) -> list[Any]:
    """Return the gpu.module ops of a module."""
    return [op.operation for op in module.body.operations if op.operation.name == "gpu.module"]


def body_of(op: Any) -> Any:
    """Return the only block of a module-like op."""
    return op.regions[0].blocks[0]


def kernel_functions(module: ir.Module) -> Iterator[Any]:
    """Return the gpu.func kernels that are not lowered yet."""
    for gpu_module in gpu_modules(module):
        for op in body_of(gpu_module).operations:
            if (op.operation.name == "gpu.func" and "kernel" in op.operation.attributes) or (
                isinstance(op, gpu.GPUFuncOp) and op.is_kernel
            ):
                yield op.operation


def symbol_name(op: Any) -> str:
    """Return the name of a symbol op."""
    return ir.StringAttr(op.attributes["sym_name"]).value


def host_operations(module: ir.Module) -> Iterator[Any]:
    """Yield the operations of a module that are not in kernels, outer ones first."""
    for op in module.body.operations:
        if op.operation.name != "gpu.module":
            yield from operations_inside(op.operation)


def launches(module: ir.Module) -> dict[str, list[Any]]:
    """Return the gpu.launch_func ops of each kernel of the host code, by the kernel's name."""
    found: dict[str, list[Any]] = {}
    for op in host_operations(module):
        if op.name == "gpu.launch_func":
            # @kernels::@mlp_matmul_0 prints so, and the last name is the kernel's
            name = list(ir.SymbolRefAttr(op.attributes["kernel"]).value)[-1]
            found.setdefault(name, []).append(op.opview)
    return found


def checked_kernels(module: ir.Module, device: Device) -> Iterator[Any]:
    """Return the kernels of a module, which fit the device and their launches, with block sizes.

    Raises:
        DiagnosedError: Something is no kernel yet, a launch does not fit its kernel, workgroup memory is too small, or
            an operation has operands that the device cannot take.
    """
    check_stage(module)
    fix_block_sizes(module)
    check_workgroup_memory(module, device)
    for kernel in kernel_functions(module):
        check_operands(kernel, device)
        yield kernel


def check_stage(module: ir.Module) -> None:
    """Check that what is to run on the device is in kernels already."""
    for op in host_operations(module):
        if op.name.startswith(("linalg.", "rtile.")):
            fail(op, f"'{op.name}' is not in a kernel yet; run rtile-lower-to-gpu first")


def fix_block_sizes(module: ir.Module) -> None:
    """Give each kernel `known_block_size`, from its launches where it has none. Registers are allotted by it.

    A kernel that is launched with another block than it says would have undefined behaviour, which LLVM turns into an
    empty kernel without a word; so that is an error.
    """
    by_kernel = launches(module)
    for kernel in kernel_functions(module):
        known: tuple[int, ...] | None = None
        if "known_block_size" in kernel.attributes:
            known = tuple(ir.DenseI32ArrayAttr(kernel.attributes["known_block_size"]))
        for launch in by_kernel.get(symbol_name(kernel), []):
            sizes = [constant_of(size) for size in (launch.blockSizeX, launch.blockSizeY, launch.blockSizeZ)]
            launched = tuple(size for size in sizes if size is not None)
            if len(launched) < len(sizes):
                fail(launch, f"launch of '{symbol_name(kernel)}' must have a constant block size")
            if known is not None and known != launched:
                fail(
                    launch,
                    f"launch of '{symbol_name(kernel)}' has blocks of {spell(launched)} threads, "
                    f"the kernel is made for {spell(known)}; change the launch or the kernel's known_block_size",
                )
            known = launched
        if known is None:
            fail(
                kernel,
                f"kernel '{symbol_name(kernel)}' has neither known_block_size nor a launch; "
                f"give it known_block_size = array<i32: x, y, z>",
            )
        kernel.attributes["known_block_size"] = ir.DenseI32ArrayAttr.get(list(known))


def check_workgroup_memory(module: ir.Module, device: Device) -> None:
    """Check that the device has the workgroup memory of each kernel: ptxas assembles what no driver then loads."""
    by_kernel = launches(module)
    for kernel in kernel_functions(module):
        name = symbol_name(kernel)
        static = _static_workgroup_bytes(kernel)
        if static > device.static_workgroup_bytes:
            fail(
                kernel,
                f"kernel '{name}' needs {static} B of static workgroup memory, "
                f"{device.name} has {device.static_workgroup_bytes} B; use gpu.dynamic_shared_memory or smaller tiles",
            )
        total = static + dynamic_workgroup_bytes(name, by_kernel.get(name, []))
        if total > device.max_workgroup_bytes_per_block:
            fail(
                kernel,
                f"kernel '{name}' needs {total} B of workgroup memory, "
                f"{device.name} has {device.max_workgroup_bytes_per_block} B; use smaller tiles or fewer stages",
            )


def dynamic_workgroup_bytes(kernel: str, kernel_launches: list[Any]) -> int:
    """Return the most dynamic workgroup memory that a launch of a kernel asks for."""
    most = 0
    for launch in kernel_launches:
        size = launch.dynamicSharedMemorySize
        if size is None:
            continue
        value = constant_of(size)
        if value is None:
            fail(launch, f"launch of '{kernel}' must have a constant dynamic_shared_memory_size")
        most = max(most, value)
    return most


def _static_workgroup_bytes(kernel: Any) -> int:
    if "workgroup_attributions" not in kernel.attributes:
        return 0
    count = ir.IntegerAttr(kernel.attributes["workgroup_attributions"]).value
    inputs = len(ir.FunctionType(ir.TypeAttr(kernel.attributes["function_type"]).value).inputs)
    return sum(_bytes(buffer.type) for buffer in list(body_of(kernel).arguments)[inputs : inputs + count])


def _bytes(kind: Any) -> int:
    memory: Any = ir.MemRefType(kind)
    return math.prod(memory.shape) * ((memory.element_type.width + 7) // 8)


def spell(extents: tuple[int, ...]) -> str:
    """Spell extents: (256, 1, 1) is "256x1x1"."""
    return "x".join(str(extent) for extent in extents)


def run_upstream(module: ir.Module, pipeline: str) -> None:
    """Run upstream passes over kernels; what they complain about becomes a DiagnosedError.

    Of many kernels a few at a time go through them, in a module of their own: beside hundreds of others each would take
    longer, and so would what comes after.

    Args:
        module: with gpu.module ops; what stands beside those is of no concern to the passes.
        pipeline: of a builtin.module.
    """
    with collecting(module.context) as collector:
        try:
            passes = passmanager.PassManager.parse(pipeline, module.context)
            kernels = [op.operation for one in gpu_modules(module) for op in body_of(one).operations]
            if len(kernels) <= _AT_A_TIME or any(kernel.name != "gpu.func" for kernel in kernels):
                passes.run(module.operation)
                return
            for gpu_module in gpu_modules(module):
                _run_in_parts(gpu_module, passes)
        except ir.MLIRError as error:
            raise diagnosed(collector, error) from None


def _run_in_parts(gpu_module: Any, passes: Any) -> None:
    """Run passes over the kernels of a gpu.module, a few at a time; library functions are declared once."""
    body, declared = body_of(gpu_module), dict[str, dict[str, Any]]()
    kernels = list(body.operations)
    for first in range(0, len(kernels), _AT_A_TIME):
        alone = ir.Module.create(gpu_module.location)
        attributes = {name: gpu_module.attributes[name] for name in gpu_module.attributes}
        at = ir.InsertionPoint(alone.body)
        part = ir.Operation.create("gpu.module", attributes=attributes, regions=1, loc=gpu_module.location, ip=at)
        inside = part.regions[0].blocks.append()
        for kernel in kernels[first : first + _AT_A_TIME]:
            inside.append(kernel)
        passes.run(alone.operation)
        for op in list(inside.operations):
            name, kind = symbol_name(op.operation), {name: op.attributes[name] for name in op.attributes}
            if declared.setdefault(name, kind) is kind:
                body.append(op)
            elif declared[name] != kind:
                raise ValueError(f"kernels that are lowered apart declare {name!r} in two ways")


def finish(module: ir.Module, *, native: Mapping[str, str]) -> None:
    """Put right what the upstream passes leave, and checks that nothing but LLVM is left in the kernels.

    - workgroup memory is aligned to 16 B, and dynamic workgroup memory becomes external: upstream declares it as an
      internal array of 0 elements, of which the vendors' compilers make one static byte that overlaps the rest;
    - calls of library functions for which LLVM has an exact instruction become that, so that no library is needed for
      them.

    Args:
        module: with lowered gpu.module ops.
        native: LLVM intrinsic op per library function.

    Raises:
        DiagnosedError: an op is not lowered. (MLIR's translation would crash on it.)
    """
    for gpu_module in gpu_modules(module):
        inside = operations_inside(gpu_module)
        foreign = [op for op in inside if not op.name.startswith(_LLVM_PREFIXES) and op.name not in _MODULE_OPS]
        if foreign:
            # A cast only follows from what was not lowered.
            culprit = next((op for op in foreign if op.name != "builtin.unrealized_conversion_cast"), foreign[0])
            fail(culprit, f"'{culprit.name}' has no lowering to LLVM; the kernel must not contain it")
        for call in inside:
            if call.name == "llvm.call":
                _make_native(call, native)
        for op in list(body_of(gpu_module).operations):
            operation = op.operation
            if operation.name == "llvm.mlir.global":
                _fix_workgroup_global(operation)
            elif operation.name == "llvm.func":
                if _GPU_KERNEL in operation.attributes:  # upstream notes it twice, which no parser takes
                    del operation.attributes[_GPU_KERNEL]
                    operation.attributes[_GPU_KERNEL] = ir.UnitAttr.get(operation.context)
                if not list(operation.regions[0].blocks) and symbol_name(operation) in native:
                    operation.erase()


def _make_native(call: Any, native: Mapping[str, str]) -> None:
    if "callee" not in call.attributes:
        return
    name = native.get(ir.FlatSymbolRefAttr(call.attributes["callee"]).value)
    if name is None:
        return
    attributes = {"fastmathFlags": call.attributes["fastmathFlags"]} if "fastmathFlags" in call.attributes else {}
    with ir.InsertionPoint(call), call.location:
        intrinsic: Any = ir.Operation.create(
            name, results=[result.type for result in call.results], operands=list(call.operands), attributes=attributes
        )
    replace_op(call, intrinsic.results[0])


def _fix_workgroup_global(operation: Any) -> None:
    attributes = operation.attributes
    if "addr_space" not in attributes or ir.IntegerAttr(attributes["addr_space"]).value != WORKGROUP_ADDRESS_SPACE:
        return
    have = ir.IntegerAttr(attributes["alignment"]).value if "alignment" in attributes else 0
    context = operation.context
    attributes["alignment"] = ir.IntegerAttr.get(
        ir.IntegerType.get_signless(64, context), max(have, WORKGROUP_ALIGNMENT_BYTES)
    )
    if str(ir.TypeAttr(attributes["global_type"]).value).startswith("!llvm.array<0 x"):
        attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>", context)
