# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one thread to functions of the LLVM dialect, each of which runs a range of its tasks.

    void matmul_0(const float *arg0, const float *arg1, float *arg2, int64_t first, int64_t end)

Who calls it decides which tasks run on which core: they are independent of each other.
"""

from typing import Any

from roller_mlir.backend.cpu.floats import prepare_floats
from roller_mlir.backend.kernel_module import checked_kernels, finish, gpu_modules, run_upstream, symbol_name
from roller_mlir.backend.math.operations import prepare_math
from roller_mlir.hal import Device
from roller_mlir.loops.attributes import TASK_RANGE
from roller_mlir.support.bindings import arith, ir, scf
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import operations_inside

_AT_A_TIME = 16
"""Functions that go through upstream's passes together."""

_PIPELINE = (
    "builtin.module("
    "canonicalize,cse,loop-invariant-code-motion,"
    "lower-affine,convert-vector-to-scf,convert-scf-to-cf,"
    "arith-expand{include-bf16=true},"
    "convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,"
    "expand-strided-metadata,lower-affine,finalize-memref-to-llvm,"
    "convert-index-to-llvm,convert-arith-to-llvm{index-bitwidth=64},convert-ub-to-llvm,convert-cf-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1 index-bitwidth=64},"
    "canonicalize,cse,reconcile-unrealized-casts)"
)


def require_cpu(device: Device) -> None:
    """Raise a ValueError for a device of another family."""
    if device.vendor != "cpu":
        raise ValueError(f"device must be a CPU, but got '{device.name}' of {device.vendor}")


def lower_to_cpu(module: ir.Module, device: Device) -> None:
    """Lower the kernels of a module to the LLVM dialect, in place; host code stays as it is.

    Args:
        module: with gpu.func kernels in gpu.module ops.
        device: a CPU.

    Raises:
        DiagnosedError: a kernel needs more than one thread or workgroup memory, or something has no lowering.
    """
    require_cpu(device)
    for kernel in list(checked_kernels(module, device)):
        _to_function(kernel, device)
    for gpu_module in gpu_modules(module):
        prepare_math(gpu_module)
        prepare_floats(gpu_module)
        _lower(gpu_module)
    assert device.vector_bytes is not None
    bits = ir.StringAttr.get(str(8 * device.vector_bytes))
    wide = [
        ir.ArrayAttr.get([ir.StringAttr.get(name), bits]) for name in ("prefer-vector-width", "min-legal-vector-width")
    ]
    for gpu_module in gpu_modules(module):
        for op in gpu_module.regions[0].blocks[0].operations:
            if TASK_RANGE in op.operation.attributes:
                op.operation.attributes["passthrough"] = ir.ArrayAttr.get(wide)
    finish(module, native={})


def _lower(gpu_module: Any) -> None:
    """Run upstream's passes over functions, in modules of their own, where libm's functions are declared."""
    body = gpu_module.regions[0].blocks[0]
    functions, declared = list(body.operations), set[str]()
    for first in range(0, len(functions), _AT_A_TIME):
        alone = ir.Module.create(gpu_module.location)
        for function in functions[first : first + _AT_A_TIME]:
            alone.body.append(function)
        run_upstream(alone, _PIPELINE)
        for op in list(alone.body.operations):
            name = symbol_name(op.operation)
            if name not in declared:
                declared.add(name)
                body.append(op)


def _to_function(kernel: Any, device: Device) -> None:
    """Put a function of a range of tasks in place of a kernel."""
    name = symbol_name(kernel)
    block = kernel.regions[0].blocks[0]
    inputs = list(ir.FunctionType(ir.TypeAttr(kernel.attributes["function_type"]).value).inputs)
    threads = tuple(ir.DenseI32ArrayAttr(kernel.attributes["known_block_size"]))
    if any(extent != 1 for extent in threads):
        fail(
            kernel,
            f"kernel '{name}' has blocks of {threads[0]} threads, '{device.name}' has none; plan it for this device",
        )
    for op in operations_inside(kernel):
        if op.name in ("gpu.barrier", "gpu.shuffle", "gpu.dynamic_shared_memory"):
            fail(op, f"'{op.name}' is for threads, which '{device.name}' does not have")
    index = ir.IndexType.get(kernel.context)
    facts = list(ir.ArrayAttr(kernel.attributes["arg_attrs"])) if "arg_attrs" in kernel.attributes else []
    facts = facts or [ir.DictAttr.get({})] * len(inputs)
    kept = {one: kernel.attributes[one] for one in kernel.attributes if one.startswith("rtile.")}
    attributes = {
        **kept,
        TASK_RANGE: ir.UnitAttr.get(),
        "gpu.kernel": ir.UnitAttr.get(),
        "sym_name": ir.StringAttr.get(name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get([*inputs, index, index], [])),
        "arg_attrs": ir.ArrayAttr.get([*facts, ir.DictAttr.get({}), ir.DictAttr.get({})]),
    }
    with kernel.location:
        function = ir.Operation.create("func.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(kernel))
        types = [*inputs, index, index]
        entry = function.regions[0].blocks.append(*types, arg_locs=[kernel.location] * len(types))
        with ir.InsertionPoint(entry):
            loop = scf.ForOp(entry.arguments[-2], entry.arguments[-1], arith.constant(index, 1))
            ir.Operation.create("func.return")
        for old, new in zip(block.arguments, entry.arguments, strict=False):
            old.replace_all_uses_with(new)
        for op in list(block.operations):
            if op.operation.name == "gpu.return":
                op.operation.erase()
                continue
            if op.operation.name == "gpu.block_id":
                op.operation.results[0].replace_all_uses_with(loop.induction_variable)
                op.operation.erase()
                continue
            loop.body.append(op)
        with ir.InsertionPoint(loop.body):
            scf.YieldOp([])
    kernel.erase()
