# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one thread to functions of the LLVM dialect, each of which runs a range of its tasks.

    void matmul_0(const float *arg0, const float *arg1, float *arg2, void *scratch, int64_t first, int64_t end)

Who calls it decides which tasks run on which core: they are independent of each other, where each core has a scratch of
its own. A kernel that packs nothing has none; of one that does, it is the workgroup memory of its launch.
"""

from collections.abc import Mapping
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.cpu.floats import mask_as_integers, prepare_floats
from roller_mlir.lowering.backend.cpu.pads import load_from_pads
from roller_mlir.lowering.backend.kernels.module import (
    checked_kernels,
    dynamic_workgroup_bytes,
    finish,
    gpu_modules,
    launches,
    run_upstream,
    symbol_name,
)
from roller_mlir.lowering.backend.math.elementary import expand_functions
from roller_mlir.lowering.backend.math.operations import prepare_math
from roller_mlir.lowering.loops.attributes import FMA_COUNT, TASK_RANGE, TILE_REGISTERS
from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES
from roller_mlir.support.bindings import arith, ir, scf
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import call_intrinsic, operations_inside

_FUSED = ("vector.fma", "math.fma", "llvm.intr.fma")
_AT_A_TIME = 16
"""Functions that go through upstream's passes together."""

_PIPELINE = (
    "builtin.module("
    "canonicalize,cse,loop-invariant-code-motion,"
    "lower-affine,convert-vector-to-scf,"
    "arith-expand{include-bf16=true},"
    "convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,"
    "expand-strided-metadata,lower-affine,"
    "convert-scf-to-cf,finalize-memref-to-llvm,"
    "convert-index-to-llvm,convert-arith-to-llvm{index-bitwidth=64},convert-ub-to-llvm,convert-cf-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1 index-bitwidth=64},"
    "canonicalize,cse,reconcile-unrealized-casts)"
)
"""Passes that merge equal blocks stand before there are blocks: of some hundred tests of padding they do not end."""


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
    by_kernel = launches(module)
    for kernel in list(checked_kernels(module, device)):
        name = symbol_name(kernel)
        _to_function(kernel, device, dynamic_workgroup_bytes(name, by_kernel.get(name, [])))
    for gpu_module in gpu_modules(module):
        prepare_math(gpu_module)
        planned = _multiply_adds(gpu_module)
        expand_functions(gpu_module)
        prepare_floats(gpu_module)
        _lower(gpu_module)
        for function in _functions(gpu_module):
            load_from_pads(function)
        mask_as_integers(gpu_module)
        _promise_functions(gpu_module, planned)
    assert device.vector_bytes is not None
    bits = ir.StringAttr.get(str(8 * device.vector_bytes))
    wide = [
        ir.ArrayAttr.get([ir.StringAttr.get(name), bits]) for name in ("prefer-vector-width", "min-legal-vector-width")
    ]
    for gpu_module in gpu_modules(module):
        for function in _functions(gpu_module):
            function.attributes["passthrough"] = ir.ArrayAttr.get(wide)
    finish(module, native={})


def _functions(gpu_module: Any) -> list[Any]:
    """Return the functions of a module that run ranges of tasks."""
    operations = [op.operation for op in gpu_module.regions[0].blocks[0].operations]
    return [one for one in operations if TASK_RANGE in one.attributes]


def _multiply_adds(gpu_module: Any) -> dict[str, int]:
    """Return the fused multiply-adds in each function."""
    functions = gpu_module.regions[0].blocks[0].operations
    return {symbol_name(op.operation): _multiply_adds_of(op.operation) for op in functions}


def _multiply_adds_of(function: Any) -> int:
    """Return how many a function has, each lane for itself."""
    fused = [op.results[0].type for op in operations_inside(function) if op.name in _FUSED]
    return sum(ir.VectorType(kind).shape[0] if isinstance(kind, ir.VectorType) else 1 for kind in fused)


def _promise_functions(gpu_module: Any, planned: Mapping[str, int]) -> None:
    """Add the multiply-adds of elementary functions to those that the machine code must have."""
    for op in gpu_module.regions[0].blocks[0].operations:
        if FMA_COUNT not in op.operation.attributes:
            continue
        name = symbol_name(op.operation)
        own = _multiply_adds_of(op.operation) - planned[name]
        known = ir.IntegerAttr(op.operation.attributes[FMA_COUNT])
        op.operation.attributes[FMA_COUNT] = ir.IntegerAttr.get(known.type, known.value + max(0, own))


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


def _to_function(kernel: Any, device: Device, scratch_bytes: int) -> None:
    """Put a function of a range of tasks in place of a kernel, which takes a scratch where it has so many bytes."""
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
        if op.name in ("gpu.barrier", "gpu.shuffle"):
            fail(op, f"'{op.name}' is for threads, which '{device.name}' does not have")
    index = ir.IndexType.get(kernel.context)
    alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, kernel.context), MEMORY_ALIGNMENT_BYTES)
    facts = list(ir.ArrayAttr(kernel.attributes["arg_attrs"])) if "arg_attrs" in kernel.attributes else []
    facts = facts or [ir.DictAttr.get({})] * len(inputs)
    if scratch_bytes:
        facts.append(ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get(), "llvm.align": alignment}))
        inputs.append(ir.MemRefType.get([scratch_bytes], ir.IntegerType.get_signless(8)))
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
            before = _describe_tiles(kernel.attributes[TILE_REGISTERS]) if TILE_REGISTERS in kernel.attributes else None
            loop = scf.ForOp(entry.arguments[-2], entry.arguments[-1], arith.constant(index, 1))
            if before is not None:
                call_intrinsic("llvm.x86.ldtilecfg", [before])
            ir.Operation.create("func.return")
        for old, new in zip(block.arguments, entry.arguments, strict=False):
            old.replace_all_uses_with(new)
        for op in list(block.operations):
            if op.operation.name == "gpu.return":
                op.operation.erase()
                continue
            if op.operation.name == "gpu.dynamic_shared_memory":
                op.operation.results[0].replace_all_uses_with(entry.arguments[-3])
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
    _forget_memory_space(function)


def _describe_tiles(description: Any) -> Any:
    """Describe the tile registers; return the address of the description that was there, which a library may count on.

    Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18.
    """
    data = ir.DenseI8ArrayAttr(description)
    i8, pointer = ir.IntegerType.get_signless(8), ir.Type.parse("!llvm.ptr")
    one = arith.constant(ir.IntegerType.get_signless(64), 1)
    line = ir.VectorType.get([len(data)], i8)
    attributes: dict[str, ir.Attribute] = {
        "elem_type": ir.TypeAttr.get(line),
        "alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(data)),
    }
    before, own = (
        ir.Operation.create("llvm.alloca", results=[pointer], operands=[one], attributes=attributes).results[0]
        for _ in range(2)
    )
    call_intrinsic("llvm.x86.sttilecfg", [before])
    described = ir.DenseElementsAttr.get([ir.IntegerAttr.get(i8, value) for value in data], line)
    value = ir.Operation.create("llvm.mlir.constant", results=[line], attributes={"value": described}).results[0]
    ir.Operation.create("llvm.store", operands=[value, own])
    call_intrinsic("llvm.x86.ldtilecfg", [own])
    return before


def _forget_memory_space(function: Any) -> None:
    """Let views of the scratch be memory like any other."""
    for op in operations_inside(function):
        for result in op.results:
            if isinstance(result.type, ir.MemRefType) and ir.MemRefType(result.type).memory_space is not None:
                kind = ir.MemRefType(result.type)
                result.set_type(ir.MemRefType.get(list(kind.shape), kind.element_type))
